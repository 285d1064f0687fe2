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

  /// Moves records to the trash under one lock: the indexes are asked once for all of them.
  private func deleteTogether(
    _ targets: some Collection<RecordReference>, withDependents: Bool, now: Instant
  ) throws(Fault) -> [Result<[RecordReference], Fault>] {
    try store.whileLocked { () throws(Fault) in
      let dependents = try store.relations.dependents(of: Set(targets), now: now)
      var gone: Set<RecordReference> = []
      var outcomes: [Result<[RecordReference], Fault>] = []
      for target in targets {
        outcomes.append(
          Result { () throws(Fault) in
            try store.trustees.requireNotNamed(target, now: now)
            let going = (dependents[target] ?? []).filter { !gone.contains($0) }
            guard withDependents || going.isEmpty else { throw .referenced(target, by: going) }
            gone.formUnion(going)
            return going
          })
      }
      // What names others goes first, and all of it.
      let staying = try moveToTrash(outcomes.flatMap { (try? $0.get()) ?? [] }, now: now)
      var moving: [RecordReference] = []
      for (place, target) in targets.enumerated() {
        guard case .success = outcomes[place] else { continue }
        if let failure = dependents[target]?.compactMap({ staying[$0] }).first {
          outcomes[place] = .failure(failure)
        } else {
          moving.append(target)
        }
      }
      let failures = try moveToTrash(moving, now: now)
      for (place, target) in targets.enumerated() {
        if let failure = failures[target] { outcomes[place] = .failure(failure) }
      }
      return outcomes
    }
  }

  /// Writes a record that lies in the trash anew, raised by one revision. Under the lock.
  func rewrite<Model: RecordModel>(
    _ trashed: TrashedRecord, as record: StoredRecord<Model>, now: Instant
  ) throws(Fault) {
    let new = try record.raised(now: now, in: layout)
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try files.replace(trashed.path, new.bytes, mode: 0o600, by: temporary)
    let put = JournalFrame(
      .put, store.origin, Model.kind, trashed.id, revision: new.model.header.revision,
      at: new.model.header.updatedAt, body: new.bytes)
    store.journal.note(store.journal.frames(put, at: trashed.path))
  }

  /// Moves some records under the lock.
  ///
  /// - Returns: the reasons for which some of them stay.
  /// - Throws: an error after which it is not known which of them are safe in the trash.
  private func moveToTrash(
    _ records: [RecordReference], now: Instant
  ) throws(Fault) -> [RecordReference: Fault] {
    if records.isEmpty { return [:] }
    var moves = RecordMoves(files)
    var frames: [JournalFrame] = []
    var failures: [RecordReference: Fault] = [:]
    for record in records {
      let path = layout.record(record.kind, record.id)
      let revision = revision(of: path)
      do {
        try files.createDirectories(layout.trash(record.kind))
        let name = try moves.addToTrash(
          path, in: layout.trash(record.kind), id: record.id, deletedAt: now)
        frames.append(
          JournalFrame(
            .trash, store.origin, record.kind, record.id, revision: revision, at: now, name: name))
      } catch {
        failures[record] =
          error.condition == .notFound ? .notFound(record.kind, record.id) : error
      }
    }
    try moves.finish()
    for record in records where failures[record] == nil {
      RecordIndex.append(.remove(record.id), to: store.index.setup(record.kind))
    }
    store.journal.note(frames)
    return failures
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
    for case let failure? in try restoreTogether([record], now: now) { throw failure }
  }

  /// The most records that come back while the lock is held once.
  private static let restoredTogether = 256

  /// Brings records back, in order.
  ///
  /// - Returns: the reason for which each did not come back; `nil` where it did.
  private func restoreInTurn(
    _ records: [TrashedRecord], now: Instant
  ) throws(Fault) -> [Fault?] {
    var outcomes: [Fault?] = []
    while outcomes.count < records.count {
      let part = records[outcomes.count...].prefix(Self.restoredTogether)
      outcomes += try restoreTogether(Array(part), now: now)
    }
    return outcomes
  }

  /// Brings records back under one lock: the indexes are asked, and the directories synchronised, once
  /// for all of them.
  private func restoreTogether(
    _ records: [TrashedRecord], now: Instant
  ) throws(Fault) -> [Fault?] {
    try store.whileLocked { () throws(Fault) in
      var arrivals = RecordArrivals(store, now: now)
      var moves = RecordMoves(files)
      var outcomes: [Fault?] = []
      var frames: [JournalFrame] = []
      for record in records {
        let path = layout.record(record.kind, record.id)
        do throws(Fault) {
          let revision = try arrivals.admit(record)
          do throws(Fault) {
            try moves.add(record.path, to: path)
          } catch {
            // Another process brought it back, or purged it.
            if error.condition == .notFound || error.condition == .exists {
              throw .notFound(record.kind, record.id)
            }
            throw error
          }
          frames.append(
            JournalFrame(
              .restore, store.origin, record.kind, record.id, revision: revision, at: now))
          outcomes.append(nil)
        } catch {
          outcomes.append(error)
        }
      }
      try moves.finish()
      // The index sees by the directories that something came, and reads it when it is next opened.
      store.journal.note(frames)
      return outcomes
    }
  }

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
    for part in [records.filter { $0.kind != .bequest }, records.filter { $0.kind == .bequest }] {
      for (record, failure) in zip(part, try restoreInTurn(part, now: now)) {
        if let failure {
          restoration.failures.append(failure)
        } else {
          restoration.restored.append(record)
        }
      }
    }
    try restoreBequests(into: &restoration, now: now)
    return restoration
  }

  /// Brings back the bequests that were deleted with a restored record, where they can be.
  private func restoreBequests(
    into restoration: inout Restoration, now: Instant
  ) throws(Fault) {
    let named = Set(restoration.restored.map { RecordReference($0.kind, $0.id) })
    let times = Set(restoration.restored.map(\.deletedAt))
    guard !named.isEmpty else { return }
    var seen = Set(restoration.restored.map(\.id))
    var coming: [TrashedRecord] = []
    for record in try records(.bequest) where !seen.contains(record.id) {
      guard let bytes = try? files.readFile(record.path, limit: RecordFile.sizeLimit),
        RecordKind.bequest.references(of: RecordKind.bequest.indexEntry(record.id, bytes))
          .contains(where: named.contains)
      else { continue }
      seen.insert(record.id)
      if times.contains(record.deletedAt) {
        coming.append(record)
      } else {
        restoration.staying.append(record)
      }
    }
    for (record, failure) in zip(coming, try restoreInTurn(coming, now: now)) {
      switch failure?.code {
      case nil: restoration.restored.append(record)
      // Its other side was deleted too, or the same was left anew.
      case .missingReference, .duplicate: restoration.staying.append(record)
      default: if let failure { throw failure }
      }
    }
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

/// Moves of records between their places and the trash, under the lock: each file gets its second name
/// before the first is taken away, so that it is never without one. The directories are synchronised
/// once for all of them.
struct RecordMoves {
  private let files: any FileSystem
  /// The names that are still to be taken away.
  private var old: [FilePath] = []
  /// The directories that got a name, and that lose one.
  private var targets: Set<FilePath> = []
  private var sources: Set<FilePath> = []

  init(_ files: any FileSystem) {
    self.files = files
  }

  /// Gives a file its second name.
  ///
  /// - Throws: `.exists` where another file has the name; what was added before is finished all the same
  ///   by ``finish()``.
  mutating func add(_ from: FilePath, to path: FilePath) throws(Fault) {
    do {
      try files.link(from, to: path)
      old.append(from)
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        try files.renameExclusively(from, to: path)
      case .exists:
        // An earlier attempt was interrupted between the two steps.
        guard let first = try files.statusIfPresent(from),
          try files.status(path).isSameFile(as: first)
        else { throw error }
        old.append(from)
      default: throw error
      }
    }
    targets.insert(path.parent)
    sources.insert(from.parent)
  }

  /// Gives a record its name in the trash: that of the second in which it is deleted, or of the next
  /// that is free. A deletion that was interrupted may have left an older version under the first.
  ///
  /// - Returns: the name.
  mutating func addToTrash(
    _ from: FilePath, in trash: FilePath, id: RecordID, deletedAt: Instant
  ) throws(Fault) -> [UInt8] {
    var time = deletedAt
    while true {
      let path = trash.appending("\(id).\(time.seconds).json")
      do {
        try add(from, to: path)
        return path.lastComponent
      } catch {
        guard error.condition == .exists, time.seconds(since: deletedAt) < 60 else { throw error }
        time = time.adding(seconds: 1)
      }
    }
  }

  /// Takes the first names away, when the second ones are safe.
  func finish() throws(Fault) {
    for directory in targets { try files.synchronizeDirectory(directory) }
    for path in old { try files.unlink(path) }
    for directory in sources { try files.synchronizeDirectory(directory) }
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
