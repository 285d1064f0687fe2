/// The gifts that one person receives, as values: the page and the letter of a delivery are made of it.
package struct Handover: Hashable, Sendable {
  /// The name of the person who leaves them; empty where it is not known.
  package var owner: String
  /// The name of the person who receives them.
  package var person: String
  /// The day on which it was put together, for people: `21 November 2026`.
  package var date: String
  package var gifts: [Gift]
  /// The gifts that are the person's, and are not handed over yet.
  package var leftOut: [LeftOut]
  /// The time before which it is not to be handed over, for people; empty for none.
  package var notBefore: String

  package init(
    owner: String, person: String, date: String, gifts: [Gift], leftOut: [LeftOut] = [],
    notBefore: String = ""
  ) {
    self.owner = owner
    self.person = person
    self.date = date
    self.gifts = gifts
    self.leftOut = leftOut
    self.notBefore = notBefore
  }

  /// A gift that is not handed over yet.
  package struct LeftOut: Hashable, Sendable {
    package let title: String
    /// The reason, behind the title: `opens on 1 January 2040`.
    package let reason: String

    package init(title: String, reason: String) {
      self.title = title
      self.reason = reason
    }
  }
}

/// One item or capsule in a hand-over.
package struct Gift: Hashable, Sendable {
  /// The kind of its record in the store.
  package enum Kind: String, Hashable, Sendable {
    case item, capsule
  }

  /// A fact about it: `Location`, `In the safe`.
  package struct Detail: Hashable, Sendable {
    /// A word of the program's own.
    package let label: String
    package let value: String

    package init(_ label: String, _ value: String) {
      self.label = label
      self.value = value
    }
  }

  package var kind: Kind
  package var title: String
  /// The owner's words to the person; empty for none.
  package var message: String
  package var description: String
  package var details: [Detail]
  package var files: [GiftFile]
  /// The way to open it, where it is handed over sealed.
  package var opening: SealedOpening?

  /// Whether it can be opened before its time.
  package var isEarly: Bool { opening?.isEarly ?? false }

  package init(
    kind: Kind, title: String, message: String = "", description: String = "",
    details: [Detail] = [], files: [GiftFile] = [], opening: SealedOpening? = nil
  ) {
    self.kind = kind
    self.title = title
    self.message = message
    self.description = description
    self.details = details
    self.files = files
    self.opening = opening
  }
}

/// A file in the folder of a hand-over.
package struct GiftFile: Hashable, Sendable {
  /// The path from the folder, with `/` between its parts: `files/ring.jpg`.
  package let path: String
  /// The title; empty where the file has only its name.
  package let title: String
  /// The MIME type, as `image/jpeg`.
  package let mediaType: String
  /// The size in bytes.
  package let size: Int64
  package let facts: MediaFacts
  /// The text of a file that is read on the page itself.
  package let text: String?
  /// Whether its name is its own, and not one that was made up for a text without.
  package let isNamed: Bool
  /// Whether `.txt` was put behind its name, so that no browser runs what is in it.
  package let isDisarmed: Bool

  package init(
    path: String, title: String = "", mediaType: String, size: Int64,
    facts: MediaFacts = MediaFacts(), text: String? = nil, isNamed: Bool = false,
    isDisarmed: Bool = false
  ) {
    self.isNamed = isNamed
    self.isDisarmed = isDisarmed
    self.path = path
    self.title = title
    self.mediaType = mediaType
    self.size = size
    self.facts = facts
    self.text = text
  }

  /// The file's name, without its folder.
  package var name: String {
    path.parts(at: "/").last ?? path
  }

  /// Its title on the page and in the letter.
  package var caption: String { title.isEmpty ? name : title }

  /// The way in which a browser shows it.
  package enum Showing: Hashable, Sendable {
    case text, image, audio, video, link
  }

  package var showing: Showing {
    if text != nil { return .text }
    if Self.images.contains(mediaType) { return .image }
    if Self.sounds.contains(mediaType) { return .audio }
    return Self.films.contains(mediaType) ? .video : .link
  }

  /// Types that every browser of today shows or plays by itself.
  private static let images: Set<String> = [
    "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp",
    "image/svg+xml",
  ]
  private static let sounds: Set<String> = [
    "audio/mpeg", "audio/wav", "audio/flac", "audio/ogg", "audio/mp4", "audio/aac",
  ]
  private static let films: Set<String> = [
    "video/mp4", "video/webm", "video/ogg", "video/quicktime",
  ]

  /// Whether the page links to it. A picture of a kind that may hold scripts is only shown: in its
  /// place on the page they do not run.
  package var isLinked: Bool { !BrowserSafety.mayRun(name) }

  /// Whether a link says that it is to be saved, and not shown in place of the page.
  package var isDownload: Bool { isDisarmed || !BrowserSafety.isKnown(name) }

  /// The sentence for a person who wonders about its name; `nil` for most files.
  package var caution: String? {
    if isDisarmed {
      return
        "For safety, “.txt” was added to this file’s name, because a browser could run the file. "
        + "Remove it only if you trust the file."
    }
    return isLinked
      ? nil : "This picture may contain a program. On this page the program does not run."
  }

  /// The facts about it in a few words: `image/jpeg, 1.2 MiB, 640 × 480`.
  package var factsText: String {
    var parts = [mediaType, ByteSize.text(size)]
    if let width = facts.width, let height = facts.height { parts.append("\(width) × \(height)") }
    if let milliseconds = facts.milliseconds { parts.append((milliseconds / 1000).clockText) }
    return parts.joined(separator: ", ")
  }
}

/// A file of a delivery, and where its bytes come from.
package struct DeliveryFile {
  /// The path from the person's folder, with `/` between its parts.
  package let path: String
  package let size: Int64
  let modified: FileTime?
  let origin: Origin

  enum Origin {
    case bytes([UInt8])
    /// A blob as it is, sealed or in the clear.
    case blob(BlobName)
    /// A content of a capsule that was opened.
    case content(Content, ContentDetails, in: OpenedCapsule)
    /// The key of a capsule, in the clear.
    case key(SealedKey)
  }

  init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    size = Int64(bytes.count)
    modified = nil
    origin = .bytes(bytes)
  }

  /// The key file of a capsule.
  init(_ path: String, _ key: SealedKey) {
    self.init(path, size: key.byteCount, modified: nil, .key(key))
  }

  init(_ path: String, size: Int64, modified: FileTime?, _ origin: Origin) {
    self.path = path
    self.size = size
    self.modified = modified
    self.origin = origin
  }

  /// The place where its bytes come from, as text: other bytes come from another place.
  var originText: String {
    switch origin {
    case .bytes(let bytes): Hex.encode(SHA256.hash(bytes))
    case .blob(let name): name.description
    case .content(let content, _, _):
      "\(Hex.encode(SHA256.hash(Array(content.sealed.utf8)))) \(content.blob?.description ?? "")"
    case .key: ""
    }
  }

  /// Writes all of its bytes, compared with the digest or opened with the seal that they have.
  func write(from store: Store, to sink: inout some ByteSink) throws {
    switch origin {
    case .bytes(let bytes): try bytes.withUnsafeBytes { try sink.write($0) }
    case .key(let key): try key.write(to: &sink)
    case .blob(let name): try store.blobs.copy(name, to: &sink)
    case .content(let content, let details, let opened):
      do {
        try opened.write(content, details, to: &sink)
      } catch {
        throw error.cause as? any Error ?? error
      }
    }
  }
}

/// The place for the files of one person's delivery. Nothing can be seen under its name before
/// ``commit()``.
protocol DeliveryTarget {
  /// Adds a file, and the folders that its path names.
  mutating func add(_ file: DeliveryFile) throws
  /// Makes all of it survive a power cut and gives it its name, which nothing may have.
  mutating func commit() throws
  /// Takes away what was written.
  mutating func discard()
}

/// The kinds of files that a browser runs scripts in when it opens them from a disk, where it goes by
/// the end of the name, and by the bytes where that says nothing.
enum BrowserSafety {
  /// Returns the name, with `.txt` behind it where a browser might run what the file holds, and whether
  /// that was put there. A picture in SVG keeps its name: it is shown on the page, where nothing runs.
  static func disarmed(_ name: String, mediaType: String) -> (name: String, isDisarmed: Bool) {
    let suffix = suffix(of: name)
    if let suffix, mayRun(name) {
      let isPicture = suffix == "svg" && mediaType == "image/svg+xml"
      return isPicture ? (name, false) : (name + ".txt", true)
    }
    // Without a suffix that it knows, a browser may take a text for a page.
    let isText =
      mediaType.utf8.starts(with: "text/".utf8) || mediaType == "image/svg+xml"
      || mediaType == "application/xml" || mediaType == "application/xhtml+xml"
    return !isKnown(name) && isText ? (name + ".txt", true) : (name, false)
  }

  /// Whether the end of a name says to a browser what the file is.
  static func isKnown(_ name: String) -> Bool {
    suffix(of: name).map { MediaType.bySuffix[$0] != nil } ?? false
  }

  /// Whether a browser may run what a file of this name holds.
  static func mayRun(_ name: String) -> Bool {
    suffix(of: name).map(active.contains) ?? false
  }

  private static func suffix(of name: String) -> String? {
    MediaType.suffix(of: Array(name.utf8))
  }

  private static let active: Set<String> = [
    "html", "htm", "xhtml", "xht", "xhtm", "shtml", "shtm", "hta", "htc", "mht", "mhtml", "xml",
    "xsl",
    "xslt", "xbl", "rdf", "rss", "atom", "svg", "svgz", "mathml", "webarchive", "maff",
  ]
}
