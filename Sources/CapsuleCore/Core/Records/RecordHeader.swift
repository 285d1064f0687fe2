/// The fields that every record has.
package struct RecordHeader: Hashable, Sendable {
  /// The version of the record's format that it was written in.
  package internal(set) var schema: Int64 = 1
  package private(set) var id = RecordID.zero
  /// How often the record was written: 1 when new.
  package var revision: Int64 = 1
  package private(set) var createdAt = Instant.epoch
  /// Nanoseconds from ``createdAt`` until the record came into a store; `nil` in records of earlier
  /// versions, which were made before all others of their second.
  package private(set) var createdNanos: Int64?
  package var updatedAt = Instant.epoch

  /// The latest version of the record format that this program writes; a record has the least that
  /// it needs.
  package static let currentSchema: Int64 = 3
}

extension RecordHeader {
  /// The header of a new record.
  package init(id: RecordID, createdAt: Instant) {
    self.init()
    self.id = id
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The time at which the record came into a store, in nanoseconds since 1970: the order in which
  /// records were made, also within one second.
  package var madeAt: Int64 {
    createdAt.nanoseconds.addingClamped(createdNanos ?? 0)
  }

  /// Notes when the record comes into a store, in nanoseconds since 1970.
  mutating func noteMaking(at nanoseconds: Int64) {
    let (past, isTooMuch) = nanoseconds.subtractingReportingOverflow(createdAt.nanoseconds)
    createdNanos = isTooMuch ? 0 : max(0, past)
  }

  /// Names the fields, which stand among those of the record itself.
  mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("schema", &schema)
    try coder.field("id", &id)
    try coder.field("rev", &revision)
    try coder.field("createdAt", &createdAt)
    try coder.optional("createdNanos", &createdNanos, writesNull: false)
    try coder.field("updatedAt", &updatedAt)
    guard revision > 0 else { return try coder.refuse("rev", .invalid(String(revision))) }
    if let nanos = createdNanos, nanos < 0 {
      return try coder.refuse("createdNanos", .invalid(String(nanos)))
    }
  }
}
