/// The reason why a capsule did not open, where its record and contents are what was written.
package enum OpeningProblem: Sendable {
  /// The gate is closed until then, or until a timelock's round is signed; `remaining` seconds are left, at
  /// least 1.
  case locked(until: Instant, remaining: Int64)
  /// The gate is closed by the clock, and the beacon that says otherwise is of a chain with this hash, which
  /// this device does not know: it proves nothing.
  case unknownChain(hash: String, until: Instant)
  /// A field of the record's timelock is wrong, or its beacon is not the signature of its round.
  case timelock(FieldError)
  /// The lock is sealed to another round or chain than its record says.
  case otherRound
  /// The lock is timelocked, and its record does not say to what.
  case unrecordedTimelock
  /// No key fits of those that were given.
  case noKey(WrongKey)
  /// A layer of the lock could not be opened for another reason: it is damaged, or its beacon is
  /// missing.
  case lock(AgeFailure)
  /// The lock opened, and does not belong to the record.
  case lockFault(LockFault)
}

extension Fault {
  /// A capsule that did not open, of many: who opens one by its title says more.
  package static func opening(_ problem: OpeningProblem) -> Fault {
    switch problem {
    case .locked(let until, _), .unknownChain(_, let until):
      Fault(
        .locked, "a capsule is locked until \(until)",
        details: ["unlockAt": .string(until.rfc3339)], cause: problem)
    case .noKey:
      Fault(
        .key, "a capsule is sealed to a key that is missing here",
        hint: "restore 'identities/' from a backup; find the capsule: capsule verify",
        cause: problem)
    case .lock(let error): seal(error, subject: "the lock of a capsule", cause: problem)
    case .timelock, .otherRound, .unrecordedTimelock, .lockFault:
      Fault(
        .damaged, "a capsule does not match its lock", hint: "find the capsule: capsule verify",
        cause: problem)
    }
  }

  package static func opening(_ failure: LockFailure) -> Fault {
    switch failure {
    case .file(.noMatch): opening(.noKey(.identity))
    case .file(let error): opening(.lock(error))
    case .damaged(let fault): opening(.lockFault(fault))
    }
  }

  /// Why a capsule did not open; `nil` for another fault.
  package var opening: OpeningProblem? { cause as? OpeningProblem }
}

/// The kind of the keys of which none opened a lock.
package enum WrongKey: Hashable, Sendable {
  /// The passphrase, or there was none.
  case passphrase
  /// The shares of trustees.
  case shares
  /// The identities that were given, and the store's own.
  case identity
}

/// The one way in which a capsule opens, from top to bottom:
///
/// 1. ``init(_:in:trusting:after:)``: its record is what was written, and a beacon that it keeps is verified;
/// 2. ``open(with:beacons:now:)``: the gate lets it through, by the clock or by a beacon's time;
/// 3. ``openLock(_:pass:)``: the lock belongs to the record, and opens layer by layer;
/// 4. ``OpenedCapsule``: the key has opened the details of each content, and streams their bytes.
///
/// Nothing is written until ``OpenedCapsule/keepOpening(now:)``.
package struct CapsuleOpening {
  package let record: StoredRecord<Capsule>
  private let store: Store
  /// The chain of the record's timelock; `nil` without one.
  let chain: TlockChain?
  /// The chains whose beacons prove the time; `nil` without a timelock.
  private let known: KnownChains?
  /// The verified beacon of the timelock's round, as soon as it is known.
  private var beacon: VerifiedTlockBeacon?

  private var capsule: Capsule { record.model }

  /// Begins with a record: its bytes, its timelock's chain and a beacon that it keeps.
  ///
  /// - Parameters:
  ///   - chains: the chains that the user vouches for, besides those that this device knows.
  ///   - earlier: an opening of the same capsule that was not finished; a beacon that it has verified is not
  ///     verified again.
  package init(
    _ record: StoredRecord<Capsule>, in store: Store, trusting chains: [TlockChain] = [],
    after earlier: CapsuleOpening? = nil
  ) throws(Fault) {
    try store.capsules.requireIntact(record)
    self.record = record
    self.store = store
    let timelock = record.model.lock.timelock
    if let earlier, earlier.capsule.lock.timelock == timelock {
      (chain, known, beacon) = (earlier.chain, earlier.known, earlier.beacon)
      return
    }
    guard let timelock else {
      (chain, known) = (nil, nil)
      return
    }
    let trusted = KnownChains(store.environment, named: chains)
    known = trusted
    do {
      let recorded = try trusted.chain(of: timelock)
      chain = recorded
      beacon = try timelock.keptBeacon(of: recorded)
    } catch {
      throw .opening(.timelock(error))
    }
  }

  /// The time that is proven to have come, whatever the clock says: that of a beacon of the chain in
  /// the record, where the chain is known here.
  package var provenTime: ProvenTime? { beacon.flatMap { known?.time(provenBy: $0) } }

  /// Compares the record with the lock's header before the gate is asked, for whoever hands on what is
  /// sealed. A lock that cannot be read says so when it is opened.
  package func requireFit() throws(Fault) {
    let lock = try store.capsules.lock(of: capsule)
    if let layer = try? lock.outerLayer() { try requireFit(of: layer) }
  }

  /// Opens the capsule: the gate first, then the lock, then the details of the contents.
  ///
  /// - Parameters:
  ///   - keys: asked when the gate is open; the store's own identities are added for an honor lock.
  ///   - beacons: asked for a timelock whose beacon is not in the record.
  package mutating func open(
    with keys: some KeySource, beacons: some BeaconSource, now: Instant
  ) throws(Fault) -> OpenedCapsule {
    try learnBeacon { chain, round in try beacons.given(chain: chain, round: round) }
    let pass: GatePass
    switch UnlockGate.decide(unlock: capsule.unlockAt, now: now, provenTime: provenTime) {
    case .unlocked(let granted, _): pass = granted
    case .locked(let until, let remaining):
      if provenTime == nil, let beacon, let time = beacon.time, time >= capsule.unlockAt {
        // A record that does not fit its lock is damaged, whatever the chain.
        try requireFit()
        throw .opening(.unknownChain(hash: Hex.encode(beacon.chain.hash), until: until))
      }
      // A round that is signed later than the unlock time opens it no earlier.
      let due = max(until, capsule.dueAt.clamped)
      throw .opening(
        .locked(until: due, remaining: remaining.addingClamped(due.seconds(since: until))))
    }
    let key = try openLock(keys, beacons, pass)
    return try OpenedCapsule(
      record, in: store, key: key, pass: pass,
      newBeacon: capsule.lock.timelock?.beacon == nil ? beacon : nil)
  }

  /// Asks for the beacon where it is not known yet; only one of the record's chain and round counts.
  private mutating func learnBeacon(
    from source: (TlockChain, UInt64) throws -> VerifiedTlockBeacon?
  ) throws(Fault) {
    guard beacon == nil, let chain, let round = capsule.lock.timelock?.roundNumber else { return }
    do {
      let found = try source(chain, round)
      if found?.chain == chain, found?.round == round { beacon = found }
    } catch {
      throw .stream(error)
    }
  }

  /// Opens the lock, and compares what it holds with the record.
  private mutating func openLock(
    _ keys: some KeySource, _ beacons: some BeaconSource, _ pass: GatePass
  ) throws(Fault) -> CapsuleKey {
    let (sealed, recipient) = try sealedKey(keys, beacons)
    do {
      return try sealed.use(
        id: capsule.id, form: LockForm(capsule.lock), recipient: recipient, pass: pass)
    } catch {
      throw .opening(error)
    }
  }

  /// Makes a spare of the lock: opens the lock, and seals its key file once more, as it is, to trustees in
  /// the place of the passphrase or of the store's identity. With a timelock it has the same outside.
  ///
  /// The key is neither used nor handed out: the gate stays shut, whatever the time.
  ///
  /// - Throws: ``Fault`` as an opening does, but for `.locked`; `.noRecoveryCopy` for a lock that can have none.
  package mutating func spare(
    to trustees: VouchedTrustees, with keys: some KeySource, beacons: some BeaconSource
  ) throws(Fault) -> TrusteeSpare {
    let trustees = trustees.recipient
    if let refusal = capsule.lock.refusalOfSpare(to: trustees) { throw .noSpare(refusal) }
    try learnBeacon { chain, round in try beacons.given(chain: chain, round: round) }
    let (sealed, recipient) = try sealedKey(keys, beacons)
    do {
      try sealed.requireFit(.init(of: capsule), recipient: recipient)
    } catch {
      throw .opening(error)
    }
    var layers: [[any Recipient]] = [[trustees]]
    if let chain, let timelock = capsule.lock.timelock {
      var outer: [any Recipient] = [TlockRecipient(chain: chain, round: timelock.roundNumber)]
      for text in timelock.escrow {
        do { outer.append(try AgeRecipient(text)) } catch {
          let path = "lock.timelock.escrow"
          throw .opening(
            .timelock(FieldError(path: path, problem: .invalid("not a recipient"))))
        }
      }
      layers.insert(outer, at: 0)
    }
    do {
      let key = try sealed.sealedAgain(to: layers, random: store.environment.random)
      return TrusteeSpare(key: key, recipient: trustees.description)
    } catch {
      throw .opening(.lock(error))
    }
  }

  /// Opens an honor lock with the store's identities, up to its key: for an estate, which takes such
  /// keys whatever the time.
  ///
  /// - Throws: ``Fault``; `.key` for any other lock.
  mutating func honorKey() throws(Fault) -> SealedKey {
    guard capsule.lock.kind == .honor else { throw .opening(.noKey(.identity)) }
    let (sealed, recipient) = try sealedKey(Keys.none, Keys.none)
    do {
      try sealed.requireFit(.init(of: capsule), recipient: recipient)
    } catch {
      throw .opening(error)
    }
    return sealed
  }

  /// Opens the lock, the outermost layer first, up to the key, which only the gate lets anybody use.
  private mutating func sealedKey(
    _ keys: some KeySource, _ beacons: some BeaconSource
  ) throws(Fault) -> (key: SealedKey, recipient: AgeRecipient) {
    var lock = try store.capsules.lock(of: capsule)
    if keys.areOfTrustees, let spare = lock.spareLock { lock = spare }
    var identities: [any Identity]
    do { identities = try keys.identities() } catch { throw .stream(error) }
    var layer = try opening { () throws(LockFailure) in try lock.outerLayer() }
    if capsule.lock.kind == .honor {
      // The passphrase of a protected store is asked for where nothing that was given opens the lock.
      if store.protection.isClosed, !keys.areOfTrustees,
        identities.isEmpty || (try? layer.open(with: identities)) == nil
      {
        do { identities += try keys.opened(store).keys.all() as [any Identity] } catch {
          throw .stream(error)
        }
      } else {
        identities += store.keys.all() as [any Identity]
      }
    }
    try requireFit(of: layer)
    while true {
      switch try openLayer(layer, identities, keys, beacons) {
      case .layer(let inner): layer = inner
      case .key(let sealed): return (sealed, lock.recipient)
      }
    }
  }

  /// A record that names another round or chain than its lock is damaged, and moves no gate.
  private func requireFit(of layer: LockLayer) throws(Fault) {
    if let timelock = capsule.lock.timelock, !layer.fits(timelock) { throw .opening(.otherRound) }
  }

  /// Opens one layer, by what it asks for.
  private mutating func openLayer(
    _ layer: LockLayer, _ identities: [any Identity], _ keys: some KeySource,
    _ beacons: some BeaconSource
  ) throws(Fault) -> LockLayer.Content {
    if layer.isTimelocked { return try openTimelocked(layer, identities, beacons) }
    if layer.needsPassphrase { return try openWithPassphrase(layer, keys) }
    do { return try layer.open(with: identities) } catch {
      if keys.areOfTrustees, case .file(.noMatch) = error { throw .opening(.noKey(.shares)) }
      throw .opening(error)
    }
  }

  /// Opens a timelocked layer: by an escrow's identity where one was given, else by the beacon.
  private mutating func openTimelocked(
    _ layer: LockLayer, _ identities: [any Identity], _ beacons: some BeaconSource
  ) throws(Fault) -> LockLayer.Content {
    do {
      if !identities.isEmpty { return try layer.open(with: identities) }
    } catch {
      guard case .file(.noMatch) = error else { throw .opening(error) }
    }
    guard let chain else { throw .opening(.unrecordedTimelock) }
    try learnBeacon { chain, round in try beacons.fetched(chain: chain, round: round) }
    let identity = TlockIdentity(chains: [chain], beacons: beacon.map { [$0] } ?? [])
    return try opening { () throws(LockFailure) in try layer.open(with: [identity]) }
  }

  /// Opens a layer that is sealed with a passphrase, as often as there is another one to try.
  private func openWithPassphrase(
    _ layer: LockLayer, _ keys: some KeySource
  ) throws(Fault) -> LockLayer.Content {
    let limit = keys.maximumWorkFactor
    do { try layer.header.requireWork(upTo: limit) } catch {
      throw .opening(.lock(error))
    }
    var attempt = 1
    while true {
      let passphrase: Passphrase?
      do { passphrase = try keys.passphrase(attempt: attempt) } catch { throw .stream(error) }
      guard let passphrase else { throw .opening(.noKey(.passphrase)) }
      do {
        return try layer.open(with: [ScryptIdentity(passphrase, upTo: limit)])
      } catch {
        guard case .file(.noMatch) = error else { throw .opening(error) }
      }
      attempt += 1
    }
  }
}

/// Runs a step of an opening that fails as a lock does.
private func opening<Value>(
  _ step: () throws(LockFailure) -> Value
) throws(Fault) -> Value {
  do { return try step() } catch { throw .opening(error) }
}
