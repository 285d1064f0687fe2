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
  ) throws(StoreError) -> (removed: [FilePath], left: [FilePath]) {
    var search = ClearCopySearch(store, identities)
    try storeIO { () throws(FileSystemError) in
      store.copies.keep()
      try search.run()
    }
    return (search.removed, search.left)
  }
}

/// A walk through a store's directory that removes what holds a secret key in the clear.
private struct ClearCopySearch {
  private let store: Store
  /// The last characters of each secret key, in capitals.
  private let secrets: [[UInt8]]
  private let recipients: [String]
  private let ownHeader: FilePath?
  private(set) var removed: [FilePath] = []
  private(set) var left: [FilePath] = []

  private var files: any FileSystem { store.files }
  private var layout: StoreLayout { store.layout }

  /// The text before the characters of every secret key.
  private static let prefix = Array("AGE-SECRET-KEY-".utf8)
  /// The folders whose files are the store's own, besides its records and contents.
  private static let ownFolders = ["identities", "journal", "backups", "tmp"]

  init(_ store: Store, _ identities: [OpenedIdentity]) {
    self.store = store
    recipients = identities.map(\.recipient)
    ownHeader = store.journal.own(creating: false).map { store.layout.headerCopy($0.name) }
    secrets = identities.flatMap { identity in
      identity.file.withUnsafeBytes { $0.split(separator: UInt8(ascii: "\n")).map { Array($0) } }
        .filter { $0.starts(with: Self.prefix) }.map { Array($0.dropFirst(Self.prefix.count)) }
    }
  }

  mutating func run() throws(FileSystemError) {
    try walk(layout.root, top: nil)
    // The copy that stays must not be the one before it after a power cut.
    if let ownHeader, try files.statusIfPresent(ownHeader) != nil {
      try files.withFile(ownHeader, .read) { file throws(FileSystemError) in
        try files.synchronize(file)
      }
      try files.synchronizeDirectory(ownHeader.parent)
    }
  }

  private mutating func walk(_ directory: FilePath, top: String?) throws(FileSystemError) {
    let entries: [DirectoryEntry]
    do throws(FileSystemError) {
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
  ) throws(FileSystemError) -> Bool {
    do throws(FileSystemError) {
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
  ) throws(FileSystemError) -> Bool {
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
  private func holdsSecret(_ path: FilePath) throws(FileSystemError) -> Bool {
    let piece = 1 << 20
    let overlap = 128
    return try files.withFile(path, .read) { file throws(FileSystemError) in
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
    func capital(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xdf : byte
    }
    var rest = bytes
    while let start = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "a") }) {
      rest = rest[start...]
      if rest.prefix(Self.prefix.count).elementsEqual(Self.prefix, by: { capital($0) == $1 }) {
        let found = rest.dropFirst(Self.prefix.count)
        let isSecret = secrets.contains { secret in
          found.prefix(secret.count).elementsEqual(secret) { capital($0) == $1 }
        }
        if isSecret { return true }
      }
      rest = rest.dropFirst()
    }
    return false
  }
}
