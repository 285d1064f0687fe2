/// Takes occurrences, in any order.
package protocol OccurrenceSink {
  /// An occurrence that begins later does not count; `nil` while each one does.
  var bound: Instant? { get }

  mutating func add(_ occurrence: Occurrence)
}

/// The order in which occurrences stand.
package enum OccurrenceOrder: Sendable {
  /// The order of their beginnings; of the same one whole days first.
  case beginning
  /// The order in which they come next: of the same local day those with a time before those of all
  /// day, which else would hide them.
  case next

  /// Returns the instant that an occurrence is sorted by, which is not before its beginning.
  func place(of moment: Moment, in zone: ZoneRules) -> Instant {
    switch (self, moment) {
    case (.next, .day): max(moment.start(in: zone), moment.end(in: zone).adding(seconds: -1))
    default: moment.start(in: zone)
    }
  }
}

/// The first occurrences in an order; where that is the same, by title and id.
///
/// There may be hundreds of thousands: their numbers are sorted by the places that stand beside
/// them, and they themselves are not moved meanwhile, as ``FirstSorted`` would do.
package struct FirstOccurrences: OccurrenceSink {
  private let limit: Int
  private let zone: ZoneRules
  private let by: OccurrenceOrder
  private var found: [Occurrence] = []
  private var places: [Instant] = []
  package private(set) var bound: Instant?

  package init(limit: Int, in zone: ZoneRules, by order: OccurrenceOrder = .beginning) {
    self.limit = limit
    self.zone = zone
    by = order
  }

  package mutating func add(_ occurrence: Occurrence) {
    let place = by.place(of: occurrence.moment, in: zone)
    if let bound, place > bound { return }
    found.append(occurrence)
    places.append(place)
    // Sorted now and then, so that adding one costs little on average.
    guard found.count >= limit, bound == nil || found.count >= limit.addingClamped(limit) else {
      return
    }
    let first = order.prefix(limit)
    (found, places) = (first.map { found[$0] }, first.map { places[$0] })
    bound = places.last
  }

  package var elements: [Occurrence] { order.prefix(limit).map { found[$0] } }

  private var order: [Int] {
    found.indices.sorted { one, other in
      if places[one] != places[other] { return places[one] < places[other] }
      let (left, right) = (found[one], found[other])
      if left.moment.isAllDay != right.moment.isAllDay {
        return left.moment.isAllDay == (by == .beginning)
      }
      return (left.title, left.id) < (right.title, right.id)
    }
  }
}
