/// The directory that holds the generations, and what in it is its own.
extension Backup {
  func requirePlace() throws(BackupError) {
    // Neither may lie in the other: the copy would hold itself.
    try require(destination, outside: root)
    try io { () throws(FileSystemError) in
      try files.createDirectories(destination)
    }
    try require(root, outside: destination)
  }

  /// Refuses a path that is a directory which is there, or would lie in it; links do not hide it.
  func require(_ inner: FilePath, outside outer: FilePath) throws(BackupError) {
    do {
      try files.require(inner, outside: outer)
    } catch let error as FileSystemError {
      throw .store(.io(error))
    } catch {
      throw .insideStore(path: destination.text)
    }
  }

  func acquireLock() throws(BackupError) -> HeldLock {
    do throws(StoreError) {
      return try files.acquireLock(
        destination.appending(Self.lockName), holder: Array(store.environment.holder.utf8),
        patience: LockPatience(limit: 0, pause: store.environment.patience.pause))
    } catch {
      if case .busy = error { throw .busy(path: destination.text) }
      throw .store(error)
    }
  }

  /// The generations that are there, the newest first.
  func generations() throws(BackupError) -> [String] {
    var names: [String] = []
    let entries = try io { () throws(FileSystemError) in
      try files.contents(ofDirectory: destination)
    }
    for entry in entries {
      let name = String(decoding: entry.name, as: UTF8.self)
      if name == Self.lockName || entry.name.starts(with: Self.unfinished) { continue }
      // Files of desktops and synchronisers, and of the root of a file system, are nobody's data.
      if name.hasPrefix(".") || name == "lost+found" || BystanderName.contains(entry.name) {
        continue
      }
      guard Self.isGeneration(name),
        (try? files.status(destination.appending(name)))?.kind == .directory
      else { throw .notABackup(path: destination.appending(bytes: entry.name).text) }
      names.append(name)
    }
    return names.sorted { Self.order($1) < Self.order($0) }
  }

  /// The order of making: by time, then by the number behind it.
  private static func order(_ name: String) -> (String, Int) {
    let parts = name.split(separator: ".")
    return (String(parts[0]), parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
  }

  /// `2026-11-22T071500Z`, or with `.2` and so on behind it.
  private static func isGeneration(_ name: String) -> Bool {
    let pattern = Array("0000-00-00T000000Z".utf8)
    let bytes = Array(name.utf8)
    guard bytes.count >= pattern.count else { return false }
    for (byte, wanted) in zip(bytes, pattern) {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard wanted == UInt8(ascii: "0") ? isDigit : byte == wanted else { return false }
    }
    let rest = bytes[pattern.count...]
    return rest.isEmpty
      || rest.first == UInt8(ascii: ".") && rest.count <= 10
        && Int(String(decoding: rest.dropFirst(), as: UTF8.self)) != nil
  }

  /// Returns the generation that the new one shares its files with: the newest that can be opened.
  ///
  /// - Throws: `.otherStore`, and where none of them can be opened what is wrong with the newest.
  func base(among previous: [String]) throws(BackupError) -> FilePath? {
    var failure: BackupError?
    for name in previous {
      let path = destination.appending(name)
      do throws(StoreError) {
        if let found = try Store.open(at: path, environment: copyEnvironment) {
          if found.header.id == store.header.id { return path }
          // An id that was made of the identities says nothing of the one that was written.
          if !found.copies.isHeaderMade { throw StoreError.anotherStore(path: path.text) }
        }
        failure = failure ?? .notWhole(path: path.text)
      } catch {
        switch error {
        case .anotherStore(let path): throw .otherStore(path: path)
        case .newerFormat: throw .store(error)
        case .io(let refusal) where refusal.isRefusal: failure = failure ?? .store(error)
        default: failure = failure ?? .notWhole(path: path.text)
        }
      }
    }
    if let failure { throw failure }
    return nil
  }

  /// The generations that go so that `keeping` stay, the newest first: those that are not sound go before
  /// the others, and the old ones before the new. The first one of all stays.
  func surplus(_ all: [String], keeping: Int) -> [String] {
    let count = all.count - max(keeping, 1)
    guard count > 0 else { return [] }
    let old = all.dropFirst().reversed()
    let unsound = Set(old.filter(isUnsound))
    let going = Set(
      (old.filter(unsound.contains) + old.filter { !unsound.contains($0) }).prefix(count))
    return all.filter(going.contains)
  }

  /// Whether a generation was not sound when it was made, or lost its header.
  private func isUnsound(_ name: String) -> Bool {
    let layout = StoreLayout(root: destination.appending(name))
    return (try? files.status(Self.mark(in: layout))) != nil
      || (try? files.statusIfPresent(layout.header)) == .some(nil)
  }

  /// The mark of a generation that is not sound. It lies in `tmp/`, so that it is no part of the store: an
  /// older version passes it over, and a copy that is put to use loses it.
  private static func mark(in layout: StoreLayout) -> FilePath {
    layout.temporary.appending("unsound")
  }

  func markUnsound(_ work: FilePath) throws(BackupError) {
    let layout = StoreLayout(root: work)
    try io { () throws(FileSystemError) in
      try files.createDirectories(layout.temporary)
      try files.writeTemporary(Self.mark(in: layout), [], mode: 0o600)
      try files.synchronizeDirectory(layout.temporary)
    }
  }

  /// A generation is looked at without a cache or a state of its own.
  var copyEnvironment: StoreEnvironment {
    StoreEnvironment(
      fileSystem: files, random: store.environment.random, patience: store.environment.patience,
      cacheHome: nil, stateHome: nil, holder: store.environment.holder,
      clock: store.environment.clock)
  }

  func freeName(_ previous: [String]) throws(BackupError) -> String {
    let time = String(now.rfc3339.filter { $0 != ":" })
    guard let newest = previous.first, Self.order(newest).0 >= time else { return time }
    // A clock that went back, or a second backup within a second: the order of names stays that of the
    // making.
    let parts = newest.split(separator: ".")
    return "\(parts[0]).\((parts.count > 1 ? Int(parts[1]) ?? 1 : 1) + 1)"
  }

  func randomName() throws(BackupError) -> String {
    do throws(StoreError) { return try store.environment.temporaryName() } catch {
      throw .store(error)
    }
  }
}
