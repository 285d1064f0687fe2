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
    let parts = String(decoding: path.lastComponent, as: UTF8.self)
      .split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == "json", let id = RecordID(parts[0]),
      let seconds = Int64(parts[1]), String(seconds) == parts[1]
    else { return nil }
    self.init(kind: kind, id: id, deletedAt: Instant(seconds: seconds), path: path)
  }
}

extension Store {
  /// Moves a record to the trash. Its blobs stay.
  ///
  /// No byte is written, so that it works on a full disk too. What names the record goes first: a
  /// deletion that is interrupted leaves nothing that names a record which is gone.
  ///
  /// - Parameters:
  ///   - withDependents: whether the records that name it go with it.
  ///   - now: the real time.
  /// - Returns: what went with it.
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
    try storeIO { () throws(FileSystemError) in try files.createDirectories(trash) }
    do throws(FileSystemError) {
      try moveByLink(
        layout.record(record.kind, record.id),
        to: trash.appending("\(record.id).\(now.seconds).json"))
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      throw .io(error)
    }
    RecordIndex.append(.remove(record.id), to: indexSetup(record.kind))
  }

  /// Brings a record back from the trash; of several, the one deleted last.
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
    }
  }

  /// What is in the trash, the last deleted first. What is live too, after an interrupted deletion,
  /// is not in the trash.
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
    return records.sorted { ($1.deletedAt, $0.id) < ($0.deletedAt, $1.id) }
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
