import CapsuleCore

/// What went into a capsule, as it was typed: enough to write it again.
struct CapsuleDraft {
  /// A part of its contents.
  enum Part: Hashable {
    case text(String, caption: String?)
    /// A file, remembered by its path.
    case file(FilePath, caption: String?)

    var caption: String? {
      switch self {
      case .text(_, let caption), .file(_, let caption): caption
      }
    }
  }

  /// The title; of parts that were added to a capsule, the title of that.
  var title: String
  /// The unlock time as `--unlock` reads it; `nil` while none was given.
  var unlock: String?
  /// The other options, each as one word: `--timelock`, `--notes=…`.
  var options: [[UInt8]]
  var parts: [Part]

  /// The command line that makes the capsule.
  var words: [[UInt8]] {
    var words = ["create", title].map { Array($0.utf8) }
    if let unlock { words.append(Array("--unlock=\(unlock)".utf8)) }
    words += options
    for part in parts {
      switch part {
      case .text(let text, _): words.append(Array("--text=".utf8) + text.utf8)
      case .file(let path, _): words.append(Array("--file=".utf8) + path.bytes)
      }
      if let caption = part.caption { words.append(Array("--caption=\(caption)".utf8)) }
    }
    return words + (parts.isEmpty ? [Array("--empty".utf8)] : [])
  }
}

extension CapsuleDraft {
  var encoded: [UInt8] {
    let parts = parts.map { part -> JSONObject in
      switch part {
      case .text(let text, let caption): ["text": text.json, "caption": caption.json]
      case .file(let path, let caption):
        ["file": Hex.encode(path.bytes).json, "caption": caption.json]
      }
    }
    return JSON.object([
      "title": title.json, "unlock": unlock.json,
      "options": options.map { Hex.encode($0) }.json, "parts": parts.json,
    ]).encoded(.compact)
  }

  init?(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(bytes), let title = json["title"]?.string,
      let parts = json["parts"]?.array
    else { return nil }
    self.title = title
    unlock = json["unlock"]?.string
    options = (json["options"]?.array ?? []).compactMap { $0.string.flatMap { Hex.decode($0) } }
    self.parts = parts.compactMap { part in
      let caption = part["caption"]?.string
      if let text = part["text"]?.string { return .text(text, caption: caption) }
      return part["file"]?.string.flatMap { Hex.decode($0) }.map {
        .file(FilePath(bytes: $0), caption: caption)
      }
    }
  }
}

/// Drafts of capsules that stay for a while after these are sealed: each is sealed to a key that is held in the user's
/// runtime directory alone (``HeldSecret``), and lies in this machine's state. Without the key it is noise.
struct KeptDrafts {
  private let session: Session
  /// The store that they are for; `nil` before there is one.
  private let store: Store?

  init(_ session: Session, _ store: Store?) {
    (self.session, self.store) = (session, store)
  }

  /// The beginning of the names of drafts that were left unfinished.
  private static let unfinished = "unfinished"
  /// The seconds for which that one stays.
  static let unfinishedSeconds: Int64 = 86_400
  /// The most bytes of typed text that are kept.
  static let sizeLimit = 1 << 20

  private var directory: FilePath? {
    if let store { return store.stateDirectory?.appending("drafts") }
    return session.places.state?.appending("drafts").appending(owner)
  }

  /// The id of the store; before there is one, something of its path.
  private var owner: String {
    if let store { return store.header.id.description }
    return "first-" + Hex.encode(SHA256.hash(session.places.store?.bytes ?? []).prefix(8))
  }

  private var files: any FileSystem { session.host.files }

  private func key(_ name: String) -> HeldSecret? {
    HeldSecret(session, named: "capsule-draft-\(owner)-\(name)")
  }

  /// Keeps a draft; a courtesy.
  ///
  /// - Returns: the time until which it stays; `nil` where it cannot be kept.
  func keep(_ draft: CapsuleDraft, as name: String, seconds: Int64) -> Instant? {
    var bytes = draft.encoded
    defer { wipe(&bytes) }
    guard seconds > 0, bytes.count <= 4 * Self.sizeLimit, let directory, let key = key(name) else {
      return nil
    }
    do {
      let random = session.host.random
      let identity = try AgeIdentity(isPostQuantum: false, random: random)
      let sealed = try AgeWriter(to: [identity.recipient], random: random).seal(bytes, armor: false)
      try key.keep(identity.seed, seconds: seconds)
      let path = directory.appending("\(name).age")
      try files.createDirectories(directory)
      try files.swap(
        path, sealed, mode: 0o600,
        by: directory.appending(".\(try session.stores.environment.temporaryName())"))
      return session.now.adding(seconds: seconds)
    } catch {
      remove(name)
      return nil
    }
  }

  /// Returns a draft; `nil` where none is kept any more.
  func read(_ name: String) -> CapsuleDraft? {
    guard let directory, let seed = key(name)?.read(),
      let identity = AgeIdentity(seed: seed, isPostQuantum: false),
      let sealed = try? files.readFile(
        directory.appending("\(name).age"), limit: 5 * Self.sizeLimit)
    else {
      remove(name)
      return nil
    }
    var sink = LimitedSink(limit: 4 * Self.sizeLimit)
    guard var reader = try? AgeReader(MemorySource(sealed)),
      let key = try? reader.unlock(with: [identity]),
      (try? reader.open(with: key, to: &sink, threads: 1)) != nil
    else { return nil }
    var bytes = sink.take()
    defer { wipe(&bytes) }
    return CapsuleDraft(bytes)
  }

  func remove(_ name: String) {
    key(name)?.remove()
    if let directory { try? files.unlink(directory.appending("\(name).age")) }
  }

  /// Returns a name for a draft that is not finished.
  func newName() -> String? {
    (try? session.host.random.bytes(4)).map { "\(Self.unfinished)-\(Hex.encode($0))" }
  }

  /// Returns the drafts that were left, the last one first.
  func left() -> [(name: String, draft: CapsuleDraft)] {
    guard let directory, let entries = try? files.contents(ofDirectory: directory) else {
      return []
    }
    let found = entries.compactMap {
      entry -> (name: String, draft: CapsuleDraft, time: FileTime)? in
      let name = String(decoding: entry.name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
      guard name.hasPrefix(Self.unfinished), let draft = read(name),
        let status = try? files.status(directory.appending(bytes: entry.name))
      else { return nil }
      return (name, draft, status.modified)
    }
    return found.sorted {
      ($1.time.seconds, $1.time.nanoseconds) < ($0.time.seconds, $0.time.nanoseconds)
    }
    .map { ($0.name, $0.draft) }
  }

  /// Removes the drafts whose time is over.
  func sweep() {
    guard let directory, let entries = try? files.contents(ofDirectory: directory) else {
      return
    }
    for entry in entries {
      let name = String(decoding: entry.name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
      if name.isEmpty || key(name)?.read() == nil {
        if !name.isEmpty { key(name)?.remove() }
        try? files.unlink(directory.appending(bytes: entry.name))
      }
    }
  }
}

extension KeptDrafts {
  /// Keeps what was typed into a capsule for the time of the setting; a courtesy.
  ///
  /// - Returns: the time until which it stays; `nil` where it cannot be kept.
  static func keep(
    _ draft: CapsuleDraft, of capsule: RecordID, _ settings: StoreSettings, _ session: Session
  ) -> Instant? {
    guard !draft.parts.isEmpty, let store = try? session.stores.existingQuietly() else {
      return nil
    }
    return KeptDrafts(session, store)
      .keep(draft, as: capsule.description, seconds: settings.undoMinutes * 60)
  }

  static func note(_ until: Instant, _ session: Session) {
    session.console.note(
      "Until \(session.dates.clock(until)) 'capsule undo' brings the draft back.")
  }
}

/// A stream that keeps its first bytes, for a draft.
final class RememberingSource: ByteSource {
  private var source: any ByteSource
  private var bytes: [UInt8] = []
  /// The bytes that were read to see whether there are any.
  private var ahead: [UInt8] = []
  /// Whether it was more than is kept.
  private var isOver = false

  init(_ source: any ByteSource) { self.source = source }

  /// Whether there is nothing to read: waits for the first bytes.
  func isEmpty() throws -> Bool {
    if ahead.isEmpty {
      var source = source
      ahead = try [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
        count = try source.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      self.source = source
    }
    return ahead.isEmpty
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count: Int
    if ahead.isEmpty {
      count = try source.read(into: buffer)
    } else {
      count = min(ahead.count, buffer.count)
      buffer.copyBytes(from: ahead[..<count])
      ahead.removeFirst(count)
    }
    if bytes.count + count > KeptDrafts.sizeLimit { isOver = true }
    if !isOver { bytes += buffer.prefix(count) }
    return count
  }

  /// The text that was read; `nil` where it was too much, or no text.
  var text: String? { isOver ? nil : String(validating: bytes, as: UTF8.self) }
}
