extension StoreEnvironment {
  /// A new age identity of the store's own, for the honor lock, in the form that `age-keygen` gives
  /// it.
  func newIdentity(now: Instant) throws(Fault) -> StoreIdentity {
    var secret = try random.bytes(32)
    defer { wipe(&secret) }
    let recipient = Bech32.encode(hrp: "age", X25519.publicKey(secret: secret))
    let key = Bech32.encode(hrp: "age-secret-key-", secret).uppercased()
    return StoreIdentity(key: key, recipient: recipient, createdAt: now)
  }
}

extension StoreIdentity {
  /// Whether the file is an armored age file: that of a protected store.
  package var isSealed: Bool {
    file.hasPrefix(Self.armorBegin) && file.hasSuffix("-----END AGE ENCRYPTED FILE-----\n")
  }

  /// Whether a passphrase opens it, and no other identity does.
  package var isSealedWithPassphrase: Bool {
    // The first 30 bytes of such a file, which no other kind begins with.
    isSealed && file.dropFirst(Self.armorBegin.count).hasPrefix(Self.scryptBegin)
  }

  private static let armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----\n"
  /// `age-encryption.org/v1`, a line feed and `-> scryp`, in base64.
  private static let scryptBegin = "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlw"

  /// Whether it can be what was written: sealed, or the secret key of its recipient, which is the name of
  /// its file.
  package var isUsable: Bool { RecipientText.isX25519(recipient) && (isSealed || holdsKey) }

  /// Whether the file holds the secret key of the recipient: what `store.json` says of both may have
  /// been changed.
  package var holdsKey: Bool {
    file.parts(at: "\n").contains { isKey($0.trimmed) }
  }

  private static let keyPrefix = "AGE-SECRET-KEY-"

  private func isKey(_ text: String) -> Bool {
    guard let (part, bytes) = Bech32.decode(text) else { return false }
    var secret = bytes
    defer { wipe(&secret) }
    return part == Self.keyPrefix && secret.count == X25519.byteCount
      && Bech32.encode(hrp: "age", X25519.publicKey(secret: secret)) == recipient
  }

  /// Whether the file holds that key and nothing that `age` would refuse: each other line is empty, a
  /// comment, or a key.
  var isIntact: Bool {
    isSealed
      || holdsKey
        && file.parts(at: "\n").allSatisfy { line in
          line.isEmpty || line.utf8.first == UInt8(ascii: "#")
            || Bech32.decode(line)?.0.hasPrefix(Self.keyPrefix) ?? false
        }
  }

  /// The identity with a file of the key and the comments that are left in this one; `nil` where the key is not
  /// in it, wherever that stands.
  var mended: StoreIdentity? {
    guard !isSealed, let key = keyText else { return nil }
    let comments = file.parts(at: "\n").filter {
      $0.utf8.first == UInt8(ascii: "#") && !$0.has("AGE-SECRET-KEY-")
    }
    let lines = comments.map { String($0) } + [key]
    return StoreIdentity(recipient: recipient, file: lines.joined(separator: "\n") + "\n")
  }

  private var keyText: String? {
    let bytes = Array(file.utf8)
    for start in bytes.indices where bytes[start...].starts(with: Self.keyPrefix.utf8) {
      let digits = bytes[start...].dropFirst(Self.keyPrefix.utf8.count).prefix {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
      }
      let text = Self.keyPrefix + String(decoding: digits, as: UTF8.self)
      if isKey(text) { return text }
    }
    return nil
  }
}

/// The identities, and the trustees' copy of them.
package struct StoreKeys: StoreSubject {
  package let store: Store

  /// The identities of the store by their recipients: the files in `identities/`, and the copies of those that
  /// are lost.
  package func own() -> [StoreIdentity] {
    var found: [StoreIdentity] = []
    let all =
      stored().sorted { $0.recipient < $1.recipient } + header.identities
      + store.copies.identities()
    for identity in all where identity.isSealed == header.isProtected && identity.isUsable {
      if !found.contains(where: { $0.recipient == identity.recipient }) { found.append(identity) }
    }
    // The store's own first, in its order.
    let own = header.identities.map(\.recipient)
    let first = own.compactMap { recipient in found.first { $0.recipient == recipient } }
    return first + found.filter { !own.contains($0.recipient) }
  }

  // The copy of the identities by which trustees open a protected store.

  /// The most bytes of a file of identities that are read.
  static let fileLimit = 1 << 20

  package var trusteesCopy: FilePath {
    layout.identities.appending("\(header.identities.first?.recipient ?? "").trustees.age")
  }

  /// Whether the shares of trustees open the store in the place of its passphrase.
  package var hasTrusteesCopy: Bool { header.isProtected && !trusteesCopies().isEmpty }

  /// Its texts: the one in the header, and that of the file.
  func trusteesCopies() -> [[UInt8]] {
    let file = try? files.readFile(trusteesCopy, limit: Self.fileLimit)
    return [header.trusteesCopy.map { Array($0.utf8) }, file].compactMap(\.self).unique
  }

  /// Makes the file of the copy in the header, where it is not there.
  func makeTrusteesCopy() throws(Fault) {
    guard header.isProtected, let copy = header.trusteesCopy else { return }
    try store.whileLocked { () throws(Fault) in
      let status = try files.statusIfPresent(trusteesCopy)
      if status == nil { try writeTrusteesCopy(Array(copy.utf8)) }
    }
  }

  /// Writes the file.
  func writeTrusteesCopy(_ copy: [UInt8]) throws(Fault) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try files.createDirectories(layout.identities)
    try files.replace(trusteesCopy, copy, mode: 0o400, by: temporary)
  }
}

/// An identity of a store in the clear, in memory that is kept out of swap and wiped in the end.
package struct OpenedIdentity: Sendable {
  /// `age1…`
  package let recipient: String
  /// The identity file, as `age-keygen` writes it.
  package let file: SecretBytes

  package init(recipient: String, file: SecretBytes) {
    (self.recipient, self.file) = (recipient, file)
  }

  /// The identity of a store that is not protected, whose file lies in the clear.
  init(_ identity: StoreIdentity) {
    self.init(recipient: identity.recipient, file: SecretBytes(copying: identity.file.utf8))
  }
}

extension StoreIdentity {
  /// The identity as it is written in the clear.
  init(_ identity: OpenedIdentity) {
    self.init(
      recipient: identity.recipient,
      file: identity.file.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }
}

/// The copies of a protected store's identities in the clear, wherever the store's directory has them.
extension StoreKeys {
  /// The identities that every machine of the store has, in the clear; none of a protected store whose
  /// passphrase was not given.
  ///
  /// Of a protected store they are those that it had before: machines that share it go on meeting.
  package var shared: [OpenedIdentity] {
    guard header.isProtected else {
      return header.identities.filter(\.holdsKey).map { OpenedIdentity($0) }
    }
    let own = store.opened ?? []
    let former = (header.former ?? []).compactMap { recipient in
      own.first { $0.recipient == recipient }
    }
    return former.isEmpty ? Array(own.prefix(1)) : former
  }

  /// The files of a protected store whose names and form say that they hold an identity in the clear.
  func clearCopiesByName() -> [FilePath] {
    guard header.isProtected else { return [] }
    var found = ((try? files.contentsIfPresent(ofDirectory: layout.identities)) ?? [])
      .filter { $0.name.suffix(4).elementsEqual(".txt".utf8) }
      .map { layout.identities.appending(bytes: $0.name) }
    for machine in (try? store.journal.machines()) ?? [] {
      if HeaderCopies.one(layout, files, machine)?.isClear == true {
        found.append(layout.headerCopy(machine))
      }
    }
    return found.sorted { $0.text < $1.text }
  }

  /// Removes every copy in the clear of some secret keys from the store's directory, and every copy of the
  /// header that another machine keeps in it. Under the lock, of a protected store.
  ///
  /// The contents that were put into the store, and its records, are not searched.
  ///
  /// - Parameter identities: the identities in the clear.
  /// - Returns: the files that were removed, and those that hold such a key and stay: they are none of the
  ///   store's, or cannot be read or removed.
  func removeClearCopies(
    of identities: [OpenedIdentity]
  ) throws(Fault) -> (removed: [FilePath], left: [FilePath]) {
    var search = ClearCopySearch(store, identities)
    store.copies.keep()
    try search.run()
    return (search.removed, search.left)
  }
}

/// A walk through a store's directory that removes what holds a secret key in the clear.
private struct ClearCopySearch {
  private let store: Store
  /// The secret keys, in capitals.
  private let secrets: [[UInt8]]
  private let recipients: [String]
  private let ownHeader: FilePath?
  private(set) var removed: [FilePath] = []
  private(set) var left: [FilePath] = []

  private var files: any FileSystem { store.files }
  private var layout: StoreLayout { store.layout }

  /// The folders whose files are the store's own, besides its records and contents.
  private static let ownFolders = ["identities", "journal", "backups", "tmp"]

  init(_ store: Store, _ identities: [OpenedIdentity]) {
    self.store = store
    recipients = identities.map(\.recipient)
    ownHeader = store.journal.own(creating: false).map { store.layout.headerCopy($0.name) }
    secrets = identities.flatMap { identity in
      identity.file.withUnsafeBytes { $0.split(separator: UInt8(ascii: "\n")).map { Array($0) } }
        .filter { $0.starts(with: "AGE-SECRET-KEY-".utf8) }
    }
  }

  mutating func run() throws(Fault) {
    try walk(layout.root, top: nil)
    // The copy that stays must not be the one before it after a power cut.
    if let ownHeader, try files.statusIfPresent(ownHeader) != nil {
      try files.withFile(ownHeader, .read) { file throws(Fault) in
        try files.synchronize(file)
      }
      try files.synchronizeDirectory(ownHeader.parent)
    }
  }

  private mutating func walk(_ directory: FilePath, top: String?) throws(Fault) {
    let entries: [DirectoryEntry]
    do {
      entries = try files.contents(ofDirectory: directory)
    } catch {
      if error.condition == .notFound { return }
      left.append(directory)
      return
    }
    var hasRemoved = false
    for entry in entries {
      let path = directory.appending(bytes: entry.name)
      let name = String(decoding: entry.name, as: UTF8.self)
      guard let status = try files.statusIfPresent(path) else { continue }
      switch status.kind {
      case .directory:
        if top == nil, Self.isOfRecords(name) { continue }
        // Its packs are compressed: nothing is found in them.
        if top == nil, name == ".git" {
          left.append(path)
        } else {
          try walk(path, top: top ?? name)
        }
      case .regular where !isLog(path):
        if try remove(path, name, top: top ?? name) { hasRemoved = true }
      default: continue
      }
    }
    if hasRemoved { try files.synchronizeDirectory(directory) }
  }

  /// Whether a folder of the store has only records, or only contents.
  private static func isOfRecords(_ name: String) -> Bool {
    (RecordKind.allCases.map(\.folder) + ["blobs", "trash"]).contains(name)
  }

  /// Whether a file is a log of the journal, which holds records.
  private func isLog(_ path: FilePath) -> Bool {
    path.parent.parent == layout.journal && StoreJournal.shard(ofLog: path.lastComponent) != nil
  }

  /// Removes a file that holds a key.
  private mutating func remove(
    _ path: FilePath, _ name: String, top: String
  ) throws(Fault) -> Bool {
    do {
      guard try isClear(path, name, top) else { return false }
      let isOwn =
        Self.ownFolders.contains(top)
        || ["store", "settings", "."].contains { top.hasPrefix($0) }
      guard isOwn else {
        left.append(path)
        return false
      }
      try files.unlink(path)
      removed.append(path)
      return true
    } catch {
      if error.condition == .notFound { return false }
      left.append(path)
      return false
    }
  }

  private func isClear(
    _ path: FilePath, _ name: String, _ top: String
  ) throws(Fault) -> Bool {
    if path == layout.header || path == layout.lock { return false }
    // A machine that comes back writes its copy again, of what the store is then.
    if top == "journal", name.hasPrefix("header"), path != ownHeader { return true }
    // A damaged copy may differ in one character from the key.
    if top == "identities" || top == "backups" {
      let isNamed =
        recipients.contains { name.hasPrefix($0) } || name.hasPrefix("store.json")
        || name.hasPrefix("header")
      if isNamed {
        let text = String(decoding: try files.readFile(path, limit: 1 << 24), as: UTF8.self)
        if !text.has("-----BEGIN AGE ENCRYPTED FILE-----") { return true }
      }
    }
    return try holdsSecret(path)
  }

  /// Reads a file of any size piece by piece.
  private func holdsSecret(_ path: FilePath) throws(Fault) -> Bool {
    let piece = 1 << 20
    let overlap = 128
    return try files.withFile(path, .read) { file throws(Fault) in
      var offset: Int64 = 0
      var bytes = [UInt8](repeating: 0, count: piece)
      while true {
        let read = try files.read(file, at: offset, into: &bytes)
        if holdsSecret(bytes[..<read]) { return true }
        if read < piece { return false }
        offset += Int64(piece - overlap)
      }
    }
  }

  private func holdsSecret(_ bytes: ArraySlice<UInt8>) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let capitals = bytes.map { letters.contains($0) ? $0 & 0xdf : $0 }
    return secrets.contains { secret in
      capitals.indices.contains {
        capitals[$0] == secret.first && capitals[$0...].starts(with: secret)
      }
    }
  }
}
