/// Records put back from what is proven: a twin, a bit, a byte.
extension Repair {
  mutating func mendRecord(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath, _ damage: RecordDamage,
    _ problem: Finding
  ) throws(Fault) {
    if case .newer = damage {
      actions.append(.cannotMend(problem))
      return
    }
    let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    let isReadable = damage == .checksum || damage == .noChecksum
    let isAccepted = isReadable && accepted.contains(id)
    if !isAccepted, let (proven, proof) = try proven(kind, id, bytes) {
      try rewrite(kind, id, path, proven)
      actions.append(
        .mendedRecord(kind, id, by: proof, changed: Self.differences(bytes, proven)))
      if !isReadable { try mendBlobs(of: kind, id, proven) }
      return
    }
    // It is not known what another copy would prove.
    if let unreadable = copies.lazy.compactMap({ $0.unreadable(kind, id) }).first {
      actions.append(.cannotMend(unreadable))
      return
    }
    // A record that nobody vouches for does not take the place of a later revision.
    if !isAccepted, let newest = try newest(kind, id, insteadOf: bytes),
      !isReadable || RecordFile.revision(of: newest) > RecordFile.revision(of: bytes)
    {
      try rewrite(kind, id, path, newest)
      actions.append(.restoredRecord(kind, id, revision: RecordFile.revision(of: newest)))
      settled.insert(id)
      try mendBlobs(of: kind, id, newest)
      return
    }
    if isReadable {
      try accept(kind.model, id, path)
    } else {
      try backUp(path)
      actions.append(.cannotMend(problem))
    }
  }

  /// The bytes that were written, where something proves them.
  private func proven(
    _ kind: RecordKind, _ id: RecordID, _ bytes: [UInt8]
  ) throws(Fault) -> ([UInt8], RepairProof)? {
    // A version that cannot be read does not prove that there is none.
    var twins: [(bytes: [UInt8], proof: RepairProof)] = try store.journal.versions(of: kind, id)
      .map { ($0.bytes, .journal) }
    twins += copies.compactMap { copy in copy.newestBytes(kind, id).map { ($0, .copy) } }
    twins = twins.filter { kind.examine($0.bytes, id: id).damage == nil }
    guard let (bytes, twin) = RecordFile.proven(bytes, twins: twins.map(\.bytes)),
      kind.examine(bytes, id: id).damage == nil
    else { return nil }
    return (bytes, twin.map { twins[$0].proof } ?? .checksum)
  }

  /// The newest version that is held of a record whose file is not what was written, unless what is left of
  /// the file says that it was a newer one, or locked for longer.
  func newest(
    _ kind: RecordKind, _ id: RecordID, insteadOf bytes: [UInt8]
  ) throws(Fault) -> [UInt8]? {
    var candidates = try store.journal.versions(of: kind, id).prefix(1).map(\.bytes)
    candidates += copies.compactMap { $0.newestBytes(kind, id) }
    let newest = candidates.filter { kind.examine($0, id: id).damage == nil }
      .max { RecordFile.revision(of: $0) < RecordFile.revision(of: $1) }
    guard let newest else { return nil }
    // Bytes of another record say nothing about this one.
    if let other = Self.text(of: "id", in: bytes), other != id.description { return newest }
    if let revision = Self.text(of: "rev", in: bytes).flatMap({ Int64($0) }),
      revision > RecordFile.revision(of: newest)
    {
      return nil
    }
    let times = [bytes, newest].map { Self.text(of: "unlockAt", in: $0) ?? "" }
    return times[0] > times[1] ? nil : newest
  }

  /// The value of a member at the top level of a record's text, wherever it can still be found.
  static func text(of name: String, in bytes: [UInt8]) -> String? {
    if let fields = try? RecordFile.decode(bytes).fields {
      return fields[name]?.string ?? fields[name]?.integer.map { String($0) }
    }
    let marker = Array("\n  \"\(name)\": ".utf8)
    guard bytes.count > marker.count else { return nil }
    for start in 0..<(bytes.count - marker.count)
    where bytes[start] == marker[0] && bytes[start..<(start + marker.count)].elementsEqual(marker) {
      let value = bytes[(start + marker.count)...].prefix(40)
        .prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\n") }
      return String(decoding: value.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
    return nil
  }

  /// The members of the object that differ.
  private static func differences(_ bytes: [UInt8], _ other: [UInt8]) -> [String] {
    guard let left = try? RecordFile.decode(bytes).fields,
      let right = try? RecordFile.decode(other).fields
    else { return [] }
    return Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
  }

  /// Puts a record where it ought to be, from the journal or from a copy of the store.
  ///
  /// - Parameter path: the path of an older version of it.
  mutating func restore(
    _ record: MissingRecord, in path: FilePath?, _ problem: Finding
  ) throws(Fault) {
    let (kind, id) = (record.kind, record.id)
    if forgotten.contains(id) || settled.contains(id) { return }
    let entry = known[id]
    var candidates: [[UInt8]] = []
    if let bytes = entry?.newest.flatMap({ store.journal.bytes(of: $0) }) {
      candidates.append(bytes)
    }
    candidates += copies.compactMap { $0.newestBytes(kind, id) }
    candidates = candidates.filter { kind.examine($0, id: id).damage == nil }
    // A record that only another machine names may have been purged: none comes back without its
    // contents.
    if !problem.isDamage {
      candidates.removeAll { bytes in
        blobs(of: kind, id, bytes).contains { (try? files.status(layout.blob($0))) == nil }
      }
    }
    guard
      let bytes = candidates.max(by: { RecordFile.revision(of: $0) < RecordFile.revision(of: $1) }),
      RecordFile.revision(of: bytes) >= record.revision || path == nil
    else {
      if problem.isDamage { actions.append(.cannotMend(problem)) }
      return
    }
    var target = path ?? layout.record(kind, id)
    if path == nil, let name = entry?.trashName,
      let trashed = TrashedRecord(kind: kind, path: layout.trash(kind).appending(bytes: name)),
      trashed.id == id, trashed.path.parent == layout.trash(kind)
    {
      target = trashed.path
    }
    try rewrite(kind, id, target, bytes)
    actions.append(.restoredRecord(kind, id, revision: RecordFile.revision(of: bytes)))
    try mendBlobs(of: kind, id, bytes)
  }

  /// Whether what has a record's name is none by its kind or its size, and no disk refuses to read it.
  func isNoRecord(_ path: FilePath) -> Bool {
    guard let status = try? files.status(path) else { return false }
    return status.kind != .regular || status.size > Int64(RecordFile.sizeLimit)
  }

  /// Puts a link, a directory, a device or a file that is too large aside, which has a record's name, and
  /// the record of the journal in its place; where there is none it stays.
  mutating func replace(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath, _ problem: Finding
  ) throws(Fault) {
    guard let entry = known[id], let bytes = entry.newest.flatMap({ store.journal.bytes(of: $0) }),
      kind.examine(bytes, id: id).damage == nil
    else {
      actions.append(.cannotMend(problem))
      return
    }
    try store.whileLocked { () throws(Fault) in
      guard isNoRecord(path) else { return }
      try makeBackup()
      try files.rename(path, to: try freeCopy(of: path))
      try files.synchronizeDirectory(path.parent)
    }
    try rewrite(kind, id, path, bytes)
    actions.append(.restoredRecord(kind, id, revision: RecordFile.revision(of: bytes)))
    try mendBlobs(of: kind, id, bytes)
  }

  /// Keeps the higher revision of a record live that is live and in the trash; the other one goes
  /// into the backup unless it is the same.
  mutating func endDeletion(
    _ kind: RecordKind, _ id: RecordID, _ trashed: FilePath
  ) throws(Fault) {
    let live = layout.record(kind, id)
    var isEnded = false
    let temporary = layout.temporary.appending(try store.environment.temporaryName())
    try store.whileLocked { () throws(Fault) in
      let limit = RecordFile.sizeLimit
      if (try? files.readFile(live, limit: limit)) != (try? files.readFile(trashed, limit: limit)) {
        try makeBackup()
      }
      guard try files.statusIfPresent(live) != nil, try files.statusIfPresent(trashed) != nil
      else { return }
      let (kept, other) = (
        try files.readFile(live, limit: RecordFile.sizeLimit),
        try files.readFile(trashed, limit: RecordFile.sizeLimit)
      )
      if kept != other {
        let isNewer =
          kind.examine(other, id: id).damage == nil
          && RecordFile.revision(of: other) > RecordFile.revision(of: kept)
        let loser = isNewer ? live : trashed
        try files.writeTemporary(
          try freeCopy(of: loser), isNewer ? kept : other, mode: 0o600)
        try files.synchronizeDirectory(backup)
        if isNewer { try files.replace(live, other, mode: 0o600, by: temporary) }
      }
      try files.unlink(trashed)
      try files.synchronizeDirectory(layout.trash(kind))
      isEnded = true
    }
    // It may have been going on, and be done by now.
    if isEnded { actions.append(.endedDeletion(kind, id)) }
  }
}

/// Other copies of the store, from which is taken what is missing or damaged here.
extension Repair {
  /// Takes the records that only another copy of the store has, or has newer, unless they were purged
  /// here.
  mutating func takeFromCopies() throws(Fault) {
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
          try rewrite(kind, id, path, bytes)
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
  mutating func putBackFromCopies() throws(Fault) {
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
  private mutating func takeSettings() throws(Fault) {
    let present = try files.statusIfPresent(layout.settings)
    guard present == nil, let settings = copies.compactMap(\.settings).first else { return }
    try rewrite(layout.settings, mode: 0o600) { () throws(Fault) in settings }
    actions.append(.mendedSettings)
  }

  private func isIntact(_ name: BlobName, in copy: Store) -> Bool {
    do { return try copy.blobs.damage(of: name) == nil } catch { return false }
  }

  /// The contents' files that a record names.
  func blobs(of kind: RecordKind, _ id: RecordID, _ bytes: [UInt8]) -> [BlobName] {
    Set(kind.examine(bytes, id: id).model?.blobs ?? []).sorted()
  }

  /// Looks at the contents of a record that came back: while it was gone, nothing named them.
  mutating func mendBlobs(
    of kind: RecordKind, _ id: RecordID, _ bytes: [UInt8]
  ) throws(Fault) {
    for name in blobs(of: kind, id, bytes) {
      let damage: BlobDamage?
      do { damage = try store.blobs.damage(of: name) } catch { continue }
      guard let damage, try !takeBlob(name) else { continue }
      let problem = Finding(
        .blob, RecordReference(kind, id), at: layout.blob(name), .blob(name, damage))
      left.append(problem)
      actions.append(.cannotMend(problem))
    }
  }

  /// Takes a content's file from another copy of the store.
  mutating func mendBlob(_ name: BlobName, _ problem: Finding) throws(Fault) {
    if try !takeBlob(name) { actions.append(.cannotMend(problem)) }
  }

  /// - Returns: `false` where no copy has it.
  @discardableResult
  mutating func takeBlob(_ name: BlobName) throws(Fault) -> Bool {
    for copy in copies.map(\.store) {
      guard isIntact(name, in: copy) else { continue }
      let staged: StagedBlob
      do {
        staged = try store.blobs.stage { sink in try copy.blobs.copy(name, to: &sink) }
      } catch {
        continue
      }
      let path = layout.blob(name)
      do {
        try store.whileLocked { () throws(Fault) in
          try makeBackup()
          if try files.statusIfPresent(path) != nil {
            try files.rename(path, to: try freeCopy(of: path))
            try files.synchronizeDirectory(backup)
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
  func records(_ kind: RecordKind) throws(Fault) -> [RecordID] {
    var ids = Set(known.values.filter { $0.kind == kind }.map(\.id))
    try store.folders.forEachFile(kind) { _, name throws(Fault) in
      if case .record(let id) = name { ids.insert(id) }
    }
    ids.formUnion(try store.trash.records(kind).map(\.id))
    return ids.sorted()
  }

  /// The record, live or in the trash, where the system does not let it be read now.
  func unreadable(_ kind: RecordKind, _ id: RecordID) -> Finding? {
    for path in paths(kind, id) {
      do {
        _ = try store.files.readFile(path, limit: RecordFile.sizeLimit)
      } catch {
        if error.isRefusal {
          return Finding(
            .unreadable, RecordReference(kind, id), at: path, .refused(code: error.errno))
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
