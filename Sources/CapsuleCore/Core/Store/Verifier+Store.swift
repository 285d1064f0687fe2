import CapsulePlatform

/// The store's own files: its header, settings, identities, and the copies of them.
extension Verifier {
  mutating func examineStore() {
    ownMachine = plan.machine ?? store.journal.own(creating: false)?.name
    if let problem = store.headerProblem { note(problem, in: .store) }
    for entry in entries(of: layout.root, .store) where Self.isConflictCopy(entry.name) {
      note(Finding(.foreign, at: layout.root.appending(bytes: entry.name)), in: .store)
    }
    if store.header.isKnown, !store.header.hasOwnForm {
      let fault = FieldError(path: "identities", problem: .invalid("not of the store's format"))
      note(Finding(.header, own: "store.json", .damage(.field(fault))), in: .store)
    }
    examineModes()
    examineIdentities()
    examineSettings()
    do {
      for problem in try store.trust.problems() {
        note(
          Finding(
            .untrusted, problem.record, own: problem.record == nil ? "store.json" : nil,
            .trust(problem)), in: .store)
      }
    } catch {
      if error.code == .knownKeysUnreadable, let file = error.file {
        note(Finding(.unreadable, at: file.path, .refused(code: file.errno)), in: .store)
      }
    }
    if (try? files.synchronizeDirectory(layout.root)) == false {
      note(Finding(.weakFileSystem, at: layout.root), in: .store)
    }
    if plan.readsJournals { examineMachines() }
    // The files of synchronising are looked at once a round.
    if plan.start ?? .first == .first {
      for path in store.intents.damagedFiles() { note(Finding(.syncState, at: path), in: .store) }
    }
    for kind in RecordKind.allCases {
      for entry in entries(of: layout.folder(kind), Section(kind)) {
        if let shard = Self.shard(entry.name) {
          shards[shard, default: []].append(kind)
        } else {
          let path = layout.folder(kind).appending(bytes: entry.name)
          note(Finding(.foreign, at: path), in: Section(kind))
        }
      }
      for entry in entries(of: layout.trash(kind), Section(kind)) {
        let path = layout.trash(kind).appending(bytes: entry.name)
        if let record = TrashedRecord(kind: kind, path: path) {
          trashed[record.id.shard, default: []].append(record)
        } else {
          note(Finding(.foreign, at: path), in: Section(kind))
        }
      }
    }
  }

  /// Whether a name beside the store's own files is that of a copy that a synchroniser has made of
  /// `store.json` or `settings.json`.
  private static func isConflictCopy(_ name: [UInt8]) -> Bool {
    let isNamed = ["store", "settings"].contains { name.starts(with: Array($0.utf8)) }
    return isNamed && !StoreLayout.names.contains(String(decoding: name, as: UTF8.self))
  }

  /// The two digits of a shard by the name of its directory.
  static func shard(_ name: [UInt8]) -> UInt8? {
    guard let value = Hex.decode(String(decoding: name, as: UTF8.self))?.first,
      name == Array(Hex.encode([value]).utf8)
    else { return nil }
    return value
  }

  /// Finds what others can write to: the store's directories, its header, settings and identities.
  private mutating func examineModes() {
    let identities = store.header.identities.map { layout.file(of: $0) }
    for path in [layout.root, layout.header, layout.settings] + layout.directories + identities {
      guard let status = try? files.status(path), status.isWritableByOthers else { continue }
      note(Finding(.openToOthers, at: path, .mode(status.mode)), in: .store)
    }
  }

  private func problem(_ recipient: String, isMissing: Bool) -> Finding {
    let path =
      store.header.isProtected ? layout.sealedIdentity(recipient) : layout.identity(recipient)
    return Finding(
      .identity, own: own(path), .key(recipient: recipient, isMissing: isMissing))
  }

  /// The name of an identity's file in the store's directory.
  private func own(_ path: FilePath) -> String {
    "identities/\(String(decoding: path.lastComponent, as: UTF8.self))"
  }

  private mutating func noteTrusteesCopy(at path: FilePath, isMissing: Bool) {
    note(
      Finding(.identity, at: path, own: own(path), .key(recipient: nil, isMissing: isMissing)),
      in: .store)
  }

  /// Looks at the file for trustees: it is held against the copy in the header; of one that the header does
  /// not name, as earlier versions left it, only the form can be seen.
  private mutating func examineTrusteesCopy() {
    guard store.header.isProtected else { return }
    let path = store.keys.trusteesCopy
    do {
      let file = String(
        decoding: try files.readFile(path, limit: StoreKeys.fileLimit), as: UTF8.self)
      let isRight =
        store.header.trusteesCopy.map { file.utf8.elementsEqual($0.utf8) }
        ?? StoreIdentity(recipient: "", file: file).isSealed
      if !isRight { noteTrusteesCopy(at: path, isMissing: false) }
    } catch {
      if error.isRefusal {
        note(Finding(.unreadable, at: path, .refused(code: error.errno)), in: .store)
      } else if store.header.trusteesCopy != nil {
        noteTrusteesCopy(at: path, isMissing: error.condition == .notFound)
      }
    }
  }

  private mutating func examineIdentities() {
    examineIdentityFiles()
    examineTrusteesCopy()
    for identity in store.header.identities {
      let path = layout.file(of: identity)
      do {
        if try files.readFile(path, limit: 1 << 16) != Array(identity.file.utf8)
          || !identity.isUsable
        {
          note(problem(identity.recipient, isMissing: false), in: .store)
        }
      } catch {
        note(
          error.condition == .notFound
            ? problem(identity.recipient, isMissing: true)
            : Finding(.unreadable, at: path, .refused(code: error.errno)), in: .store)
      }
    }
  }

  /// Looks at the identities that `store.json` does not name: each file holds the key of its name, and
  /// each that a machine's copy has is there.
  private mutating func examineIdentityFiles() {
    let listed = Set(store.header.identities.map(\.recipient))
    var present: Set<String> = []
    // A file that cannot be read is not missing.
    if let unreadable = store.copies.unreadable() { return note(unreadable, in: .store) }
    for identity in store.keys.stored() {
      present.insert(identity.recipient)
      if !listed.contains(identity.recipient), !identity.isIntact {
        note(problem(identity.recipient, isMissing: false), in: .store)
      }
    }
    for path in store.keys.clearCopiesByName() {
      note(Finding(.clearIdentity, at: path), in: .store)
    }
    for recipient in Set(store.copies.identities().map(\.recipient)).sorted()
    where !listed.contains(recipient) && !present.contains(recipient) {
      noteMissing(problem(recipient, isMissing: true))
    }
  }

  /// Notes a file of the store's own that is not here, and that a copy in a journal has. What only other machines'
  /// copies have is awaited, as a record is that only their journals name.
  private mutating func noteMissing(_ problem: Finding) {
    let copy = ownMachine.flatMap { HeaderCopies.one(layout, files, $0) }
    let isOwn = problem.own.map { copy?.files[$0] != nil } ?? true
    let first = min(store.memory.missed[store.header.id] ?? now, now)
    ownFileMissedAt = first
    note(
      isLacking(isOwn: isOwn, since: first)
        ? problem : Finding(.awaited, own: problem.own, problem.detail), in: .store)
  }

  private mutating func examineSettings() {
    do {
      if let damage = try store.settings.read().integrity { noteSettings(damage) }
    } catch {
      if error.code == .io {
        note(Finding(.unreadable, at: layout.settings, .refused(code: error.errno)), in: .store)
      } else {
        noteSettings(error.damage ?? .notAnObject)
      }
    }
  }

  private mutating func noteSettings(_ damage: RecordDamage) {
    let problem = Finding(.settings, own: "settings.json", .damage(damage))
    // Something else may stand in its place.
    let isThere = (try? files.statusIfPresent(layout.settings)) != .some(nil)
    damage == .missing && !isThere ? noteMissing(problem) : note(problem, in: .store)
  }

  private mutating func examineMachines() {
    do {
      for name in try store.journal.machines() { examineMachine(name) }
    } catch {
      note(Finding(.journal, at: layout.journal, .refused(code: error.errno)), in: .journal)
    }
    if isJournalReplaced {
      note(Finding(.journal, at: layout.journal, .refused(code: ENOTDIR)), in: .journal)
    } else if ownMachine == nil, let lost = store.journal.lost {
      // A folder that this machine has written, and that is gone.
      note(Finding(.journal, at: layout.journal(lost), .refused(code: ENOENT)), in: .journal)
    }
    if machines.count == 1, machines.first?.name == ownMachine {
      journaledUntil = LastVerification(of: store).whole?.began
      journaledSince = store.journal.start
    }
  }

  /// Whether something else stands where the journals' directory should.
  private var isJournalReplaced: Bool {
    guard let status = try? files.statusIfPresent(layout.journal) else { return false }
    return status.kind != .directory
  }

  private mutating func examineMachine(_ name: String) {
    var shards = Set(UInt8.min...UInt8.max)
    var path = layout.journal(name)
    do {
      shards = Set(
        try files.contents(ofDirectory: path).compactMap { StoreJournal.shard(ofLog: $0.name) })
      path = layout.headerCopy(name)
      let isThere = try files.statusIfPresent(path) != nil
      // This machine's own is written with the first log.
      if isThere
        ? HeaderCopy(try files.readFile(path, limit: HeaderCopy.sizeLimit)) == nil
        : name == ownMachine && !shards.isEmpty
      {
        note(Finding(.journal, at: path), in: .journal)
      }
    } catch {
      note(Finding(.journal, at: path, .refused(code: error.errno)), in: .journal)
    }
    machines.append((name, shards))
  }

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
    problem.isDamage || problem.isDenied || problem.kind == .versionBlob
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
        Finding(.unreadable, record, at: path, .refused(code: error.errno))
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
    var missedAt = store.memory.missed.filter {
      !compared.contains($0.key.shard) || lacking[$0.key] != nil
    }
    // The store's own id stands for its own files.
    missedAt[store.header.id] = ownFileMissedAt
    for (id, record) in lacking.sorted(by: { $0.key < $1.key }) {
      let missing = store.journal.missingRecord(record)
      let first = min(missedAt[id] ?? now, now)
      missedAt[id] = first
      let found = older[id].flatMap { $0.revision == .max ? nil : $0 }
      let isOwn = (record.ownRevision ?? .min) > (found?.revision ?? .min)
      let reference = RecordReference(record.kind, id)
      report.problems.append(
        isLacking(isOwn: isOwn, since: first)
          ? Finding(
            found == nil ? .missing : .outdated, reference, at: found?.path,
            .named(missing, found: found?.revision))
          : Finding(.awaited, reference, .named(missing, found: nil)))
    }
    store.memory.keepMissed(missedAt)
    noteLostLogs(&look)
    // A problem of the whole journal was noted before.
    let isNamed = report.problems.contains {
      $0.kind == .journal && $0.file == layout.journal && $0.detail != .none
    }
    if !fillJournal(), !isNamed { report.problems.append(Finding(.noJournal)) }
  }

  /// Whether something that is not here is lacking, and not awaited from another machine.
  ///
  /// - Parameters:
  ///   - isOwn: whether this machine's own journal has it.
  ///   - first: the time at which this machine missed it first.
  private mutating func isLacking(isOwn: Bool, since first: Instant) -> Bool {
    let isExpected = !mayCome || isOwn
    let isLate = now.seconds.subtractingClamped(first.seconds) >= Self.awaitedAge
    return isExpected && !isOnTheWay || isLate
  }

  /// Whether another machine has written its journal within the time that a record is awaited.
  func othersWroteLately() -> Bool {
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
    do {
      repeat {
        let hasJournal = try store.whileLocked { () throws(Fault) in
          guard let machine = store.journal.own(creating: true) else { return false }
          store.copies.keep()
          let clock = store.environment.clock
          let limit = clock.nanoseconds.addingClamped(SecondLook.longest)
          var records = 0
          repeat {
            let frames = nextFrames(of: &rest)
            try store.journal.append(frames, to: machine, synchronising: false)
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
