/// Other copies of the store, from which is taken what is missing or damaged here.
extension Repair {
  /// Takes the records that only another copy of the store has, or has newer, unless they were purged
  /// here.
  mutating func takeFromCopies() throws(StoreError) {
    try takeSettings()
    for copy in copies {
      for kind in RecordKind.allCases {
        let deleted = Dictionary(
          try copy.store.trash.records(kind).map { ($0.id, $0.path.lastComponent) },
          uniquingKeysWith: { first, _ in first })
        for id in try copy.records(kind) {
          guard let bytes = copy.newestBytes(kind, id) else { continue }
          let revision = RecordFile.revision(of: bytes)
          let here = max(present[id]?.revision ?? .min, known[id]?.revision ?? .min)
          guard revision > max(here, purged[id] ?? .min), !forgotten.contains(id),
            !settled.contains(id)
          else { continue }
          if let rule = brokenRule(kind, id, bytes) {
            actions.append(.refusedRecord(kind, id, .breaksRule(rule)))
            settled.insert(id)
            continue
          }
          let isLive = (try? copy.store.files.status(copy.store.layout.record(kind, id))) != nil
          let trashed = deleted[id]
          let path =
            isLive
            ? layout.record(kind, id)
            : trashed.map { layout.trash(kind).appending(bytes: $0) } ?? layout.record(kind, id)
          try rewrite(path, mode: 0o600, noting: frame(kind, id, bytes)) {
            () throws(StoreError) -> [UInt8]? in bytes
          }
          actions.append(.restoredRecord(kind, id, revision: revision))
          try mendBlobs(of: kind, id, bytes)
        }
      }
    }
  }

  /// The rule of changes that a copy's version of a record breaks, by what is live and whole here.
  private func brokenRule(_ kind: RecordKind, _ id: RecordID, _ bytes: [UInt8]) -> ChangeRule? {
    guard let here = try? files.readFile(layout.record(kind, id), limit: RecordFile.sizeLimit),
      case (let mine?, nil) = kind.examine(here, id: id),
      let theirs = kind.examine(bytes, id: id).model
    else { return nil }
    return Self.brokenRule(theirs, after: mine)
  }

  private static func brokenRule<Model: RecordModel>(
    _ theirs: Model, after mine: any RecordModel
  ) -> ChangeRule? {
    (mine as? Model).flatMap { theirs.brokenMergeRule(after: $0) }
  }

  /// Puts back the locks and the contents of live capsules that other copies have, and later unlock times: a later
  /// revision has no fewer of them.
  mutating func putBackFromCopies() throws(StoreError) {
    for copy in copies {
      for id in try copy.records(.capsule) {
        guard let bytes = copy.newestBytes(.capsule, id),
          let earlier = try? RecordFile.decode(bytes, as: Capsule.self, id: id).model,
          let record = try? store.readIntact(Capsule.self, id),
          // A newer one is taken whole.
          earlier.revision <= record.model.revision
        else { continue }
        let capsule = try putBack(earlier, record.model)
        guard capsule != record.model else { continue }
        try backUp(layout.record(.capsule, id))
        // The rules for changes hold against what it ought to be.
        _ = try store.update(
          StoredRecord(model: capsule, integrity: nil, digest: record.digest), now: now)
        let (old, new) = (record.model.fields, capsule.fields)
        actions.append(.putBack(id, members: new.keys.filter { new[$0] != old[$0] }.sorted()))
        settled.insert(id)
        try mendBlobs(of: .capsule, id, RecordFile.encode(new))
      }
    }
  }

  /// Takes the settings of a copy where there are none here: the program never removes them.
  private mutating func takeSettings() throws(StoreError) {
    let present = try storeIO { () throws(FileSystemError) in
      try files.statusIfPresent(layout.settings)
    }
    guard present == nil, let settings = copies.compactMap(\.settings).first else { return }
    try rewrite(layout.settings, mode: 0o600) { () throws(StoreError) in settings }
    actions.append(.mendedSettings)
  }

  private func isIntact(_ name: BlobName, in copy: Store) -> Bool {
    do throws(StoreError) { return try copy.blobs.damage(of: name) == nil } catch { return false }
  }

  /// The contents' files that a record names.
  func blobs(of kind: RecordKind, _ id: RecordID, _ bytes: [UInt8]) -> [BlobName] {
    Set(kind.examine(bytes, id: id).model?.blobs ?? []).sorted()
  }

  /// Looks at the contents of a record that came back: while it was gone, nothing named them.
  mutating func mendBlobs(
    of kind: RecordKind, _ id: RecordID, _ bytes: [UInt8]
  ) throws(StoreError) {
    for name in blobs(of: kind, id, bytes) {
      let damage: BlobDamage?
      do throws(StoreError) { damage = try store.blobs.damage(of: name) } catch { continue }
      guard let damage, try !takeBlob(name) else { continue }
      let problem = Finding(
        .blob, RecordReference(kind, id), at: layout.blob(name), .blob(name, damage))
      left.append(problem)
      actions.append(.cannotMend(problem))
    }
  }

  /// Takes a content's file from another copy of the store.
  mutating func mendBlob(_ name: BlobName, _ problem: Finding) throws(StoreError) {
    if try !takeBlob(name) { actions.append(.cannotMend(problem)) }
  }

  /// - Returns: `false` where no copy has it.
  @discardableResult
  mutating func takeBlob(_ name: BlobName) throws(StoreError) -> Bool {
    for copy in copies.map(\.store) {
      guard isIntact(name, in: copy) else { continue }
      let staged: StagedBlob
      do {
        staged = try store.blobs.stage { sink in try copy.blobs.copy(name, to: &sink) }
      } catch {
        continue
      }
      let path = layout.blob(name)
      do throws(StoreError) {
        try store.whileLocked { () throws(StoreError) in
          try makeBackup()
          try storeIO { () throws(FileSystemError) in
            if try files.statusIfPresent(path) != nil {
              try files.rename(path, to: try freeCopy(of: path))
              try files.synchronizeDirectory(backup)
            }
          }
          try store.blobs.place([staged])
        }
      } catch {
        store.blobs.discard([staged])
        throw error
      }
      actions.append(.restoredBlob(name))
      return true
    }
    return false
  }
}

/// A copy of the store, and what its journals name.
struct StoreCopy {
  let store: Store
  let known: [RecordID: JournalRoster.Known]
  /// The files of records in its trash, as ``StoreTrash/records(_:)`` has them; none of a kind that cannot be listed.
  private let trashed: [RecordKind: [RecordID: [FilePath]]]

  init(_ store: Store) {
    self.store = store
    known = store.journal.roster().known()
    trashed = Dictionary(
      uniqueKeysWithValues: RecordKind.allCases.map { kind in
        let records = (try? store.trash.records(kind)) ?? []
        return (kind, Dictionary(grouping: records, by: \.id).mapValues { $0.map(\.path) })
      })
  }

  /// The files that the record may have, live and in the trash.
  private func paths(_ kind: RecordKind, _ id: RecordID) -> [FilePath] {
    [store.layout.record(kind, id)] + (trashed[kind]?[id] ?? [])
  }

  /// The settings that it has, where they are what was written.
  var settings: [UInt8]? {
    guard let bytes = try? store.files.readFile(store.layout.settings, limit: 1 << 20),
      RecordFile.integrity(of: bytes) == nil, (try? store.settings.intact()) != nil
    else { return nil }
    return bytes
  }

  /// The records that it has, live, in the trash or in a journal.
  func records(_ kind: RecordKind) throws(StoreError) -> [RecordID] {
    var ids = Set(known.values.filter { $0.kind == kind }.map(\.id))
    try store.folders.forEachFile(kind) { _, name throws(StoreError) in
      if case .record(let id) = name { ids.insert(id) }
    }
    ids.formUnion(try store.trash.records(kind).map(\.id))
    return ids.sorted()
  }

  /// The record, live or in the trash, where the system does not let it be read now.
  func unreadable(_ kind: RecordKind, _ id: RecordID) -> Finding? {
    for path in paths(kind, id) {
      do throws(FileSystemError) {
        _ = try store.files.readFile(path, limit: RecordFile.sizeLimit)
      } catch {
        if error.isRefusal {
          return Finding(
            .unreadable, RecordReference(kind, id), at: path, .refused(code: error.code))
        }
      }
    }
    return nil
  }

  /// The bytes of the newest intact version of a record, live, in the trash or in a journal.
  func newestBytes(_ kind: RecordKind, _ id: RecordID) -> [UInt8]? {
    var candidates = paths(kind, id).compactMap {
      try? store.files.readFile($0, limit: RecordFile.sizeLimit)
    }
    if let version = known[id]?.newest, let bytes = store.journal.bytes(of: version) {
      candidates.append(bytes)
    }
    return candidates.filter { kind.examine($0, id: id).damage == nil }
      .max { RecordFile.revision(of: $0) < RecordFile.revision(of: $1) }
  }
}
