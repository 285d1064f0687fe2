/// The fields that every record has.
public struct RecordHeader: Hashable, Sendable {
  /// The version of the record's format that it was written in.
  package let schema: Int64
  public let id: RecordID
  /// How often the record was written: 1 when new.
  public var revision: Int64
  public let createdAt: Instant
  public var updatedAt: Instant

  /// The header of a new record.
  package init(id: RecordID, createdAt: Instant) {
    schema = RecordHeader.currentSchema
    self.id = id
    revision = 1
    self.createdAt = createdAt
    updatedAt = createdAt
  }

  /// The version of the record format that this program writes.
  package static let currentSchema: Int64 = 1

  package init(reading reader: inout FieldReader) throws(FieldError) {
    schema = try reader.integer("schema")
    id = try reader.id("id")
    revision = try reader.integer("rev")
    createdAt = try reader.instant("createdAt")
    updatedAt = try reader.instant("updatedAt")
    _ = reader.take("checksum")
    guard revision > 0 else { throw reader.error("rev", .invalid(String(revision))) }
  }

  package func write(into fields: inout JSONObject) {
    fields["schema"] = .integer(schema)
    fields["id"] = .string(id.description)
    fields["rev"] = .integer(revision)
    fields["createdAt"] = .instant(createdAt)
    fields["updatedAt"] = .instant(updatedAt)
  }
}

/// A value that is a record of its own, one file in the store.
package protocol RecordModel: RecordPart, Sendable {
  static var kind: RecordKind { get }
  var header: RecordHeader { get set }
  /// The blobs it refers to.
  var blobs: [BlobName] { get }
  /// What the index keeps of it.
  var indexLine: IndexLine { get }
  /// The name that no other record of the kind may have; `nil` where names may repeat.
  var uniqueName: String? { get }
  /// What no other live record of the kind may say; `nil` where that does not matter.
  var twinKey: String? { get }
  /// The records that it names, which must be there as long as it is.
  var references: [RecordReference] { get }
}

extension RecordModel {
  package var uniqueName: String? { nil }
  package var twinKey: String? { nil }
  package var references: [RecordReference] { [] }
}
