import CapsulePlatform

/// One thing that a repair did, or could not do.
public enum RepairAction: Hashable, Sendable {
  /// `store.json` was rewritten.
  case rewroteHeader
  /// `store.json` was made from the identities, with a new id: no file has the store's earlier id.
  /// A repair from another copy takes the earlier id from there.
  case madeHeader
  /// An identity's file was made again from the copy in `store.json`.
  case restoredIdentity(String)
  /// The file that trustees open a protected store by was made again of the copy in the header.
  case restoredTrusteesCopy
  /// `settings.json` was put back as it was written.
  case mendedSettings
  /// `settings.json` was accepted as it is.
  case acceptedSettings
  /// `settings.json` could not be read, and was put aside.
  case resetSettings
  /// A file was moved out of the way of a directory, and the directory made.
  case madeDirectory(path: String)
  /// A record was restored; holds the members that had been changed.
  case mendedRecord(RecordKind, RecordID, by: RepairProof, changed: [String])
  /// A record that was gone, or an old one, is again what the journal or a copy has.
  case restoredRecord(RecordKind, RecordID, revision: Int64)
  /// A record that was changed by hand, or by a flipped bit that left it readable, was accepted.
  case acceptedRecord(RecordKind, RecordID)
  /// A record was changed, but is not accepted: see ``RepairRefusal``.
  case refusedRecord(RecordKind, RecordID, RepairRefusal)
  /// The trash's twin of a live record was dropped.
  case endedDeletion(RecordKind, RecordID)
  /// Members of a capsule were restored from another copy of the store.
  case putBack(RecordID, members: [String])
  /// A content's file was taken from another copy of the store.
  case restoredBlob(BlobName)
  /// The damaged parts of a log of the journal were put aside.
  case mendedJournal(path: String)
  /// The sync state of this device was damaged, and was moved away.
  case setAsideSyncState(path: String)
  /// A record that is gone is no longer missed.
  case forgot(RecordKind, RecordID)
  /// A problem that repair cannot fix.
  case cannotMend(Finding)

  /// Whether something is still wrong after it.
  public var isFailure: Bool {
    switch self {
    case .refusedRecord, .cannotMend: true
    default: false
    }
  }
}

/// The proof that a record's bytes are those that were written.
public enum RepairProof: Hashable, Sendable {
  /// A journal holds them.
  case journal
  /// One bit or one byte was put back, after which the checksum is right.
  case checksum
  /// Another copy of the store holds them.
  case copy
}

/// The reasons for which a changed record is not accepted.
public enum RepairRefusal: Hashable, Sendable {
  /// Its unlock time is earlier than the one inside its seal.
  case unlockEarlierThanSealed(Instant)
  /// Its seal does not belong to it, or is itself damaged.
  case sealDamaged
  /// Its seal cannot be opened here, so the unlock time cannot be compared with the one inside.
  case sealUnreadable
  /// It is a copy's later version, and changes what a rule keeps as it is here.
  case breaksRule(ChangeRule)
}

/// The requests to a repair beyond what it does of itself.
package struct RepairRequest: Sendable {
  /// Records that are taken as they stand, although what was written is known.
  package var accepted: Set<RecordID> = []
  /// Missing records that are given up.
  package var forgotten: Set<RecordID> = []
  /// Other copies of the store, from which is taken what is missing or damaged.
  package var copies: [Store] = []
  /// Whether `store.json` comes back as this device knows it, in the place of any other.
  package var restoresKey = false

  package init() {}
}

extension StoreCare {
  /// Mends what can be mended, after a copy of each file that is changed was put into
  /// `backups/<Unix time>/`; ``repair(_:with:now:)`` judges by the locks.
  ///
  /// - Parameters:
  ///   - lockProblems: as ``VerificationPlan/lockProblems``.
  ///   - putBack: returns a capsule of today with what the one of another copy has and it lacks.
  ///   - judge: returns why a changed capsule must not be accepted, given the version that a journal
  ///     holds; `nil` when it may be.
  /// - Throws: `.anotherStore` for a copy that is none, and what else a ``Fault`` says.
  func repair(
    _ request: RepairRequest = RepairRequest(), now: Instant,
    lockProblems: (([CapsuleReading], UInt8) -> [LockProblem?])? = nil,
    putBack: @escaping (Capsule, Capsule) throws(Fault) -> Capsule = { $1 },
    judge: @escaping (Capsule, Capsule?) -> RepairRefusal?
  ) throws(Fault) -> [RepairAction] {
    if let adopted = try adoptingHeader(of: request.copies, now: now) {
      return [.rewroteHeader]
        + (try adopted.care.repair(
          request, now: now, lockProblems: lockProblems, putBack: putBack, judge: judge))
    }
    if let restored = try restoringKnownHeader(isAsked: request.restoresKey, now: now) {
      return [.rewroteHeader]
        + (try restored.care.repair(request, now: now, lockProblems: lockProblems, judge: judge))
    }
    for copy in request.copies where copy.header.id != header.id {
      throw .anotherStore(path: copy.layout.root.text)
    }
    let made = try makeOwnDirectories(now: now) + putAsideLogs(now: now)
    try store.requireWritable()
    var store = store
    store.origin = .repair
    var plan = VerificationPlan.whole
    plan.keepsPresent = true
    if let lockProblems { plan.lockProblems = lockProblems }
    let report = try store.care.verify(plan, now: now)
    let roster = store.journal.roster()
    var repair = Repair(
      store: store, accepted: request.accepted, copies: request.copies.map(StoreCopy.init),
      now: now, judge: judge, putBack: putBack, known: roster.known(), purged: roster.purged,
      present: report.present)
    repair.actions = made
    try repair.forget(request.forgotten)
    // The identities come first: the header is held against them.
    for problem in report.problems where problem.kind == .identity {
      try repair.mendOrLeave(problem)
    }
    try repair.putBackFromCopies()
    for problem in report.problems where problem.kind != .identity {
      try repair.mendOrLeave(problem)
    }
    try repair.takeFromCopies()
    try store.whileLocked { () throws(Fault) in store.copies.keep() }
    store.care.remember(left: repair.left)
    return repair.actions
  }
}

/// One run of a repair.
struct Repair {
  let store: Store
  let accepted: Set<RecordID>
  let copies: [StoreCopy]
  let now: Instant
  let judge: (Capsule, Capsule?) -> RepairRefusal?
  let putBack: (Capsule, Capsule) throws(Fault) -> Capsule
  let known: [RecordID: JournalRoster.Known]
  let purged: [RecordID: Int64]
  let present: [RecordID: PresentRecord]
  var actions: [RepairAction] = []
  var forgotten: Set<RecordID> = []
  /// The damaged records that are by now what they are to be: no other version takes their place.
  var settled: Set<RecordID> = []
  /// The problems that are still there.
  var left: [Finding] = []

  var files: any FileSystem { store.files }
  var layout: StoreLayout { store.layout }
  var backup: FilePath { layout.backups.appending(String(now.seconds)) }

  mutating func mendOrLeave(_ problem: Finding) throws(Fault) {
    let count = actions.count
    do {
      try mend(problem)
    } catch {
      // A file that cannot be read, or is none, is noted, and the rest is mended; a disk that cannot be
      // written ends the repair.
      guard error.code == .io, error.isRefusal || error.isOfKind else { throw error }
      actions.append(.cannotMend(problem))
    }
    if actions[count...].contains(where: \.isFailure) { left.append(problem) }
  }

  private mutating func mend(_ problem: Finding) throws(Fault) {
    switch (problem.kind, problem.record, problem.file, problem.detail) {
    case (.header, _, _, _): try mendHeader(problem)
    case (.identity, _, _, .key(let recipient?, _)), (.awaited, _, _, .key(let recipient?, _)):
      try mendIdentity(recipient, problem)
    case (.identity, _, _, _): try mendTrusteesCopy(problem)
    case (.settings, _, _, .damage(let damage)), (.awaited, _, _, .damage(let damage)):
      try mendSettings(damage)
    case (.record, let record?, let path?, .damage(let damage)):
      try mendRecord(record.kind, record.id, path, damage, problem)
    case (.missing, _, _, .named(let record, _)): try restore(record, in: nil, problem)
    case (.awaited, _, _, .named(let record, _)):
      try restore(record, in: present[record.id]?.path, problem)
    case (.outdated, _, let path, .named(let record, _)): try restore(record, in: path, problem)
    case (.interruptedDeletion, let record?, let path?, _):
      try endDeletion(record.kind, record.id, path)
    case (.blob, _, _, .blob(let name, _)): try mendBlob(name, problem)
    // A note: where no copy has it nothing is said.
    case (.versionBlob, _, _, .blob(let name, _)): try takeBlob(name)
    case (.journal, _, let path?, _) where problem.detail == .none || problem.isGone:
      try mendJournal(path)
    case (.syncState, _, let path?, _): try setAsideSyncState(path, problem)
    case (.unreadable, nil, let path?, .refused(ENOTDIR)): try mendDirectory(path, problem)
    case (.unreadable, let record?, let path?, _) where isNoRecord(path):
      try replace(record.kind, record.id, path, problem)
    case (.lock, let record?, _, _) where settled.contains(record.id): break
    default:
      // Of whom the store trusts only its owner knows.
      if problem.isDamage || problem.isDenied || problem.kind == .journal {
        actions.append(.cannotMend(problem))
      }
    }
  }

  private mutating func setAsideSyncState(
    _ path: FilePath, _ problem: Finding
  ) throws(Fault) {
    do {
      try store.intents.setAside(syncFile: path)
      actions.append(.setAsideSyncState(path: path.text))
    } catch {
      // A sync is at work, and puts it aside itself when it is there the next time.
      guard error.code == .storeBusy else { throw error }
      actions.append(.cannotMend(problem))
    }
  }

  /// Notes missing records as purged: nothing misses them any more.
  mutating func forget(_ ids: Set<RecordID>) throws(Fault) {
    let records = ids.sorted().compactMap { known[$0] }
    guard !records.isEmpty else { return }
    try store.whileLocked { () throws(Fault) in
      guard let machine = store.journal.own(creating: true) else { return }
      let frames = records.flatMap {
        let frame = JournalFrame(.purge, .person, $0.kind, $0.id, revision: $0.revision, at: now)
        return [frame, frame]
      }
      try store.journal.append(frames, to: machine, synchronising: true)
      try store.journal.compact(
        machine, Set(frames.map(\.id.shard)).sorted(), now: now, forgetting: [])
    }
    forgotten = ids
    for record in records { actions.append(.forgot(record.kind, record.id)) }
  }

  // MARK: Backups

  func makeBackup() throws(Fault) {
    _ = try store.care.makeBackup(now: now)
  }

  /// Copies a file into the backup, before it is replaced; what is no file is moved there.
  func backUp(_ path: FilePath) throws(Fault) {
    try makeBackup()
    guard try files.status(path).kind == .regular else {
      try files.rename(path, to: try freeCopy(of: path))
      try files.synchronizeDirectory(backup)
      return
    }
    let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    try files.writeTemporary(try freeCopy(of: path), bytes, mode: 0o600)
    try files.synchronizeDirectory(backup)
  }

  /// A name in the backup that nothing has: two repairs within a second have the same folder.
  func freeCopy(of path: FilePath) throws(Fault) -> FilePath {
    try files.freeName(of: path.lastComponent, in: backup)
  }

  /// Replaces a file that is no record's, or makes it, under the lock.
  ///
  /// - Parameter body: returns the bytes; `nil` where the file is to stay as it is.
  func rewrite(
    _ path: FilePath, mode: UInt32, _ body: () throws(Fault) -> [UInt8]?
  ) throws(Fault) {
    let temporary = layout.temporary.appending(try store.environment.temporaryName())
    try store.whileLocked { () throws(Fault) in
      guard let bytes = try body() else { return }
      if try files.statusIfPresent(path) != nil { try backUp(path) }
      try files.replace(path, bytes, mode: mode, by: temporary)
    }
  }

  /// Puts the bytes of a record where they ought to be, under the lock; what is there is kept in the backup.
  ///
  /// - Parameter path: its place among the live ones, or in the trash.
  func rewrite(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath, _ bytes: [UInt8]
  ) throws(Fault) {
    try store.whileLocked { () throws(Fault) in
      let isThere = try files.statusIfPresent(path) != nil
      if isThere { try backUp(path) }
      let isLive = path == layout.record(kind, id)
      var change = Change(
        record: RecordReference(kind, id), before: nil, wasLive: isLive && isThere, bytes: bytes,
        isLive: isLive)
      change.trashed = isLive ? nil : path
      try Commit(store, at: now, by: .repair).run([change])
    }
  }
}

extension StoreCare {
  /// Makes the folder in `backups/` for what is replaced at a time.
  func makeBackup(now: Instant) throws(Fault) -> FilePath {
    let backup = layout.backups.appending(String(now.seconds))
    try files.createDirectories(backup)
    // A link of that name would lead the copy elsewhere.
    for path in [backup, layout.backups] where try files.status(path).kind != .directory {
      throw Fault(.open, path, code: ENOTDIR)
    }
    return backup
  }
}

/// Changes made by hand that are taken for good.
extension Repair {
  /// The capsule that the journal has, for a comparison.
  private func twin(of id: RecordID) throws(Fault) -> Capsule? {
    guard known[id]?.newest != nil,
      let bytes = try store.journal.versions(of: .capsule, id).first?.bytes
    else { return nil }
    return try? RecordFile.decode(bytes, as: Capsule.self, id: id).model
  }

  /// A timelocked capsule that the user vouches for: nothing here can look into its lock.
  private func vouched(_ capsule: Capsule) -> Capsule? {
    capsule.lock.timelock != nil && accepted.contains(capsule.id) ? capsule : nil
  }

  /// Accepts a record as it stands, live or in the trash: from there it may come back.
  mutating func accept<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID, _ path: FilePath
  ) throws(Fault) {
    let kind = Model.kind
    try backUp(path)
    let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    var record = try StoredRecord<Model>(bytes, id: id, path: path)
    if let capsule = record.model as? Capsule,
      let refusal = judge(capsule, try twin(of: id) ?? vouched(capsule))
    {
      actions.append(.refusedRecord(kind, id, refusal))
      return
    }
    // An older one would be taken for outdated, and replaced by what it is to replace.
    record.model.header.revision = max(record.model.header.revision, newestRevision(kind, id))
    let time = record.model.header.updatedAt
    if let trashed = TrashedRecord(kind: kind, path: path) {
      try store.whileLocked { () throws(Fault) in
        let current = try files.readFile(path, limit: RecordFile.sizeLimit)
        guard current == bytes else { throw .changedMeanwhile(kind, id) }
        try store.trash.rewrite(trashed, as: record, now: time)
      }
    } else {
      _ = try store.update(record, now: time)
    }
    settled.insert(id)
    actions.append(.acceptedRecord(kind, id))
  }

  /// The highest revision of a record that a journal names, or that another copy has.
  private func newestRevision(_ kind: RecordKind, _ id: RecordID) -> Int64 {
    let copied = copies.compactMap { $0.newestBytes(kind, id) }.map { RecordFile.revision(of: $0) }
    return max(known[id]?.revision ?? 0, copied.max() ?? 0)
  }
}
