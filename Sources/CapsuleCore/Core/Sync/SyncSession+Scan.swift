/// The records that need more than a look: what is merged, or written, in this sync.
struct SyncScan {
  /// The records whose files are not what their states say: earlier copies, other orders.
  var stale: Set<SyncSubject> = []
  var held: [SyncSubject: SyncHold] = [:]
  /// The digests of the files that were read, as the states know them.
  var seen: [SyncSubject: [UInt8]] = [:]
}

/// The comparison of the files with the states: what differs is a change of this machine.
extension SyncSession {
  mutating func scan(_ inbox: [SyncSubject: RecordState]) throws(Fault) -> SyncScan {
    var scan = SyncScan()
    var present: Set<SyncSubject> = []
    for kind in RecordKind.allCases {
      for (shard, directory) in try store.folders.shards(kind) {
        let entries = try files.contents(ofDirectory: directory)
        for entry in entries {
          guard case .record(let id) = RecordFileName(entry.name, shard: shard) else { continue }
          let subject = SyncSubject.record(RecordReference(kind, id))
          let path = directory.appending(bytes: entry.name)
          if try look(at: path, subject, .live, 0, inbox, &scan) { present.insert(subject) }
        }
      }
      for record in try store.trash.records(kind) {
        let subject = SyncSubject.record(RecordReference(kind, record.id))
        guard !present.contains(subject) else { continue }
        let time = record.deletedAt.seconds
        if try look(at: record.path, subject, .trash, time, inbox, &scan) {
          present.insert(subject)
        }
      }
    }
    if try look(at: store.layout.settings, .settings, .live, 0, inbox, &scan) {
      present.insert(.settings)
    }
    lookForLost(present, &scan)
    return scan
  }

  /// Returns the stamp that shows whether a file was written since; `nil` where that cannot be seen
  /// yet.
  func signature(_ status: FileStatus) -> FileStamp? {
    guard started.seconds(since: max(status.modified, status.changed)) > 2 else { return nil }
    return FileStamp(status)
  }

  /// Looks at a file.
  ///
  /// - Returns: `false` where it is not there any more.
  private mutating func look(
    at path: FilePath, _ subject: SyncSubject, _ place: SyncState.Row.Place, _ deletedAt: Int64,
    _ inbox: [SyncSubject: RecordState], _ scan: inout SyncScan
  ) throws(Fault) -> Bool {
    let row = state.rows[subject]
    let status = try files.statusIfPresent(path)
    guard let status else { return false }
    let signature = signature(status)
    if let row, row.place == place, signature != nil, row.signature == signature, row.digest != nil
    {
      return true
    }
    let bytes: [UInt8]
    do {
      bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { return false }
      throw error
    }
    let digest = SHA256.hash(bytes)
    let mark = FileDigest(digest)
    scan.seen[subject] = digest
    if let row, row.place == place, row.digest == mark {
      state.note(subject, place, signature, mark)
      return true
    }
    guard let fields = fields(of: bytes, subject, &scan) else { return true }
    let table = MergeTable.of(subject)
    let observed = ObservedRecord(
      cells: table.cells(of: fields), isLive: place == .live,
      stamp: fields["updatedAt"]?.string.flatMap { Instant(rfc3339: $0)?.seconds } ?? now.seconds,
      deletedAt: deletedAt)
    var entry: SyncEntry
    if let known = state.entry(subject) {
      entry = known
    } else {
      // A state that cannot be read any more: its dots must not be given twice.
      if row != nil, let other = try? ActorID(random: store.environment.random) {
        state.begin(as: other, mark: state.mark)
        state.forgetCarriers()
      }
      entry = SyncEntry(
        state: inbox[subject].map { RecordState.adopting($0, for: observed, table) }
          ?? RecordState())
    }
    let before = state.entry(subject)
    let old = before?.state.vector ?? VersionVector()
    entry.observe(observed, digest: JournalRoster.beginning(of: digest), by: actor, table)
    if entry != before { state.put(subject, entry, from: old) }
    let shown = shownFields(entry.state, subject).map { Self.keepingOwnLock($0, of: fields) }
    let isShown = shown == fields && entry.state.isAlive == (place == .live)
    if isShown, entry.waiting == nil {
      state.note(subject, place, signature, mark)
    } else {
      scan.stale.insert(subject)
      state.note(subject, place, nil, nil)
    }
    return true
  }

  /// The members of a record that is as it was written, in the form that this program writes; `nil` where
  /// it is held back.
  private func fields(
    of bytes: [UInt8], _ subject: SyncSubject, _ scan: inout SyncScan
  ) -> JSONObject? {
    guard case .record(let record) = subject else {
      guard let (fields, damage) = try? RecordFile.decode(bytes), damage == nil else {
        scan.held[subject] = .damaged
        return nil
      }
      return fields
    }
    let (model, damage) = record.kind.examine(bytes, id: record.id)
    guard let model, damage == nil else {
      if case .newer(let schema)? = damage {
        scan.held[subject] = .newer(schema)
      } else {
        scan.held[subject] = .damaged
      }
      return nil
    }
    return Self.canonical(model)
  }

  static func canonical(_ model: any RecordModel) -> JSONObject {
    var model = model
    model.header.schema = model.schemaNeeded
    return model.fields
  }

  /// The members that a state shows, in the same form; `nil` where they give no record.
  func shownFields(_ state: RecordState, _ subject: SyncSubject) -> JSONObject? {
    try? shownRecord(state, subject)
  }

  func shownRecord(
    _ state: RecordState, _ subject: SyncSubject
  ) throws(SyncHold) -> JSONObject {
    var fields = state.fields(MergeTable.of(subject))
    guard case .record(let record) = subject else { return fields }
    if let schema = fields["schema"]?.integer, schema > RecordHeader.currentSchema {
      throw .newer(schema)
    }
    fields["id"] = .string(record.id.description)
    do {
      return Self.canonical(try record.kind.model.init(fields: fields))
    } catch {
      throw .unreadable(error)
    }
  }

  /// Finds records that have a state and no file: purged ones, and lost ones, which come back.
  private mutating func lookForLost(_ present: Set<SyncSubject>, _ scan: inout SyncScan) {
    let absent = state.rows.keys.filter { !present.contains($0) }.sorted { $0.text < $1.text }
    var open: [(SyncSubject, SyncEntry)] = []
    for subject in absent {
      guard let entry = state.entry(subject) else { continue }
      if entry.purged != nil {
        if entry.waiting != nil { scan.stale.insert(subject) }
      } else {
        open.append((subject, entry))
      }
    }
    guard !open.isEmpty else { return }
    let gone = purged(among: open.map(\.0))
    for (subject, entry) in open {
      if gone.contains(subject) {
        var entry = entry
        let old = entry.state.vector
        let table = MergeTable.of(subject)
        entry.state.observe(
          ObservedRecord(
            cells: entry.state.shownCells(table), isLive: false, stamp: now.seconds,
            deletedAt: now.seconds),
          by: actor, table)
        entry.purged = entry.state.vector
        state.put(subject, entry, from: old)
        state.note(subject, .absent, nil, nil)
        if entry.waiting != nil { scan.stale.insert(subject) }
      } else {
        state.note(subject, .absent, nil, nil)
        scan.stale.insert(subject)
      }
    }
  }

  /// The records of which the journal says last that they were purged.
  func purged(among subjects: [SyncSubject]) -> Set<SyncSubject> {
    var records: [RecordReference] = []
    for case .record(let record) in subjects { records.append(record) }
    guard !records.isEmpty else { return [] }
    let roster = store.journal.roster(of: Set(records.map(\.id.shard)))
    let known = roster.known()
    return Set(
      records.filter { roster.purged[$0.id] != nil && known[$0.id] == nil }
        .map { .record($0) })
  }
}
