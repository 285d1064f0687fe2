/// One dated thing on the timeline, of whatever kind of record.
package struct Occurrence: Sendable {
  /// What happens then.
  package enum What: String, CaseIterable, Hashable, Sendable {
    case unlock, event, deadline, alert, reminder, delivery
    /// Of the past: a capsule was made, a capsule was opened, an event happened.
    case sealed, opened, happened
  }

  package let kind: RecordKind
  package let id: RecordID
  package let title: String
  package let what: What
  package let moment: Moment
  package var color: EventColor?
  /// More about it in a few words, as an alert's `1 week before`.
  package var detail: String?

  package init(
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
package struct Series: Sendable {
  package let kind: RecordKind
  package let id: RecordID
  package let title: String
  package let notes: String
  package let what: Occurrence.What
  package let moment: Moment
  /// The IANA zone on whose clocks an instant is repeated; empty for none.
  package let zone: String
  package let recurrence: Recurrence?
  package let alerts: [EventAlert]
  package let createdAt: Instant
  package let updatedAt: Instant
  package let revision: Int64
  package let color: EventColor?
  package let tags: [String]

  package init(
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
