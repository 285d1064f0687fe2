/// Takes occurrences, in any order.
package protocol OccurrenceSink {
  /// An occurrence that begins later does not count; `nil` while each one does.
  var bound: Instant? { get }

  mutating func add(_ occurrence: Occurrence)
}

/// The first occurrences in the timeline's order: by their beginning, whole days first where that
/// is the same, then by title and id.
///
/// There may be hundreds of thousands: their places are sorted by the beginnings that stand beside
/// them, and they themselves are not moved meanwhile, as ``FirstSorted`` would do.
package struct FirstOccurrences: OccurrenceSink {
  private let limit: Int
  private let zone: ZoneRules
  private var found: [Occurrence] = []
  private var starts: [Instant] = []
  package private(set) var bound: Instant?

  package init(limit: Int, in zone: ZoneRules) {
    self.limit = limit
    self.zone = zone
  }

  package mutating func add(_ occurrence: Occurrence) {
    let start = occurrence.moment.start(in: zone)
    if let bound, start > bound { return }
    found.append(occurrence)
    starts.append(start)
    // Sorted now and then, so that adding one costs little on average.
    guard found.count >= limit, bound == nil || found.count >= limit.addingClamped(limit) else {
      return
    }
    let first = order.prefix(limit)
    (found, starts) = (first.map { found[$0] }, first.map { starts[$0] })
    bound = starts.last
  }

  package var elements: [Occurrence] { order.prefix(limit).map { found[$0] } }

  private var order: [Int] {
    found.indices.sorted { one, other in
      if starts[one] != starts[other] { return starts[one] < starts[other] }
      let (left, right) = (found[one], found[other])
      if left.moment.isAllDay != right.moment.isAllDay { return left.moment.isAllDay }
      return (left.title, left.id) < (right.title, right.id)
    }
  }
}
