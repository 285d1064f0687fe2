/// One dated thing on the timeline, of whatever kind of record.
public struct Occurrence: Sendable {
  /// The way in which a date matters.
  public enum Happening: String, CaseIterable, Hashable, Sendable {
    case unlock, event, deadline, alert, reminder, delivery, warranty
    /// Things of the past: a capsule was made, a capsule was opened, an event happened.
    case sealed, opened, happened
  }

  public let kind: RecordKind
  public let id: RecordID
  public let title: String
  public let happening: Happening
  public let moment: Moment
  public var color: EventColor?
  /// More about it in a few words, as an alert's `1 week before`.
  public var detail: String?
  /// Whether it should have been done before: a deadline that was missed, a reminder of an earlier day.
  public var isOverdue = false
  /// The number of years after the first time, for one of a yearly event: on a birthday, the age.
  public var years: Int?
  /// The key of it among the occurrences of its event; `nil` where the event occurs once.
  public var key: OccurrenceKey?
  /// The last date of a whole day that takes several.
  package var lastDay: CivilDate?
  /// The first instant at which it is over, of what takes some time.
  public var end: Instant?
  /// Whether it is at another time than its repetition says.
  package var isMoved = false
  /// How often a deadline that is repeated was missed, this one included.
  package var missed: Int?
}

extension Occurrence {
  /// The state of an occurrence at a time.
  package enum State: Sendable {
    /// It should have been done on an earlier day.
    case overdue
    /// It is a reminder whose time has come.
    case due
    /// It is another thing whose time has come, as a day that is today.
    case begun
    case ahead
  }

  package func state(at now: Instant, in zone: ZoneRules) -> State {
    if isOverdue { return .overdue }
    if moment.start(in: zone) > now { return .ahead }
    return happening == .reminder ? .due : .begun
  }

  /// Whether it is a reminder of a day before that of a time.
  func isOverdueReminder(at now: Instant, in zone: ZoneRules) -> Bool {
    happening == .reminder && moment.date(in: zone) < zone.civil(at: now).date
  }
}

/// A record with all of its repetitions, for calendars.
package struct Series: Sendable {
  package let header: RecordHeader
  package var title: String
  package var notes: String
  package let happening: Occurrence.Happening
  /// The time that its occurrences are counted from.
  package let moment: Moment
  package var repetition: Repetition?
  /// The clocks that alerts go by; `nil` for those of where one is.
  package var zone: ZoneRules?
  package var alerts: [EventAlert] = []
  package var color: EventColor?
  package var tags: [String] = []
  /// The UID and the sequence that another calendar gave it, where it came from one.
  package var uid: String?
  package var sequence: Int64?
  /// The time at which a deadline was met.
  package var doneAt: Instant?
  package var length: EventLength?
  /// The name of the zone that its end is in, where that is another.
  package var endZone: String?
  /// Whether its time is that of the clocks everywhere.
  package var isFloating = false
  /// Whether it is an occurrence that was skipped.
  package var isSkipped = false
  /// Whether the year of the first occurrence is not known.
  package var isYearUnknown = false
}

extension Series {
  /// The way in which a record is repeated.
  package struct Repetition: Sendable {
    /// The rules as a calendar has them (RFC 5545 §3.3.10), without their end.
    package let rules: [String]
    /// The clocks that an instant is repeated on, and the time that they show at the first occurrence.
    package var clocks: (zone: ZoneRules, local: CivilDateTime)?
    /// The timing of an event, of whose occurrences the alerts are.
    package var timing: EventTiming?
  }
}

extension Series.Repetition {
  /// Returns the rule by which a calendar repeats as the timeline does (RFC 5545, 3.3.10): the 31st is a
  /// month's last day where it has no 31st.
  static func text(
    every count: Int, _ unit: DurationUnit, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> String {
    let frequency: String
    var parts = ""
    switch unit {
    case .day: frequency = "DAILY"
    case .week: frequency = "WEEKLY"
    case .month:
      frequency = "MONTHLY"
      if anchor.day > 28 {
        let days = (28...anchor.day).map { String($0) }.joined(separator: ",")
        parts = ";BYMONTHDAY=\(days);BYSETPOS=-1"
      }
    default:
      frequency = "YEARLY"
      if anchor.month == 2, anchor.day == 29 {
        // The 60th day is 29 February, or 1 March.
        parts = leapDay == .march1 ? ";BYYEARDAY=60" : ";BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"
      }
    }
    return "FREQ=\(frequency);INTERVAL=\(count)\(parts)"
  }
}

extension Recurrence {
  /// Returns the rule as a calendar has it.
  func text(from anchor: CivilDate, leapDay: LeapDayRule) -> String {
    switch days {
    case nil: return Series.Repetition.text(every: count, unit, from: anchor, leapDay: leapDay)
    case .weekdays(let days):
      let names = days.map(\.ruleName).joined(separator: ",")
      return "FREQ=WEEKLY;INTERVAL=\(count);BYDAY=\(names)" + (count > 1 ? ";WKST=MO" : "")
    case .nth(let number, let weekday):
      return "FREQ=MONTHLY;INTERVAL=\(count);BYDAY=\(number)\(weekday.ruleName)"
    }
  }
}

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

/// A kind of record that has dates: all that the agenda, calendars and `check` know of it.
///
/// A new kind joins by conforming, in `DatedRecords.swift` beside this one, and by its place
/// in ``DatedKinds/all``. Nothing here throws: a record that cannot be read has no dates, and
/// `list`, `verify` and `check` report it.
package protocol DatedKind: RecordModel {
  /// Yields the occurrences that are not over at the span's start and begin before its end, and what is
  /// overdue where that is asked for: in any order, and at least the first `span.limit`.
  static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink)

  /// Yields the past of this day in earlier years.
  static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink)

  /// Whether calendars may have the record of an index entry, so that it has to be read.
  static func mayHaveSeries(_ entry: IndexEntry) -> Bool

  /// Whether calendars may have to describe a zone for the record of an index entry.
  static func mayNameZone(_ entry: IndexEntry) -> Bool

  /// Returns the time at which the record of an index entry was made; `nil` where the index does not
  /// have it.
  static func createdAt(_ entry: IndexEntry) -> Instant?

  /// Returns the record with all of its repetitions, for calendars; `nil` where it has no date.
  func series(_ context: TimelineContext) -> Series?

  /// Hands over the records that may have something to announce that is not known yet, each with the
  /// first time at which it was due, until `body` gives `false`.
  static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool)

  /// Counts the records that have something due when this machine first uses the store.
  static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int

  /// Returns the announcements of this record that became due in a span.
  func dues(in span: DueSpan) -> [DueThing]
}

/// The kinds that have dates.
package enum DatedKinds {
  /// Every one of them, in the order in which they are looked at: the one list that a kind joins.
  package static let all: [any DatedKind.Type] = [
    Capsule.self, Event.self, Item.self, Bequest.self,
  ]
}

extension DatedKind {
  package static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {}

  package static func mayHaveSeries(_ entry: IndexEntry) -> Bool { true }

  package static func mayNameZone(_ entry: IndexEntry) -> Bool { false }
}
