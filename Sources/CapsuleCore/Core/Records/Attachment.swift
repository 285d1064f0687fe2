/// A file that a record keeps in the clear: its bytes are a blob, and the facts about it stand
/// here. A capsule's contents are sealed instead (``Content``).
public struct Attachment: Hashable, Sendable {
  /// The file's name as bytes, without directories.
  package private(set) var name: [UInt8] = []
  /// The MIME type, as `image/jpeg`.
  public private(set) var mediaType = ""
  /// The number of the file's bytes.
  public private(set) var size: Int64 = 0
  /// The file's modification time, with nanoseconds.
  package private(set) var modified: FileTime?
  /// The blob that holds the bytes themselves.
  package private(set) var blob = BlobName(digest: [])
  package private(set) var unknown: JSONObject = [:]

  /// The name as text; bytes that are not UTF-8 are replaced.
  public var displayName: String { String(decoding: name, as: UTF8.self) }
}

extension Attachment: RecordPart {
  package static var blank: Attachment { Attachment() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.fileName(&name, isRequired: true)
    try coder.field("mediaType", &mediaType)
    try coder.field("size", &size)
    try coder.optional("modifiedAt", &modified)
    try coder.field("blob", &blob)
    coder.rest(&unknown)
    guard (0...FileSize.most).contains(size) else {
      return try coder.refuse("size", .invalid(String(size)))
    }
  }
}
