import CapsuleCore

/// Fetches the beacons of timelocked capsules whose round's time has come, and keeps them in their
/// records: from then on the network is needed no more.
struct BeaconFetch {
  let session: Session
  let invocation: Invocation
  /// Whether it is only told which would be fetched.
  let isDryRun: Bool

  /// - Parameter now: the time by which a round counts as due.
  /// - Returns: the worst that happened; what failed is told, and the others are fetched all the same.
  func run(_ store: Store, at now: Instant) -> ExitCode {
    var code = ExitCode.ok
    var index = store.index(.capsule, now: session.now)
    let due = index.entries(dueAfter: .min, through: now.seconds)
    for entry in due {
      guard
        let summary = CapsuleSummary(id: entry.id, encoded: entry.summary),
        summary.lock == .timelock
      else { continue }
      do {
        try fetch(entry.id, store)
      } catch {
        code = ExitCode.worst(code, session.console.report(error))
      }
    }
    return code
  }

  private func fetch(_ id: RecordID, _ store: Store) throws {
    let record: StoredRecord<Capsule>
    do throws(StoreError) { record = try store.read(Capsule.self, id) } catch {
      if case .notFound = error { return }
      throw error
    }
    try store.requireIntact(record)
    guard let timelock = record.model.lock.timelock, timelock.beacon == nil else { return }
    let chain: TlockChain
    do throws(FieldError) { chain = try timelock.recordedChain() } catch {
      throw Failure(
        .damaged, "the record of '\(record.model.title)' has a wrong field: \(error.words)",
        hint: "restore the record from a backup")
    }
    let lock = try store.lock(of: record.model)
    try timelock.requireFit(of: lock, in: store.layout.record(.capsule, id))
    if isDryRun {
      return session.console.note(
        "Would fetch the beacon of round \(timelock.round) for '\(record.model.title)'.")
    }
    let search = BeaconSearch(session: session, invocation: invocation)
    let beacon = try search.fetched(chain: chain, round: timelock.roundNumber)
    try store.keepBeacon(Hex.encode(beacon.signature), in: record, now: session.now)
    session.console.note("Kept the beacon of round \(timelock.round) for '\(record.model.title)'.")
  }
}
