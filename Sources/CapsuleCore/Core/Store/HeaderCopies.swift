/// `journal/<machine>/header`: a machine's copy of `store.json`, `settings.json` and every identity, from
/// which each of them is made again.
struct HeaderCopy: Hashable, Sendable {
  /// The number of the copy, raised each time that the copy is replaced.
  var number: Int64 = 0
  /// The texts of the files, by their paths in the store.
  var files: [String: String] = [:]

  /// The most bytes of a copy.
  static let sizeLimit = 16 << 20

  init() {}

  /// Reads a copy; one that is not what was written, and that no changed bit makes so, is none.
  init?(_ bytes: [UInt8]) {
    // Commands look at it while the store's own files are damaged: no more than a bit is searched.
    let bytes =
      RecordFile.integrity(of: bytes) == nil
      ? bytes : RecordFile.mended(bytes, onlyBits: true) ?? []
    guard RecordFile.integrity(of: bytes) == nil, let fields = try? RecordFile.decode(bytes).fields,
      case .integer(let number)? = fields["number"], case .object(let texts)? = fields["files"]
    else { return nil }
    self.number = number
    for path in texts.keys {
      if case .string(let text)? = texts[path] { files[path] = text }
    }
  }

  var encoded: [UInt8] {
    RecordFile.encode([
      "number": .integer(number),
      "files": .object(JSONObject(files.map { ($0.key, JSON.string($0.value)) })),
    ])
  }

  /// The recipients whose identities it holds, with the identities' files.
  ///
  /// - Parameter sealed: whether those of a protected store, or those in the clear.
  func identities(sealed: Bool) -> [StoreIdentity] {
    files.compactMap { path, text in
      let parts = path.split(separator: "/")
      guard parts.count == 2, parts[0] == "identities",
        parts[1].hasSuffix(StoreKeys.suffix(sealed: sealed))
      else { return nil }
      let identity = StoreIdentity(recipient: String(parts[1].dropLast(4)), file: text)
      guard identity.isSealed == sealed, RecipientText.isX25519(identity.recipient) else {
        return nil
      }
      return identity.isUsable ? identity : nil
    }.sorted { $0.recipient < $1.recipient }
  }

  /// Whether it holds a header or an identity in the clear.
  var isClear: Bool {
    if !identities(sealed: false).isEmpty { return true }
    guard let header = files["store.json"].flatMap({ StoreHeader(bytes: Array($0.utf8)) }) else {
      return false
    }
    return header.identities.contains(where: \.holdsKey)
  }
}

extension StoreHeader {
  /// Reads a header; `nil` where that is none.
  init?(bytes: [UInt8]) {
    guard let fields = try? RecordFile.decode(bytes).fields, let header = try? Self(fields: fields)
    else { return nil }
    self = header
  }
}

extension StoreLayout {
  func headerCopy(_ machine: String) -> FilePath {
    journal(machine).appending("header")
  }
}

/// The copies of the store's own files in the journals.
package struct HeaderCopies: StoreSubject {
  package let store: Store

  /// The copies that can be read: this machine's first, then those that were replaced most often.
  ///
  /// - Parameter part: bytes that a copy must have to be read at all; most have no settings.
  func all(with part: String = "") -> [HeaderCopy] {
    let own = store.journal.own(creating: false)?.name
    var copies = Self.copies(layout, files, sparing: own, with: part)
    if let own, let copy = Self.one(layout, files, own, with: part) {
      copies.insert(copy, at: 0)
    }
    return copies
  }

  /// The settings in the copies, for what must not be guessed.
  ///
  /// - Throws: the error of a copy that the system does not let read now.
  func readableSettings() throws(Fault) -> [[UInt8]] {
    let own = store.journal.own(creating: false)?.name
    var copies: [(isOwn: Bool, copy: HeaderCopy)] = []
    for machine in try store.journal.machines() {
      do {
        let path = layout.headerCopy(machine)
        if let copy = HeaderCopy(try files.readFile(path, limit: HeaderCopy.sizeLimit)) {
          copies.append((machine == own, copy))
        }
      } catch {
        if error.isRefusal { throw error }
      }
    }
    return copies.sorted { $0.isOwn == $1.isOwn ? $0.copy.number > $1.copy.number : $0.isOwn }
      .compactMap { $0.copy.files[Self.settingsName].map { Array($0.utf8) } }
  }

  /// The settings in the copies.
  func settings() -> [[UInt8]] {
    all(with: Self.settingsName).compactMap {
      $0.files[Self.settingsName].map { Array($0.utf8) }
    }
  }

  private static let settingsName = "settings.json"

  /// The identities that the copies hold, in the form that the store has now.
  func identities() -> [StoreIdentity] {
    all().flatMap { $0.identities(sealed: header.isProtected) }
  }

  static func one(
    _ layout: StoreLayout, _ files: any FileSystem, _ machine: String, with part: String = ""
  ) -> HeaderCopy? {
    guard let bytes = try? files.readFile(layout.headerCopy(machine), limit: HeaderCopy.sizeLimit),
      bytes.contains(run: part.utf8)
    else { return nil }
    return HeaderCopy(bytes)
  }

  private static func copies(
    _ layout: StoreLayout, _ files: any FileSystem, sparing own: String?, with part: String = ""
  ) -> [HeaderCopy] {
    ((try? files.contentsIfPresent(ofDirectory: layout.journal)) ?? [])
      .compactMap { JournalMachine.name($0.name) }.sorted().filter { $0 != own }
      .compactMap { one(layout, files, $0, with: part) }
      .sorted { $0.number > $1.number }
  }

  /// Whether this machine's copy has all that it should have.
  var isCurrent: Bool {
    guard let machine = store.journal.own(creating: false),
      let copy = Self.one(layout, files, machine.name)
    else { return false }
    return copy.files == intactFiles(orFrom: copy)
  }

  /// Writes this machine's copy anew where it is not what the store has; a file that is damaged keeps
  /// the copy that it has. Under the lock.
  ///
  /// A failure loses second copies only.
  package func keep() {
    // The copy of a header that this device knows outlives another that was put in its place.
    guard store.trust.isKnownHere, let machine = store.journal.own(creating: true) else { return }
    let path = layout.headerCopy(machine.name)
    let before: HeaderCopy
    do {
      before = HeaderCopy(try files.readFile(path, limit: HeaderCopy.sizeLimit)) ?? HeaderCopy()
    } catch {
      // A copy that the system does not let read may hold more than what would be written.
      if error.isRefusal { return }
      before = HeaderCopy()
    }
    var copy = HeaderCopy()
    copy.files = intactFiles(orFrom: before)
    guard copy.files != before.files, let name = try? environment.temporaryName() else { return }
    copy.number = before.number.addingClamped(1)
    let temporary = layout.temporary.appending(name)
    // No synchronisation: a power cut loses a second copy, which the next verification writes again.
    try? files.swap(path, copy.encoded, mode: 0o600, by: temporary)
  }

  /// The texts of the store's own files that are as they were written, else of their copies.
  private func intactFiles(orFrom copy: HeaderCopy) -> [String: String] {
    var texts: [String: String] = [:]
    func text(_ path: FilePath) -> String? {
      (try? files.readFile(path, limit: 1 << 20)).flatMap { String(validating: $0, as: UTF8.self) }
    }
    for (name, path) in [("store.json", layout.header), ("settings.json", layout.settings)] {
      if let text = text(path), RecordFile.integrity(of: Array(text.utf8)) == nil, isOwn(name, text)
      {
        texts[name] = text
      } else if let text = copy.files[name], isOfThisForm(name, text) {
        texts[name] = text
      }
    }
    // Of a protected store nothing in the clear is copied, or kept.
    let kept = copy.identities(sealed: header.isProtected)
    for identity in kept + store.keys.stored().filter(\.isIntact) {
      let name = String(decoding: layout.file(of: identity).lastComponent, as: UTF8.self)
      texts["identities/\(name)"] = identity.file
    }
    return texts
  }

  /// Whether a copied header, where the text is one, is protected as the store is.
  private func isOfThisForm(_ name: String, _ text: String) -> Bool {
    guard name == "store.json", let copy = StoreHeader(bytes: Array(text.utf8)) else { return true }
    return copy.isProtected == header.isProtected
  }

  /// Whether a text is a header or settings: another whole file may stand in the place of either.
  private func isOwn(_ name: String, _ text: String) -> Bool {
    if name == "store.json" { return StoreHeader(bytes: Array(text.utf8)) != nil }
    do { return try store.settings.read().integrity == nil } catch {
      return false
    }
  }

  /// A copy of the store's own files, or an identity, that the system does not let read now, although it is
  /// there: what is made anew without it may lack what was written.
  func unreadable() -> Finding? {
    var path = layout.journal
    do {
      var paths = try store.journal.machines().map { layout.headerCopy($0) }
      path = layout.identities
      paths += try files.contentsIfPresent(ofDirectory: path).map { path.appending(bytes: $0.name) }
      for next in paths {
        path = next
        try requireAnswer(path)
      }
    } catch {
      return Finding(.unreadable, at: path, .refused(code: error.errno))
    }
    return nil
  }

  /// Reads a file, and throws where the system refuses it; what is not there, or is no file, is an answer.
  private func requireAnswer(_ path: FilePath) throws(Fault) {
    do {
      _ = try files.readFile(path, limit: HeaderCopy.sizeLimit)
    } catch {
      if error.isRefusal { throw error }
    }
  }
}

extension StoreKeys {
  /// The files in `identities/` by the recipients in their names, whatever they hold: those of the form
  /// that the store has now.
  func stored() -> [StoreIdentity] {
    Self.stored(layout, files, sealed: header.isProtected)
  }

  static func suffix(sealed: Bool) -> String { sealed ? ".age" : ".txt" }

  static func stored(
    _ layout: StoreLayout, _ files: any FileSystem, sealed: Bool
  ) -> [StoreIdentity] {
    ((try? files.contentsIfPresent(ofDirectory: layout.identities)) ?? []).compactMap { entry in
      let name = String(decoding: entry.name, as: UTF8.self)
      guard name.hasSuffix(suffix(sealed: sealed)),
        RecipientText.isX25519(String(name.dropLast(4))),
        let bytes = try? files.readFile(
          layout.identities.appending(bytes: entry.name), limit: 1 << 16)
      else { return nil }
      return StoreIdentity(
        recipient: String(name.dropLast(4)), file: String(decoding: bytes, as: UTF8.self))
    }
  }
}

extension HeaderCopies {
  /// Makes the header again where `store.json` is lost or not what was written: from one changed bit
  /// put back, from a machine's copy, from what can be read of it, or from the identities that are
  /// there.
  static func recoveredHeader(
    _ layout: StoreLayout, _ environment: StoreEnvironment, from bytes: [UInt8]?
  ) -> StoreHeader? {
    let files = environment.fileSystem
    let copies = copies(layout, files, sparing: nil)
    let texts = copies.compactMap { $0.files["store.json"].map { Array($0.utf8) } }
    let proven = bytes.flatMap { RecordFile.proven($0, twins: texts)?.bytes }
    if let bytes, let header = StoreHeader(bytes: bytes), !header.isKnown,
      !differByOneBit(bytes, proven)
    {
      return header
    }
    if let header = proven.flatMap({ StoreHeader(bytes: $0) }) { return header }
    let known = (texts + [bytes].compactMap({ $0 })).compactMap { StoreHeader(bytes: $0) }
    // A copy of the time before the store was protected must not become the truth.
    if let header = known.first(where: \.isProtected) { return header }
    let sealed = usableIdentities(layout, files, copies, sealed: true)
      .filter(\.isSealedWithPassphrase)
    if known.isEmpty, !sealed.isEmpty { return header(madeOf: Array(sealed.prefix(1))) }
    return known.first
      ?? header(
        madeOf: ownIdentities(
          of: usableIdentities(layout, files, copies, sealed: false), at: layout, environment))
  }

  /// Those identities that a header is made of: the ones that this device knows, else those that do not say that they
  /// came with an archive.
  private static func ownIdentities(
    of identities: [StoreIdentity], at layout: StoreLayout, _ environment: StoreEnvironment
  ) -> [StoreIdentity] {
    let known = StorePins.recipients(at: layout, environment)
    let pinned = identities.filter { known.contains($0.recipient) }
    if !pinned.isEmpty { return pinned }
    let own = identities.filter { !$0.isImported }
    return own.isEmpty ? identities : own
  }

  /// Whether the header was made of the identities alone, because nothing was left of what was written.
  var isHeaderMade: Bool {
    Self.header(madeOf: header.identities)?.id == header.id
  }

  /// Whether a flipped bit makes the one of the other: a format that only such a bit says is none.
  private static func differByOneBit(_ bytes: [UInt8], _ other: [UInt8]?) -> Bool {
    guard let other, other.count == bytes.count else { return false }
    return zip(bytes, other).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount } == 1
  }

  private static func usableIdentities(
    _ layout: StoreLayout, _ files: any FileSystem, _ copies: [HeaderCopy], sealed: Bool
  ) -> [StoreIdentity] {
    var found: [String: StoreIdentity] = [:]
    for identity in copies.flatMap({ $0.identities(sealed: sealed) })
      + StoreKeys.stored(layout, files, sealed: sealed)
    where identity.isSealed == sealed && identity.isUsable {
      found[identity.recipient] = identity
    }
    return found.values.sorted { $0.recipient < $1.recipient }
  }

  /// A header with an id that is always the same for the same identities, so that the cache and the
  /// state of this machine are found again.
  private static func header(madeOf identities: [StoreIdentity]) -> StoreHeader? {
    guard let first = identities.first else { return nil }
    let digest = SHA256.hash(Array(identities.map(\.recipient).joined(separator: "\n").utf8))
    let random = RandomSource { buffer throws(Fault) in
      buffer.copyBytes(from: digest.prefix(buffer.count))
    }
    guard let id = try? RecordID(random: random) else { return nil }
    return StoreHeader(id: id, createdAt: first.createdAt ?? .epoch, identities: identities)
  }
}
