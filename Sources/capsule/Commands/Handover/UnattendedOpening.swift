import CapsuleCore

/// Opens a capsule for a delivery, where that takes no question, no network and no time that has not
/// come. It leaves no trace in the record: to hand a capsule over is not to open it.
struct UnattendedOpening {
  let session: Session
  let store: Store
  /// The identities that were named.
  let identities: [any Identity]

  func open(_ record: StoredRecord<Capsule>) throws -> UnattendedOutcome {
    let capsule = record.model
    let path = store.layout.record(.capsule, capsule.id)
    let beacon: VerifiedTlockBeacon?
    let chain: TlockChain?
    let lock: CapsuleLock
    try store.requireIntact(record)
    lock = try store.lock(of: capsule)
    do throws(FieldError) {
      beacon = try capsule.keptBeacon()
      chain = try capsule.lock.timelock?.recordedChain()
    } catch {
      throw Failure(.damaged(.field(error), path: path.text))
    }
    try capsule.lock.timelock?.requireFit(of: lock, in: path)
    let pass: GatePass
    switch UnlockGate.decide(
      unlock: capsule.unlockAt, now: session.now, provenTime: beacon?.time)
    {
    case .locked(let until, _): return .locked(until: until)
    case .unlocked(let granted, _): pass = granted
    }
    var keys = identities
    if capsule.lock.kind == .honor { keys += store.identities() as [any Identity] }
    if let beacon, let chain { keys.append(TlockIdentity(chains: [chain], beacons: [beacon])) }
    let key: CapsuleKey
    do throws(LockFailure) {
      key = try lock.open(id: capsule.id, with: keys, pass: pass)
    } catch {
      if capsule.lock.kind != .honor, case .file(let failure) = error {
        switch failure {
        case .noMatch, .tooEarly, .unproven: return .closed
        default: break
        }
      }
      throw Failure(error, path: path, capsule: capsule)
    }
    var details: [ContentDetails] = []
    for content in capsule.contents {
      details.append(try store.details(of: content, in: capsule, key: key, pass: pass))
    }
    return .opened(
      OpenedCapsule(
        store: store, record: record, pass: pass, key: key, details: details, newBeacon: nil))
  }
}

extension OpenedCapsule: OpenedContents {
  func write(
    _ content: Content, _ details: ContentDetails, into sink: inout some ByteSink
  ) throws {
    try write(content, details, to: &sink)
  }
}
