/// Something that became due and is to be announced.
package struct DueThing: Sendable {
  /// The record, and what about it is due.
  package enum Matter: Sendable {
    case unlock(Capsule)
    case event(Event, EventAnnouncement)
    case reminder(Item, Reminder)
    case bequest(Bequest)
  }

  /// The name of it in the ledger.
  package let announcement: Announcement
  package let matter: Matter
}

/// A span of time in which things become due.
package struct DueSpan {
  /// The start, itself not included.
  package let start: Instant
  /// The end, itself included.
  package let end: Instant
  package let calendar: EventCalendar

  var zone: ZoneRules { calendar.zone }

  func holds(_ instant: Instant) -> Bool { instant > start && instant <= end }
}

/// A record, or a part of the store, whose announcements are not known.
package enum DueProblem: Error, Sendable {
  /// The directory could not be read.
  case directory(FileSystemError)
  /// The index has nothing of the record: it cannot be read as one.
  case unreadable(path: String)
  /// The record is not what was written, or could not be read just now.
  case record(StoreError)
}
