/// One dated thing on the timeline, of whatever kind of record.
public struct Occurrence: Sendable {
  /// The way in which a date matters.
  public enum Happening: String, CaseIterable, Hashable, Sendable {
    case unlock, event, deadline, alert, reminder, delivery
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
  package let title: String
  package let notes: String
  package let happening: Occurrence.Happening
  /// The first of its occurrences.
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
}

extension Series {
  /// The way in which a record is repeated.
  package struct Repetition: Sendable {
    package let rule: Rule
    /// The date that the rule is counted from, which may be before the first occurrence: its day of the
    /// month is that of all that follow.
    package let anchor: CivilDate
    /// The day of other years for a 29 February.
    package let leapDay: LeapDayRule
    /// The clocks that an instant is repeated on, and the time that they show at the first occurrence.
    package var clocks: (zone: ZoneRules, local: CivilDateTime)?
    /// The timing of an event, of whose occurrences the alerts are.
    package var timing: EventTiming?
  }

  /// A repetition every so many units, on the days that are named.
  package struct Rule: Hashable, Sendable {
    package let count: Int
    package let unit: DurationUnit
    package var days: Recurrence.Days?
  }
}
