/// What lists and searches need of the records, in this machine's cache.
package struct StoreIndex: StoreSubject {
  package let store: Store
}

extension StoreIndex {
  /// Returns the index of one kind's records, brought up to date.
  package func open(
    _ kind: RecordKind, now: Instant, look: IndexLook = .directories
  ) -> RecordIndex {
    RecordIndex.open(setup(kind), now: now, look: look)
  }

  /// Returns the index of one kind's records for who has to know all of them.
  ///
  /// - Throws: `.io` where the system does not let some be read.
  func whole(_ kind: RecordKind, now: Instant) throws(StoreError) -> RecordIndex {
    var index = open(kind, now: now)
    if let gap = gap(in: &index, of: kind) { throw gap }
    return index
  }

  /// Returns the error for which an index does not know all records of a kind: the system does not let a
  /// directory, or the file of a record, be read. `nil` where it knows all; what is damaged is no gap.
  func gap(in index: inout RecordIndex, of kind: RecordKind) -> StoreError? {
    if let failure = index.failures.first { return .io(failure) }
    for entry in index.problems() where entry.problem == .unreadable {
      do throws(FileSystemError) {
        _ = try files.readFile(layout.record(kind, entry.id), limit: RecordFile.sizeLimit)
      } catch {
        // Another process removed it meanwhile.
        if error.condition != .notFound { return .io(error) }
      }
    }
    return nil
  }

  /// Returns the place of the index of one kind, and the way in which it learns what a record says.
  package func setup(_ kind: RecordKind) -> IndexSetup {
    IndexSetup(
      files: files, store: layout.root, cache: store.cacheDirectory, kind: kind,
      summaryVersion: Self.summaryVersion, recordLimit: RecordFile.sizeLimit, threads: 2,
      random: environment.random, summarize: { id, bytes in kind.indexEntry(id, bytes) })
  }

  /// The version of the summaries, raised whenever what a model keeps in the index changes.
  private static let summaryVersion: UInt32 = 4

  /// Writes into the index what a record's file is now. It is a cache: a failure is none of the change.
  ///
  /// - Parameters:
  ///   - written: The file's status before it got its name; without it, or where something else has
  ///     the name by now, the record is read again when the index is opened next.
  ///   - shards: The directories as they were before.
  func note(
    _ model: some RecordModel, _ written: FileStatus?, _ shards: [ShardBefore]
  ) {
    note([(model, written)], shards)
  }

  /// Does the same for several records of one kind.
  func note<Model: RecordModel>(
    _ records: [(model: Model, written: FileStatus?)], _ shards: [ShardBefore]
  ) {
    var changes = records.map { model, written in
      let entry = IndexEntry(
        id: model.header.id, contribution: model.indexContribution, problem: .none)
      let named = try? files.status(layout.record(Model.kind, entry.id))
      return IndexChange.upsert(entry, FileStamp(named, ifStill: written))
    }
    for shard in shards {
      guard let after = try? files.status(layout.shard(Model.kind, shard.number)) else { continue }
      changes.append(.directory(shard.number, from: shard.status, to: after))
    }
    RecordIndex.append(changes, to: setup(Model.kind))
  }

  /// Returns the directories of some records as they are before a change of these.
  func shardsBefore(_ kind: RecordKind, _ ids: some Sequence<RecordID>) -> [ShardBefore] {
    Set(ids.lazy.map(\.shard)).sorted().compactMap { number in
      (try? files.status(layout.shard(kind, number))).map {
        ShardBefore(number: number, status: $0)
      }
    }
  }
}

/// The directory of a shard before a change of its records.
struct ShardBefore {
  var number: UInt8
  var status: FileStatus
}

extension IndexProblem {
  /// The record can be read, but its bytes are not those that were written.
  package static let altered = IndexProblem(rawValue: 16)
  /// The record cannot be read as one.
  package static let damaged = IndexProblem(rawValue: 17)
  /// The record is of a newer format.
  package static let newer = IndexProblem(rawValue: 18)

  init(_ damage: RecordDamage) {
    switch damage {
    case .checksum, .noChecksum: self = .altered
    case .newer: self = .newer
    case .missing, .notJSON, .notAnObject, .field, .otherID: self = .damaged
    }
  }
}

extension IndexEntry {
  init(id: RecordID, contribution: IndexContribution, problem: IndexProblem) {
    self.init(
      id: id, sortKey: contribution.sortKey, madeAt: contribution.madeAt,
      due: contribution.due ?? .max, nameHash: contribution.nameHash, problem: problem,
      summary: contribution.summary)
  }
}
