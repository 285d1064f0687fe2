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
  fileprivate func check(now: Instant) throws(CapsuleError) {
    func refuse(_ field: String, _ reason: String) -> CapsuleError {
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
}

extension StoreCapsules {
  /// The recipients that an honor lock is sealed to, the store's own, and whether keys of capsules are hybrid where
  /// their locks can be: the setting `postQuantum`.
  private func sealing() throws(CapsuleError) -> (own: [any Recipient], isPostQuantum: Bool) {
    do throws(StoreError) {
      let vouched = try store.trust.sealing()
      let own = try vouched.recipients.map { text throws(StoreError) in
        do throws(KeyFault) { return try AgeRecipient(text, kinds: [.x25519]) } catch {
          throw .headerDamaged(path: layout.header.text)
        }
      }
      return (own, vouched.settings.sealsPostQuantum)
    } catch {
      throw .store(error)
    }
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
  /// - Throws: ``CapsuleError``; nothing is made then.
  package func create(
    _ draft: NewCapsule, limit: Int64, now: Instant, isProven: Bool = true,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(CapsuleError) -> Capsule {
    try draft.check(now: now)
    let id: RecordID
    do throws(RandomSource.Failure) {
      id = try RecordID(random: environment.random)
    } catch {
      throw .store(.random(error))
    }
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
    do throws(StoreError) {
      capsule = try store.insert(capsule, blobs: sealed.blobs)
    } catch {
      throw .store(error)
    }
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
  /// - Throws: ``CapsuleError``: `.alreadyOpened`, `.lock`, and nothing is added whenever it throws.
  package func add(
    _ sources: [ContentSource], to record: StoredRecord<Capsule>, limit: Int64, now: Instant,
    acceptsRecipient: Bool = false, isProven: Bool = true,
    progress: @escaping (Int64, Int64) -> Void = { _, _ in }
  ) throws(CapsuleError) -> Capsule {
    try record.model.requireUnopened()
    try requireIntact(record)
    do throws(StoreError) { try store.trust.requireKnownStore() } catch { throw .store(error) }
    try requireOwnRecipient(of: record.model, isAccepted: acceptsRecipient)
    let recipient: AgeRecipient
    do throws(KeyFault) {
      recipient = try AgeRecipient(record.model.lock.recipient)
    } catch {
      throw .store(.damaged(.field(recipientFault), path: path(of: record.model).text))
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
      do throws(StoreError) {
        return try store.update(changed, now: now, blobs: blobs).model
      } catch {
        guard case .changedMeanwhile = error else { throw .store(error) }
      }
      // The sealed contents go into the record that another process wrote; their blobs are in place.
      blobs = []
      current = try again(record)
    }
  }

  /// Reads a capsule again that another process changed, for contents that are sealed for it.
  private func again(
    _ record: StoredRecord<Capsule>
  ) throws(CapsuleError) -> StoredRecord<Capsule> {
    let current: StoredRecord<Capsule>
    do throws(StoreError) {
      current = try store.readIntact(Capsule.self, record.model.id)
    } catch {
      throw .store(error)
    }
    guard current.model.lock.recipient == record.model.lock.recipient else {
      throw .store(.changedMeanwhile(.capsule, record.model.id))
    }
    try current.model.requireUnopened()
    return current
  }

  /// Refuses a record whose bytes are not those that were written.
  package func requireIntact(_ record: StoredRecord<Capsule>) throws(CapsuleError) {
    if let damage = record.integrity {
      throw .store(.damaged(damage, path: path(of: record.model).text))
    }
  }

  /// Returns the lock of a capsule, to be opened layer by layer.
  package func lock(of capsule: Capsule) throws(CapsuleError) -> CapsuleLock {
    do throws(KeyFault) {
      return CapsuleLock(
        key: capsule.lock.key, recipient: try AgeRecipient(capsule.lock.recipient),
        spare: capsule.lock.usableSpare)
    } catch {
      throw .store(.damaged(.field(recipientFault), path: path(of: capsule).text))
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
  ) throws(CapsuleError) -> Int64 {
    let file: FileDescriptor
    do throws(StoreError) {
      file = try store.blobs.open(name).file
    } catch {
      throw .store(error)
    }
    defer { try? files.close(file) }
    let source = MeasuredSource(
      head: [], rest: FileSource(files, file), limit: .max, progress: progress)
    do throws(AgeFailure) {
      return Int64(try key.openBlob(from: source, to: &sink, pass: pass))
    } catch {
      if case .source(let cause as FileSystemError) = error { throw .store(.io(cause)) }
      throw .seal(error, path: layout.blob(name).text)
    }
  }
}
