/// The fields that every record has.
public struct RecordHeader: Hashable, Sendable {
  /// The version of the record's format that it was written in.
  package internal(set) var schema: Int64 = 1
  public private(set) var id = RecordID.zero
  /// How often the record was written: 1 when new.
  public var revision: Int64 = 1
  public private(set) var createdAt = Instant.epoch
  public var updatedAt = Instant.epoch

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

  /// Names the fields, which stand among those of the record itself.
  mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("schema", &schema)
    try coder.field("id", &id)
    try coder.field("rev", &revision)
    try coder.field("createdAt", &createdAt)
    try coder.field("updatedAt", &updatedAt)
    guard revision > 0 else { return try coder.refuse("rev", .invalid(String(revision))) }
  }
}
