/// A rule of its kind that a record breaks, so that it is not written.
public enum RecordFault: Error, Hashable, Sendable {
  /// The fields that have rules, by their names in the record.
  public enum Field: String, Hashable, Sendable {
    case title, name, relationship, email, phone, cardUID, uid, message
    case unlockAt, at, accessAt, doneAt
  }

  /// A title or name is empty, or white space alone.
  case blank(RecordKind, Field)
  /// A text is longer than can be kept.
  case tooLong(Field, bytes: Int, limit: Int)
  /// A text is no email address, or no phone number.
  case invalid(Field, String)
  /// A time is outside the years 1 to 9999, and cannot be written.
  case outOfRange(Field, Instant)
  /// A deadline is to be repeated.
  case repeatedDeadline
  /// An event is to be met, and is no deadline.
  case noDeadline(title: String)
  /// A reminder that counts minutes or hours is to have a time of day; the unit by its name.
  case timeOfDay(unit: String)
  /// An event has too many alerts.
  case tooManyAlerts(Int, limit: Int)
  /// The record could not be read again.
  case unreadable(FieldError)
}

extension RecordFault {
  /// Checks that a title or name says something, in at most a KiB.
  package static func check(
    name: String, _ field: Field = .name, of kind: RecordKind
  ) throws(RecordFault) {
    try check(name, field, limit: Capsule.titleLimit)
    if name.allSatisfy(\.isWhitespace) { throw .blank(kind, field) }
  }

  /// Checks that a text is not longer than can be kept.
  package static func check(_ text: String, _ field: Field, limit: Int) throws(RecordFault) {
    let count = text.utf8.count
    guard count <= limit else { throw .tooLong(field, bytes: count, limit: limit) }
  }

  /// Checks that a time can be written.
  static func check(_ time: Instant?, _ field: Field) throws(RecordFault) {
    if let time, !time.isRepresentable { throw .outOfRange(field, time) }
  }
}
