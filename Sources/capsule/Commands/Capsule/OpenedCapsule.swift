import CapsuleCore

/// A capsule whose gate and lock let it through, with what its contents' seals hid.
struct OpenedCapsule {
  let store: Store
  let record: StoredRecord<Capsule>
  let pass: GatePass
  let key: CapsuleKey
  let details: [ContentDetails]
  /// The verified beacon that opened it and is not in its record yet, in hexadecimal digits.
  let newBeacon: String?

  var capsule: Capsule { record.model }

  /// The number by which a person names a content, from 1.
  func number(of content: Content) -> Int {
    (capsule.contents.firstIndex { $0.id == content.id } ?? 0) + 1
  }
}

/// Opens capsules: the gate first, then the lock, then the seals of the contents.
struct CapsuleOpening {
  let session: Session
  let invocation: Invocation

  /// How often a passphrase may be mistyped.
  private static let tries = 3

  func open(
    _ record: StoredRecord<Capsule>, in store: Store, now: Instant
  ) throws -> OpenedCapsule {
    let capsule = record.model
    try store.requireIntact(record)
    var timelock = try TimelockOpening(
      capsule, session: session, invocation: invocation, waits: invocation[OpenCommand.wait])
    let pass: GatePass
    // A beacon of the recorded chain proves that its round's time has come, whatever the clock says.
    switch UnlockGate.decide(
      unlock: capsule.unlockAt, now: now, provenTime: timelock?.provenTime)
    {
    case .unlocked(let granted, _): pass = granted
    case .locked(let until, let remaining):
      throw Failure.locked(capsule, until: until, remaining: remaining, session)
    }
    let key = try unlock(capsule, in: store, pass, &timelock)
    var details: [ContentDetails] = []
    for content in capsule.contents {
      details.append(try store.details(of: content, in: capsule, key: key, pass: pass))
    }
    return OpenedCapsule(
      store: store, record: record, pass: pass, key: key, details: details,
      newBeacon: timelock?.newBeacon)
  }

  private func unlock(
    _ capsule: Capsule, in store: Store, _ pass: GatePass, _ timelock: inout TimelockOpening?
  ) throws -> CapsuleKey {
    let path = store.layout.record(.capsule, capsule.id)
    let lock = try store.lock(of: capsule)
    var identities: [any Identity] = try KeyOptions.identities(invocation, session)
    if capsule.lock.kind == .honor { identities += store.identities() as [any Identity] }
    try capsule.lock.timelock?.requireFit(of: lock, in: path)
    do throws(LockFailure) {
      var layer = try lock.outerLayer()
      while true {
        let isTimelocked = layer.header.stanzas.contains { $0.kind == TlockStanza.kind }
        switch isTimelocked
          ? try open(layer, identities, beyond: &timelock) : try open(layer, identities, capsule)
        {
        case .layer(let inner): layer = inner
        case .key(let sealed):
          do throws(LockFault) {
            return try sealed.use(id: capsule.id, recipient: lock.recipient, pass: pass)
          } catch {
            throw .damaged(error)
          }
        }
      }
    } catch {
      throw Failure(error, path: path, capsule: capsule)
    }
  }

  /// Opens a timelocked layer: by an escrow's identity where one was given, else by the beacon.
  private func open(
    _ layer: LockLayer, _ identities: [any Identity], beyond timelock: inout TimelockOpening?
  ) throws(LockFailure) -> LockLayer.Content {
    if !identities.isEmpty {
      do throws(LockFailure) {
        return try layer.open(with: identities)
      } catch {
        guard case .file(.noMatch) = error else { throw error }
      }
    }
    let identity: TlockIdentity
    do { identity = try timelock.identity() } catch { throw .file(.source(error)) }
    return try layer.open(with: [identity])
  }

  /// Opens one layer; a passphrase is asked for when it is reached, and again when it is wrong.
  private func open(
    _ layer: LockLayer, _ identities: [any Identity], _ capsule: Capsule
  ) throws(LockFailure) -> LockLayer.Content {
    guard layer.header.stanzas.contains(where: { $0.kind == "scrypt" }) else {
      return try layer.open(with: identities)
    }
    let given: Passphrase?
    do {
      given = try PassphraseOptions.given(invocation, session)
    } catch {
      throw .file(.source(error))
    }
    if let given { return try layer.open(with: [ScryptIdentity(given)]) }
    for attempt in 1... {
      let passphrase: Passphrase
      do {
        passphrase = try PassphraseOptions.asked("Passphrase of '\(capsule.title)': ", session)
      } catch {
        throw .file(.source(error))
      }
      do throws(LockFailure) {
        return try layer.open(with: [ScryptIdentity(passphrase)])
      } catch {
        guard case .file(.noMatch) = error, attempt < Self.tries else { throw error }
        session.console.warning("the passphrase is wrong; try again")
      }
    }
    throw .file(.noMatch)
  }
}

extension Failure {
  /// The gate is closed.
  static func locked(
    _ capsule: Capsule, until: Instant, remaining: Int64, _ session: Session
  ) -> Failure {
    var details: JSONObject = [
      "id": .string(capsule.id.description), "secondsRemaining": .integer(remaining),
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(until, as: "unlockAt", to: &details)
    return Failure(
      .locked,
      "'\(capsule.title)' is locked until \(session.dateTime(until)), \(session.relative(until))",
      hint: "'--wait' waits for it", details: details)
  }

  /// A lock that did not open.
  init(_ error: LockFailure, path: FilePath, capsule: Capsule) {
    let details: JSONObject = ["path": .string(path.text), "id": .string(capsule.id.description)]
    switch error {
    case .file(.noMatch):
      switch capsule.lock.kind {
      case .passphrase:
        self.init(.key, "the passphrase is wrong", hint: nil, details: details)
      case .recipients, .timelock:
        self.init(
          .key, "no identity fits the lock of '\(capsule.title)'",
          hint: "give the one that it was sealed to: '--identity FILE'", details: details)
      case .honor:
        self.init(
          .key, "the store's identity that '\(capsule.title)' was sealed to is missing",
          hint: "restore 'identities/' from a backup, or 'capsule repair'", details: details)
      }
    case .file(let failure): self.init(failure, subject: "the lock in '\(path.text)'")
    case .damaged(.unlockEarlier(let sealed)):
      self.init(
        .damaged,
        "the record says an unlock time earlier than the one inside the seal, \(sealed.rfc3339)",
        hint: "restore '\(path.text)' from a backup, or 'capsule edit' moves the time later",
        details: details)
    case .damaged(.otherCapsule(let id)):
      self.init(
        .damaged, "the lock in '\(path.text)' is that of another capsule, \(id)",
        hint: "restore the record from a backup", details: details)
    case .damaged(.otherRecipient), .damaged(.notKeyFile), .damaged(.layers):
      self.init(
        .damaged, "the lock in '\(path.text)' does not belong to the record",
        hint: "restore the record from a backup", details: details)
    }
  }
}
