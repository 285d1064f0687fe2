/// One thing inside a capsule: a text or a file.
///
/// Only facts that may be seen while the capsule is locked are here in the clear.
public struct Content: Hashable, Identifiable, Sendable {
  public private(set) var id = RecordID.zero
  public private(set) var kind = ContentKind.other
  public private(set) var addedAt = Instant.epoch
  /// The number of bytes of the sealed form: the blob for a file, the armored `sealed` for a text.
  public private(set) var sealedSize: Int64 = 0
  /// An armored age file to the capsule's recipient; its plaintext is a ``ContentDetails``.
  package private(set) var sealed = ""
  /// The blob that holds a file's bytes; `nil` for a text.
  package private(set) var blob: BlobName?
  package private(set) var unknown: JSONObject = [:]
}

extension Content: RecordPart {
  package static var blank: Content { Content() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("id", &id)
    try walk.member("kind", &kind)
    try walk.member("addedAt", &addedAt)
    try walk.member("sealedSize", &sealedSize)
    try walk.member("sealed", &sealed)
    try walk.optionalMember("blob", &blob)
    walk.rest(&unknown)
  }
}

/// The kind of a content, as far as its bytes show it.
public enum ContentKind: String, CaseIterable, Hashable, Sendable, FieldText {
  case text
  case image
  case audio
  case video
  case document
  case other
}

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

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.fileName(&name)
    try walk.member("mediaType", &mediaType)
    try walk.member("size", &size)
    try walk.optionalMember("modifiedAt", &modified)
    try walk.optionalMember("caption", &caption)
    try walk.optionalMember("text", &text, writesNull: false)
    try walk.require((0...FileSize.most).contains(size), "size", .invalid(String(size)))
  }
}

extension FieldWalk {
  /// Goes to a file's name, which is bytes: a text where they are UTF-8, else base64.
  mutating func fileName(_ name: inout [UInt8], isRequired: Bool = false) throws(Failure) {
    var text = String(validating: name, as: UTF8.self)
    var base64 = text == nil ? Base64Text(bytes: name) : nil
    try optionalMember("nameBase64", &base64, writesNull: false)
    if let base64 {
      name = base64.bytes
      return
    }
    try optionalMember("name", &text, writesNull: false)
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

/// The names under which contents are written into a directory: never outside of it, whatever name
/// was stored, and never the same twice.
package struct ContentFileNames: Sendable {
  private var names = UniqueFileNames()

  package init() {}

  /// Returns a name for a content that no other has been given, also where case does not count.
  package mutating func next(_ details: ContentDetails, number: Int) -> [UInt8] {
    names.next(Self.safe(details.name) ?? Array(Self.fallback(details, number: number).utf8))
  }

  /// Returns a name for a file that a record keeps in the clear.
  package mutating func next(_ file: Attachment, number: Int) -> [UInt8] {
    names.next(Self.safe(file.name) ?? Array(Self.fallback(file, number: number).utf8))
  }

  /// Returns the stored name as one component of a path; `nil` where nothing usable is left.
  private static func safe(_ name: [UInt8]) -> [UInt8]? {
    var safe = name.map { byte in
      byte == UInt8(ascii: "/") || byte == 0 ? UInt8(ascii: "_") : byte
    }
    let (stem, suffix) = UniqueFileNames.shortened(safe)
    safe = stem + suffix
    if safe.isEmpty || safe == Array(".".utf8) || safe == Array("..".utf8) { return nil }
    return safe
  }

  /// The name of a content without a usable one of its own.
  package static func fallback(_ details: ContentDetails, number: Int) -> String {
    if details.text != nil { return "text-\(number).txt" }
    return "content-\(number)" + suffix(details.mediaType)
  }

  /// Returns the name of an attachment without a usable one.
  package static func fallback(_ file: Attachment, number: Int) -> String {
    "media-\(number)" + suffix(file.mediaType)
  }

  private static func suffix(_ mediaType: String) -> String {
    MediaType.suffix(for: mediaType).map { ".\($0)" } ?? ""
  }
}

/// A file that a record keeps in the clear: its bytes are a blob, and the facts about it are
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

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.fileName(&name, isRequired: true)
    try walk.member("mediaType", &mediaType)
    try walk.member("size", &size)
    try walk.optionalMember("modifiedAt", &modified)
    try walk.member("blob", &blob)
    walk.rest(&unknown)
    try walk.require((0...FileSize.most).contains(size), "size", .invalid(String(size)))
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    fields.append(SearchField(name, displayName))
  }
}

/// A photo, paper, film or sound of an item: a file, and the facts that its header gave.
public struct Media: Hashable, Sendable {
  public private(set) var file: Attachment
  /// The title of the file; empty for none.
  public private(set) var title: String
  public private(set) var addedAt: Instant
  package private(set) var facts: MediaFacts

  package init(file: Attachment, title: String, addedAt: Instant, facts: MediaFacts) {
    self.file = file
    self.title = title
    self.addedAt = addedAt
    self.facts = facts
  }
}

/// The facts that the header of a media file gives; `nil` for what was not read.
package struct MediaFacts: Hashable, Sendable {
  /// Pixels of an image, width and height.
  package var width: Int64?
  package var height: Int64?
  /// The milliseconds of a sound, rounded down.
  package var milliseconds: Int64?

  package init(width: Int64? = nil, height: Int64? = nil, milliseconds: Int64? = nil) {
    self.width = width
    self.height = height
    self.milliseconds = milliseconds
  }
}

extension Media: RecordPart {
  package static var blank: Media {
    Media(file: .blank, title: "", addedAt: .epoch, facts: MediaFacts())
  }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.optionalMember("title", &title)
    try walk.member("addedAt", &addedAt)
    try walk.optionalMember("width", &facts.width)
    try walk.optionalMember("height", &facts.height)
    try walk.optionalMember("milliseconds", &facts.milliseconds)
    // The members that are not known are the file's.
    try file.walk(&walk)
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    file.addTexts(name, to: &fields)
    fields.append(SearchField(name, title))
  }
}
