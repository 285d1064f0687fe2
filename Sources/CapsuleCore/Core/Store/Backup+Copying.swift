/// The copying of a store into a generation: blobs without the lock, the rest under it.
extension Backup {
  /// Copies everything while others may write.
  mutating func copyAll(
    to work: FilePath, _ base: FilePath?, _ progress: (Int64, Int64) -> Void
  ) throws(Fault) {
    let all = tree()
    let total = all.reduce(0) { $0 + $1.status.size }
    var done: Int64 = 0
    for file in all {
      try copy(file.name, file.status, to: work, base)
      done += file.status.size
      progress(done, total)
    }
  }

  /// Copies again what changed meanwhile, and takes away what is gone, while nobody writes.
  mutating func copyRest(to work: FilePath, _ base: FilePath?) throws(Fault) {
    // Before the lock is held.
    try synchronizeFiles()
    var lock: HeldLock?
    do {
      lock = try files.acquireLock(
        store.layout.lock, holder: Array(store.environment.holder.utf8),
        patience: store.environment.patience)
    } catch {
      // Nobody writes to what can only be read, such as a disk that fails, or what cannot be locked.
      guard error.code == .io, error.condition == .readOnly || error.isWithoutLocks else {
        throw error
      }
    }
    defer { if let lock { files.release(lock) } }
    let refused = unread
    unread = [:]
    let all = tree()
    let names = Set(all.map(\.name))
    for (name, _) in copied where !names.contains(name) && !isUnread(root.appending(bytes: name)) {
      try removeFile(work.appending(bytes: name))
      copied[name] = nil
    }
    for file in all {
      if let before = copied[file.name], before.status.isUnchanged(since: file.status) {
        unread[file.name] = refused[file.name]
        continue
      }
      try copy(file.name, file.status, to: work, base)
    }
  }

  /// A file of the store that a copy needs.
  struct SourceFile {
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

  /// Every file of the store that a copy needs; what cannot be looked at is noted.
  mutating func tree() -> [SourceFile] {
    let layout = store.layout
    var found: [SourceFile] = []
    for path in [layout.header, layout.settings] { add(path.lastComponent, to: &found, depth: 5) }
    let folders =
      [layout.identities, layout.blobs, layout.trash, layout.journal, layout.backups]
      + RecordKind.allCases.map { layout.folder($0) }
    for folder in folders { add(folder.lastComponent, to: &found, depth: 0) }
    return found
  }

  /// Adds a file of the store, or all files of a directory in it, by the path in the store.
  private mutating func add(_ name: [UInt8], to found: inout [SourceFile], depth: Int) {
    let path = root.appending(bytes: name)
    do {
      // Another process may have taken it away meanwhile.
      guard let status = try files.statusIfPresent(path) else { return }
      if status.kind == .regular, depth > 0 {
        found.append(SourceFile(name: name, status: status))
      } else if depth == 0 || status.kind == .directory && depth < 5 {
        for entry in try files.contentsIfPresent(ofDirectory: path) {
          let inner = FilePath(bytes: name).appending(bytes: entry.name)
          add(inner.bytes, to: &found, depth: depth + 1)
        }
      }
    } catch {
      unread[name] = error.errno
    }
  }

  mutating func copy(
    _ name: [UInt8], _ status: FileStatus, to work: FilePath, _ base: FilePath?
  ) throws(Fault) {
    if written.count >= Self.batch { try synchronizeFiles() }
    let source = root.appending(bytes: name)
    let target = work.appending(bytes: name)
    try makeDirectory(target.parent, in: work)
    try removeFile(target)
    do {
      if let base, try share(source, status, base.appending(bytes: name), target) {
        report.filesShared += 1
      } else {
        try copyBytes(source, target, mode: status.mode & 0o700)
        report.bytesCopied += status.size
      }
    } catch {
      // Another process took it away; what is under the lock is looked at again.
      if error.condition == .notFound, (try? files.statusIfPresent(source)) == .some(nil) { return }
      if error.condition == .tooManyOpen, !written.isEmpty {
        try synchronizeFiles()
        return try copy(name, status, to: work, base)
      }
      guard error.file?.path == source, error.condition != .tooManyOpen else { throw error }
      // A bad sector in the store takes nothing else with it.
      unread[name] = error.errno
      try removeFile(target)
    }
    copied[name] = Copied(status: status)
  }

  private func removeFile(_ path: FilePath) throws(Fault) {
    try io { () throws(Fault) in
      if try files.statusIfPresent(path) != nil { try files.unlink(path) }
    }
  }

  /// Links a file of the generation before, where it has the same bytes.
  private func share(
    _ source: FilePath, _ status: FileStatus, _ old: FilePath, _ target: FilePath
  ) throws(Fault) -> Bool {
    guard try isUnchanged(source, status, since: old) else { return false }
    do {
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
  func isUnchanged(
    _ source: FilePath, _ status: FileStatus, since old: FilePath
  ) throws(Fault) -> Bool {
    // The journal's logs grow in place.
    let isLog = source.parent.parent == store.layout.journal
    do {
      guard !isLog, let before = try files.statusIfPresent(old), before.kind == .regular,
        before.size == status.size
      else { return false }
      return try haveSameBytes(source, old)
    } catch {
      // What the generation before does not give back is copied anew.
      if error.file?.path == old { return false }
      throw error
    }
  }

  private func haveSameBytes(
    _ one: FilePath, _ other: FilePath
  ) throws(Fault) -> Bool {
    try files.withFile(one, .read) { first throws(Fault) in
      try files.withFile(other, .read) { second throws(Fault) in
        var offset: Int64 = 0
        while true {
          let left = try files.chunk(first, at: offset, count: 1 << 17)
          let right = try files.chunk(second, at: offset, count: 1 << 17)
          guard left == right else { return false }
          if left.isEmpty { return true }
          offset += Int64(left.count)
        }
      }
    }
  }

  /// Copies a file, which is left open until it is synchronised.
  private mutating func copyBytes(
    _ source: FilePath, _ target: FilePath, mode: UInt32
  ) throws(Fault) {
    try files.withFile(source, .read) { input throws(Fault) in
      let output = try files.open(target, .createExclusive(mode: 0o600))
      written.append(output)
      try files.copy(input, to: output)
      if mode != 0o600 { try files.protect(output, mode: mode) }
    }
  }

  /// The most files that are open at once: some systems allow a process 256.
  private static let batch = 64

  /// Makes what was written survive a power cut: several files at once, which the file system gathers into
  /// few writes of its own journal.
  mutating func synchronizeFiles() throws(Fault) {
    let failures = Workers.map(written, threads: 16) { [files] file -> Fault? in
      do throws(Fault) {
        try files.synchronize(file)
        return nil
      } catch {
        return error
      }
    }
    var failure = failures.compactMap(\.self).first
    for file in written {
      do { try files.close(file) } catch { failure = failure ?? error }
    }
    written = []
    if let failure { throw failure }
  }

  private mutating func makeDirectory(_ path: FilePath, in work: FilePath) throws(Fault) {
    guard path != work, !directories.contains(path.bytes) else { return }
    try makeDirectory(path.parent, in: work)
    try io { () throws(Fault) in try files.createDirectory(path, mode: 0o700) }
    directories.insert(path.bytes)
  }

  func synchronizeAll(below work: FilePath) throws(Fault) {
    try io { () throws(Fault) in
      for directory in directories { try files.synchronizeDirectory(FilePath(bytes: directory)) }
      try files.synchronizeDirectory(work)
    }
  }

  /// Compares the generation with its own checksums and names, where it lies; what is wrong is named by
  /// the path that it gets.
  mutating func examine(_ work: FilePath, as path: FilePath) throws(Fault) {
    guard let copy = try Store.open(at: work, environment: copyEnvironment) else {
      throw Fault.notAStore(path: work.text)
    }
    // By what the store's own journal names, the copy has all of it.
    var plan = VerificationPlan.whole
    plan.machine = store.journal.own(creating: false)?.name
    plan.mayOthersBring = store.journal.mayOthersBring
    let found = try copy.care.verify(plan, now: now)
    report.records = found.records
    report.blobs = found.blobs
    let unreadRecords = unreadRecords
    let problems = found.problems.filter {
      $0.kind != .noJournal && !isOfUnread($0, unreadRecords)
    }
    report.problems =
      unreadProblems + problems.map { $0.moved(from: copy.layout.root, to: path) }
  }
}

/// The parts of the store that the system does not let read: they are named, and the rest is copied.
extension Backup {
  var unreadProblems: [Finding] {
    unread.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { name, code in
      Finding(.unreadable, at: root.appending(bytes: name), .refused(code: code))
    }
  }

  /// Whether a path of the store, or a directory that it is in, is one of them.
  func isUnread(_ path: FilePath) -> Bool {
    guard !unread.isEmpty else { return false }
    var path = path
    while path.bytes.count > root.bytes.count {
      if unread[Array(path.bytes.dropFirst(root.appending("").bytes.count))] != nil { return true }
      path = path.parent
    }
    return false
  }

  /// The records, live or in the trash, of which a file is one of them.
  private var unreadRecords: Set<RecordID> {
    Set(
      unread.keys.compactMap { name in
        let text = String(decoding: FilePath(bytes: name).lastComponent, as: UTF8.self)
        return text.parts(at: ".").first.flatMap { RecordID($0) }
      })
  }

  /// Whether a problem of the copy only says that such a part is not in it.
  private func isOfUnread(_ problem: Finding, _ unreadRecords: Set<RecordID>) -> Bool {
    let layout = store.layout
    switch (problem.kind, problem.detail) {
    case (.missing, .named(let record, _)), (.awaited, .named(let record, _)):
      return unreadRecords.contains(record.id)
        || isUnread(layout.record(record.kind, record.id)) || isUnread(layout.trash(record.kind))
    case (_, .blob(let name, .missing)): return isUnread(layout.blob(name))
    case (_, .key(_?, isMissing: true)), (.header, .damage(.missing)),
      (.settings, .damage(.missing)), (.awaited, .damage(.missing)):
      return problem.own.map { isUnread(layout.root.appending($0)) } ?? false
    default: return false
    }
  }
}
