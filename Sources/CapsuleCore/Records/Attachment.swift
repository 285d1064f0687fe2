/// A file that a record keeps in the clear: its bytes are a blob, and what was known of it stands
/// here. A capsule's contents are sealed instead (``Content``).
public struct Attachment: Hashable, Sendable {
  /// The file's name as bytes, without directories.
  package let name: [UInt8]
  /// The MIME type, as `image/jpeg`.
  public let mediaType: String
  /// Bytes of the file.
  public let size: Int64
  /// The file's modification time, with nanoseconds.
  package let modified: FileTime?
  /// The blob that holds the bytes themselves.
  package let blob: BlobName
  package let unknown: JSONObject

  package init(
    name: [UInt8], mediaType: String, size: Int64, modified: FileTime?, blob: BlobName
  ) {
    self.name = name
    self.mediaType = mediaType
    self.size = size
    self.modified = modified
    self.blob = blob
    unknown = [:]
  }

  /// The name as text; what is not UTF-8 in it is replaced.
  public var displayName: String { String(decoding: name, as: UTF8.self) }
}

extension Attachment: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    if let encoded = try reader.optionalString("nameBase64") {
      guard let bytes = Base64.decode(encoded, padded: true) else {
        throw reader.error("nameBase64", .invalid(encoded))
      }
      name = bytes
    } else {
      name = Array(try reader.string("name").utf8)
    }
    mediaType = try reader.string("mediaType")
    size = try reader.integer("size")
    modified = try reader.optionalFileTime("modifiedAt")
    guard let blob = try reader.optionalBlob("blob") else {
      throw reader.error("blob", .missing)
    }
    self.blob = blob
    unknown = reader.rest
    guard size >= 0 else { throw reader.error("size", .invalid(String(size))) }
  }

  package var fields: JSONObject {
    var fields = unknown
    if let text = String(validating: name, as: UTF8.self) {
      fields["name"] = .string(text)
    } else {
      fields["nameBase64"] = .string(Base64.encode(name, padded: true))
    }
    fields["mediaType"] = .string(mediaType)
    fields["size"] = .integer(size)
    fields["modifiedAt"] = modified.map { .string($0.rfc3339) } ?? .null
    fields["blob"] = .string(blob.description)
    return fields
  }
}
