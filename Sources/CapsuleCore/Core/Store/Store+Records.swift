/// A record as it was read: its model, and the damage of its bytes although they can be read.
package struct StoredRecord<Model: RecordModel>: Sendable {
  package var model: Model
  /// `nil` when the bytes are those that were written.
  package let integrity: RecordDamage?
  /// The digest of the file's bytes, by which a change in between is noticed.
  package let digest: [UInt8]
  /// The model as it was read.
  let original: Model

  init(model: Model, integrity: RecordDamage?, digest: [UInt8]) {
    self.model = model
    self.integrity = integrity
    self.digest = digest
    original = model
  }

  /// Reads a record's bytes.
  ///
  /// - Throws: `.recordDamaged` where they cannot be read at all.
  package init(_ bytes: [UInt8], id: RecordID, path: FilePath) throws(Fault) {
    do {
      let (model, integrity) = try RecordFile.decode(bytes, as: Model.self, id: id)
      self.init(model: model, integrity: integrity, digest: SHA256.hash(bytes))
    } catch {
      throw .damaged(error, path: path.text)
    }
  }

  /// Returns a record that was read before as it is to be written: raised by one revision.
  func raised(
    now: Instant, in layout: StoreLayout
  ) throws(Fault) -> (model: Model, change: Change) {
    var model = model
    if model.header.schema > RecordHeader.currentSchema {
      throw .newerFormat(
        model.header.schema, path: layout.record(Model.kind, model.header.id).text)
    }
    model.header.revision = model.header.revision.addingClamped(1)
    model.header.updatedAt = max(now, model.header.updatedAt)
    // A record of another program may break a rule already; it may be changed in other respects.
    if let fault = model.fault, fault != original.fault {
      throw fault
    }
    let bytes = try model.encoded()
    var change = Change(
      model, bytes, before: digest, fields: RecordFile.differences(original.fields, model.fields))
    change.formerRevision = original.header.revision
    return (model, change)
  }
}

extension RecordModel {
  /// Returns a new record as it is to be written.
  func change() throws(Fault) -> (model: Self, change: Change) {
    if let fault { throw fault }
    var model = self
    let bytes = try model.encoded()
    return (model, Change(model, bytes, before: nil, fields: []))
  }

  /// Returns the bytes of its file, after it got the schema that it needs.
  mutating func encoded() throws(Fault) -> [UInt8] {
    header.schema = schemaNeeded
    let bytes = RecordFile.encode(fields)
    guard bytes.count <= RecordFile.sizeLimit else { throw .recordTooLarge(bytes: bytes.count) }
    return bytes
  }
}

extension Store {
  /// Reads one record, from the live ones only.
  ///
  /// - Throws: `.recordGone`, `.recordDamaged` where it cannot be read at all, `.io`.
  package func read<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(Fault) -> StoredRecord<Model> {
    let path = layout.record(Model.kind, id)
    let bytes: [UInt8]
    do {
      bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { throw .notFound(Model.kind, id) }
      throw error
    }
    return try StoredRecord(bytes, id: id, path: path)
  }

  /// Reads one record whose bytes must be those that were written.
  package func readIntact<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(Fault) -> StoredRecord<Model> {
    let record = try read(type, id)
    if let damage = record.integrity {
      throw .damaged(damage, path: layout.record(Model.kind, id).text)
    }
    return record
  }

  /// The header of a record that is about to be made.
  package func newHeader(now: Instant) throws(Fault) -> RecordHeader {
    RecordHeader(id: try RecordID(random: environment.random), createdAt: now)
  }

  /// Adds a record that no store has yet, with an id of its own.
  ///
  /// - Returns: the record as it was written.
  /// - Throws: as ``insert(_:blobs:)``.
  package func add<Model: RecordModel>(
    _ model: Model, blobs: [StagedBlob] = [], now: Instant
  ) throws(Fault) -> Model {
    var model = model
    model.header = try newHeader(now: now)
    return try insert(model, blobs: blobs)
  }

  /// Adds a new record and the blobs it names. When this returns, both survive a power cut.
  ///
  /// - Returns: the model as it was written.
  /// - Throws: `.refused` when the record breaks a rule of its kind.
  @discardableResult
  package func insert<Model: RecordModel>(
    _ model: Model, blobs: [StagedBlob] = []
  ) throws(Fault) -> Model {
    var batch = ModelBatch<Model>()
    batch.add(model, blobs: blobs)
    return try write(batch, now: model.header.createdAt)[0]
  }

  /// Writes a record that was read before, raised by one revision, and the blobs it names anew.
  ///
  /// - Parameters:
  ///   - forgetsOlder: whether the journal keeps no older version: what was taken out of the record is
  ///     to be nowhere.
  ///   - locksAgain: whether a later unlock time may lock a capsule that was opened.
  /// - Returns: the model as it was written.
  /// - Throws: `.changedMeanwhile` when the record is no longer as it was when it was read; `.refused`
  ///   when it breaks a rule of its kind that it did not break before; `.changeNotAllowed` for a change that a
  ///   ``ChangeRule`` does not allow.
  package func update<Model: RecordModel>(
    _ record: StoredRecord<Model>, now: Instant, blobs: [StagedBlob] = [],
    forgetsOlder: Bool = false, locksAgain: Bool = false
  ) throws(Fault) -> StoredRecord<Model> {
    var batch = ModelBatch<Model>()
    batch.update(record, blobs: blobs)
    do {
      try record.model.requireAllowed(after: record.original, locksAgain: locksAgain)
    } catch {
      self.blobs.discard(blobs)
      throw error
    }
    let (model, change) = try commit(batch, now: now, forgetsOlder: forgetsOlder)[0]
    if forgetsOlder { index.forget([model.header.id], of: Model.kind, now: now) }
    return StoredRecord(
      model: model, integrity: nil, digest: SHA256.hash(change.bytes ?? []))
  }
}

/// Changes to records of one kind that come into the store together: all of them, or none.
package struct ModelBatch<Model: RecordModel> {
  package private(set) var additions: [Model] = []
  package private(set) var updates: [StoredRecord<Model>] = []
  /// Records that go to the trash.
  package private(set) var removals: [StoredRecord<Model>] = []
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

  package var isEmpty: Bool { additions.isEmpty && updates.isEmpty && removals.isEmpty }

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

  /// Adds the deletion of a record that was read before, and that no other names.
  package mutating func remove(_ record: StoredRecord<Model>) { removals.append(record) }
}

extension Store {
  /// Writes a batch. When this returns, all of it survives a power cut; when it throws, the store has
  /// nothing of it. Where the process is killed meanwhile, whoever opens the store next goes through with it.
  ///
  /// - Returns: the models as they were written: those added, then those updated, in their order.
  /// - Throws: as ``insert(_:blobs:)`` and ``update(_:now:blobs:forgetsOlder:locksAgain:)`` do for one of them;
  ///   `.changedMeanwhile` also where the kind has other records than when the batch was planned.
  @discardableResult
  package func write<Model: RecordModel>(
    _ batch: ModelBatch<Model>, now: Instant
  ) throws(Fault) -> [Model] {
    batch.isEmpty ? [] : try commit(batch, now: now, forgetsOlder: false).map(\.model)
  }

  private func commit<Model: RecordModel>(
    _ batch: ModelBatch<Model>, now: Instant, forgetsOlder: Bool
  ) throws(Fault) -> [(model: Model, change: Change)] {
    let added = batch.additions.map { model in
      var model = model
      model.header.noteMaking(
        at: makings.next(environment.clock.nanoseconds, in: model.header.createdAt.nanoseconds))
      return (model: model, before: StoredRecord<Model>?.none)
    }
    let records = added + batch.updates.map { (model: $0.model, before: $0) }
    var written: [(model: Model, change: Change)] = []
    do {
      let prepared = Workers.map(records, threads: records.count / 16) { record in
        Result { () throws(Fault) in
          guard let before = record.before else { return try record.model.change() }
          return try before.raised(now: now, in: layout)
        }
      }
      for result in prepared { written.append(try result.get()) }
    } catch {
      self.blobs.discard(batch.blobs)
      throw error
    }
    if forgetsOlder {
      for place in written.indices { written[place].change.forgetsOlder = true }
    }
    var changes = written.map(\.change)
    for record in batch.removals {
      let reference = RecordReference(Model.kind, record.model.header.id)
      let path = layout.record(reference.kind, reference.id)
      changes.append(
        .delete(reference, try files.readFile(path, limit: RecordFile.sizeLimit), at: now))
    }
    try commit(changes, blobs: batch.blobs, at: now) { () throws(Fault) in
      var admission = Admission(self, now: now)
      for record in batch.removals {
        try admission.requireUnchanged(
          RecordReference(Model.kind, record.model.header.id), record.digest)
      }
      if let basis = batch.basis, let first = written.first,
        !admission.isPlanned(Model.kind, by: basis)
      {
        throw .changedMeanwhile(Model.kind, first.model.header.id)
      }
      admission.changing = Set(batch.updates.map(\.model.header.id))
      for (record, new) in zip(records, written) {
        if let before = record.before {
          try admission.requireUnchanged(
            RecordReference(Model.kind, new.model.header.id), before.digest)
        }
        try admission.admit(new.model, inPlaceOf: record.before?.original)
      }
    }
    trust.vouch(forOwn: zip(records, written).map { ($1.model, $0.before?.original) })
    return written
  }
}

extension StoreFolders {
  /// Makes the directories of shards, and sees to it that they survive a power cut before anything in them
  /// is promised.
  ///
  /// A shard that is empty may have been made by a process that died before it synchronised the
  /// parent; one that holds something was synchronised before that came in.
  package func prepare(_ shards: Set<FilePath>) throws(Fault) {
    var parents: Set<FilePath> = []
    for shard in shards {
      // A store of an earlier version lacks the folders of later kinds.
      try files.createDirectories(shard.parent)
      do {
        try files.createDirectory(shard, mode: 0o700)
      } catch {
        guard error.condition == .exists else { throw error }
        if !(try files.contents(ofDirectory: shard).isEmpty) { continue }
      }
      parents.insert(shard.parent)
    }
    guard !parents.isEmpty else { return }
    for parent in parents { try files.synchronizeDirectory(parent) }
    // So may the kind's folder have been, and the store's header.
    try files.synchronizeDirectory(layout.root)
  }

  /// Removes what lies in `tmp/` for more than a day: what a killed process left there.
  ///
  /// The age is taken by the file system's own clock, from the lock file that was written just now:
  /// a process whose clock is wrong removes nothing of another's.
  package func sweepTemporaries() {
    guard let entries = try? files.contents(ofDirectory: layout.temporary), !entries.isEmpty,
      let newest = try? files.status(layout.lock).modified
    else { return }
    for entry in entries {
      let path = layout.temporary.appending(bytes: entry.name)
      guard let status = try? files.status(path),
        newest.seconds(since: max(status.modified, status.changed)) > 86_400
      else { continue }
      switch status.kind {
      case .regular: try? files.unlink(path)
      // A draft whose process was killed: a text in the clear must not stay.
      case .directory: files.removeTree(path)
      default: break
      }
    }
  }
}

/// A record before and after a change.
package struct RecordChange<Model: RecordModel>: Sendable {
  package let before: Model
  package let after: Model
  /// Whether something was written: nothing is where the record would say the same, to the byte.
  package let isWritten: Bool
}

extension Store {
  /// Reads, changes and writes a record. Where another process changes it at the same time, the change is
  /// made again on what that one wrote.
  ///
  /// - Parameter change: changes the model.
  /// - Throws: the error of `change`, and ``Fault`` as ``readIntact(_:_:)`` and
  ///   ``update(_:now:blobs:forgetsOlder:locksAgain:)`` do.
  package func change<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID, now: Instant, _ change: (inout Model) throws -> Void
  ) throws -> RecordChange<Model> {
    try self.change(type, id, now: now, staging: { _ in }) { model, _ in try change(&model) }
  }

  /// Does the same with blobs that the record names anew.
  ///
  /// - Parameters:
  ///   - stage: takes the blobs in, and adds each to the array that it gets. It is called once: a stream cannot
  ///     be read again.
  ///   - change: changes the model, with what `stage` returned.
  /// - Throws: the errors of `stage` too; the blobs are gone then.
  package func change<Model: RecordModel, Staged>(
    _ type: Model.Type, _ id: RecordID, now: Instant,
    staging stage: (inout [StagedBlob]) throws -> Staged,
    _ change: (inout Model, Staged) throws -> Void
  ) throws -> RecordChange<Model> {
    var staged: Staged?
    // Those that are not in their places yet.
    var blobs: [StagedBlob] = []
    while true {
      var record = try readIntact(type, id)
      let before = record.model
      do {
        let value = try staged ?? stage(&blobs)
        staged = value
        try change(&record.model, value)
        guard record.isChanged else {
          self.blobs.discard(blobs)
          return RecordChange(before: before, after: before, isWritten: false)
        }
        let written = try update(record, now: now, blobs: blobs)
        return RecordChange(before: before, after: written.model, isWritten: true)
      } catch {
        self.blobs.discard(blobs)
        // That is found when the blobs are in their places.
        guard (error as? Fault)?.code == .changedMeanwhile else { throw error }
        blobs = []
      }
    }
  }
}

extension StoredRecord {
  /// Whether the file of the record would say something else than it did.
  fileprivate var isChanged: Bool {
    RecordFile.encode(model.fields) != RecordFile.encode(original.fields)
  }
}

extension RecordModel {
  /// Checks that a change of the record is one that the rules allow.
  ///
  /// - Parameters:
  ///   - before: the record as it was read.
  ///   - locksAgain: whether a later unlock time may lock a capsule that was opened.
  package func requireAllowed(
    after before: Self, locksAgain: Bool = false
  ) throws(Fault) {
    guard let rule = brokenRule(after: before) else { return }
    if locksAgain, case .lockedAgainOnPurpose = rule { return }
    throw .forbidden(rule, id)
  }
}

extension Capsule {
  /// Refuses a capsule that was opened before: nothing can be put into it any more.
  package func requireUnopened() throws(Fault) {
    if let openedAt { throw .alreadyOpened(openedAt) }
  }
}

extension Bequest {
  /// Refuses a bequest that went out of the owner's hands: its access and its message stay.
  package func requireNotSent() throws(Fault) {
    if let rule = ruleOfSent { throw .forbidden(rule, id) }
  }
}
