/// What lists and searches need of the records, in this machine's cache.
package struct StoreIndex: StoreSubject {
  package let store: Store

  /// Returns the index of one kind's records, brought up to date.
  package func open(
    _ kind: RecordKind, now: Instant, look: IndexLook = .directories
  ) -> RecordIndex {
    RecordIndex.open(setup(kind), now: now, look: look)
  }

  /// Returns the index of one kind's records for who has to know all of them.
  ///
  /// - Throws: `.io` where the system does not let some be read.
  func whole(_ kind: RecordKind, now: Instant) throws(Fault) -> RecordIndex {
    var index = open(kind, now: now)
    if let gap = gap(in: &index, of: kind) { throw gap }
    return index
  }

  /// Returns the error for which an index does not know all records of a kind: the system does not let a
  /// directory, or the file of a record, be read. `nil` where it knows all; what is damaged is no gap.
  func gap(in index: inout RecordIndex, of kind: RecordKind) -> Fault? {
    if let failure = index.failures.first { return failure }
    for entry in index.problems() where entry.problem == .unreadable {
      do {
        _ = try files.readFile(layout.record(kind, entry.id), limit: RecordFile.sizeLimit)
      } catch {
        // Another process removed it meanwhile.
        if error.condition != .notFound { return error }
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

  /// The version of the briefs: another one wherever other fields are listed. The number is raised when a
  /// digest or the form of a value changes.
  private static let summaryVersion =
    FieldFingerprint(of: [.listed, .listedCut, .title]).value &+ 6

  /// Writes into the index what was done with records. It is a cache: a failure is none of the change.
  ///
  /// - Parameter shards: The directories as they were before.
  func note(_ changes: [IndexChange], of kind: RecordKind, _ shards: [ShardBefore]) {
    var changes = changes
    for shard in shards {
      guard let after = try? files.status(layout.shard(kind, shard.number)) else { continue }
      changes.append(.directory(shard.number, from: shard.status, to: after))
    }
    RecordIndex.append(changes, to: setup(kind))
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
      summary: contribution.summary[...])
  }
}

extension StoreIndex {
  /// The texts of one kind's records, for searches.
  package func texts(_ kind: RecordKind, _ folding: TextFolding = TextFolding()) -> RecordTexts {
    RecordTexts(setup(kind), version: Self.textVersion) { id, bytes in
      kind.examine(bytes, id: id).model.map { IndexText($0, folding) }
    }
  }

  /// The version of the texts: another one wherever other fields are searched. The number is raised when the
  /// texts of a value, or their folding, change.
  private static let textVersion = FieldFingerprint(of: .searched).value &+ 4

  /// Takes out of the caches at once what records held that are gone for good.
  func forget(_ records: [TrashedRecord], now: Instant) {
    for (kind, gone) in Dictionary(grouping: records, by: \.kind) {
      forget(Set(gone.map(\.id)), of: kind, now: now)
    }
  }

  /// Takes out of the caches of a kind what some records held.
  func forget(_ ids: Set<RecordID>, of kind: RecordKind, now: Instant) {
    texts(kind).forget(ids)
    RecordIndex.rewrite(setup(kind), now: now)
  }
}

extension IndexText {
  /// The folded texts of a record.
  init(_ model: some RecordModel, _ folding: TextFolding) {
    self.init()
    madeAt = model.header.madeAt
    links = model.references.map(\.id)
    for (place, field) in model.searchFields.enumerated() where !field.text.isEmpty {
      if !bytes.isEmpty { bytes.append(Self.separator) }
      folding.fold(field.text, to: &bytes)
      if place == 0, field.name.isTitle { titleCount = bytes.count }
    }
  }
}

/// The indexes of a store's kinds, each opened when it is first asked, and kept: however many questions
/// there are, the directories are looked at once.
struct OpenIndexes {
  let store: Store
  private let now: Instant
  private var opened: [RecordKind: RecordIndex] = [:]

  /// - Parameter now: the real time.
  init(_ store: Store, now: Instant) {
    self.store = store
    self.now = now
  }

  /// Asks the index of a kind.
  mutating func ask<Answer>(
    _ kind: RecordKind, _ question: (inout RecordIndex) -> Answer
  ) -> Answer {
    var index = opened[kind] ?? store.index.open(kind, now: now)
    // The index is taken out while it is used, so that it is not copied.
    opened[kind] = nil
    defer { opened[kind] = index }
    return question(&index)
  }

  /// Returns the error for which the index of a kind does not know all records; see ``StoreIndex/gap(in:of:)``.
  ///
  /// - Parameter id: the only record that is asked for. Where its file is known not to be there, it is not
  ///   missing, whatever else is.
  mutating func gap(in kind: RecordKind, for id: RecordID? = nil) -> Fault? {
    let store = store
    guard let gap = ask(kind, { store.index.gap(in: &$0, of: kind) }) else { return nil }
    guard let id else { return gap }
    do {
      return try store.files.statusIfPresent(store.layout.record(kind, id)) == nil ? nil : gap
    } catch {
      return error
    }
  }
}
