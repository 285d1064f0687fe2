/// A file that a record is to have: among the live ones or in the trash.
package struct RecordWrite: Sendable {
  /// `nil` for the settings.
  package let record: RecordReference?
  /// The SHA-256 of the file that it takes the place of; `nil` where there is none.
  package let before: [UInt8]?
  /// Whether that file is a live one.
  package let wasLive: Bool
  package let bytes: [UInt8]
  package let isLive: Bool
  /// The time of its deletion in Unix seconds, for the name in the trash.
  package let deletedAt: Int64

  package init(
    record: RecordReference?, before: [UInt8]?, wasLive: Bool, bytes: [UInt8], isLive: Bool,
    deletedAt: Int64
  ) {
    self.record = record
    self.before = before
    self.wasLive = wasLive
    self.bytes = bytes
    self.isLive = isLive
    self.deletedAt = deletedAt
  }
}

/// Records that are written together. The batch is kept outside the store first, synchronised: whoever takes
/// the store's lock next finishes one that was interrupted, before anything else is changed.
package struct RecordBatch: Sendable {
  package var writes: [RecordWrite]
  /// The time in Unix seconds, for the journal.
  package var time: Int64
  /// Other data that is kept with the batch; the store does not look at it.
  package var attachment: JSON
  /// The places of the writes that were left out, because something else had changed their files.
  package internal(set) var skipped: Set<Int> = []

  package init(writes: [RecordWrite], time: Int64, attachment: JSON) {
    self.writes = writes
    self.time = time
    self.attachment = attachment
  }
}

extension RecordBatch {
  /// The most bytes of a batch's file.
  static let sizeLimit = 1 << 30

  init?(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(bytes), let time = json["time"]?.integer,
      let writes = json["writes"]?.array, let attachment = json["attachment"],
      let skipped = json["skipped"]?.array
    else { return nil }
    self.init(writes: [], time: time, attachment: attachment)
    for write in writes {
      guard let write = RecordWrite(json: write) else { return nil }
      self.writes.append(write)
    }
    self.skipped = Set(skipped.compactMap { $0.integer.map { Int(clamping: $0) } })
  }

  var encoded: [UInt8] {
    JSON.object([
      "time": .integer(time), "attachment": attachment,
      "skipped": .array(skipped.sorted().map { .integer(Int64($0)) }),
      "writes": .array(writes.map(\.json)),
    ]).encoded(.compact)
  }
}

extension RecordWrite {
  fileprivate var json: JSON {
    .object([
      "record": record.map { .string("\($0.kind.rawValue)/\($0.id)") } ?? .null,
      "before": before.map { .string(Hex.encode($0)) } ?? .null,
      "bytes": .string(String(decoding: bytes, as: UTF8.self)), "wasLive": .bool(wasLive),
      "isLive": .bool(isLive), "deletedAt": .integer(deletedAt),
    ])
  }

  fileprivate init?(json: JSON) {
    guard let bytes = json["bytes"]?.string, case .bool(let isLive)? = json["isLive"],
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
      wasLive: wasLive, bytes: Array(bytes.utf8), isLive: isLive, deletedAt: deletedAt)
  }
}

/// What is written together, and finished by whoever comes next where a process was interrupted.
package struct StoreBatches: StoreSubject {
  package let store: Store
}

/// Writing a batch, and finishing one that was interrupted.
extension StoreBatches {
  /// The directory for what this machine knows of synchronising this one; `nil` where it has no place.
  package var directory: FilePath? {
    store.stateDirectory?.appending("sync-\(store.place.inode)")
  }

  private var batchFile: FilePath? { directory?.appending("batch") }

  private var writtenFile: FilePath? { directory?.appending("written") }

  /// The file of changes that this machine is about to write together, except those of synchronising.
  private var changesFile: FilePath? {
    store.stateDirectory?.appending("changes-\(store.place.inode)")
  }

  /// Writes some records, all or, when the machine stops, all at the next change.
  ///
  /// - Parameter blobs: the blobs that the records name and the store lacks.
  /// - Returns: the batch, with the writes that were left out because their files are not what they
  ///   were.
  package func write(
    _ batch: RecordBatch, blobs: [StagedBlob]
  ) throws(Fault) -> RecordBatch {
    guard let batchFile else { return batch }
    do {
      return try store.whileLocked { () throws(Fault) in
        var batch = batch
        let places = try places(of: batch)
        for (place, write) in batch.writes.enumerated()
        where try !current(write, places).isBefore(write) {
          batch.skipped.insert(place)
        }
        try store.blobs.place(blobs)
        let temporary = try besideName(batchFile)
        try files.replace(batchFile, batch.encoded, mode: 0o600, by: temporary)
        return try finish(batch)
      }
    } catch {
      store.blobs.discard(blobs)
      throw error
    }
  }

  /// The batch that was written last, until ``forgetWritten()``.
  package func written() throws(Fault) -> RecordBatch? {
    guard let writtenFile, try files.statusIfPresent(writtenFile) != nil else { return nil }
    return RecordBatch(try files.readFile(writtenFile, limit: RecordBatch.sizeLimit))
  }

  package func forgetWritten() throws(Fault) {
    guard let writtenFile else { return }
    if try files.statusIfPresent(writtenFile) != nil { try files.unlink(writtenFile) }
  }

  /// Returns the files of synchronising here that are not what was written; only time is lost with
  /// them.
  func damagedFiles() -> [FilePath] {
    guard let directory = directory else { return [] }
    return ["state", "batch", "written"].map { directory.appending($0) }.filter { path in
      do throws(Fault) {
        guard try files.statusIfPresent(path) != nil else { return false }
        let bytes = try files.readFile(path, limit: Self.fileLimit)
        return path.lastComponent == Array("state".utf8)
          ? CheckedLines.areDamaged(bytes) : RecordBatch(bytes) == nil
      } catch {
        // Where a file stands in the place of the directory there is no state.
        return error.condition != .notFound && error.condition != .notDirectory
      }
    }
  }

  /// The largest file of this machine's synchronising that is read, in bytes.
  package static let fileLimit = 1 << 31

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

  /// Finishes, under the lock, what an interrupted process was about to write.
  func finishInterrupted() throws(Fault) {
    if let batchFile, let batch = try interrupted(batchFile) { _ = try finish(batch) }
    if let changesFile, let batch = try interrupted(changesFile) {
      _ = try complete(batch, by: .person)
      try files.unlink(changesFile)
      try files.synchronizeDirectory(changesFile.parent)
    }
  }

  /// Finishes, before anything is read, what a killed process was about to write together. Another process
  /// that holds the lock does it itself, and a store that cannot be changed stays as it is.
  func finishInterruptedChanges() {
    guard let changesFile, (try? files.statusIfPresent(changesFile))??.kind == .regular,
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

  /// Keeps, synchronised, the writes that are about to be done together, under the lock. If this
  /// machine has no place for them the writing goes on: a process that is killed then leaves some
  /// of the records.
  func keepChanges(_ writes: @autoclosure () -> [RecordWrite], at time: Instant) {
    guard let changesFile, let temporary = try? besideName(changesFile) else { return }
    let batch = RecordBatch(writes: writes(), time: time.seconds, attachment: .null)
    do {
      try files.createDirectories(changesFile.parent)
      try files.synchronizeAncestors(of: changesFile.parent)
      try files.replace(changesFile, batch.encoded, mode: 0o600, by: temporary)
    } catch {}
  }

  /// Forgets them, after all of them were written, or none. One that stays is finished by the next change.
  func forgetChanges() {
    guard let changesFile, (try? files.unlink(changesFile)) != nil else { return }
    try? files.synchronizeDirectory(changesFile.parent)
  }

  /// Reads a batch that an interrupted process has kept; `nil` where there is none.
  private func interrupted(_ path: FilePath) throws(Fault) -> RecordBatch? {
    // If the state cannot be reached, none was kept in it, and changes go on without it.
    guard let status = try? files.statusIfPresent(path), status.kind == .regular else { return nil }
    let bytes = try files.readFile(path, limit: RecordBatch.sizeLimit)
    guard let batch = RecordBatch(bytes) else {
      // A damaged batch is put aside: the next comparison finds what was written of it.
      try files.setAside(path)
      return nil
    }
    return batch
  }

  private func finish(_ batch: RecordBatch) throws(Fault) -> RecordBatch {
    guard let batchFile, let writtenFile else { return batch }
    let batch = try complete(batch, by: .synchroniser)
    let temporary = try besideName(writtenFile)
    try files.replace(writtenFile, batch.encoded, mode: 0o600, by: temporary)
    try files.unlink(batchFile)
    try files.synchronizeDirectory(batchFile.parent)
    return batch
  }

  /// Puts into their places those files of a batch that are not there yet.
  ///
  /// - Returns: the batch, with what was left out because its file is not what it was.
  private func complete(
    _ batch: RecordBatch, by origin: JournalFrame.Origin
  ) throws(Fault) -> RecordBatch {
    var batch = batch
    let places = try places(of: batch)
    var frames: [JournalFrame] = []
    var written: [[JournalFrame]] = []
    let time = Instant(seconds: batch.time)
    for (place, write) in batch.writes.enumerated() where !batch.skipped.contains(place) {
      let current = try current(write, places)
      let isWritten = current.digest == SHA256.hash(write.bytes)
      if isWritten, current.isLive == write.isLive, !current.hasTwin {
        if let record = write.record {
          let trashed = current.trashed.first?.path
          let path = write.isLive ? nil : trashed
          written.append(
            self.frames(
              of: write, record, by: origin,
              at: path ?? layout.record(record.kind, record.id), time))
        }
        continue
      }
      guard isWritten || current.isBefore(write) else {
        batch.skipped.insert(place)
        continue
      }
      frames += try put(write, over: current, by: origin, at: time)
    }
    frames += unnoted(written)
    if batch.writes.contains(where: { $0.record == nil }) { store.copies.keep() }
    store.journal.note(frames)
    return batch
  }

  private func besideName(_ path: FilePath) throws(Fault) -> FilePath {
    FilePath(bytes: path.bytes + Array(".\(try environment.temporaryName())".utf8))
  }

  /// The present place of a record of a batch.
  private struct Present {
    /// The digest of the live file, else of the newest in the trash; `nil` where there is none.
    var digest: [UInt8]?
    var isLive = false
    /// The files in the trash, the newest first.
    var trashed: [TrashedRecord] = []
    var hasTwin: Bool { isLive && !trashed.isEmpty }

    /// Whether nothing happened to the record since it was compared.
    func isBefore(_ write: RecordWrite) -> Bool {
      digest == write.before && (digest == nil || isLive == write.wasLive)
    }
  }

  /// The files in the trash of the records of a batch, whether they are live too or not.
  private func places(
    of batch: RecordBatch
  ) throws(Fault) -> [RecordReference: [TrashedRecord]] {
    let wanted = Set(batch.writes.compactMap(\.record))
    var found: [RecordReference: [TrashedRecord]] = [:]
    for kind in Set(wanted.map(\.kind)) {
      let entries = try files.contentsIfPresent(ofDirectory: layout.trash(kind))
      for entry in entries {
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
    return found
  }

  private func current(
    _ write: RecordWrite, _ trash: [RecordReference: [TrashedRecord]]
  ) throws(Fault) -> Present {
    var present = Present()
    guard let record = write.record else {
      present.digest = try digest(of: layout.settings)
      present.isLive = true
      return present
    }
    present.trashed = trash[record] ?? []
    if let digest = try digest(of: layout.record(record.kind, record.id)) {
      present.digest = digest
      present.isLive = true
    } else if let newest = present.trashed.first {
      present.digest = try digest(of: newest.path)
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

  /// Puts one file into its place.
  private func put(
    _ write: RecordWrite, over present: Present, by origin: JournalFrame.Origin, at time: Instant
  ) throws(Fault) -> [JournalFrame] {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    guard let record = write.record else {
      try files.replace(layout.settings, write.bytes, mode: 0o600, by: temporary)
      return []
    }
    let live = layout.record(record.kind, record.id)
    let path: FilePath
    if write.isLive {
      path = live
      try store.folders.prepare(live.parent)
    } else if let newest = present.trashed.first, !present.isLive {
      path = newest.path
    } else if let begun = try begun(write, among: present.trashed) {
      path = begun
    } else {
      try files.createDirectories(layout.trash(record.kind))
      let taken = Set(present.trashed.map(\.path))
      path = layout.freeTrash(record.kind, record.id, from: write.deletedAt) { taken.contains($0) }
    }
    try files.replace(path, write.bytes, mode: 0o600, by: temporary)
    // The other place goes when this one is safe.
    if write.isLive {
      for twin in present.trashed { try files.unlink(twin.path) }
      if !present.trashed.isEmpty {
        try files.synchronizeDirectory(layout.trash(record.kind))
      }
    } else if present.isLive {
      try files.unlink(live)
      try files.synchronizeDirectory(live.parent)
    }
    return frames(of: write, record, by: origin, at: path, time)
  }

  /// The file in the trash that an interrupted process made of a deletion, before it took the live one away.
  private func begun(
    _ write: RecordWrite, among trashed: [TrashedRecord]
  ) throws(Fault) -> FilePath? {
    let wanted = SHA256.hash(write.bytes)
    for file in trashed where file.deletedAt.seconds >= write.deletedAt {
      if try digest(of: file.path) == wanted { return file.path }
    }
    return nil
  }

  /// Returns the frames that the journal is to hold of a record that was written.
  private func frames(
    of write: RecordWrite, _ record: RecordReference, by origin: JournalFrame.Origin,
    at path: FilePath, _ time: Instant
  ) -> [JournalFrame] {
    let put = JournalFrame(
      .put, origin, record.kind, record.id, revision: RecordFile.revision(of: write.bytes),
      at: time, body: write.bytes)
    return store.journal.frames(put, at: path)
  }

  /// Returns those frames, of records that an interrupted process had written already, that no
  /// journal has.
  private func unnoted(_ written: [[JournalFrame]]) -> [JournalFrame] {
    let shards = Set(written.joined().map(\.id.shard))
    guard !shards.isEmpty else { return [] }
    let known = store.journal.roster(of: shards).known()
    return written.filter { frames in
      guard let put = frames.first, let record = known[put.id] else { return true }
      let digest = JournalRoster.beginning(of: SHA256.hash(put.body))
      return !record.digests.contains(digest) || record.trashName != frames.dropFirst().first?.name
    }.flatMap(\.self)
  }
}

extension FileSystem {
  /// Gives a file that is of no use any more another name, over the one before it.
  package func setAside(_ path: FilePath) throws(Fault) {
    try rename(path, to: FilePath(bytes: path.bytes + Array(".damaged".utf8)))
  }
}
