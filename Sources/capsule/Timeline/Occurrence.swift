import CapsuleCore

/// One dated thing on the timeline, of whatever kind of record.
struct Occurrence: Sendable {
  /// What happens then.
  enum What: String, CaseIterable, Hashable, Sendable {
    case unlock, event, deadline, alert, reminder, delivery
    /// Of the past: a capsule was made, a capsule was opened, an event happened.
    case sealed, opened, happened
  }

  let kind: RecordKind
  let id: RecordID
  let title: String
  let what: What
  let moment: Moment
  var color: EventColor?
  /// More about it in a few words, as an alert's `1 week before`.
  var detail: String?

  init(
    kind: RecordKind, id: RecordID, title: String, what: What, moment: Moment,
    color: EventColor? = nil, detail: String? = nil
  ) {
    self.kind = kind
    self.id = id
    self.title = title
    self.what = what
    self.moment = moment
    self.color = color
    self.detail = detail
  }
}

/// A thing with all of its repetitions, for calendars.
struct Series: Sendable {
  let kind: RecordKind
  let id: RecordID
  let title: String
  let notes: String
  let what: Occurrence.What
  let moment: Moment
  /// The IANA zone on whose clocks an instant is repeated; empty for none.
  let zone: String
  let recurrence: Recurrence?
  let alerts: [EventAlert]
  let createdAt: Instant
  let updatedAt: Instant
  let revision: Int64
  let color: EventColor?
  let tags: [String]

  init(
    kind: RecordKind, id: RecordID, title: String, notes: String, what: Occurrence.What,
    moment: Moment, zone: String, recurrence: Recurrence?, alerts: [EventAlert],
    createdAt: Instant, updatedAt: Instant, revision: Int64, color: EventColor? = nil,
    tags: [String] = []
  ) {
    self.kind = kind
    self.id = id
    self.title = title
    self.notes = notes
    self.what = what
    self.moment = moment
    self.zone = zone
    self.recurrence = recurrence
    self.alerts = alerts
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.revision = revision
    self.color = color
    self.tags = tags
  }
}
