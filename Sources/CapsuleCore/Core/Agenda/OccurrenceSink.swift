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
/// them, and they themselves are moved but once, as ``FirstSorted`` would not do.
package struct FirstOccurrences: OccurrenceSink {
  private let limit: Int
  private let zone: ZoneRules
  private let by: OccurrenceOrder
  private var found: [Occurrence] = []
  private var places: [Place] = []
  package private(set) var bound: Instant?

  package init(limit: Int, in zone: ZoneRules, by order: OccurrenceOrder = .beginning) {
    self.limit = limit
    self.zone = zone
    by = order
    // No page of memory is taken before something is written there.
    found.reserveCapacity(min(limit, Self.room))
    places.reserveCapacity(min(limit, Self.room))
  }

  private static let room = 16_384

  package mutating func add(_ occurrence: Occurrence) {
    let place = by.place(of: occurrence.moment, in: zone)
    if let bound, place > bound { return }
    // Of those that begin together, whole days stand at one end.
    let isLater = occurrence.moment.isAllDay != (by == .beginning)
    places.append(Place(instant: place, isLater: isLater, number: found.count))
    found.append(occurrence)
    // Sorted now and then, so that adding one costs little on average.
    guard found.count >= limit, bound == nil || found.count >= limit.addingClamped(limit) else {
      return
    }
    let first = order.prefix(limit)
    found = first.map { found[$0.number] }
    places = first.enumerated().map {
      Place(instant: $1.instant, isLater: $1.isLater, number: $0)
    }
    bound = places.last?.instant
  }

  /// Returns them in order.
  package consuming func elements() -> [Occurrence] {
    var order = order.map(\.number)
    var elements = found
    found = []
    // Each takes its place by an exchange, one round of places after the other.
    elements.withUnsafeMutableBufferPointer { elements in
      for start in elements.indices {
        var place = start
        while order[place] != start {
          let next = order[place]
          elements.swapAt(place, next)
          order[place] = place
          place = next
        }
        order[place] = place
      }
    }
    elements.removeLast(max(0, elements.count - limit))
    return elements
  }

  /// The place of an occurrence in the order, and where it lies.
  private struct Place {
    let instant: Instant
    let isLater: Bool
    let number: Int
  }

  private var order: [Place] {
    places.sorted { one, other in
      if one.instant != other.instant { return one.instant < other.instant }
      if one.isLater != other.isLater { return other.isLater }
      let (left, right) = (found[one.number], found[other.number])
      return (left.title, left.id) < (right.title, right.id)
    }
  }
}
