/// The part of a content that its seal hides: its name, its type, its times, its caption, and a
/// text itself.
public struct ContentDetails: Hashable, Sendable {
  /// The file's name as bytes; empty for a text without one.
  package private(set) var name: [UInt8] = []
  /// The file's name as text; bytes that are not UTF-8 are replaced.
  public var nameText: String { String(decoding: name, as: UTF8.self) }
  /// The MIME type, as `image/jpeg`.
  public private(set) var mediaType = ""
  /// The number of bytes of the content itself.
  public private(set) var size: Int64 = 0
  /// The file's modification time, with nanoseconds; `nil` for a text.
  package private(set) var modified: FileTime?
  public private(set) var caption: String?
  /// The text, for a text.
  public private(set) var text: String?

  /// The longest text, in bytes of UTF-8; what is longer is a file.
  package static let textLimit = 1 << 20
}

extension ContentDetails: RecordPart {
  package static var blank: ContentDetails { ContentDetails() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.fileName(&name)
    try coder.field("mediaType", &mediaType)
    try coder.field("size", &size)
    try coder.optional("modifiedAt", &modified)
    try coder.optional("caption", &caption)
    try coder.optional("text", &text, writesNull: false)
    guard (0...FileSize.most).contains(size) else {
      return try coder.refuse("size", .invalid(String(size)))
    }
  }
}

extension FieldCoder {
  /// Codes a file's name, which is bytes: a text where they are UTF-8, else base64.
  mutating func fileName(_ name: inout [UInt8], isRequired: Bool = false) throws(Failure) {
    var text = String(validating: name, as: UTF8.self)
    var base64 = text == nil ? Base64Text(bytes: name) : nil
    try optional("nameBase64", &base64, writesNull: false)
    if let base64 {
      name = base64.bytes
      return
    }
    try optional("name", &text, writesNull: false)
    if text == nil, isRequired { return try refuse("name", .missing) }
    name = Array((text ?? "").utf8)
  }
}

/// Bytes that a field holds as padded base64.
private struct Base64Text: FieldText {
  let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  init?(fieldText: String) {
    guard let bytes = Base64.decode(fieldText, padded: true) else { return nil }
    self.bytes = bytes
  }

  var fieldText: String { Base64.encode(bytes, padded: true) }
}
