/// The one way in which files of a store become others: all that belong together, or none.
///
/// The order is that of a commit: the new bytes are written beside the others and synchronized, several at once →
/// lock → the contents → admission, which is the caller's → the intent, where there is more than one → the new names
/// → the directories → the old names go → the directories → index, journal, operations → the intent is dropped. What
/// fails before the end leaves the former state; a process that is killed leaves an intent, by which whoever takes the
/// store's lock next goes through with it.
struct Commit: StoreSubject {
  let store: Store
  /// The time of the changes that name none of their own.
  let time: Instant
  var origin: JournalFrame.Origin
  /// The operation of an interrupted process that is gone through with; `nil` for that of this one.
  private let interrupted: OperationMark?

  init(
    _ store: Store, at time: Instant, by origin: JournalFrame.Origin? = nil,
    as interrupted: OperationMark? = nil
  ) {
    self.store = store
    self.time = time
    self.origin = origin ?? store.origin
    self.interrupted = interrupted
  }

  /// The most files that are synchronized at once: a disk makes many safe in the time of one.
  private static let mostAtOnce = 16

  /// The number of threads for so many files; a few need none.
  private static func threads(_ count: Int) -> Int { min(mostAtOnce, count / 16) }

  /// Writes the files of changes beside the others, safe on the disk. No lock is needed.
  ///
  /// - Throws: ``Fault``; nothing is left then.
  func stage(_ changes: [Change]) throws(Fault) -> [StagedChange] {
    var staged: [StagedChange] = []
    for change in changes {
      let temporary =
        change.bytes == nil
        ? nil : layout.temporary.appending(try environment.temporaryName())
      staged.append(StagedChange(change: change, temporary: temporary))
    }
    let files = files
    let results = Workers.map(staged, threads: Self.threads(staged.count)) { staged in
      Result { () throws(Fault) -> FileStatus? in
        guard let temporary = staged.temporary, let bytes = staged.change.bytes else { return nil }
        return try files.writeTemporary(temporary, bytes, mode: 0o600)
      }
    }
    do {
      for (place, result) in results.enumerated() { staged[place].written = try result.get() }
    } catch {
      discard(staged)
      throw error
    }
    return staged
  }

  func discard(_ staged: [StagedChange]) {
    for temporary in staged.compactMap(\.temporary) { try? files.unlink(temporary) }
  }

  /// Stages some changes and puts them into their places, under the lock.
  ///
  /// - Returns: what the list of operations says of them.
  @discardableResult
  func run(
    _ changes: [Change], trashed: [RecordReference: [FilePath]] = [:], isKept: Bool = false
  ) throws(Fault) -> [Operation.Change] {
    let staged = try stage(changes)
    do { return try put(staged, trashed: trashed, isKept: isKept) } catch {
      discard(staged)
      throw error
    }
  }

  /// Puts the files of changes into their places, under the lock.
  ///
  /// - Parameters:
  ///   - trashed: the files in the trash of their records, where some may lie there, the newest first.
  ///   - isKept: whether another process knows already what is to be done.
  /// - Returns: what the list of operations says of them.
  /// - Throws: ``Fault``; the former state is there again.
  @discardableResult
  func put(
    _ staged: [StagedChange], trashed: [RecordReference: [FilePath]] = [:], isKept: Bool = false
  ) throws(Fault) -> [Operation.Change] {
    // Whether an undo was done is asked of the list of operations: a killed one is finished too.
    let keepsIntent = (staged.count > 1 || store.undoing != nil) && !isKept
    var names = NameSteps(files)
    var steps: [FileStep] = []
    var shards: [RecordKind: [ShardBefore]] = [:]
    do {
      for staged in staged { steps.append(try step(staged.change, trashed)) }
      try store.folders.prepare(
        Set(zip(staged, steps).compactMap { $0.change.isLive ? $1.newPath?.parent : nil }))
      for (kind, changes) in Dictionary(
        grouping: staged.lazy.map(\.change).filter { $0.entry != nil }, by: { $0.record?.kind })
      {
        guard let kind else { continue }
        shards[kind] = store.index.shardsBefore(kind, changes.lazy.compactMap { $0.record?.id })
      }
      if keepsIntent {
        store.intents.keep(
          Intent(
            changes: staged.map(\.change), time: time.seconds, by: origin,
            as: OperationMark(store, first: staged.first?.change)))
      }
      for (place, step) in steps.enumerated() {
        var kept: FilePath?
        if case .replace = step.work, staged.count > 1 {
          kept = layout.temporary.appending(try environment.temporaryName())
        }
        try names.take(step, staged[place].temporary, keeping: kept)
      }
      try names.finish(threads: Self.threads)
    } catch {
      // Where the former state cannot be had back, whoever comes next goes through with it.
      if names.undo(), keepsIntent { store.intents.drop() }
      throw error
    }
    names.forget()
    let done = zip(staged, steps).compactMap { staged, step in
      staged.change.operation(revision(of: staged.change, at: step.path))
    }
    note(staged, steps, shards, done)
    if keepsIntent { store.intents.drop() }
    return done
  }

  /// Tells the index and the journal what was done.
  private func note(
    _ staged: [StagedChange], _ steps: [FileStep], _ shards: [RecordKind: [ShardBefore]],
    _ done: [Operation.Change]
  ) {
    var indexed: [RecordKind: [IndexChange]] = [:]
    var frames: [JournalFrame] = []
    for (staged, step) in zip(staged, steps) {
      guard let record = staged.change.record else {
        store.copies.keep()
        continue
      }
      if let entry = staged.change.entry {
        let named = try? files.status(step.path)
        indexed[record.kind, default: []]
          .append(.upsert(entry, FileStamp(named, ifStill: staged.written)))
      } else if staged.change.wasLive, !staged.change.isLive {
        indexed[record.kind, default: []].append(.remove(record.id))
      }
      if !staged.change.forgetsOlder {
        frames += self.frames(of: staged.change, record, at: step.path)
      }
    }
    for (kind, changes) in indexed { store.index.note(changes, of: kind, shards[kind] ?? []) }
    store.journal.note(frames)
    guard interrupted == nil else { return }
    let forgets = staged.contains { $0.change.forgetsOlder }
    store.operations.note(
      done,
      settings: staged.lazy.map(\.change).first { $0.record == nil }?.settings ?? [:],
      lasting: forgets ? .purged : nil, as: OperationMark(store, first: staged.first?.change),
      by: origin, at: time)
  }

  /// What the list of operations says of a change; `nil` for the settings.
  func operation(of change: Change, at path: FilePath) -> Operation.Change? {
    change.operation(revision(of: change, at: path))
  }

  private func revision(of change: Change, at path: FilePath) -> Int64 {
    change.revision ?? change.bytes.map { RecordFile.revision(of: $0) }
      ?? store.trash.revision(of: path)
  }

  /// Returns the frames that the journal is to hold of a record whose file is in its place.
  func frames(
    of change: Change, _ record: RecordReference, at path: FilePath
  ) -> [JournalFrame] {
    func put(_ bytes: [UInt8]) -> JournalFrame {
      JournalFrame(
        .put, origin, record.kind, record.id, revision: RecordFile.revision(of: bytes),
        at: change.time ?? time, body: bytes)
    }
    let former = change.versions.map(put)
    if let bytes = change.bytes {
      return former + store.journal.frames(put(bytes), at: path)
    }
    let name = change.isLive ? [] : path.lastComponent
    return former + [
      JournalFrame(
        change.isLive ? .restore : .trash, origin, record.kind, record.id,
        revision: revision(of: change, at: path), at: change.time ?? time, name: name)
    ]
  }

  /// Decides what is to be done with the files of a change.
  private func step(
    _ change: Change, _ trashed: [RecordReference: [FilePath]]
  ) throws(Fault) -> FileStep {
    guard let record = change.record else { return FileStep(work: .replace(layout.settings)) }
    let live = layout.record(record.kind, record.id)
    let others = trashed[record] ?? []
    switch (change.isLive, change.bytes == nil) {
    case (true, true):
      guard let from = change.trashed ?? others.first else {
        throw .notFound(record.kind, record.id)
      }
      return FileStep(work: .move(from, live), leaving: others.filter { $0 != from })
    case (true, false):
      return FileStep(work: change.wasLive ? .replace(live) : .publish(live), leaving: others)
    case (false, true):
      return FileStep(work: .move(live, try freeTrash(change, record, of: live)))
    case (false, false):
      if !change.wasLive, let path = change.trashed ?? others.first {
        try files.createDirectories(path.parent)
        return FileStep(work: .replace(path))
      }
      let path = try placeInTrash(of: change, record, among: others)
      return FileStep(
        work: others.contains(path) ? .replace(path) : .publish(path),
        leaving: change.wasLive ? [live] : [])
    }
  }

  /// The first free name in the trash, or the one that an interrupted process gave the file already.
  private func freeTrash(
    _ change: Change, _ record: RecordReference, of file: FilePath?
  ) throws(Fault) -> FilePath {
    try files.createDirectories(layout.trash(record.kind))
    let own: FileStatus?
    do {
      own = if let file { try files.status(file) } else { nil }
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      throw error
    }
    return try layout.freeTrash(record.kind, record.id, from: change.deletedAt) {
      path throws(Fault) in
      guard let status = try files.statusIfPresent(path) else { return false }
      return own.map { !status.isSameFile(as: $0) } ?? true
    }
  }

  /// The place of new bytes in the trash.
  private func placeInTrash(
    of change: Change, _ record: RecordReference, among trashed: [FilePath]
  ) throws(Fault) -> FilePath {
    if let begun = try begun(change, among: trashed) { return begun }
    return try freeTrash(change, record, of: nil)
  }

  /// The file in the trash that an interrupted process made of a deletion, before it took the live one away.
  private func begun(_ change: Change, among trashed: [FilePath]) throws(Fault) -> FilePath? {
    guard !trashed.isEmpty, let bytes = change.bytes, let kind = change.record?.kind else {
      return nil
    }
    for path in trashed {
      guard let deletedAt = TrashedRecord(kind: kind, path: path)?.deletedAt.seconds,
        deletedAt >= change.deletedAt
      else { continue }
      if try files.readFile(path, limit: RecordFile.sizeLimit) == bytes { return path }
    }
    return nil
  }
}

extension Store {
  /// Commits changes that were planned without the lock.
  ///
  /// - Parameters:
  ///   - blobs: the contents that the records name anew.
  ///   - admit: sees to it under the lock that the changes may be made.
  /// - Throws: the error of `admit`, and ``Fault``; the store has nothing of them then, and the contents are gone.
  func commit(
    _ changes: [Change], blobs: [StagedBlob] = [], at time: Instant,
    admit: () throws(Fault) -> Void
  ) throws(Fault) {
    let commit = Commit(self, at: time)
    var staged: [StagedChange] = []
    do {
      try requireWritable()
      try folders.requireTemporary()
      staged = try commit.stage(changes)
      try whileLocked { () throws(Fault) in
        folders.sweepTemporaries()
        try self.blobs.place(blobs)
        try admit()
        try commit.put(staged)
        for change in changes where change.forgetsOlder {
          guard let record = change.record else { continue }
          for put in commit.frames(of: change, record, at: layout.record(record.kind, record.id)) {
            try journal.forgetOlder(than: put)
          }
        }
      }
    } catch {
      self.blobs.discard(blobs)
      commit.discard(staged)
      throw error
    }
  }
}

/// New names of files, and what they take away: done in order, and undone where one fails. Each file has its second
/// name, safe on the disk, before the first is taken away, so that it is never without one.
private struct NameSteps {
  /// A name that was given or taken away.
  private enum Done {
    /// A new file has its name.
    case published(FilePath)
    /// A file has, or is about to have, another's name; the other one is kept by the first name.
    case replaced(FilePath, by: FilePath)
    /// Nothing was there before.
    case linked(FilePath, from: FilePath)
    case renamed(FilePath, from: FilePath)
    /// A name was taken away; the file has another one, unless it gave way to other bytes.
    case left(FilePath, isNamed: FilePath?)
  }

  private let files: any FileSystem
  private var done: [Done] = []
  /// The names that are still to be taken away, each with the file's other name.
  private var leaving: [(path: FilePath, other: FilePath?)] = []
  /// The directories that got a name.
  private var targets: [FilePath] = []
  /// The directories that lost one without getting a second name first.
  private var sources: Set<FilePath> = []

  init(_ files: any FileSystem) {
    self.files = files
  }

  /// Gives the file of a step its new name.
  ///
  /// - Parameter kept: the name for what gives way, until all is done; `nil` where nothing comes after it.
  mutating func take(
    _ step: FileStep, _ temporary: FilePath?, keeping kept: FilePath?
  ) throws(Fault) {
    targets.append(step.path.parent)
    switch step.work {
    case .publish(let path):
      if let temporary { try files.publish(temporary, as: path) }
      done.append(.published(path))
    case .replace(let path):
      if let kept, try files.keep(path, as: kept) {
        done.append(.replaced(path, by: kept))
      } else if kept != nil {
        done.append(.published(path))
      }
      if let temporary { try files.rename(temporary, to: path) }
    case .move(let from, let path): try move(from, to: path)
    }
    leaving += step.leaving.map { ($0, nil) }
  }

  private mutating func move(_ from: FilePath, to path: FilePath) throws(Fault) {
    do {
      try files.link(from, to: path)
      done.append(.linked(path, from: from))
      leaving.append((from, path))
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        // A file system without hard links.
        try files.renameExclusively(from, to: path)
        done.append(.renamed(path, from: from))
        sources.insert(from.parent)
      case .exists:
        // An earlier attempt was interrupted between the two steps.
        guard let first = try files.statusIfPresent(from),
          try files.status(path).isSameFile(as: first)
        else { throw error }
        leaving.append((from, path))
      default: throw error
      }
    }
  }

  /// Makes the new names safe, then takes the old ones away. What names others is safe last when it comes, and goes
  /// first: nothing names a record that is not there.
  mutating func finish(threads: (Int) -> Int) throws(Fault) {
    let bequests = Array(RecordKind.bequest.folder.utf8)
    func isOfBequest(_ path: FilePath) -> Bool {
      path.lastComponent == bequests || path.parent.lastComponent == bequests
    }
    let coming = Set(targets)
    for part in [coming.filter { !isOfBequest($0) }, coming.filter(isOfBequest)] {
      try synchronize(part, threads: threads(part.count))
    }
    for part in [
      leaving.filter { isOfBequest($0.path.parent) },
      leaving.filter { !isOfBequest($0.path.parent) },
    ] where !part.isEmpty || !sources.isEmpty {
      for (path, other) in part {
        try files.unlink(path)
        done.append(.left(path, isNamed: other))
      }
      let directories = sources.union(part.map(\.path.parent))
      sources = []
      try synchronize(directories, threads: threads(directories.count))
    }
  }

  private func synchronize(_ directories: Set<FilePath>, threads: Int) throws(Fault) {
    let files = files
    let results = Workers.map(Array(directories), threads: threads) { directory in
      Result { () throws(Fault) in try files.synchronizeDirectory(directory) }
    }
    for result in results { _ = try result.get() }
  }

  /// Takes back what was done, without room on the disk.
  ///
  /// - Returns: whether all of it could be taken back.
  func undo() -> Bool {
    var isUndone = true
    func attempt(_ body: () throws(Fault) -> Void) {
      do { try body() } catch { isUndone = false }
    }
    for step in done.reversed() {
      switch step {
      case .published(let path):
        attempt { () throws(Fault) in try files.unlinkIfPresent(path) }
      case .replaced(let path, let kept):
        attempt { () throws(Fault) in try files.rename(kept, to: path) }
        // If both are names of one file, a rename leaves both.
        try? files.unlink(kept)
      case .linked(let path, _): attempt { () throws(Fault) in try files.unlink(path) }
      case .renamed(let path, let from):
        attempt { () throws(Fault) in try files.renameExclusively(path, to: from) }
      case .left(let path, let other?):
        attempt { () throws(Fault) in try files.link(other, to: path) }
      case .left(_, nil): isUndone = false
      }
    }
    return isUndone
  }

  /// Drops what was kept for undoing.
  func forget() {
    for case .replaced(_, let kept) in done { try? files.unlink(kept) }
  }
}

extension FileSystem {
  /// Gives a file a second name, or a copy of it where the file system has no links.
  ///
  /// - Returns: `false` where there is no file.
  fileprivate func keep(_ path: FilePath, as kept: FilePath) throws(Fault) -> Bool {
    do {
      try link(path, to: kept)
    } catch {
      switch error.condition {
      case .notFound: return false
      case .notSupported, .notPermitted, .tooManyLinks:
        try writeTemporary(kept, try readFile(path, limit: RecordFile.sizeLimit), mode: 0o600)
      default: throw error
      }
    }
    return true
  }

  func unlinkIfPresent(_ path: FilePath) throws(Fault) {
    do { try unlink(path) } catch {
      if error.condition != .notFound { throw error }
    }
  }
}
