/// The outcome of a backup.
public struct BackupReport: Hashable, Sendable {
  /// The generation's name: the time of its making, in UTC.
  public package(set) var generation = ""
  /// The generation's path, as text.
  public package(set) var path = ""
  public package(set) var records = 0
  public package(set) var blobs = 0
  /// Bytes that were written.
  public package(set) var bytesCopied: Int64 = 0
  /// Files that the generation before has too: they take no room.
  public package(set) var filesShared = 0
  /// The findings in the generation itself; what is damaged in the store is damaged in it.
  public package(set) var problems: [StoreProblem] = []
  /// The names of older generations that were removed.
  public package(set) var removed: [String] = []
  /// The names of all generations that are there now, the newest first; of a dry run those that would be.
  public package(set) var generations: [String] = []

  package init() {}

  /// Whether every byte of the generation is what was written.
  public var isSound: Bool { !problems.contains(where: \.isDamage) }
}

/// Why a backup was not made.
public enum BackupError: Error, Sendable {
  case store(StoreError)
  /// The destination holds generations of another store.
  case otherStore(path: String)
  /// The destination holds something that no backup made.
  case notABackup(path: String)
  /// The destination lies in the store, or the store in it.
  case insideStore(path: String)
  /// Another backup into the destination is being made.
  case busy(path: String)
}

extension Store {
  /// Makes a new generation of a backup: a whole store of its own in `destination/<time>/`, which
  /// appears when all of it is written, synchronised and compared with its checksums and names.
  ///
  /// Files that the last generation has with the same bytes are hard links to it; nothing is linked to
  /// the store itself. Writers wait only while what changed meanwhile is copied again.
  ///
  /// - Parameters:
  ///   - keeping: how many generations stay; `nil` for all. Nothing is removed where the new one is not
  ///     sound.
  ///   - now: the real time.
  ///   - isDryRun: whether it is only looked what would be done; by size and time, not by bytes.
  ///   - progress: called with bytes done and in all.
  package func backUp(
    to destination: FilePath, keeping: Int?, now: Instant, isDryRun: Bool = false,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(BackupError) -> BackupReport {
    var backup = Backup(self, destination, now: now)
    if isDryRun { return try backup.rehearse(keeping: keeping) }
    let report = try backup.run(keeping: keeping, progress: progress)
    if report.isSound { LastBackup(time: now, path: report.path).keep(for: self) }
    return report
  }
}

/// One run of a backup.
private struct Backup {
  /// A file that was copied, as it stood in the store then.
  private struct Copied {
    let status: FileStatus
  }

  let store: Store
  let destination: FilePath
  let now: Instant
  private var report = BackupReport()
  private var copied: [[UInt8]: Copied] = [:]
  private var directories: Set<[UInt8]> = []

  private static let unfinished = Array(".unfinished-".utf8)
  private static let lockName = ".lock"

  init(_ store: Store, _ destination: FilePath, now: Instant) {
    self.store = store
    self.destination = destination
    self.now = now
  }

  private var files: any FileSystem { store.files }
  private var root: FilePath { store.layout.root }

  mutating func run(
    keeping: Int?, progress: (Int64, Int64) -> Void
  ) throws(BackupError) -> BackupReport {
    try requirePlace()
    let lock = try acquireLock()
    defer { try? files.close(lock) }
    let previous = try generations()
    try requireOwn(previous)
    removeUnfinished()
    let name = try freeName(previous)
    let work = destination.appending(
      bytes: Self.unfinished + Array(try randomName().utf8))
    do throws(BackupError) {
      try io { () throws(FileSystemError) in try files.createDirectory(work, mode: 0o700) }
      let base = previous.first.map { destination.appending($0) }
      try copyAll(to: work, base, progress)
      try copyRest(to: work, base)
      try synchronizeAll(below: work)
      try examine(work)
      try io { () throws(FileSystemError) in
        try files.renameExclusively(work, to: destination.appending(name))
        try files.synchronizeDirectory(destination, .directoryFollowingLinks)
      }
    } catch {
      remove(work)
      throw error
    }
    report.generation = name
    report.path = destination.appending(name).text
    let all = [name] + previous
    let lacks = report.problems.contains { if case .awaited = $0 { true } else { false } }
    if let keeping, report.isSound, !lacks, all.count > keeping {
      for old in all[max(keeping, 1)...] {
        try removeGeneration(old)
        report.removed.append(old)
      }
    }
    report.generations = all.filter { !report.removed.contains($0) }
    return report
  }

  /// Tells what a run would do, and writes nothing, not even the destination.
  mutating func rehearse(keeping: Int?) throws(BackupError) -> BackupReport {
    try refuse(destination, in: store.place)
    let status = try io { () throws(FileSystemError) -> FileStatus? in
      do throws(FileSystemError) {
        return try files.statusFollowingLinks(destination)
      } catch {
        if error.condition == .notFound { return nil }
        throw error
      }
    }
    if let status { try refuse(root, in: status) }
    let previous = status == nil ? [] : try generations()
    try requireOwn(previous)
    let base = previous.first.map { destination.appending($0) }
    for file in try tree() {
      let source = root.appending(bytes: file.name)
      if source.parent.parent == store.layout.blobs { report.blobs += 1 }
      if file.isRecord { report.records += 1 }
      let isThere = try io { () throws(FileSystemError) in
        try base.map { base throws(FileSystemError) in
          try isUnchanged(source, file.status, since: base.appending(bytes: file.name))
        } ?? false
      }
      if isThere { report.filesShared += 1 } else { report.bytesCopied += file.status.size }
    }
    let all = [try freeName(previous)] + previous
    report.generation = all[0]
    report.path = destination.appending(all[0]).text
    if let keeping, all.count > keeping { report.removed = Array(all[max(keeping, 1)...]) }
    report.generations = all.filter { !report.removed.contains($0) }
    return report
  }

  // MARK: The destination

  private func requirePlace() throws(BackupError) {
    // Neither may lie in the other: the copy would hold itself.
    try refuse(destination, in: store.place)
    try io { () throws(FileSystemError) in
      try files.createDirectories(destination)
    }
    try refuse(
      root,
      in: try io { () throws(FileSystemError) in try files.statusFollowingLinks(destination) })
  }

  /// Refuses a path that is a directory, or lies in it.
  private func refuse(_ inner: FilePath, in outer: FileStatus) throws(BackupError) {
    var path = try io { () throws(FileSystemError) in try files.resolvingLinks(inner) }
    while true {
      if let found = try? files.statusFollowingLinks(path), found.isSameFile(as: outer) {
        throw .insideStore(path: destination.text)
      }
      let parent = path.parent
      if parent == path || parent.bytes == Array(".".utf8) { break }
      path = parent
    }
  }

  private func acquireLock() throws(BackupError) -> FileDescriptor {
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
  private func generations() throws(BackupError) -> [String] {
    var names: [String] = []
    let entries = try io { () throws(FileSystemError) in
      try files.contents(ofDirectory: destination)
    }
    for entry in entries {
      let name = String(decoding: entry.name, as: UTF8.self)
      if name == Self.lockName || entry.name.starts(with: Self.unfinished) { continue }
      // A file manager's own files, and the root of a file system, are nobody's data.
      if name.hasPrefix(".") || name == "lost+found" { continue }
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

  private func requireOwn(_ previous: [String]) throws(BackupError) {
    guard let newest = previous.first else { return }
    let path = destination.appending(newest)
    let found: Store?
    do throws(StoreError) {
      found = try Store.open(at: path, environment: copyEnvironment)
    } catch {
      throw .store(error)
    }
    guard found?.header.id == store.header.id else { throw .otherStore(path: path.text) }
  }

  /// A generation is looked at without a cache or a state of its own.
  private var copyEnvironment: StoreEnvironment {
    StoreEnvironment(
      fileSystem: files, random: store.environment.random, patience: store.environment.patience,
      cacheHome: nil, stateHome: nil, holder: store.environment.holder,
      clock: store.environment.clock)
  }

  private func freeName(_ previous: [String]) throws(BackupError) -> String {
    let time = String(now.rfc3339.filter { $0 != ":" })
    guard let newest = previous.first, Self.order(newest).0 >= time else { return time }
    // A clock that went back, or a second backup within a second: the order of names stays that of the
    // making.
    let parts = newest.split(separator: ".")
    return "\(parts[0]).\((parts.count > 1 ? Int(parts[1]) ?? 1 : 1) + 1)"
  }

  private func randomName() throws(BackupError) -> String {
    do throws(StoreError) { return try store.environment.temporaryName() } catch {
      throw .store(error)
    }
  }

  // MARK: Copying

  /// Copies everything while others may write.
  private mutating func copyAll(
    to work: FilePath, _ base: FilePath?, _ progress: (Int64, Int64) -> Void
  ) throws(BackupError) {
    let all = try tree()
    let total = all.reduce(0) { $0 + $1.status.size }
    var done: Int64 = 0
    for file in all {
      try copy(file.name, file.status, to: work, base)
      done += file.status.size
      progress(done, total)
    }
  }

  /// Copies again what changed meanwhile, and takes away what is gone, while nobody writes.
  private mutating func copyRest(to work: FilePath, _ base: FilePath?) throws(BackupError) {
    let lock: FileDescriptor
    do throws(StoreError) {
      lock = try files.acquireLock(
        store.layout.lock, holder: Array(store.environment.holder.utf8),
        patience: store.environment.patience)
    } catch {
      throw .store(error)
    }
    defer { try? files.close(lock) }
    let all = try tree()
    let names = Set(all.map(\.name))
    for (name, _) in copied where !names.contains(name) {
      try io { () throws(FileSystemError) in
        if try files.statusIfPresent(work.appending(bytes: name)) != nil {
          try files.unlink(work.appending(bytes: name))
        }
      }
      copied[name] = nil
    }
    for file in all {
      if let before = copied[file.name], before.status.isUnchanged(since: file.status) { continue }
      try copy(file.name, file.status, to: work, base)
    }
  }

  /// A file of the store that a copy needs.
  private struct SourceFile {
    /// Its path in the store.
    let name: [UInt8]
    let status: FileStatus

    /// Whether it is a record, live or in the trash.
    var isRecord: Bool {
      let folders = RecordKind.allCases.map(\.folder) + ["trash"]
      return name.suffix(5).elementsEqual(".json".utf8)
        && folders.contains { name.starts(with: Array("\($0)/".utf8)) }
    }
  }

  /// Every file of the store that a copy needs.
  private func tree() throws(BackupError) -> [SourceFile] {
    let layout = store.layout
    var found: [SourceFile] = []
    for path in [layout.header, layout.settings] {
      let status = try io { () throws(FileSystemError) in try files.statusIfPresent(path) }
      if let status, status.kind == .regular {
        found.append(SourceFile(name: path.lastComponent, status: status))
      }
    }
    let folders =
      [layout.identities, layout.blobs, layout.trash, layout.journal, layout.backups]
      + RecordKind.allCases.map { layout.folder($0) }
    for folder in folders { try add(folder, to: &found, depth: 0) }
    return found
  }

  private func add(
    _ folder: FilePath, to found: inout [SourceFile], depth: Int
  ) throws(BackupError) {
    let entries = try io { () throws(FileSystemError) in
      try files.contentsIfPresent(ofDirectory: folder)
    }
    for entry in entries {
      let path = folder.appending(bytes: entry.name)
      // Another process may have taken it away meanwhile.
      let status = try io { () throws(FileSystemError) in try files.statusIfPresent(path) }
      guard let status else { continue }
      switch status.kind {
      case .regular:
        let name = Array(path.bytes.dropFirst(root.bytes.count + 1))
        found.append(SourceFile(name: name, status: status))
      case .directory where depth < 4: try add(path, to: &found, depth: depth + 1)
      default: continue
      }
    }
  }

  private mutating func copy(
    _ name: [UInt8], _ status: FileStatus, to work: FilePath, _ base: FilePath?
  ) throws(BackupError) {
    let source = root.appending(bytes: name)
    let target = work.appending(bytes: name)
    try makeDirectory(target.parent, in: work)
    do throws(FileSystemError) {
      if try files.statusIfPresent(target) != nil { try files.unlink(target) }
      if let base, try share(source, status, base.appending(bytes: name), target) {
        report.filesShared += 1
      } else {
        try copyBytes(source, target, mode: status.mode & 0o700)
        report.bytesCopied += status.size
      }
      copied[name] = Copied(status: status)
    } catch {
      // Another process took it away; what is under the lock is looked at again.
      if error.condition == .notFound, (try? files.statusIfPresent(source)) == .some(nil) { return }
      throw .store(.io(error))
    }
  }

  /// Links a file of the generation before, where it has the same bytes.
  private func share(
    _ source: FilePath, _ status: FileStatus, _ old: FilePath, _ target: FilePath
  ) throws(FileSystemError) -> Bool {
    guard try isUnchanged(source, status, since: old) else { return false }
    do throws(FileSystemError) {
      try files.link(old, to: target)
      return true
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks, .crossDevice: return false
      default: throw error
      }
    }
  }

  /// Whether a file can be shared with the generation before.
  private func isUnchanged(
    _ source: FilePath, _ status: FileStatus, since old: FilePath
  ) throws(FileSystemError) -> Bool {
    // The journal's logs grow in place.
    let isLog = source.parent.parent == store.layout.journal
    guard !isLog, let before = try files.statusIfPresent(old), before.kind == .regular,
      before.size == status.size
    else { return false }
    return try haveSameBytes(source, old)
  }

  private func haveSameBytes(
    _ one: FilePath, _ other: FilePath
  ) throws(FileSystemError) -> Bool {
    try files.withFile(one, .read) { first throws(FileSystemError) in
      try files.withFile(other, .read) { second throws(FileSystemError) in
        var offset: Int64 = 0
        while true {
          let (left, right) = (try piece(first, offset), try piece(second, offset))
          guard left == right else { return false }
          if left.isEmpty { return true }
          offset += Int64(left.count)
        }
      }
    }
  }

  private func piece(
    _ file: FileDescriptor, _ offset: Int64
  ) throws(FileSystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    var result: Result<Int, FileSystemError> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      result = Result { () throws(FileSystemError) in
        try files.read(file, at: offset, into: buffer)
      }
    }
    bytes.removeLast(bytes.count - (try result.get()))
    return bytes
  }

  private func copyBytes(
    _ source: FilePath, _ target: FilePath, mode: UInt32
  ) throws(FileSystemError) {
    try files.withFile(source, .read) { input throws(FileSystemError) in
      try files.withFile(target, .createExclusive(mode: 0o600)) { output throws(FileSystemError) in
        var offset: Int64 = 0
        while true {
          let bytes = try piece(input, offset)
          if bytes.isEmpty { break }
          try files.writeAll(output, bytes)
          offset += Int64(bytes.count)
        }
        if mode != 0o600 { try files.setMode(output, mode) }
        try files.synchronize(output)
      }
    }
  }

  private mutating func makeDirectory(_ path: FilePath, in work: FilePath) throws(BackupError) {
    guard path != work, !directories.contains(path.bytes) else { return }
    try makeDirectory(path.parent, in: work)
    try io { () throws(FileSystemError) in try files.createDirectory(path, mode: 0o700) }
    directories.insert(path.bytes)
  }

  private func synchronizeAll(below work: FilePath) throws(BackupError) {
    try io { () throws(FileSystemError) in
      for directory in directories { try files.synchronizeDirectory(FilePath(bytes: directory)) }
      try files.synchronizeDirectory(work)
    }
  }

  /// Compares the generation with its own checksums and names, where it lies.
  private mutating func examine(_ work: FilePath) throws(BackupError) {
    do throws(StoreError) {
      guard let copy = try Store.open(at: work, environment: copyEnvironment) else {
        throw StoreError.notAStore(path: work.text)
      }
      // By what the store's own journal names, the copy has all of it.
      var plan = VerificationPlan.whole
      plan.machine = store.ownJournal(creating: false)?.name
      let found = try copy.verify(plan, now: now)
      report.records = found.records
      report.blobs = found.blobs
      report.problems = found.problems.filter { $0 != .noJournal }
    } catch {
      throw .store(error)
    }
  }

  // MARK: Removing

  private func removeUnfinished() {
    for entry in (try? files.contents(ofDirectory: destination)) ?? []
    where entry.name.starts(with: Self.unfinished) {
      remove(destination.appending(bytes: entry.name))
    }
  }

  /// Takes a generation's name away first: half of one is never taken for a whole one.
  private func removeGeneration(_ name: String) throws(BackupError) {
    let gone = destination.appending(
      bytes: Self.unfinished + Array(try randomName().utf8))
    try io { () throws(FileSystemError) in
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

  private func io<Value>(
    _ body: () throws(FileSystemError) -> Value
  ) throws(BackupError) -> Value {
    do throws(FileSystemError) { return try body() } catch { throw .store(.io(error)) }
  }
}
