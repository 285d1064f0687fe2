/// A record in the trash: `trash/<kind>/<id>.<Unix time of deletion>.json`.
public struct TrashedRecord: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID
  public let deletedAt: Instant
  package let path: FilePath

  package init(kind: RecordKind, id: RecordID, deletedAt: Instant, path: FilePath) {
    self.kind = kind
    self.id = id
    self.deletedAt = deletedAt
    self.path = path
  }

  /// Reads a file's name; `nil` where it is not that of a record in the trash.
  package init?(kind: RecordKind, path: FilePath) {
    let parts = String(decoding: path.lastComponent, as: UTF8.self).parts(at: ".")
    guard parts.count == 3, parts[2] == "json", let id = RecordID(parts[0]),
      let seconds = Int64(parts[1]), String(seconds) == parts[1]
    else { return nil }
    let deletedAt = Instant(seconds: seconds)
    guard deletedAt.isRepresentable else { return nil }
    self.init(kind: kind, id: id, deletedAt: deletedAt, path: path)
  }
}

/// The outcome of bringing records back from the trash.
package struct Restoration: Sendable {
  package internal(set) var restored: [TrashedRecord] = []
  /// The bequests of restored records that lie in the trash all the same: they were deleted at another
  /// time, their other side is not there, or the same was left anew.
  package internal(set) var staying: [TrashedRecord] = []
  /// The reasons for which records that were named did not come back.
  package internal(set) var failures: [Fault] = []
}

/// The outcome of moving several records to the trash.
package struct Deletion: Sendable {
  /// For each record, as far as they were looked at: the records that went with it, or the reason for which
  /// it stays. A record that hangs on several of them goes with the first.
  package internal(set) var outcomes: [Result<[RecordReference], Fault>] = []
  /// The reason for which the rest was not looked at; `nil` where all were.
  package internal(set) var end: Fault?
}

/// The names of records in the trash.
extension StoreLayout {
  /// Returns the first free path in the trash for a record, from a time of deletion on: upwards to the last
  /// time that a name can tell, then downwards.
  ///
  /// - Parameter seconds: any number, as others wrote it.
  func freeTrash<Failure: Error>(
    _ kind: RecordKind, _ id: RecordID, from seconds: Int64,
    isTaken: (FilePath) throws(Failure) -> Bool
  ) throws(Failure) -> FilePath {
    let first = Instant(seconds: seconds).clamped
    var (time, step) = (first, Int64(1))
    while true {
      let path = trash(kind).appending("\(id).\(time.seconds).json")
      if try !isTaken(path) { return path }
      time = time.adding(seconds: step)
      if !time.isRepresentable { (time, step) = (first.adding(seconds: -1), -1) }
    }
  }
}

/// Deleted records, until they are purged.
public struct StoreTrash: StoreSubject {
  package let store: Store

  /// Reads what an index would have of a record in the trash; `nil` where it is not there any more:
  /// another process brought it back or purged it.
  package func entry(of record: TrashedRecord) -> IndexEntry? {
    do {
      let bytes = try files.readFile(record.path, limit: RecordFile.sizeLimit)
      return record.kind.indexEntry(record.id, bytes)
    } catch {
      return error.condition == .notFound
        ? nil : IndexEntry(id: record.id, problem: .unreadable)
    }
  }

  /// Moves a record to the trash. Its blobs stay.
  ///
  /// No byte is written, so that it works on a full disk too. The records that name it go first: a
  /// deletion that is interrupted leaves none that names a record which is gone.
  ///
  /// - Parameters:
  ///   - withDependents: whether the records that name it go with it.
  ///   - now: the real time.
  /// - Returns: the records that went with it.
  /// - Throws: `.referenced` where others name it and do not go with it.
  @discardableResult
  package func delete(
    _ kind: RecordKind, _ id: RecordID, withDependents: Bool = false, now: Instant
  ) throws(Fault) -> [RecordReference] {
    let target = CollectionOfOne(RecordReference(kind, id))
    let outcomes = try deleteTogether(target, withDependents: withDependents, now: now)
    var gone: [RecordReference] = []
    for outcome in outcomes { gone += try outcome.get() }
    return gone
  }

  /// The most records that go to the trash while the lock is held once: their directories are synchronised
  /// together.
  private static let deletedTogether = 128

  /// Moves several records to the trash, each as one alone.
  package func delete(
    _ targets: [RecordReference], withDependents: Bool, now: Instant
  ) -> Deletion {
    var deletion = Deletion()
    while deletion.outcomes.count < targets.count {
      let part = targets[deletion.outcomes.count...].prefix(Self.deletedTogether)
      do {
        deletion.outcomes += try deleteTogether(part, withDependents: withDependents, now: now)
      } catch {
        // The rest would fail for the same reason, and wait for the lock each time.
        deletion.end = error
        break
      }
    }
    return deletion
  }

  /// Moves records to the trash under one lock: the indexes are asked once for all of them. They go together, or
  /// where that fails each by itself with what hangs on it.
  private func deleteTogether(
    _ targets: some Collection<RecordReference>, withDependents: Bool, now: Instant
  ) throws(Fault) -> [Result<[RecordReference], Fault>] {
    try store.whileLocked { () throws(Fault) in
      do throws(Fault) {
        return try deleteAtOnce(Array(targets), withDependents: withDependents, now: now)
      } catch {
        guard targets.count > 1 else { throw error }
        return targets.map { target in
          Result { () throws(Fault) in
            try deleteAtOnce([target], withDependents: withDependents, now: now)[0].get()
          }
        }
      }
    }
  }

  private func deleteAtOnce(
    _ targets: [RecordReference], withDependents: Bool, now: Instant
  ) throws(Fault) -> [Result<[RecordReference], Fault>] {
    let dependents = try store.relations.dependents(of: Set(targets), now: now)
    var going: Set<RecordReference> = []
    var changes: [Change] = []
    let outcomes = targets.map { target in
      Result { () throws(Fault) in
        try store.trustees.requireNotNamed(going.union([target]), now: now)
        let others = (dependents[target] ?? []).filter { !going.contains($0) }
        guard withDependents || others.isEmpty else { throw .referenced(target, by: others) }
        let records = (others + [target]).filter { !going.contains($0) }
        changes += try records.map { record throws(Fault) in try deletion(of: record, now: now) }
        going.formUnion(records)
        return others
      }
    }
    try Commit(store, at: now).run(changes)
    return outcomes
  }

  private func deletion(of record: RecordReference, now: Instant) throws(Fault) -> Change {
    let path = layout.record(record.kind, record.id)
    do {
      return .delete(record, try files.readFile(path, limit: RecordFile.sizeLimit), at: now)
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      // What cannot be read can go.
      return .delete(record, nil, at: now)
    }
  }

  /// Writes a record that lies in the trash anew, raised by one revision. Under the lock.
  func rewrite<Model: RecordModel>(
    _ trashed: TrashedRecord, as record: StoredRecord<Model>, now: Instant
  ) throws(Fault) {
    let new = try record.raised(now: now, in: layout)
    var change = Change(
      record: RecordReference(Model.kind, trashed.id), before: record.digest, wasLive: false,
      bytes: new.change.bytes, isLive: false)
    change.trashed = trashed.path
    change.time = new.model.header.updatedAt
    change.fields = new.change.fields
    try Commit(store, at: now).run([change])
  }

  /// The `rev` of the record in a file; 0 where it cannot be read.
  func revision(of path: FilePath) -> Int64 {
    (try? files.readFile(path, limit: RecordFile.sizeLimit)).map { RecordFile.revision(of: $0) }
      ?? 0
  }

  /// Brings a record back from the trash.
  ///
  /// - Throws: `.nameTaken` where another record took its name meanwhile, `.missingReference` where
  ///   something that it names is not live, `.recordGone` where it lies in the trash no more.
  package func restore(_ record: TrashedRecord, now: Instant) throws(Fault) {
    for case let failure? in try restoreTogether([record], named: 1, now: now) {
      throw failure
    }
  }

  /// The most records that come back while the lock is held once.
  private static let restoredTogether = 256

  /// Brings several records back, and with a beneficiary, an item or a capsule the bequests that were
  /// deleted at the same time.
  ///
  /// - Throws: ``Fault`` where the bequests cannot be listed or restored for another reason than
  ///   that their other side is not there, or was left anew.
  package func restore(
    _ records: [TrashedRecord], now: Instant
  ) throws(Fault) -> Restoration {
    var restoration = Restoration()
    // The records that bequests name come back before them.
    let things = records.filter { $0.kind != .bequest }
    let named = records.filter { $0.kind == .bequest }
    let hanging = try bequests(of: things, besides: named)
    let coming = things + named + hanging.filter { $0.isOfTheSameTime }.map(\.record)
    var outcomes: [Fault?] = []
    while outcomes.count < coming.count {
      let part = coming[outcomes.count...].prefix(Self.restoredTogether)
      outcomes += try restoreTogether(
        Array(part), named: max(0, records.count - outcomes.count), now: now)
    }
    for (record, failure) in zip(coming, outcomes).prefix(records.count) {
      if let failure {
        restoration.failures.append(failure)
      } else {
        restoration.restored.append(record)
      }
    }
    let back = Set(restoration.restored.map { RecordReference($0.kind, $0.id) })
    var results = outcomes.dropFirst(records.count)
    for bequest in hanging {
      let isBack = bequest.isOfTheSameTime && results.removeFirst() == nil
      if isBack {
        restoration.restored.append(bequest.record)
      } else if !bequest.references.isDisjoint(with: back) {
        restoration.staying.append(bequest.record)
      }
    }
    return restoration
  }

  /// A bequest in the trash of something that comes back.
  private struct HangingBequest {
    let record: TrashedRecord
    let references: Set<RecordReference>
    /// Whether it was deleted at the same time.
    let isOfTheSameTime: Bool
  }

  private func bequests(
    of things: [TrashedRecord], besides named: [TrashedRecord]
  ) throws(Fault) -> [HangingBequest] {
    guard !things.isEmpty else { return [] }
    let references = Set(things.map { RecordReference($0.kind, $0.id) })
    let times = Set((things + named).map(\.deletedAt))
    var seen = Set(named.map(\.id))
    var found: [HangingBequest] = []
    for record in try records(.bequest) where !seen.contains(record.id) {
      guard let bytes = try? files.readFile(record.path, limit: RecordFile.sizeLimit) else {
        continue
      }
      let own = RecordKind.bequest.references(of: RecordKind.bequest.indexEntry(record.id, bytes))
      guard !references.isDisjoint(with: own) else { continue }
      seen.insert(record.id)
      found.append(
        HangingBequest(
          record: record, references: Set(own), isOfTheSameTime: times.contains(record.deletedAt)))
    }
    return found
  }

  /// Brings records back under one lock: the indexes are asked once for all of them. They come together, or where
  /// that fails each alone.
  ///
  /// - Parameter named: the number of the first ones, which the user named; where one of the others does not come
  ///   for another reason than that its other side is not there, or was left anew, none comes.
  private func restoreTogether(
    _ records: [TrashedRecord], named: Int, now: Instant
  ) throws(Fault) -> [Fault?] {
    try store.whileLocked { () throws(Fault) in
      var admission = Admission(store, now: now)
      var outcomes: [Fault?] = []
      var changes: [(place: Int, change: Change)] = []
      for (place, record) in records.enumerated() {
        do throws(Fault) {
          let bytes = try bytes(of: record)
          try admit(bytes, of: record, as: record.kind.model, &admission)
          admission.coming.insert(RecordReference(record.kind, record.id))
          changes.append((place, .restore(record, bytes)))
          outcomes.append(nil)
        } catch {
          guard place < named || [.missingReference, .duplicate].contains(error.code) else {
            throw error
          }
          outcomes.append(error)
        }
      }
      let commit = Commit(store, at: now)
      do throws(Fault) {
        try commit.run(changes.map(\.change))
      } catch {
        for (place, change) in changes {
          do throws(Fault) { try commit.run([change]) } catch {
            // Another process brought it back, or purged it.
            let isGone = error.condition == .notFound || error.condition == .exists
            outcomes[place] = isGone ? .notFound(records[place].kind, records[place].id) : error
          }
        }
      }
      return outcomes
    }
  }

  private func bytes(of record: TrashedRecord) throws(Fault) -> [UInt8] {
    do {
      return try files.readFile(record.path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      throw error
    }
  }

  private func admit<Model: RecordModel>(
    _ bytes: [UInt8], of record: TrashedRecord, as type: Model.Type, _ admission: inout Admission
  ) throws(Fault) {
    // A record that cannot be decoded comes back as it is.
    guard let model = try? RecordFile.decode(bytes, as: type, id: record.id).model else { return }
    try admission.admit(model)
  }

  /// Whether what a bequest in the trash leaves was left to the same person anew: it cannot come back then.
  package func isLeftAnew(_ record: TrashedRecord, now: Instant) -> Bool {
    guard let bytes = try? files.readFile(record.path, limit: RecordFile.sizeLimit),
      let bequest = record.kind.examine(bytes, id: record.id).model as? Bequest
    else { return false }
    return store.relations.twin(of: bequest, now: now) != nil
  }

  /// Returns the records of the trash with one of these ids, or all, as often as they lie there: a
  /// deletion that was interrupted and repeated may have left one twice.
  ///
  /// - Parameter limit: the time before which the records were deleted.
  package func records(
    of ids: [RecordID]?, deletedBefore limit: Instant?
  ) throws(Fault) -> [TrashedRecord] {
    var all: [TrashedRecord] = []
    for kind in RecordKind.allCases { all += try records(kind) }
    var chosen = all
    if let ids {
      let places = Dictionary(grouping: all, by: \.id)
      chosen = ids.unique.flatMap { places[$0] ?? [] }
    }
    guard let limit else { return chosen }
    return chosen.filter { $0.deletedAt < limit }
  }

  /// Returns the records of a kind in the trash, the last deleted first; of one that lies there several
  /// times the highest revision first. A record that is live too, after an interrupted deletion, is not
  /// in the trash.
  package func records(_ kind: RecordKind) throws(Fault) -> [TrashedRecord] {
    try orderingTwins(in: recordsByTime(kind))
  }

  /// Returns the same records by the times in their names alone, for which none of them is read.
  func recordsByTime(_ kind: RecordKind) throws(Fault) -> [TrashedRecord] {
    let entries: [DirectoryEntry]
    do {
      entries = try files.contents(ofDirectory: layout.trash(kind))
    } catch {
      if error.condition == .notFound { return [] }
      throw error
    }
    var records: [TrashedRecord] = []
    for entry in entries {
      let path = layout.trash(kind).appending(bytes: entry.name)
      guard let record = TrashedRecord(kind: kind, path: path) else { continue }
      let live = try files.statusIfPresent(layout.record(kind, record.id))
      if live == nil { records.append(record) }
    }
    return records.sorted { ($1.deletedAt, $0.id) < ($0.deletedAt, $1.id) }
  }

  /// Puts the highest revision first where a record lies in the trash several times: the time in a name is
  /// a clock's, which may have been wrong.
  func orderingTwins(
    in records: [TrashedRecord]
  ) throws(Fault) -> [TrashedRecord] {
    guard Set(records.map(\.id)).count < records.count else { return records }
    var ordered: [TrashedRecord?] = records
    for places in Dictionary(grouping: records.indices, by: { records[$0].id }).values
    where places.count > 1 {
      var twins: [(record: TrashedRecord, revision: Int64)] = []
      for record in places.map({ records[$0] }) {
        do {
          let bytes = try files.readFile(record.path, limit: RecordFile.sizeLimit)
          twins.append((record, RecordFile.revision(of: bytes)))
        } catch {
          // One that cannot be read might be the newest: nothing is guessed then. One that another
          // process took away is none.
          if error.condition != .notFound { throw error }
        }
      }
      twins.sort { ($1.revision, $1.record.deletedAt) < ($0.revision, $0.record.deletedAt) }
      for (number, place) in places.enumerated() {
        ordered[place] = twins.indices.contains(number) ? twins[number].record : nil
      }
    }
    return ordered.compactMap(\.self)
  }
}

/// The places of records in the trash: each kind's is listed once, when it is first asked.
struct TrashPlaces {
  private let store: Store
  private var places: [RecordKind: [RecordID: FilePath]] = [:]

  init(_ store: Store) {
    self.store = store
  }

  /// Returns where a record lay when its kind was listed, as ``StoreTrash/records(_:)`` has it first; `nil` where
  /// it did not, or the trash cannot be listed.
  mutating func path(of record: RecordReference) -> FilePath? {
    if let known = places[record.kind] { return known[record.id] }
    let found = Dictionary(
      ((try? store.trash.records(record.kind)) ?? []).map { ($0.id, $0.path) },
      uniquingKeysWith: { first, _ in first })
    places[record.kind] = found
    return found[record.id]
  }
}
