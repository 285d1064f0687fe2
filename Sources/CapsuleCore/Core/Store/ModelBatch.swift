/// Changes to records of one kind that come into the store together: all of them, or none.
package struct ModelBatch<Model: RecordModel> {
  package private(set) var additions: [Model] = []
  package private(set) var updates: [StoredRecord<Model>] = []
  /// The blobs that the records name anew.
  package private(set) var blobs: [StagedBlob] = []
  /// The stamp of the kind's index that the batch was planned by; `nil` where it holds whatever the others
  /// are by then.
  let basis: UInt64?

  package init() { basis = nil }

  init(plannedBy index: RecordIndex?) {
    var index = index
    basis = index?.stamp()
  }

  package var isEmpty: Bool { additions.isEmpty && updates.isEmpty }

  /// Adds a new record.
  package mutating func add(_ model: Model, blobs: [StagedBlob] = []) {
    additions.append(model)
    self.blobs += blobs
  }

  /// Adds the change of a record that was read before.
  package mutating func update(_ record: StoredRecord<Model>, blobs: [StagedBlob] = []) {
    updates.append(record)
    self.blobs += blobs
  }
}

extension Store {
  /// Writes a batch. When this returns, all of it survives a power cut; when it throws, the store has
  /// nothing of it.
  ///
  /// The records are checked, written and synchronised beside the others before the lock is taken,
  /// several at once: a thousand of them take the time of a few. The records that are about to get
  /// their names are kept with this machine's state first: where the process is killed meanwhile,
  /// whoever opens the store next finishes the batch.
  ///
  /// - Returns: the models as they were written: those added, then those updated, in their order.
  /// - Throws: as ``insert(_:blobs:)`` and ``update(_:now:blobs:forgetsOlder:)`` do for one of them;
  ///   `.changedMeanwhile` also where the kind has other records than when the batch was planned.
  @discardableResult
  package func write<Model: RecordModel>(
    _ batch: ModelBatch<Model>, now: Instant
  ) throws(Fault) -> [Model] {
    try ModelWriting(store: self).write(batch, now: now)
  }
}

/// The writing of one batch.
private struct ModelWriting: StoreSubject {
  let store: Store

  func write<Model: RecordModel>(
    _ batch: ModelBatch<Model>, now: Instant
  ) throws(Fault) -> [Model] {
    guard !batch.isEmpty else { return [] }
    var writings: [BatchWriting<Model>] = []
    do {
      for model in batch.additions { writings.append(try writing(adding: model)) }
      for record in batch.updates { writings.append(try writing(updating: record, now: now)) }
      try store.requireWritable()
      try store.folders.requireTemporary()
      try stage(&writings)
      try store.whileLocked { () throws(Fault) in
        store.folders.sweepTemporaries()
        try store.blobs.place(batch.blobs)
        try commit(writings, plannedBy: batch.basis, now: now)
      }
    } catch {
      store.blobs.discard(batch.blobs)
      for writing in writings { try? files.unlink(writing.temporary) }
      throw error
    }
    store.trust.vouch(forOwn: writings.map { ($0.model, $0.record?.original) })
    return writings.map(\.model)
  }

  private func writing<Model: RecordModel>(
    adding model: Model
  ) throws(Fault) -> BatchWriting<Model> {
    var model = model
    model.header.noteMaking(
      at: store.makings.next(environment.clock.nanoseconds, in: model.header.createdAt.nanoseconds))
    return BatchWriting(
      model: model, record: nil, bytes: [], path: layout.record(Model.kind, model.header.id),
      temporary: layout.temporary.appending(try environment.temporaryName()))
  }

  private func writing<Model: RecordModel>(
    updating record: StoredRecord<Model>, now: Instant
  ) throws(Fault) -> BatchWriting<Model> {
    let model = try record.raised(now: now, in: layout)
    return BatchWriting(
      model: model.model, record: record, bytes: model.bytes,
      path: layout.record(Model.kind, record.model.header.id),
      temporary: layout.temporary.appending(try environment.temporaryName()))
  }

  /// The most files that are synchronised at once: a disk makes many safe in the time of one.
  private static let mostAtOnce = 16

  /// The number of threads for so many files; small batches need none.
  private static func threads(_ count: Int) -> Int { min(mostAtOnce, count / 16) }

  private func stage<Model: RecordModel>(
    _ writings: inout [BatchWriting<Model>]
  ) throws(Fault) {
    let results = Workers.map(writings, threads: Self.threads(writings.count)) { writing in
      Result { () throws(Fault) in try staged(writing) }
    }
    for (place, result) in results.enumerated() { writings[place] = try result.get() }
  }

  private func staged<Model: RecordModel>(
    _ writing: BatchWriting<Model>
  ) throws(Fault) -> BatchWriting<Model> {
    var writing = writing
    if writing.record == nil {
      if let fault = writing.model.fault { throw fault }
      writing.bytes = try writing.model.encoded()
    }
    writing.written = try files.writeTemporary(writing.temporary, writing.bytes, mode: 0o600)
    return writing
  }

  /// Gives the files their names, under the lock.
  private func commit<Model: RecordModel>(
    _ writings: [BatchWriting<Model>], plannedBy basis: UInt64?, now: Instant
  ) throws(Fault) {
    try requireAdmission(of: writings, plannedBy: basis, now: now)
    try makeShards(of: writings)
    if writings.count > 1 { store.batches.keepChanges(writings.map(\.write), at: now) }
    let before = store.index.shardsBefore(Model.kind, writings.lazy.map(\.model.header.id))
    var done: [BatchUndo] = []
    do {
      for writing in writings { try publish(writing, &done) }
      let shards = Array(Set(writings.map(\.path.parent)))
      let files = files
      let results = Workers.map(shards, threads: Self.threads(shards.count)) { shard in
        Result { () throws(Fault) in try files.synchronizeDirectory(shard) }
      }
      for result in results {
        try result.get()
      }
    } catch {
      for step in done.reversed() { step.undo(files) }
      if writings.count > 1 { store.batches.forgetChanges() }
      throw error
    }
    for step in done { step.forget(files) }
    store.index.note(writings.map { ($0.model, $0.written) }, before)
    store.journal.note(
      writings.map { writing in
        JournalFrame(
          .put, store.origin, Model.kind, writing.model.header.id,
          revision: writing.model.header.revision, at: writing.model.header.updatedAt,
          body: writing.bytes)
      })
    if writings.count > 1 { store.batches.forgetChanges() }
  }

  /// Sees to it that each record may come: what it names is there, nothing says the same or has its
  /// name, and what it replaces is as it was read.
  private func requireAdmission<Model: RecordModel>(
    of writings: [BatchWriting<Model>], plannedBy basis: UInt64?, now: Instant
  ) throws(Fault) {
    var index = store.index.open(Model.kind, now: now)
    if let basis, index.stamp() != basis, let first = writings.first {
      throw .changedMeanwhile(Model.kind, first.model.header.id)
    }
    if writings.contains(where: \.isCompared), let gap = store.index.gap(in: &index, of: Model.kind)
    {
      throw gap
    }
    // Names and keys that the batch itself frees and takes count as they will be.
    let changing = Set(writings.filter { $0.record != nil }.map(\.model.header.id))
    var twins: [String: RecordID] = [:]
    var names: [NameKey: RecordID] = [:]
    for writing in writings {
      let (model, id) = (writing.model, writing.model.header.id)
      if let record = writing.record {
        let current: [UInt8]
        do {
          current = try files.readFile(writing.path, limit: RecordFile.sizeLimit)
        } catch {
          if error.condition == .notFound { throw .notFound(Model.kind, id) }
          throw error
        }
        guard SHA256.hash(current) == record.digest else {
          throw .changedMeanwhile(Model.kind, id)
        }
      } else {
        try store.relations.requireReferences(of: model)
        if let key = model.twinKey {
          let twin =
            twins[key].map { RecordReference(Model.kind, $0) }
            ?? store.relations.twin(of: model, in: &index)
          if let twin { throw .twin(twin) }
          twins[key] = id
        }
      }
      guard let name = model.uniqueName else { continue }
      if let taken = names.updateValue(id, forKey: NameKey(name)) {
        throw .nameTaken(Model.kind, name: name, taken)
      }
      guard writing.record?.isRenamed ?? true,
        let holder = store.relations.holder(ofNameOf: model, in: &index),
        !changing.contains(holder.id)
      else { continue }
      throw .nameTaken(Model.kind, name: holder.title, holder.id)
    }
  }

  /// Makes the directories that are missing, and sees to it that they survive a power cut.
  private func makeShards<Model: RecordModel>(
    of writings: [BatchWriting<Model>]
  ) throws(Fault) {
    let shards = Set(writings.map(\.path.parent))
    for folder in Set(shards.map(\.parent)) { try files.createDirectories(folder) }
    for shard in shards {
      do {
        try files.createDirectory(shard, mode: 0o700)
      } catch {
        guard error.condition == .exists else { throw error }
      }
    }
    for folder in Set(shards.map(\.parent)) { try files.synchronizeDirectory(folder) }
    try files.synchronizeDirectory(layout.root)
  }

  private func publish<Model: RecordModel>(
    _ writing: BatchWriting<Model>, _ done: inout [BatchUndo]
  ) throws(Fault) {
    guard writing.record != nil else {
      try files.publish(writing.temporary, as: writing.path)
      done.append(.remove(writing.path))
      return
    }
    let kept = layout.temporary.appending(try environment.temporaryName())
    try files.keep(writing.path, as: kept)
    done.append(.putBack(kept, writing.path))
    try files.rename(writing.temporary, to: writing.path)
  }
}

/// One file of a batch.
private struct BatchWriting<Model: RecordModel>: Sendable {
  var model: Model
  /// The record as it was read; `nil` for a new one.
  let record: StoredRecord<Model>?
  /// The bytes of the record; of a new one empty until it was checked.
  var bytes: [UInt8]
  let path: FilePath
  let temporary: FilePath
  /// The file's status before it got its name.
  var written: FileStatus?

  /// Whether another record may have its name, or say the same.
  var isCompared: Bool {
    record.map { model.uniqueName != nil && $0.isRenamed }
      ?? (model.uniqueName != nil || model.twinKey != nil)
  }

  var write: RecordWrite {
    RecordWrite(
      record: RecordReference(Model.kind, model.header.id), before: record?.digest,
      wasLive: record != nil, bytes: bytes, isLive: true, deletedAt: 0)
  }
}

/// A step of a batch that is done, and can be undone without room on the disk.
private enum BatchUndo {
  /// A new record has its name.
  case remove(FilePath)
  /// A record has, or is about to have, its new version; the old one has the first name.
  case putBack(FilePath, FilePath)

  func undo(_ files: any FileSystem) {
    switch self {
    case .remove(let path): try? files.unlink(path)
    case .putBack(let kept, let path):
      try? files.rename(kept, to: path)
      // If both are names of one file, a rename leaves both.
      try? files.unlink(kept)
    }
  }

  func forget(_ files: any FileSystem) {
    if case .putBack(let kept, _) = self { try? files.unlink(kept) }
  }
}

extension FileSystem {
  /// Gives a file a second name, or a copy of it where the file system has no links.
  fileprivate func keep(_ path: FilePath, as kept: FilePath) throws(Fault) {
    do {
      try link(path, to: kept)
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        try writeTemporary(
          kept, try readFile(path, limit: RecordFile.sizeLimit), mode: 0o600)
      default: throw error
      }
    }
  }
}
