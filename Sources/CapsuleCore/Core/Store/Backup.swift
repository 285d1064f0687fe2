/// The outcome of a backup.
package struct BackupReport: Hashable, Sendable {
  /// The generation's name: the time of its making, in UTC.
  package var generation = ""
  /// The generation's path, as text.
  package var path = ""
  package var records = 0
  package var blobs = 0
  /// Bytes that were written.
  package var bytesCopied: Int64 = 0
  /// Files that the generation before has too: they take no room.
  package var filesShared = 0
  /// The findings in the generation itself; what is damaged in the store is damaged in it.
  package var problems: [Finding] = []
  /// The names of older generations that were removed.
  package var removed: [String] = []
  /// The names of all generations that are there now, the newest first; of a dry run those that would be.
  package var generations: [String] = []

  package init() {}

  /// Whether every byte of the generation is what was written.
  package var isSound: Bool { !problems.contains { $0.isDamage || $0.isDenied } }
}

/// Why a backup was not made.
extension Fault {
  /// The destination holds generations of another store.
  package static func backupOfOtherStore(path: String) -> Fault {
    Fault(
      .backupOfOtherStore, "'\(path)' is a snapshot of another store",
      hint: "use one directory for each store")
  }

  /// The destination holds something that no backup made.
  package static func notABackup(path: String) -> Fault {
    Fault(
      .notABackup, "'\(path)' was not made by a backup",
      hint: "choose an empty or new directory")
  }

  /// The destination lies in the store, or the store in it.
  package static func insideStore(path: String) -> Fault {
    Fault(
      .backupInsideStore, "'\(path)' must not be inside the store, or contain it",
      hint: "choose a directory elsewhere, best on another disk")
  }

  /// No generation in the destination can be opened, to see whose it is; the newest one's path.
  package static func backupNotWhole(path: String) -> Fault {
    Fault(
      .backupNotWhole, "'\(path)' is incomplete, so its store is unknown",
      hint: "move the snapshot away, or choose another directory")
  }

  /// Another backup into the destination is being made.
  package static func backupBusy(path: String) -> Fault {
    Fault(.backupBusy, "another backup to '\(path)' is running")
  }
}

extension StoreCare {
  /// Makes a new generation of a backup: a whole store of its own in `destination/<time>/`, which
  /// appears when all of it is written, synchronised and compared with its checksums and names.
  ///
  /// Files that the last generation has with the same bytes are hard links to it; nothing is linked to
  /// the store itself. Writers wait only while what changed meanwhile is copied again.
  ///
  /// - Parameters:
  ///   - keeping: the number of generations that stay; `nil` for all. Nothing is removed where the
  ///     new one is not sound; older ones that were not sound go first.
  ///   - now: the real time.
  ///   - isDryRun: whether it is only looked what would be done; by size and time, not by bytes.
  ///   - progress: called with bytes done and in all.
  package func backUp(
    to destination: FilePath, keeping: Int?, now: Instant, isDryRun: Bool = false,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> BackupReport {
    var backup = Backup(store, destination, now: now)
    if isDryRun { return try backup.rehearse(keeping: keeping) }
    let report = try backup.run(keeping: keeping, progress: progress)
    if report.isSound {
      LastBackup(time: now, path: report.path, others: LastBackup(of: store)?.sets ?? [:])
        .keep(for: store)
    }
    return report
  }

  /// Returns the newest generation that this device made in a directory, where it is not there any more:
  /// its name, and whether no other is there either, as where a disk is not mounted.
  package func lostGeneration(
    in destination: FilePath, now: Instant
  ) throws(Fault) -> (name: String, isSetGone: Bool)? {
    let set = destination.withoutEndingSlash
    guard let name = LastBackup(of: store)?.sets[set.text] else { return nil }
    do throws(Fault) {
      let there = try Backup(store, set, now: now).generations()
      return there.contains(name) ? nil : (name, there.isEmpty)
    } catch {
      guard error.condition == .notFound else { throw error }
      return (name, true)
    }
  }
}

/// One run of a backup.
struct Backup {
  /// A file that was copied, as it stood in the store then.
  struct Copied {
    let status: FileStatus
  }

  let store: Store
  let destination: FilePath
  let now: Instant
  var report = BackupReport()
  var copied: [[UInt8]: Copied] = [:]
  /// The files and directories that the system does not let read, by their paths in the store, with the
  /// code of the refusal.
  var unread: [[UInt8]: Int32] = [:]
  var directories: Set<[UInt8]> = []
  /// The files that are written and still to be synchronised.
  var written: [FileDescriptor] = []

  static let unfinished = Array(".unfinished-".utf8)
  static let lockName = ".lock"

  init(_ store: Store, _ destination: FilePath, now: Instant) {
    self.store = store
    self.destination = destination
    self.now = now
  }

  var files: any FileSystem { store.files }
  var root: FilePath { store.layout.root }

  mutating func run(
    keeping: Int?, progress: (Int64, Int64) -> Void
  ) throws(Fault) -> BackupReport {
    try requirePlace()
    let lock = try acquireLock()
    defer { if let lock { files.release(lock) } }
    let previous = try generations()
    let base = try base(among: previous)
    removeUnfinished()
    let name = try freeName(previous)
    let work = destination.appending(
      bytes: Self.unfinished + Array(try randomName().utf8))
    do {
      try io { () throws(Fault) in try files.createDirectory(work, mode: 0o700) }
      try copyAll(to: work, base, progress)
      try copyRest(to: work, base)
      try synchronizeFiles()
      try synchronizeAll(below: work)
      try examine(work, as: destination.appending(name))
      if !report.isSound { try markUnsound(work) }
      try io { () throws(Fault) in
        try files.renameExclusively(work, to: destination.appending(name))
        try files.synchronizeDirectory(destination, .directoryFollowingLinks)
      }
    } catch {
      for file in written { try? files.close(file) }
      remove(work)
      throw error
    }
    report.generation = name
    report.path = destination.appending(name).text
    let all = [name] + previous
    let lacks = report.problems.contains { $0.kind == .awaited }
    if let keeping, report.isSound, !lacks {
      for old in surplus(all, keeping: keeping) {
        try removeGeneration(old)
        report.removed.append(old)
      }
    }
    report.generations = all.filter { !report.removed.contains($0) }
    return report
  }

  /// Returns the report of what a run would do, and writes nothing, not even the destination.
  mutating func rehearse(keeping: Int?) throws(Fault) -> BackupReport {
    try require(destination, outside: root)
    let status = try io { () throws(Fault) -> FileStatus? in
      do throws(Fault) {
        return try files.statusFollowingLinks(destination)
      } catch {
        if error.condition == .notFound { return nil }
        throw error
      }
    }
    if status != nil { try require(root, outside: destination) }
    let previous = status == nil ? [] : try generations()
    let base = try base(among: previous)
    for file in tree() {
      let source = root.appending(bytes: file.name)
      if source.parent.parent == store.layout.blobs { report.blobs += 1 }
      if file.isRecord { report.records += 1 }
      var isThere = false
      if let base {
        let old = base.appending(bytes: file.name)
        do throws(Fault) {
          isThere = try isUnchanged(source, file.status, since: old)
        } catch {
          unread[file.name] = error.errno
          continue
        }
      }
      if isThere { report.filesShared += 1 } else { report.bytesCopied += file.status.size }
    }
    report.problems = unreadProblems
    let all = [try freeName(previous)] + previous
    report.generation = all[0]
    report.path = destination.appending(all[0]).text
    if let keeping, report.isSound { report.removed = surplus(all, keeping: keeping) }
    report.generations = all.filter { !report.removed.contains($0) }
    return report
  }

  // MARK: Removing

  private func removeUnfinished() {
    for entry in (try? files.contents(ofDirectory: destination)) ?? []
    where entry.name.starts(with: Self.unfinished) {
      remove(destination.appending(bytes: entry.name))
    }
  }

  /// Takes a generation's name away first: half of one is never taken for a whole one.
  private func removeGeneration(_ name: String) throws(Fault) {
    let gone = destination.appending(
      bytes: Self.unfinished + Array(try randomName().utf8))
    try io { () throws(Fault) in
      try files.rename(destination.appending(name), to: gone)
      try files.synchronizeDirectory(destination, .directoryFollowingLinks)
    }
    remove(gone)
  }

  /// Removes a directory with all that is in it, as far as that is possible.
  private func remove(_ path: FilePath) {
    for entry in (try? files.contents(ofDirectory: path)) ?? [] {
      let child = path.appending(bytes: entry.name)
      if (try? files.status(child))?.kind == .directory {
        remove(child)
      } else {
        try? files.unlink(child)
      }
    }
    try? files.removeDirectory(path)
  }

  func io<Value>(
    _ body: () throws(Fault) -> Value
  ) throws(Fault) -> Value {
    return try body()
  }
}

/// The directory that holds the generations, and what in it is its own.
extension Backup {
  func requirePlace() throws(Fault) {
    // Neither may lie in the other: the copy would hold itself.
    try require(destination, outside: root)
    try io { () throws(Fault) in
      try files.createDirectories(destination)
    }
    try require(root, outside: destination)
  }

  /// Refuses a path that is a directory which is there, or would lie in it; links do not hide it.
  func require(_ inner: FilePath, outside outer: FilePath) throws(Fault) {
    do {
      try files.require(inner, outside: outer)
    } catch {
      throw (error as? Fault)?.code == .insideStore
        ? .insideStore(path: destination.text) : .stream(error)
    }
  }

  /// - Returns: `nil` where the file system of the destination has no locks.
  func acquireLock() throws(Fault) -> HeldLock? {
    do {
      return try files.acquireLock(
        destination.appending(Self.lockName), holder: Array(store.environment.holder.utf8),
        patience: LockPatience(limit: 0, pause: store.environment.patience.pause))
    } catch {
      if error.code == .storeBusy { throw .backupBusy(path: destination.text) }
      if error.isWithoutLocks, let refusal = error.file {
        files.note(refusal)
        return nil
      }
      throw error
    }
  }

  /// The generations that are there, the newest first.
  func generations() throws(Fault) -> [String] {
    var names: [String] = []
    let entries = try io { () throws(Fault) in
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
  /// - Throws: `.backupOfOtherStore`, and where none of them can be opened what is wrong with the newest.
  func base(among previous: [String]) throws(Fault) -> FilePath? {
    var failure: Fault?
    for name in previous {
      let path = destination.appending(name)
      do throws(Fault) {
        if let found = try Store.open(at: path, environment: copyEnvironment) {
          if found.header.id == store.header.id { return path }
          // An id that was made of the identities says nothing of the one that was written.
          if !found.copies.isHeaderMade { throw Fault.anotherStore(path: path.text) }
        }
        failure = failure ?? .backupNotWhole(path: path.text)
      } catch {
        switch error.code {
        case .anotherStore: throw .backupOfOtherStore(path: path.text)
        case .newerFormat: throw error
        case .io where error.isRefusal: failure = failure ?? error
        default: failure = failure ?? .backupNotWhole(path: path.text)
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

  func markUnsound(_ work: FilePath) throws(Fault) {
    let layout = StoreLayout(root: work)
    try io { () throws(Fault) in
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

  func freeName(_ previous: [String]) throws(Fault) -> String {
    let time = String(now.rfc3339.filter { $0 != ":" })
    guard let newest = previous.first, Self.order(newest).0 >= time else { return time }
    // A clock that went back, or a second backup within a second: the order of names stays that of the
    // making.
    let parts = newest.split(separator: ".")
    return "\(parts[0]).\((parts.count > 1 ? Int(parts[1]) ?? 1 : 1) + 1)"
  }

  func randomName() throws(Fault) -> String {
    return try store.environment.temporaryName()
  }
}
