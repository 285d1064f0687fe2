extension Store {
  /// How long a record that only another machine's journal names is awaited, in seconds.
  static let awaitedAge: Int64 = 7 * 86_400

  /// Looks at each damage again where nobody else changes the store: what a purge or a deletion took
  /// away between two looks is none.
  func confirmDamage(in report: inout Verification) throws(StoreError) {
    guard report.problems.contains(where: \.isDamage) else { return }
    var problems: [StoreProblem] = []
    try whileStill {
      problems = report.problems.filter { !$0.isDamage || isStillThere($0) }
    }
    report.problems = problems
  }

  /// Runs something while no other process changes the store, or after a second where no lock can be
  /// taken.
  private func whileStill(_ body: () -> Void) throws(StoreError) {
    if let lock = try? files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    {
      defer { files.release(lock) }
      body()
    } else {
      environment.patience.pause(1_000)
      body()
    }
  }

  private func isStillThere(_ problem: StoreProblem) -> Bool {
    switch problem {
    case .record(let kind, let id, let path, _):
      guard let bytes = try? files.readFile(FilePath(path), limit: RecordFile.sizeLimit) else {
        return (try? files.statusIfPresent(FilePath(path))) != .some(nil)
      }
      return kind.examine(bytes, id: id).damage != nil
    case .unreadable(_, _, let path, _):
      do throws(FileSystemError) {
        _ = try files.readFile(FilePath(path), limit: RecordFile.sizeLimit)
        return false
      } catch {
        return error.condition != .notFound
      }
    case .blob(let name, _, _, let kind, let id):
      guard isNamed(name, by: (kind, id)) else { return false }
      do throws(StoreError) { return try damage(of: name) != nil } catch { return true }
    default:
      return true
    }
  }

  /// Compares what was found with what the journals name, and writes what no journal holds.
  func compare(
    with roster: JournalRoster, into report: inout Verification, now: Instant
  ) throws(StoreError) {
    for path in roster.damaged { report.problems.append(.journal(path: path.text)) }
    for log in roster.unreadable {
      report.problems.append(.unreadableJournal(path: log.path.text, code: log.code))
    }
    let known = roster.known()
    var lacking = known.filter { !isPresent($1, in: report.present) }
    if !lacking.isEmpty {
      // Again, where nobody purges or restores meanwhile.
      var again: JournalRoster?
      try whileStill { again = try? journalRoster() }
      let now = again?.known() ?? known
      let trashed = trashedPaths()
      lacking = lacking.filter { id, _ in now[id].map { !isThere($0, trashed) } ?? false }
      lacking = lacking.mapValues { now[$0.id] ?? $0 }
    }
    let missed = MissedRecords(self)
    var missedAt = missed.read()
    missedAt = missedAt.filter { lacking[$0.key] != nil }
    for (id, record) in lacking.sorted(by: { $0.key < $1.key }) {
      let missing = missingRecord(record)
      if let found = report.present[id], found.revision != .max {
        let first = min(missedAt[id] ?? now, now)
        missedAt[id] = first
        let isLate = now.seconds.subtractingClamped(first.seconds) >= Self.awaitedAge
        report.problems.append(
          (record.ownRevision ?? .min) > found.revision || isLate
            ? .outdated(missing, path: found.path.text, revision: found.revision)
            : .awaited(missing))
        continue
      }
      let first = min(missedAt[id] ?? now, now)
      missedAt[id] = first
      let isLate = now.seconds.subtractingClamped(first.seconds) >= Self.awaitedAge
      report.problems.append(
        record.ownRevision != nil || isLate ? .missing(missing) : .awaited(missing))
    }
    missed.write(missedAt)
    if !fill(report.present, known: known, now: now) { report.problems.append(.noJournal) }
  }

  /// The records that journals name and that are neither live nor in the trash.
  package func missingRecords() throws(StoreError) -> [MissingRecord] {
    let trashed = trashedPaths()
    return try storeIO { () throws(FileSystemError) in try journalRoster() }.known().values
      .filter { !isThere($0, trashed) }.map { missingRecord($0) }.sorted { $0.id < $1.id }
  }

  /// Whether what was found is at least as new as what is named.
  private func isPresent(
    _ record: JournalRoster.Known, in present: [RecordID: PresentRecord]
  ) -> Bool {
    guard let found = present[record.id] else { return false }
    return found.revision >= record.revision
  }

  /// Looks for a record once more.
  private func isThere(
    _ record: JournalRoster.Known, _ trashed: [RecordID: [FilePath]]
  ) -> Bool {
    let paths = [layout.record(record.kind, record.id)] + (trashed[record.id] ?? [])
    return paths.contains { path in
      guard let bytes = try? files.readFile(path, limit: RecordFile.sizeLimit) else {
        return (try? files.statusIfPresent(path)) != .some(nil)
      }
      let (model, _) = record.kind.examine(bytes, id: record.id)
      return model.map { $0.header.revision >= record.revision } ?? true
    }
  }

  /// The files in the trash by the ids in their names.
  private func trashedPaths() -> [RecordID: [FilePath]] {
    var paths: [RecordID: [FilePath]] = [:]
    for kind in RecordKind.allCases {
      for record in (try? trash(kind)) ?? [] { paths[record.id, default: []].append(record.path) }
    }
    return paths
  }

  private func missingRecord(_ record: JournalRoster.Known) -> MissingRecord {
    var title: String?
    if let bytes = record.newest.flatMap({ self.bytes(of: $0) }) {
      let fields = (try? RecordFile.decode(bytes))?.fields
      if case .string(let text)? = fields?["title"] ?? fields?["name"] { title = text }
    }
    return MissingRecord(
      kind: record.kind, id: record.id, revision: record.revision, title: title,
      updatedAt: record.newest?.time)
  }

  /// Writes records into this machine's journal that no journal holds.
  ///
  /// - Returns: `false` where this machine cannot have a journal.
  private func fill(
    _ present: [RecordID: PresentRecord], known: [RecordID: JournalRoster.Known], now: Instant
  ) -> Bool {
    let lacking = present.filter { id, found in
      found.digest.map { digest in
        known[id]?.digests.contains(JournalRoster.beginning(of: digest)) != true
      } ?? false
    }
    guard stateDirectory != nil else { return false }
    guard !lacking.isEmpty || !isHeaderCopied else { return true }
    guard (try? requireWritable()) != nil else { return true }
    do throws(StoreError) {
      return try whileLocked { () throws(StoreError) in
        guard let machine = ownJournal(creating: true) else { return false }
        copyHeader()
        let shards = Dictionary(grouping: lacking, by: \.key.shard).sorted { $0.key < $1.key }
        for (_, records) in shards {
          let frames = records.sorted { $0.key < $1.key }.flatMap { id, found in
            frame(filling: id, found, now: now).map { self.frames($0, at: found.path) } ?? []
          }
          try storeIO { () throws(FileSystemError) in
            try append(frames, to: machine, synchronising: false)
          }
        }
        return true
      }
    } catch {
      // A store that cannot be written is verified all the same.
      return true
    }
  }

  private func frame(
    filling id: RecordID, _ found: PresentRecord, now: Instant
  ) -> JournalFrame? {
    guard let bytes = try? files.readFile(found.path, limit: RecordFile.sizeLimit),
      SHA256.hash(bytes) == found.digest
    else { return nil }
    return JournalFrame(
      .put, .filling, found.kind, id, revision: found.revision, at: now, body: bytes)
  }
}

/// Since when this machine misses records that only others' journals name.
struct MissedRecords {
  private let store: Store

  init(_ store: Store) {
    self.store = store
  }

  private var path: FilePath? {
    store.stateDirectory?.appending("missed-\(store.place.inode)")
  }

  func read() -> [RecordID: Instant] {
    guard let path, let bytes = try? store.files.readFile(path, limit: 1 << 26) else { return [:] }
    var times: [RecordID: Instant] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 2, let id = RecordID(words[0]), let seconds = Int64(words[1]) else {
        continue
      }
      times[id] = Instant(seconds: seconds)
    }
    return times
  }

  /// Keeps the times; where that fails, the week begins anew with the next verification.
  func write(_ times: [RecordID: Instant]) {
    guard let path, times != read(), let name = try? store.environment.temporaryName(),
      (try? store.files.createDirectories(path.parent)) != nil
    else { return }
    let lines = times.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.seconds)\n" }
    let temporary = path.parent.appending("missed-\(store.place.inode).\(name)")
    do throws(FileSystemError) {
      try store.files.withFile(temporary, .createExclusive(mode: 0o600)) {
        file throws(FileSystemError) in
        try store.files.writeAll(file, Array(lines.joined().utf8))
      }
      try store.files.rename(temporary, to: path)
    } catch {
      try? store.files.unlink(temporary)
    }
  }
}
