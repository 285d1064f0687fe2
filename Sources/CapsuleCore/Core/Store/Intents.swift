/// Changes that are made together, as they are kept outside the store until they are: whoever takes the store's lock
/// next goes through with those of a process that was interrupted, before anything else is changed.
package struct Intent: Sendable {
  package var changes: [Change]
  /// The time in Unix seconds, for the journal.
  package var time: Int64
  /// Whose changes they are.
  var origin: JournalFrame.Origin
  /// The operation that they are; `nil` where an earlier program kept them.
  var mark: OperationMark?
  /// Other data that is kept with them; the store does not look at it.
  package var attachment: JSON
  /// The places of the changes that were left out, because something else had changed their files.
  package internal(set) var skipped: Set<Int> = []

  package init(
    changes: [Change], time: Int64, by origin: JournalFrame.Origin, attachment: JSON = .null
  ) {
    self.init(changes: changes, time: time, by: origin, as: nil, attachment: attachment)
  }

  init(
    changes: [Change], time: Int64, by origin: JournalFrame.Origin, as mark: OperationMark?,
    attachment: JSON = .null
  ) {
    self.changes = changes
    self.time = time
    self.origin = origin
    self.mark = mark
    self.attachment = attachment
  }
}

extension Intent {
  /// The most bytes of an intent's file.
  static let sizeLimit = 1 << 30

  /// - Parameter origin: whose changes they are where the bytes do not say it.
  init?(_ bytes: [UInt8], by origin: JournalFrame.Origin) {
    guard let json = try? JSON.parse(bytes), let time = json["time"]?.integer,
      let changes = json["writes"]?.array, let attachment = json["attachment"],
      let skipped = json["skipped"]?.array
    else { return nil }
    let number = json["origin"]?.integer.map { UInt8(clamping: $0) }
    self.init(
      changes: [], time: time, by: number.flatMap { JournalFrame.Origin(rawValue: $0) } ?? origin,
      as: json["operation"].flatMap { OperationMark(json: $0) }, attachment: attachment)
    for change in changes {
      guard let change = Change(json: change) else { return nil }
      self.changes.append(change)
    }
    self.skipped = Set(skipped.compactMap { $0.integer.map { Int(clamping: $0) } })
  }

  var encoded: [UInt8] {
    JSON.object([
      "time": .integer(time), "origin": .integer(Int64(origin.rawValue)), "attachment": attachment,
      "operation": mark?.json ?? .null,
      "skipped": .array(skipped.sorted().map { .integer(Int64($0)) }),
      "writes": .array(changes.map(\.json)),
    ]).encoded(.compact)
  }
}

extension Change {
  fileprivate var json: JSON {
    .object([
      "record": record.map { .string("\($0.kind.rawValue)/\($0.id)") } ?? .null,
      "before": before.map { .string(Hex.encode($0)) } ?? .null,
      "bytes": bytes.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null,
      "wasLive": .bool(wasLive), "isLive": .bool(isLive), "deletedAt": .integer(deletedAt),
      "fields": .array(fields.map { .string($0) }), "rev": .integer(formerRevision),
      "settings": .object(settings),
    ])
  }

  fileprivate init?(json: JSON) {
    guard let bytes = json["bytes"], case .bool(let isLive)? = json["isLive"],
      case .bool(let wasLive)? = json["wasLive"], let deletedAt = json["deletedAt"]?.integer
    else { return nil }
    var record: RecordReference?
    if let name = json["record"]?.string {
      let parts = name.parts(at: "/")
      guard parts.count == 2, let kind = RecordKind(rawValue: String(parts[0])),
        let id = RecordID(parts[1])
      else { return nil }
      record = RecordReference(kind, id)
    }
    self.init(
      record: record, before: json["before"]?.string.flatMap { Hex.decode($0) },
      wasLive: wasLive, bytes: bytes.string.map { Array($0.utf8) }, isLive: isLive,
      deletedAt: deletedAt)
    fields = (json["fields"]?.array ?? []).compactMap(\.string)
    formerRevision = json["rev"]?.integer ?? 0
    settings = json["settings"]?.object ?? [:]
  }
}

/// The intents of this machine.
package struct StoreIntents: StoreSubject {
  package let store: Store

  /// The directory for what this machine knows of synchronising this one; `nil` where it has no place.
  package var directory: FilePath? {
    store.stateDirectory?.appending("sync-\(store.place.inode)")
  }

  private var syncFile: FilePath? { directory?.appending("batch") }

  private var writtenFile: FilePath? { directory?.appending("written") }

  /// The file of all other changes: one checked line (``CheckedLines``), or nothing. It stays, so that one call
  /// keeps an intent safe, and one more drops it; a line that was cut off by a power cut is no intent, and nothing of
  /// it was begun.
  private var file: FilePath? {
    store.stateDirectory?.appending("commit-\(store.place.inode)")
  }

  /// The file that earlier programs had in its place, with JSON.
  private var formerFile: FilePath? {
    store.stateDirectory?.appending("changes-\(store.place.inode)")
  }
}

// The changes of one command.
extension StoreIntents {
  /// Keeps, synchronised, what is about to be done, under the lock. If this machine has no place for it, or no room,
  /// it is done all the same: a process that is killed then leaves some of the records.
  func keep(_ intent: Intent) {
    guard let file else { return }
    let text = intent.encoded
    do {
      let isNew = try files.statusIfPresent(file) == nil
      if isNew { try files.createDirectories(file.parent) }
      try write(CheckedLines.lines([text]), to: file)
      if isNew { try files.synchronizeDirectory(file.parent) }
    } catch {
      drop()
    }
  }

  /// Drops it, after all of it was done, or none. One that stays is gone through by the next change.
  func drop() {
    guard let file, (try? write([], to: file)) == nil else { return }
    try? files.unlink(file)
    _ = try? files.synchronizeDirectory(file.parent)
  }

  private func write(_ bytes: [UInt8], to path: FilePath) throws(Fault) {
    try files.withFile(path, .readWriteCreate(mode: 0o600)) { file throws(Fault) in
      try files.truncate(file, to: 0)
      try files.writeAll(file, bytes)
      try files.synchronize(file)
    }
  }

  /// Goes, under the lock, through with what an interrupted process was about to do.
  func finishInterrupted() throws(Fault) {
    if let syncFile, let intent = try interrupted(syncFile, by: .synchroniser) {
      _ = try finish(intent)
    }
    if let formerFile, let intent = try interrupted(formerFile, by: .person) {
      _ = try complete(intent)
      try files.unlink(formerFile)
      try files.synchronizeDirectory(formerFile.parent)
    }
    if let file, let intent = try kept(file) {
      _ = try complete(intent)
      drop()
    }
  }

  /// Does so before anything is read. Another process that holds the lock does it itself, and a store that cannot
  /// be changed stays as it is.
  func finishInterruptedChanges() {
    func isThere(_ path: FilePath?) -> Bool {
      guard let path, let status = (try? files.statusIfPresent(path)) ?? nil else { return false }
      return status.kind == .regular && status.size > 0
    }
    guard isThere(file) || isThere(formerFile),
      header.format == StoreHeader.currentFormat || header.isProtected,
      (try? store.requireWritable()) != nil,
      let lock = try? files.acquireLock(
        layout.lock, holder: Array(environment.holder.utf8),
        patience: LockPatience(limit: 0, pause: { _ in }))
    else { return }
    defer { files.release(lock) }
    guard (try? store.folders.requireTemporary()) != nil else { return }
    try? finishInterrupted()
  }

  private func kept(_ path: FilePath) throws(Fault) -> Intent? {
    // If the state cannot be reached, none was kept in it, and changes go on without it.
    guard let status = (try? files.statusIfPresent(path)) ?? nil, status.kind == .regular,
      status.size > 0
    else { return nil }
    let bytes = try files.readFile(path, limit: Intent.sizeLimit)
    return CheckedLines.texts(in: bytes).first.flatMap { Intent(Array($0), by: .person) }
  }

  /// Reads what an interrupted process has kept in a file of JSON; `nil` where there is none.
  private func interrupted(
    _ path: FilePath, by origin: JournalFrame.Origin
  ) throws(Fault) -> Intent? {
    guard let status = try? files.statusIfPresent(path), status.kind == .regular else { return nil }
    let bytes = try files.readFile(path, limit: Intent.sizeLimit)
    guard let intent = Intent(bytes, by: origin) else {
      // A damaged one is put aside: the next comparison finds what was written of it.
      try files.setAside(path)
      return nil
    }
    return intent
  }
}

// The changes of one sync, which are kept until its state knows them.
extension StoreIntents {
  /// Makes some changes, all or, when the machine stops, all at the next change.
  ///
  /// - Parameter blobs: the blobs that the records name and the store lacks.
  /// - Returns: the intent, with the changes that were left out because their files are not what they were.
  package func carryOut(
    _ intent: Intent, blobs: [StagedBlob]
  ) throws(Fault) -> Intent {
    guard let syncFile else { return intent }
    do {
      return try store.whileLocked { () throws(Fault) in
        var intent = intent
        intent.mark = OperationMark(store, first: intent.changes.first)
        let trashed = try trashed(of: intent)
        for (place, change) in intent.changes.enumerated()
        where try !present(change, trashed).isBefore(change) {
          intent.skipped.insert(place)
        }
        try store.blobs.place(blobs)
        let temporary = try besideName(syncFile)
        try files.replace(syncFile, intent.encoded, mode: 0o600, by: temporary)
        return try finish(intent, isFresh: true)
      }
    } catch {
      store.blobs.discard(blobs)
      throw error
    }
  }

  /// The intent that was carried out last, until ``forgetWritten()``.
  package func written() throws(Fault) -> Intent? {
    guard let writtenFile, try files.statusIfPresent(writtenFile) != nil else { return nil }
    return Intent(try files.readFile(writtenFile, limit: Intent.sizeLimit), by: .synchroniser)
  }

  package func forgetWritten() throws(Fault) {
    guard let writtenFile else { return }
    if try files.statusIfPresent(writtenFile) != nil { try files.unlink(writtenFile) }
  }

  private func finish(_ intent: Intent, isFresh: Bool = false) throws(Fault) -> Intent {
    guard let syncFile, let writtenFile else { return intent }
    let intent = try complete(intent, isFresh: isFresh)
    let temporary = try besideName(writtenFile)
    try files.replace(writtenFile, intent.encoded, mode: 0o600, by: temporary)
    try files.unlink(syncFile)
    try files.synchronizeDirectory(syncFile.parent)
    return intent
  }

  private func besideName(_ path: FilePath) throws(Fault) -> FilePath {
    FilePath(bytes: path.bytes + Array(".\(try environment.temporaryName())".utf8))
  }

  /// The largest file of this machine's synchronising that is read, in bytes.
  package static let fileLimit = 1 << 31

  /// Returns the files of synchronising here that are not what was written; only time is lost with
  /// them.
  func damagedFiles() -> [FilePath] {
    guard let directory = directory else { return [] }
    return ["state", "batch", "written"].map { directory.appending($0) }.filter { path in
      do throws(Fault) {
        guard try files.statusIfPresent(path) != nil else { return false }
        let bytes = try files.readFile(path, limit: Self.fileLimit)
        return path.lastComponent == Array("state".utf8)
          ? CheckedLines.areDamaged(bytes) : Intent(bytes, by: .synchroniser) == nil
      } catch {
        // Where a file stands in the place of the directory there is no state.
        return error.condition != .notFound && error.condition != .notDirectory
      }
    }
  }

  /// Puts a damaged file of synchronising aside, while no sync is at work.
  ///
  /// - Throws: `.storeBusy` while one is.
  func setAside(syncFile path: FilePath) throws(Fault) {
    let lock = try files.acquireLock(
      path.parent.appending("lock"), holder: Array(environment.holder.utf8),
      patience: LockPatience(limit: 0, pause: { _ in }))
    defer { files.release(lock) }
    // Whoever took the store's lock meanwhile has done it.
    if try files.statusIfPresent(path) != nil { try files.setAside(path) }
  }
}

extension StoreIntents {
  /// Puts into their places those files of an intent that are not there yet.
  ///
  /// - Returns: the intent, with what was left out because its file is not what it was.
  private func complete(_ intent: Intent, isFresh: Bool = false) throws(Fault) -> Intent {
    var intent = intent
    let trashed = try trashed(of: intent)
    let commit = Commit(
      store, at: Instant(seconds: intent.time), by: intent.origin, as: intent.mark)
    var operations: [Operation.Change] = []
    var missing: [Change] = []
    var done: [[JournalFrame]] = []
    for (place, change) in intent.changes.enumerated() where !intent.skipped.contains(place) {
      let present = try present(change, trashed)
      let wanted = change.bytes.map { SHA256.hash($0) } ?? change.before
      let isThere = present.digest != nil && (wanted == nil || present.digest == wanted)
      if isThere, present.isLive == change.isLive, !present.hasTwin {
        if let record = change.record {
          let path =
            (change.isLive ? nil : present.trashed.first) ?? layout.record(record.kind, record.id)
          done.append(commit.frames(of: change, record, at: path))
          if let operation = commit.operation(of: change, at: path) { operations.append(operation) }
        }
        continue
      }
      // It is in its new place, or about to be: a record that has two has the same bytes in both, or new ones.
      guard isThere || present.isBefore(change) else {
        intent.skipped.insert(place)
        continue
      }
      missing.append(change.begun(from: present))
    }
    operations += try commit.run(missing, trashed: trashed, isKept: true)
    store.journal.note(unnoted(done))
    guard let mark = intent.mark else { return intent }
    let settings = intent.changes.first { $0.record == nil }?.settings ?? [:]
    store.operations.note(
      isFresh ? operations : store.operations.unnoted(operations, of: mark), settings: settings,
      as: mark, by: intent.origin, at: Instant(seconds: intent.time))
    return intent
  }

  /// The files in the trash of the records of an intent, whether they are live too or not, the newest first.
  private func trashed(of intent: Intent) throws(Fault) -> [RecordReference: [FilePath]] {
    let wanted = Set(intent.changes.compactMap(\.record))
    var found: [RecordReference: [TrashedRecord]] = [:]
    for kind in Set(wanted.map(\.kind)) {
      for entry in try files.contentsIfPresent(ofDirectory: layout.trash(kind)) {
        let path = layout.trash(kind).appending(bytes: entry.name)
        guard let record = TrashedRecord(kind: kind, path: path),
          wanted.contains(RecordReference(kind, record.id))
        else { continue }
        found[RecordReference(kind, record.id), default: []].append(record)
      }
    }
    for (record, files) in found where files.count > 1 {
      found[record] = try store.trash.orderingTwins(
        in: files.sorted { ($1.deletedAt, $0.path.text) < ($0.deletedAt, $1.path.text) })
    }
    return found.mapValues { $0.map(\.path) }
  }

  private func present(
    _ change: Change, _ trashed: [RecordReference: [FilePath]]
  ) throws(Fault) -> Present {
    var present = Present()
    guard let record = change.record else {
      present.digest = try digest(of: layout.settings)
      present.isLive = true
      return present
    }
    present.trashed = trashed[record] ?? []
    let live = layout.record(record.kind, record.id)
    if change.before == nil, change.bytes == nil {
      // Whatever is there goes to its new place, also what cannot be read.
      present.isLive = try files.statusIfPresent(live) != nil
      present.digest = present.isLive || !present.trashed.isEmpty ? [] : nil
    } else if let digest = try digest(of: live) {
      present.digest = digest
      present.isLive = true
    } else if let newest = present.trashed.first {
      present.digest = try digest(of: newest)
    }
    return present
  }

  private func digest(of path: FilePath) throws(Fault) -> [UInt8]? {
    do {
      return SHA256.hash(try files.readFile(path, limit: RecordFile.sizeLimit))
    } catch {
      if error.condition == .notFound { return nil }
      throw error
    }
  }

  /// Returns those frames, of records that an interrupted process had written already, that no
  /// journal has.
  private func unnoted(_ done: [[JournalFrame]]) -> [JournalFrame] {
    let shards = Set(done.joined().map(\.id.shard))
    guard !shards.isEmpty else { return [] }
    let known = store.journal.roster(of: shards).known()
    return done.filter { frames in
      guard let last = frames.last, let record = known[last.id] else { return true }
      let isHeld = frames.allSatisfy { frame in
        frame.event != .put
          || record.digests.contains(JournalRoster.beginning(of: SHA256.hash(frame.body)))
      }
      return !isHeld || (record.trashName ?? []) != last.name
    }.flatMap(\.self)
  }
}

extension Change {
  /// The change as it is to be gone on with, where another process may have begun it.
  fileprivate func begun(from present: Present) -> Change {
    guard wasLive != present.isLive else { return self }
    // The new bytes have their name already, or a new record was there before.
    var change = Change(
      record: record, before: present.digest, wasLive: present.isLive, bytes: bytes,
      isLive: isLive, deletedAt: deletedAt)
    (change.time, change.fields, change.formerRevision) = (time, fields, formerRevision)
    return change
  }
}

extension FileSystem {
  /// Gives a file that is of no use any more another name, over the one before it.
  package func setAside(_ path: FilePath) throws(Fault) {
    try rename(path, to: FilePath(bytes: path.bytes + Array(".damaged".utf8)))
  }
}
