extension Verifier {
  /// The seconds for which a record that only another machine's journal names is awaited.
  private static let awaitedAge: Int64 = 7 * 86_400

  /// Looks at each damage again where nobody else changes the store: what a purge or a deletion took
  /// away between two looks is none.
  mutating func confirmDamage() {
    let doubtful = report.problems.indices.filter { isLookedAtAgain(report.problems[$0]) }
    guard !doubtful.isEmpty else { return }
    let problems = doubtful.map { report.problems[$0] }
    var look = SecondLook(
      store, as: ownMachine, blobs: Set(problems.compactMap(\.blob)),
      readsVersions: problems.contains { $0.kind == .versionBlob })
    let outcomes = look.outcomes(of: problems) { lookAgain($1, &$0) }
    var confirmed = report.problems.map { $0 as Finding? }
    for (place, outcome) in zip(doubtful, outcomes) { confirmed[place] = outcome }
    report.problems = confirmed.compactMap(\.self)
  }

  /// Damage, and a log: another process may be about to write its last frame. So may a version have been
  /// dropped meanwhile.
  private func isLookedAtAgain(_ problem: Finding) -> Bool {
    problem.isDamage || problem.kind == .versionBlob
      || problem.kind == .journal && problem.detail == .none
  }

  /// The problem as it is now; `nil` where it is none any more.
  private func lookAgain(_ problem: Finding, _ look: inout SecondLook) -> Finding? {
    switch (problem.kind, problem.record, problem.file, problem.detail) {
    case (.record, let record?, let path?, _), (.unreadable, let record?, let path?, _):
      return switch look.record(record.kind, record.id, at: path, isExamined: true)?.found {
      case nil: nil
      case .success(let damage): damage.map { Finding(.record, record, at: path, .damage($0)) }
      case .failure(let error):
        Finding(.unreadable, record, at: path, .refused(code: error.code))
      }
    case (.blob, let record?, _, .blob(let name, _)):
      let blob = look.blob(name)
      let path = named[name]?.path ?? layout.record(record.kind, record.id)
      guard look.isNamed(name, by: record.kind, record.id, at: path) else { return nil }
      return blob.flatMap { $0.isSound ? nil : problem }
    case (.versionBlob, let record?, _, .blob(let name, _)):
      let blob = look.blob(name)
      guard look.journal(record.id.shard)?.names.contains(name) == true else { return nil }
      return blob.flatMap { $0.isSound ? nil : problem }
    case (_, let record?, let path?, .sizes(let name, let said, let size)):
      let blob = look.blob(name)
      let found = look.record(record.kind, record.id, at: path, isExamined: true)
      guard found?.sizes[name]?.contains(said) == true else { return nil }
      return blob.flatMap { $0.isSound && $0.size == size ? problem : nil }
    case (.journal, _, let log?, .none):
      guard let shard = StoreJournal.shard(ofLog: log.lastComponent) else { return problem }
      return look.journal(shard)?.damaged.contains(log) == true ? problem : nil
    default:
      return problem
    }
  }

  /// Names what the journals name and what was not found, and writes what no journal holds.
  mutating func compareWithJournals() {
    var look = SecondLook(store, as: ownMachine, ids: lost.union(lacking.keys))
    if !lacking.isEmpty {
      let ids = lacking.keys.sorted()
      let found = look.outcomes(of: ids) { look, id -> JournalRoster.Known? in
        guard let known = look.journal(id.shard)?.known[id], !look.isThere(known) else {
          return nil
        }
        return known
      }
      for (id, known) in zip(ids, found) { lacking[id] = known }
    }
    let missed = MissedRecords(store)
    var missedAt = missed.read().filter {
      !compared.contains($0.key.shard) || lacking[$0.key] != nil
    }
    // A synchroniser may take a file away before it brings what another machine did with it.
    let isOnTheWay = !lacking.isEmpty && othersWroteLately()
    for (id, record) in lacking.sorted(by: { $0.key < $1.key }) {
      let missing = store.journal.missingRecord(record)
      let first = min(missedAt[id] ?? now, now)
      missedAt[id] = first
      let isLate = now.seconds.subtractingClamped(first.seconds) >= Self.awaitedAge
      let found = older[id].flatMap { $0.revision == .max ? nil : $0 }
      let isLacking =
        (record.ownRevision ?? .min) > (found?.revision ?? .min) && !isOnTheWay || isLate
      let reference = RecordReference(record.kind, id)
      report.problems.append(
        isLacking
          ? Finding(
            found == nil ? .missing : .outdated, reference, at: found?.path,
            .named(missing, found: found?.revision))
          : Finding(.awaited, reference, .named(missing, found: nil)))
    }
    missed.write(missedAt)
    noteLostLogs(&look)
    // A problem of the whole journal was noted before.
    let isNamed = report.problems.contains {
      $0.kind == .journal && $0.file == layout.journal && $0.detail != .none
    }
    if !fillJournal(), !isNamed { report.problems.append(Finding(.noJournal)) }
  }

  /// Whether another machine has written its journal within the time that a record is awaited.
  private func othersWroteLately() -> Bool {
    for name in (try? store.journal.machines()) ?? [] where name != ownMachine {
      let folder = layout.journal(name)
      for entry in (try? files.contents(ofDirectory: folder)) ?? [] {
        guard let status = try? files.status(folder.appending(bytes: entry.name)) else { continue }
        let age = now.seconds.subtractingClamped(status.modified.seconds)
        if age < Self.awaitedAge { return true }
      }
    }
    return false
  }

  /// Names this machine's logs that lost what they had; a change that is being made is no loss.
  private mutating func noteLostLogs(_ look: inout SecondLook) {
    guard !lost.isEmpty, let ownMachine else { return }
    let ids = lost.sorted()
    let areLost = look.outcomes(of: ids) { [unwritten] look, id in
      guard let digest = unwritten[id]?.digest else { return false }
      let digests = look.journal(id.shard)?.known[id]?.digests ?? []
      return !digests.contains(JournalRoster.beginning(of: digest))
    }
    let shards = Set(zip(ids, areLost).filter(\.1).map(\.0.shard))
    for shard in shards.sorted() {
      let problem = Finding(.journal, at: store.journal.log(of: ownMachine, shard).path)
      if !report.problems.contains(problem) { report.problems.append(problem) }
    }
  }

  /// Writes records into this machine's journal that no journal holds, some at a time.
  ///
  /// - Returns: `false` where this machine cannot have a journal.
  private func fillJournal() -> Bool {
    guard store.stateDirectory != nil else { return false }
    guard !unwritten.isEmpty || !store.copies.isCurrent else { return true }
    guard (try? store.requireWritable()) != nil else { return true }
    var rest = unwritten.sorted { $0.key < $1.key }[...]
    do throws(StoreError) {
      repeat {
        let hasJournal = try store.whileLocked { () throws(StoreError) in
          guard let machine = store.journal.own(creating: true) else { return false }
          store.copies.keep()
          let clock = store.environment.clock
          let limit = clock.nanoseconds.addingClamped(SecondLook.longest)
          var records = 0
          repeat {
            let frames = nextFrames(of: &rest)
            try storeIO { () throws(FileSystemError) in
              try store.journal.append(frames, to: machine, synchronising: false)
            }
            records += frames.count
          } while !rest.isEmpty && records < SecondLook.together && clock.nanoseconds < limit
          return true
        }
        guard hasJournal else { return false }
        if !rest.isEmpty { store.environment.patience.pause(SecondLook.gap) }
      } while !rest.isEmpty
      return true
    } catch {
      // A store that cannot be written is verified all the same.
      return true
    }
  }

  /// The frames of the next records of one shard, at most some.
  private func nextFrames(
    of rest: inout ArraySlice<(key: RecordID, value: PresentRecord)>
  ) -> [JournalFrame] {
    var frames: [JournalFrame] = []
    var bytes = 0
    let shard = rest.first?.key.shard
    while let (id, found) = rest.first, id.shard == shard, frames.count < 64, bytes < 1 << 20 {
      rest.removeFirst()
      guard let frame = frame(filling: id, found) else { continue }
      bytes += frame.body.count
      frames += store.journal.frames(frame, at: found.path)
    }
    return frames
  }

  private func frame(filling id: RecordID, _ found: PresentRecord) -> JournalFrame? {
    guard let bytes = try? files.readFile(found.path, limit: RecordFile.sizeLimit),
      SHA256.hash(bytes) == found.digest
    else { return nil }
    return JournalFrame(
      .put, .filling, found.kind, id, revision: found.revision, at: now, body: bytes)
  }
}

extension StoreJournal {
  /// The records that journals name and that are neither live nor in the trash.
  package func missingRecords() -> [MissingRecord] {
    var look = SecondLook(store, as: nil)
    return roster().known().values
      .filter { !look.isThere($0) }.map { missingRecord($0) }.sorted { $0.id < $1.id }
  }

  fileprivate func missingRecord(_ record: JournalRoster.Known) -> MissingRecord {
    var title: String?
    if let bytes = record.newest.flatMap({ self.bytes(of: $0) }) {
      let fields = (try? RecordFile.decode(bytes))?.fields
      if case .string(let text)? = fields?["title"] ?? fields?["name"] { title = text }
    }
    return MissingRecord(
      kind: record.kind, id: record.id, revision: record.revision, title: title,
      updatedAt: record.newest?.time)
  }
}
