import CapsuleCore

/// The timelock of a capsule that is being opened: its chain, and the beacon as far as it is known.
struct TimelockOpening {
  private let search: BeaconSearch
  private let timelock: Timelock
  private let chain: TlockChain
  private var beacon: VerifiedTlockBeacon?
  private let isKept: Bool

  /// Looks at the beacon in the record and at the one given; `nil` for a capsule without a timelock.
  init?(
    _ capsule: Capsule, session: Session, invocation: Invocation, waits: Bool
  ) throws {
    guard let timelock = capsule.lock.timelock else { return nil }
    self.timelock = timelock
    search = BeaconSearch(session: session, invocation: invocation, waits: waits)
    let kept: VerifiedTlockBeacon?
    do throws(FieldError) {
      chain = try timelock.recordedChain()
      kept = try capsule.keptBeacon()
    } catch {
      throw Failure(
        .damaged, "the record of '\(capsule.title)' has a wrong field: \(error.words)",
        hint: "restore the record from a backup")
    }
    isKept = kept != nil
    if let kept {
      beacon = kept
    } else {
      beacon = try search.given(chain: chain, round: timelock.roundNumber)
    }
  }

  /// The time that is proven to have come: only by a beacon of the chain in the record.
  var provenTime: Instant? { beacon?.time }

  /// The beacon to be kept in the record, when it was not there.
  var newBeacon: String? {
    isKept ? nil : beacon.map { Hex.encode($0.signature) }
  }

  /// What opens the timelock: asks the relays where the beacon is not known yet.
  mutating func identity() throws -> TlockIdentity {
    let beacon: VerifiedTlockBeacon
    if let known = self.beacon {
      beacon = known
    } else {
      beacon = try search.fetched(chain: chain, round: timelock.roundNumber)
      self.beacon = beacon
    }
    return TlockIdentity(chains: [chain], beacons: [beacon])
  }
}

extension Timelock {
  /// Holds the record's word against the lock's own header: a record that names another round or
  /// chain than its lock is damaged, and moves no gate.
  func requireFit(of lock: CapsuleLock, in path: FilePath) throws {
    let layer: LockLayer
    do throws(LockFailure) { layer = try lock.outerLayer() } catch {
      // The header is told as damaged where the lock is opened.
      return
    }
    let fits = layer.header.stanzas.contains { stanza in
      guard let sealed = try? TlockStanza(stanza) else { return false }
      return sealed.round == roundNumber && sealed.chainHash == chain
    }
    guard fits else {
      throw Failure(
        .damaged,
        "the lock in '\(path.text)' is sealed to another round or chain than its record says",
        hint: "restore the record from a backup", details: ["path": .string(path.text)])
    }
  }
}

extension TimelockOpening? {
  /// What opens the timelock; a lock that is timelocked though its record says nothing of it is
  /// damaged.
  fileprivate func missing() -> Failure {
    Failure(
      .damaged, "the lock is timelocked, and its record does not say to what",
      hint: "restore the record from a backup")
  }

  mutating func identity() throws -> TlockIdentity {
    guard var opening = self else { throw missing() }
    let identity = try opening.identity()
    self = opening
    return identity
  }
}
