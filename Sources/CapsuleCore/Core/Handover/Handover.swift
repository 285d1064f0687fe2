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
