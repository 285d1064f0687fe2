/// A record in the trash: `trash/<kind>/<id>.<Unix time of deletion>.json`.
package struct TrashedRecord: Hashable, Sendable {
  package let kind: RecordKind
  package let id: RecordID
  package let deletedAt: Instant
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
    self.init(kind: kind, id: id, deletedAt: Instant(seconds: seconds), path: path)
  }
}

/// The outcome of bringing records back from the trash.
package struct Restoration: Sendable {
  package fileprivate(set) var restored: [TrashedRecord] = []
  /// The bequests of restored records that lie in the trash all the same: they were deleted at another
  /// time, their other side is not there, or the same was left anew.
  package fileprivate(set) var staying: [TrashedRecord] = []
  /// The reasons for which records that were named did not come back.
  package fileprivate(set) var failures: [StoreError] = []
}

extension Store {
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
  ) throws(StoreError) -> [RecordReference] {
    let target = RecordReference(kind, id)
    return try whileLocked { () throws(StoreError) in
      let dependents = try dependents(of: target, now: now)
      guard withDependents || dependents.isEmpty else {
        throw .referenced(target, by: dependents)
      }
      for reference in dependents + [target] { try moveToTrash(reference, now: now) }
      return dependents
    }
  }

  /// Moves one record under the lock.
  private func moveToTrash(_ record: RecordReference, now: Instant) throws(StoreError) {
    let trash = layout.trash(record.kind)
    let name = "\(record.id).\(now.seconds).json"
    try storeIO { () throws(FileSystemError) in try files.createDirectories(trash) }
    let path = layout.record(record.kind, record.id)
    let revision = revision(of: path)
    do throws(FileSystemError) {
      try moveByLink(path, to: trash.appending(name))
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      throw .io(error)
    }
    RecordIndex.append(.remove(record.id), to: indexSetup(record.kind))
    note([
      JournalFrame(
        .trash, origin, record.kind, record.id, revision: revision, at: now,
        name: Array(name.utf8))
    ])
  }

  /// The `rev` of the record in a file; 0 where it cannot be read.
  func revision(of path: FilePath) -> Int64 {
    (try? files.readFile(path, limit: RecordFile.sizeLimit)).map { Self.revision(of: $0) } ?? 0
  }

  /// Brings a record back from the trash.
  ///
  /// - Throws: `.nameTaken` where another record took its name meanwhile, `.missingReference` where
  ///   something that it names is not live.
  package func restore(_ record: TrashedRecord, now: Instant) throws(StoreError) {
    let path = layout.record(record.kind, record.id)
    try whileLocked { () throws(StoreError) in
      try requireReferences(of: record, now: now)
      try requireUniqueName(of: record, now: now)
      try prepareShard(path.parent)
      do throws(FileSystemError) {
        try moveByLink(record.path, to: path)
      } catch {
        if error.condition == .notFound { throw .notFound(record.kind, record.id) }
        throw .io(error)
      }
      // The index sees by the directory that something came, and reads it when it is next opened.
      note([
        JournalFrame(
          .restore, origin, record.kind, record.id, revision: revision(of: path), at: now)
      ])
    }
  }

  /// Brings several records back, and with a beneficiary, an item or a capsule the bequests that were
  /// deleted at the same time.
  ///
  /// - Throws: ``StoreError`` where the bequests cannot be listed or restored for another reason than
  ///   that their other side is not there, or was left anew.
  package func restore(
    _ records: [TrashedRecord], now: Instant
  ) throws(StoreError) -> Restoration {
    var restoration = Restoration()
    // The records that bequests name come back before them.
    let bequests = records.filter { $0.kind == .bequest }
    for record in records.filter({ $0.kind != .bequest }) + bequests {
      do throws(StoreError) {
        try restore(record, now: now)
        restoration.restored.append(record)
      } catch {
        restoration.failures.append(error)
      }
    }
    try restoreBequests(into: &restoration, now: now)
    return restoration
  }

  /// Brings back the bequests that were deleted with a restored record, where they can be.
  private func restoreBequests(
    into restoration: inout Restoration, now: Instant
  ) throws(StoreError) {
    let named = Set(restoration.restored.map { RecordReference($0.kind, $0.id) })
    let times = Set(restoration.restored.map(\.deletedAt))
    guard !named.isEmpty else { return }
    for record in try trash(.bequest) {
      guard !(restoration.restored + restoration.staying).contains(where: { $0.id == record.id }),
        let bytes = try? files.readFile(record.path, limit: RecordFile.sizeLimit),
        RecordKind.bequest.references(of: RecordKind.bequest.indexEntry(record.id, bytes))
          .contains(where: named.contains)
      else { continue }
      guard times.contains(record.deletedAt) else {
        restoration.staying.append(record)
        continue
      }
      do throws(StoreError) {
        try restore(record, now: now)
        restoration.restored.append(record)
      } catch {
        switch error {
        // Its other side was deleted too, or the same was left anew.
        case .missingReference, .twin: restoration.staying.append(record)
        default: throw error
        }
      }
    }
  }

  /// Returns the records of the trash with one of these ids, or all, as often as they lie there: a
  /// deletion that was interrupted and repeated may have left one twice.
  ///
  /// - Parameter limit: only records that were deleted before it.
  package func trash(
    of ids: [RecordID]?, deletedBefore limit: Instant?
  ) throws(StoreError) -> [TrashedRecord] {
    var all: [TrashedRecord] = []
    for kind in RecordKind.allCases { all += try trash(kind) }
    let chosen = ids.map { ids in ids.unique.flatMap { id in all.filter { $0.id == id } } } ?? all
    guard let limit else { return chosen }
    return chosen.filter { $0.deletedAt < limit }
  }

  /// Returns the records of a kind in the trash, the last deleted first; of one that lies there several
  /// times the highest revision first. A record that is live too, after an interrupted deletion, is not
  /// in the trash.
  package func trash(_ kind: RecordKind) throws(StoreError) -> [TrashedRecord] {
    let entries: [DirectoryEntry]
    do throws(FileSystemError) {
      entries = try files.contents(ofDirectory: layout.trash(kind))
    } catch {
      if error.condition == .notFound { return [] }
      throw .io(error)
    }
    var records: [TrashedRecord] = []
    for entry in entries {
      let path = layout.trash(kind).appending(bytes: entry.name)
      guard let record = TrashedRecord(kind: kind, path: path) else { continue }
      let live = try storeIO { () throws(FileSystemError) in
        try files.statusIfPresent(layout.record(kind, record.id))
      }
      if live == nil { records.append(record) }
    }
    return try orderingTwins(
      in: records.sorted { ($1.deletedAt, $0.id) < ($0.deletedAt, $1.id) })
  }

  /// Puts the highest revision first where a record lies in the trash several times: the time in a name is
  /// a clock's, which may have been wrong.
  private func orderingTwins(
    in records: [TrashedRecord]
  ) throws(StoreError) -> [TrashedRecord] {
    guard Set(records.map(\.id)).count < records.count else { return records }
    var ordered = records
    for places in Dictionary(grouping: records.indices, by: { records[$0].id }).values
    where places.count > 1 {
      var twins: [(record: TrashedRecord, revision: Int64)] = []
      for record in places.map({ records[$0] }) {
        // One that cannot be read might be the newest: nothing is guessed then.
        let bytes = try storeIO { () throws(FileSystemError) in
          try files.readFile(record.path, limit: RecordFile.sizeLimit)
        }
        twins.append((record, Self.revision(of: bytes)))
      }
      twins.sort { ($1.revision, $1.record.deletedAt) < ($0.revision, $0.record.deletedAt) }
      for (place, twin) in zip(places, twins) { ordered[place] = twin.record }
    }
    return ordered
  }

  /// Gives a file its second name before it takes the first away, so that it is never without one.
  private func moveByLink(_ from: FilePath, to path: FilePath) throws(FileSystemError) {
    do throws(FileSystemError) {
      try files.link(from, to: path)
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        try files.renameExclusively(from, to: path)
        try files.synchronizeDirectory(path.parent)
        try files.synchronizeDirectory(from.parent)
        return
      case .exists:
        // An earlier attempt was interrupted between the two steps.
        guard let first = try files.statusIfPresent(from),
          try files.status(path).isSameFile(as: first)
        else { throw error }
      default: throw error
      }
    }
    try files.synchronizeDirectory(path.parent)
    try files.unlink(from)
    try files.synchronizeDirectory(from.parent)
  }
}
