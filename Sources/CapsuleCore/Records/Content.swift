/// One thing inside a capsule: a text or a file.
///
/// Only what may be seen while the capsule is locked stands here in the clear.
public struct Content: Hashable, Identifiable, Sendable {
  public let id: RecordID
  public let kind: ContentKind
  public let addedAt: Instant
  /// Bytes of the sealed form: the blob for a file, the armored `sealed` for a text.
  public let sealedSize: Int64
  /// An armored age file to the capsule's recipient; its plaintext is a ``ContentDetails``.
  package let sealed: String
  /// The blob that holds a file's bytes; `nil` for a text.
  package let blob: BlobName?
  package let unknown: JSONObject

  package init(
    id: RecordID, kind: ContentKind, addedAt: Instant, sealedSize: Int64, sealed: String,
    blob: BlobName?
  ) {
    self.id = id
    self.kind = kind
    self.addedAt = addedAt
    self.sealedSize = sealedSize
    self.sealed = sealed
    self.blob = blob
    unknown = [:]
  }
}

extension Content: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    id = try reader.id("id")
    kind = try reader.choice("kind", as: ContentKind.self)
    addedAt = try reader.instant("addedAt")
    sealedSize = try reader.integer("sealedSize")
    sealed = try reader.string("sealed")
    blob = try reader.optionalBlob("blob")
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["id"] = .string(id.description)
    fields["kind"] = .string(kind.rawValue)
    fields["addedAt"] = .instant(addedAt)
    fields["sealedSize"] = .integer(sealedSize)
    fields["sealed"] = .string(sealed)
    fields["blob"] = blob.map { .string($0.description) } ?? .null
    return fields
  }
}
