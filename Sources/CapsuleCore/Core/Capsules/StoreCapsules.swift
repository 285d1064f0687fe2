/// The parts of a capsule that is to be made.
public struct NewCapsule {
  package var title: String
  package var notes: String
  package var tags: [String]
  package var unlockAt: Instant
  /// The IANA zone that the unlock time was given in.
  package var unlockZone: String
  package var lock: LockRequest
  package var sources: [ContentSource]

  package init(
    title: String, notes: String, tags: [String], unlockAt: Instant, unlockZone: String,
    lock: LockRequest, sources: [ContentSource]
  ) {
    self.title = title
    self.notes = notes
    self.tags = tags
    self.unlockAt = unlockAt
    self.unlockZone = unlockZone
    self.lock = lock
    self.sources = sources
  }

  /// Refuses a capsule whose record could not be read back.
  fileprivate func check(now: Instant) throws(Fault) {
    func refuse(_ field: String, _ reason: String) -> Fault {
      .invalid(FieldError(path: field, problem: .invalid(reason)))
    }
    guard title.utf8.count <= Capsule.titleLimit else {
      throw refuse("title", "over \(Capsule.titleLimit) bytes")
    }
    guard unlockAt.isRepresentable else { throw refuse("unlockAt", "\(unlockAt.seconds)") }
    guard now.isRepresentable else { throw refuse("createdAt", "\(now.seconds)") }
    guard (lock.kind == .timelock) == (lock.timelock != nil) else {
      throw refuse("lock.timelock", lock.kind.rawValue)
    }
  }
}

/// The lock that a new capsule is to have.
public struct LockRequest: Sendable {
  package let kind: LockKind
  /// The recipients who open each layer, the outermost first; none for honor, which is the store's own.
  package let layers: [[any Recipient]]
  package let timelock: Timelock?
  /// The recipients who open each layer of the spare, the outermost first; none without a spare.
  package let spareLayers: [[any Recipient]]
  /// The trustees whose key is among the recipients.
  package let trustees: VouchedTrustees?

  public static let honor = LockRequest(kind: .honor, layers: [])

  package init(
    kind: LockKind, layers: [[any Recipient]], timelock: Timelock? = nil,
    spareLayers: [[any Recipient]] = [], trustees: VouchedTrustees? = nil
  ) {
    self.kind = kind
    self.layers = layers
    self.timelock = timelock
    self.spareLayers = spareLayers
    self.trustees = trustees
  }

  /// Whether the innermost layer withstands quantum computers, so that a hybrid key of the capsule is
  /// not in vain: a passphrase, or recipients that are all post-quantum. A timelock does not.
  package var keepsFromQuantumComputers: Bool {
    let isTimelockAlone = kind == .timelock && layers.count < 2
    guard kind != .honor, !isTimelockAlone, let inner = layers.last else { return false }
    return (inner + (spareLayers.last ?? [])).allSatisfy {
      $0.standsAlone || $0.label == .postQuantum
    }
  }
}

extension Store {
  /// The capsules: sealed, changed, and opened without a question.
  package var capsules: StoreCapsules { StoreCapsules(store: self) }
}

/// The capsules: sealed, changed, and opened without a question.
package struct StoreCapsules: StoreSubject {
  package let store: Store

  /// The recipients that an honor lock is sealed to, the store's own, and whether keys of capsules are hybrid where
  /// their locks can be: the setting `postQuantum`.
  private func sealing() throws(Fault) -> (own: [any Recipient], isPostQuantum: Bool) {
    let vouched = try store.trust.sealing()
    let own = try vouched.recipients.map { text throws(Fault) in
      do { return try AgeRecipient(text, kinds: [.x25519]) } catch {
        throw .headerDamaged(path: layout.header.text)
      }
    }
    return (own, vouched.settings.sealsPostQuantum)
  }
}

extension StoreKeys {
  /// The store's own identities: every file in `identities/`, then the copies in `store.json`; of a protected
  /// store those that its passphrase opened.
  package func all() -> [AgeIdentity] {
    if header.isProtected { return store.protection.openedIdentities() }
    var texts: [[UInt8]] = []
    for entry in (try? files.contents(ofDirectory: layout.identities)) ?? [] {
      let path = layout.identities.appending(bytes: entry.name)
      if let text = try? files.readFile(path, limit: 1 << 16) { texts.append(text) }
    }
    texts += header.identities.map { Array($0.file.utf8) }
    var identities: [AgeIdentity] = []
    for text in texts {
      for identity in (try? IdentityFile(text).identities) ?? []
      where !identities.contains(where: { $0.recipient == identity.recipient }) {
        identities.append(identity)
      }
    }
    return identities
  }
}

extension StoreCapsules {
  /// Seals a new capsule's contents and commits it.
  ///
  /// - Parameters:
  ///   - limit: the size in bytes over which a file is refused.
  ///   - isProven: whether each sealed file is read back and opened.
  ///   - progress: called with the bytes done and in all.
  /// - Throws: ``Fault``; nothing is made then.
  package func create(
    _ draft: NewCapsule, limit: Int64, now: Instant, isProven: Bool = true,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> Capsule {
    try draft.check(now: now)
    let id = try RecordID(random: environment.random)
    let sealing = try sealing()
    let isPostQuantum = draft.lock.keepsFromQuantumComputers && sealing.isPostQuantum
    let layers = draft.lock.kind == .honor ? [sealing.own] : draft.lock.layers
    let lock = try newLock(of: id, for: draft, layers: layers, isPostQuantum: isPostQuantum)
    var contents = ContentSealing(
      store: store, recipient: lock.recipient, now: now, limit: limit, isProven: isProven,
      progress: progress)
    let sealed = try contents.seal(draft.sources)
    var capsule = Capsule(
      header: RecordHeader(id: id, createdAt: now), title: draft.title, notes: draft.notes,
      tags: draft.tags.unique, unlockAt: draft.unlockAt, unlockZone: draft.unlockZone,
      lock: Lock(
        kind: draft.lock.kind, key: lock.key, recipient: lock.recipient.description,
        timelock: draft.lock.timelock, spare: lock.spare),
      contents: sealed.contents)
    capsule = try store.insert(capsule, blobs: sealed.blobs)
    let known = KnownLocks(store)
    known.keep(capsule.lock.recipient, of: id)
    if let spare = lock.spare, let trustees = draft.lock.spareLayers.last?.first as? AgeRecipient {
      known.keep(spare: spare, for: trustees.description, of: id)
    }
    return capsule
  }

  /// Puts more into a capsule that has not been opened; it is not opened for it.
  ///
  /// - Parameter acceptsRecipient: whether the user vouches for the recipient in the record where this
  ///   machine knows another one.
  /// - Throws: ``Fault``: `.alreadyOpened`, `.lockDisagrees`, and nothing is added whenever it throws.
  package func add(
    _ sources: [ContentSource], to record: StoredRecord<Capsule>, limit: Int64, now: Instant,
    acceptsRecipient: Bool = false, isProven: Bool = true,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> Capsule {
    try record.model.requireUnopened()
    try requireIntact(record)
    try store.trust.requireKnownStore()
    try requireOwnRecipient(of: record.model, isAccepted: acceptsRecipient)
    let recipient: AgeRecipient
    do {
      recipient = try AgeRecipient(record.model.lock.recipient)
    } catch {
      throw .damaged(.field(recipientFault), path: path(of: record.model).text)
    }
    var sealing = ContentSealing(
      store: store, recipient: recipient, now: now, limit: limit, isProven: isProven,
      progress: progress)
    let sealed = try sealing.seal(sources)
    var current = record
    var blobs = sealed.blobs
    while true {
      var changed = current
      changed.model.contents += sealed.contents
      do {
        return try store.update(changed, now: now, blobs: blobs).model
      } catch {
        guard error.code == .changedMeanwhile else { throw error }
      }
      // The sealed contents go into the record that another process wrote; their blobs are in place.
      blobs = []
      current = try again(record)
    }
  }

  /// Reads a capsule again that another process changed, for contents that are sealed for it.
  private func again(
    _ record: StoredRecord<Capsule>
  ) throws(Fault) -> StoredRecord<Capsule> {
    let current = try store.readIntact(Capsule.self, record.model.id)
    guard current.model.lock.recipient == record.model.lock.recipient else {
      throw .changedMeanwhile(.capsule, record.model.id)
    }
    try current.model.requireUnopened()
    return current
  }

  /// Refuses a record whose bytes are not those that were written.
  package func requireIntact(_ record: StoredRecord<Capsule>) throws(Fault) {
    if let damage = record.integrity {
      throw .damaged(damage, path: path(of: record.model).text)
    }
  }

  /// Returns the lock of a capsule, to be opened layer by layer.
  package func lock(of capsule: Capsule) throws(Fault) -> CapsuleLock {
    do {
      return CapsuleLock(
        key: capsule.lock.key, recipient: try AgeRecipient(capsule.lock.recipient),
        spare: capsule.lock.usableSpare)
    } catch {
      throw .damaged(.field(recipientFault), path: path(of: capsule).text)
    }
  }

  private var recipientFault: FieldError {
    FieldError(path: "lock.recipient", problem: .invalid("not a recipient"))
  }

  private func path(of capsule: Capsule) -> FilePath {
    layout.record(.capsule, capsule.id)
  }

  /// Opens a file content's bytes into a sink; on damage, the bytes that precede it were written.
  ///
  /// - Returns: the number of bytes.
  func openBlob(
    _ name: BlobName, key: CapsuleKey, pass: GatePass, to sink: inout some ByteSink,
    progress: @escaping (Int64) -> Void
  ) throws(Fault) -> Int64 {
    let file = try store.blobs.open(name).file
    defer { try? files.close(file) }
    let source = MeasuredSource(
      head: [], rest: FileSource(files, file), progress: progress)
    do {
      return Int64(try key.openBlob(from: source, to: &sink, pass: pass))
    } catch {
      if case .source(let cause as Fault) = error { throw cause }
      throw .seal(error, path: layout.blob(name).text)
    }
  }
}

/// The changes that a person asks of a capsule; parts that are not named stay.
package struct CapsuleChange: Sendable {
  package var title: String?
  package var notes: String?
  package var addedTags: [String] = []
  package var removedTags: [String] = []
  /// A later unlock time, and the IANA zone that it was given in.
  package var unlock: (at: Instant, zone: String)?
  /// Whether a later unlock time may lock a capsule that was opened.
  package var locksAgain = false
  /// A sealed copy of the key for trustees, ``CapsuleOpening/spare(to:with:beacons:)``.
  package var spare: TrusteeSpare?
  /// Whether the copy for trustees goes, and older versions in this device's journal with it.
  package var dropsSpare = false

  package init() {}

  /// Sees to it that the change may be made to a capsule.
  ///
  /// - Throws: `.changeNotAllowed`: for an earlier unlock time, and for a later one of a capsule that was opened,
  ///   unless ``locksAgain``.
  package func requireAllowed(on capsule: Capsule) throws(Fault) {
    var changed = capsule
    apply(to: &changed)
    try changed.requireAllowed(after: capsule, locksAgain: locksAgain)
  }

  fileprivate func apply(to capsule: inout Capsule) {
    if let title { capsule.title = title }
    if let notes { capsule.notes = notes }
    let removed = removedTags.map { NameKey($0) }
    capsule.tags = (capsule.tags + addedTags).unique.filter { !removed.contains(NameKey($0)) }
    if dropsSpare { capsule.lock.take(spare: nil) }
    if let spare { capsule.lock.take(spare: spare.key) }
    if let unlock { (capsule.unlockAt, capsule.unlockZone) = (unlock.at, unlock.zone) }
  }
}

extension StoreCapsules {
  /// Changes a capsule that was read before. Where another process changed it meanwhile, the change is
  /// made to what that one wrote.
  ///
  /// - Returns: the capsule as it is then; of the same revision where there was nothing to change.
  package func change(
    _ record: StoredRecord<Capsule>, _ change: CapsuleChange, now: Instant
  ) throws(Fault) -> Capsule {
    try requireIntact(record)
    var current = record
    defer {
      if let spare = change.spare {
        KnownLocks(store).keep(spare: spare.key, for: spare.recipient, of: record.model.id)
      }
    }
    while true {
      do {
        var changed = current
        change.apply(to: &changed.model)
        if changed.model == current.model { return current.model }
        return try store.update(
          changed, now: now, forgetsOlder: change.dropsSpare, locksAgain: change.locksAgain
        ).model
      } catch {
        guard error.code == .changedMeanwhile else { throw error }
      }
      current = try store.readIntact(Capsule.self, record.model.id)
    }
  }
}

/// The outcome for a capsule that is opened without a question.
package enum UnattendedOutcome: Sendable {
  case opened(OpenedCapsule)
  /// The gate is closed.
  case locked(until: Instant)
  /// The lock asks for a key or a beacon that is not there.
  case closed
}

extension StoreCapsules {
  /// Opens a capsule for a delivery, where that takes no question, no network and no time that has not
  /// come. It leaves no trace in the record: to hand a capsule over is not to open it.
  ///
  /// - Throws: ``Fault`` for damage; also of a capsule that stays closed, which is handed on as
  ///   it is sealed.
  package func openUnattended(
    _ record: StoredRecord<Capsule>, with keys: Keys, now: Instant
  ) throws(Fault) -> UnattendedOutcome {
    var opening = try CapsuleOpening(record, in: store, trusting: keys.chains)
    try opening.requireFit()
    do {
      return .opened(try opening.open(with: keys, beacons: keys, now: now))
    } catch {
      let isHonor = record.model.lock.kind == .honor
      switch error.opening {
      case .locked(let until, _), .unknownChain(_, let until): return .locked(until: until)
      case .noKey where !isHonor, .unrecordedTimelock where !isHonor: return .closed
      case .lock(.tooEarly) where !isHonor, .lock(.unproven) where !isHonor,
        .lock(.tooMuchWork) where !isHonor:
        return .closed
      default: throw error
      }
    }
  }
}

/// The beacon that the record of a timelocked capsule does not keep yet.
package struct MissingBeacon: Sendable {
  package let record: StoredRecord<Capsule>
  package let chain: TlockChain
  package let round: UInt64
}

extension StoreCapsules {
  /// Returns the timelocked capsules whose unlock time and round have come by a time.
  ///
  /// - Parameter now: the real time, for the index.
  package func timelocked(dueBy time: Instant, now: Instant) -> [RecordID] {
    var index = store.index.open(.capsule, now: now)
    return index.entries(dueAfter: .min, through: time.seconds).compactMap { entry in
      let summary = Brief<Capsule>(entry)
      return summary?.record.lock.kind == .timelock ? entry.id : nil
    }
  }

  /// Returns the beacon that a capsule's record lacks; `nil` where it lacks none.
  package func missingBeacon(
    of record: StoredRecord<Capsule>
  ) throws(Fault) -> MissingBeacon? {
    // A beacon that is kept is verified when it is used.
    if record.integrity == nil, record.model.lock.timelock?.beacon != nil { return nil }
    let opening = try CapsuleOpening(record, in: store)
    guard let timelock = record.model.lock.timelock, let chain = opening.chain else { return nil }
    try opening.requireFit()
    return MissingBeacon(record: record, chain: chain, round: timelock.roundNumber)
  }

  /// Keeps a verified beacon in the record that lacked it: from then on the network is needed no more.
  package func keep(
    _ beacon: VerifiedTlockBeacon, for missing: MissingBeacon, now: Instant
  ) throws(Fault) {
    var changed = missing.record
    changed.model.lock.timelock?.keep(beacon)
    _ = try store.update(changed, now: now)
  }
}

/// The lock and the contents of a capsule, put back from what it was.
extension StoreJournal {
  /// Writes what an earlier version says as a new edit. A capsule gets back the lock and the contents of that
  /// version where those of today do not fit or are fewer.
  package func restore<Model: RecordModel>(
    _ version: RecordVersion, of record: StoredRecord<Model>, now: Instant
  ) throws(Fault) -> StoredRecord<Model> {
    try restore(version, of: record, now: now) { earlier, today throws(Fault) in
      guard let earlier = earlier as? Capsule, let capsule = today as? Capsule else { return today }
      return try store.capsules.puttingBack(earlier, into: capsule) as? Model ?? today
    }
  }
}

extension StoreCapsules {
  /// Returns a capsule with what another version of it has: the lock where that of today is wrong, the contents
  /// that are missing, the later unlock time, and the earlier opening. The same one comes back where nothing
  /// is amiss.
  ///
  /// A lock is made once. So of several the one of the oldest version is right, of those that nothing disagrees with.
  func puttingBack(_ earlier: Capsule, into today: Capsule) throws(Fault) -> Capsule {
    var result = today
    result.unlockAt = max(today.unlockAt, earlier.unlockAt)
    result.openedAt = [today.openedAt, earlier.openedAt].compactMap { $0 }.min()
    let hasAll = Set(today.contents).isSuperset(of: earlier.contents)
    if hasAll, today.lock == earlier.lock { return result }
    let identities = store.keys.all() as [any Identity]
    let known = KnownLocks(store).all(shard: today.id.shard)
    func isWrong(_ capsule: Capsule) -> Bool {
      if known.knows(capsule.lock.recipient, of: today.id) == false { return true }
      switch lockProblem(of: capsule, with: identities) {
      // The lock is right, and the record is not.
      case nil, .unlockEarlier: return false
      default: return true
      }
    }
    var versions = [today, earlier]
    for version in try store.journal.versions(of: .capsule, today.id) {
      let path = layout.record(.capsule, today.id)
      if let model = try? StoredRecord<Capsule>(version.bytes, id: today.id, path: path).model {
        versions.append(model)
      }
    }
    let right = versions.filter { !isWrong($0) }.min { $0.revision < $1.revision }
    guard let right, right.lock.isSame(as: earlier.lock), !isWrong(earlier) else { return result }
    if !today.lock.isSame(as: right.lock) || isWrong(today) { result.lock = earlier.lock }
    if today.lock.recipient == earlier.lock.recipient {
      let ids = Set(earlier.contents.map(\.id))
      if !hasAll {
        result.contents = earlier.contents + today.contents.filter { !ids.contains($0.id) }
      }
    } else {
      // What was sealed to another recipient opens with no key of this lock.
      result.contents = earlier.contents
    }
    if case .unlockEarlier(let sealed) = lockProblem(of: result, with: identities) {
      result.unlockAt = sealed
    }
    return result
  }
}

extension Lock {
  /// Whether it is the same lock, whatever each machine has of its own in it: the sealed key of an honor lock, the
  /// beacon of a timelock, and a spare.
  fileprivate func isSame(as other: Lock) -> Bool { bare == other.bare }

  private var bare: Lock {
    var lock = self
    if lock.kind == .honor { lock.take(keySealedAnew: "") }
    lock.timelock?.beacon = nil
    lock.take(spare: "")
    return lock
  }
}
