/// One dated thing on the timeline, of whatever kind of record.
public struct Occurrence: Sendable {
  /// The way in which a date matters.
  public enum Happening: String, CaseIterable, Hashable, Sendable {
    case unlock, event, deadline, alert, reminder, delivery
    /// Of the past: a capsule was made, a capsule was opened, an event happened.
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
}

/// A record with all of its repetitions, for calendars.
package struct Series: Sendable {
  package let header: RecordHeader
  package let title: String
  package let notes: String
  package let happening: Occurrence.Happening
  package let moment: Moment
  /// The IANA zone on whose clocks an instant is repeated; empty for none.
  package var zone = ""
  package var recurrence: Recurrence?
  package var alerts: [EventAlert] = []
  package var color: EventColor?
  package var tags: [String] = []
}
