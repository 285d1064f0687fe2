/// What a content's seal hides: its name, its type, its times, its caption, and a text itself.
public struct ContentDetails: Hashable, Sendable {
  /// The file's name as bytes; empty for a text without one.
  package let name: [UInt8]
  /// The file's name as text; bytes that are not UTF-8 are replaced.
  public var nameText: String { String(decoding: name, as: UTF8.self) }
  /// The MIME type, as `image/jpeg`.
  public let mediaType: String
  /// Bytes of the content itself.
  public let size: Int64
  /// The file's modification time, with nanoseconds; `nil` for a text.
  package let modified: FileTime?
  public let caption: String?
  /// The text, for a text.
  public let text: String?

  package init(
    name: [UInt8], mediaType: String, size: Int64, modified: FileTime?, caption: String?,
    text: String?
  ) {
    self.name = name
    self.mediaType = mediaType
    self.size = size
    self.modified = modified
    self.caption = caption
    self.text = text
  }

  /// A text's longest form, in bytes of UTF-8; what is longer is a file.
  package static let textLimit = 1 << 20
}

extension ContentDetails: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    if let encoded = try reader.optionalString("nameBase64") {
      guard let bytes = Base64.decode(encoded, padded: true) else {
        throw reader.error("nameBase64", .invalid(encoded))
      }
      name = bytes
    } else {
      name = Array((try reader.optionalString("name") ?? "").utf8)
    }
    mediaType = try reader.string("mediaType")
    size = try reader.integer("size")
    modified = try reader.optionalFileTime("modifiedAt")
    caption = try reader.optionalString("caption")
    text = try reader.optionalString("text")
    guard size >= 0 else { throw reader.error("size", .invalid(String(size))) }
  }

  package var fields: JSONObject {
    var fields: JSONObject = [:]
    if let text = String(validating: name, as: UTF8.self) {
      fields["name"] = .string(text)
    } else {
      fields["nameBase64"] = .string(Base64.encode(name, padded: true))
    }
    fields["mediaType"] = .string(mediaType)
    fields["size"] = .integer(size)
    fields["modifiedAt"] = modified.map { .string($0.rfc3339) } ?? .null
    fields["caption"] = caption.map { .string($0) } ?? .null
    if let text { fields["text"] = .string(text) }
    return fields
  }
}

extension FieldReader {
  /// Takes a file's time, or none.
  package mutating func optionalFileTime(_ key: String) throws(FieldError) -> FileTime? {
    guard let text = try optionalString(key) else { return nil }
    guard let time = FileTime(rfc3339: text) else { throw error(key, .invalid(text)) }
    return time
  }
}
