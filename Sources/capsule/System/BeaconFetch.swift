import CapsuleCore

/// Fetches the beacons that records of timelocked capsules lack, as soon as their rounds' time has come.
struct BeaconFetch {
  let session: Session
  let invocation: Invocation
  /// Whether it only prints which would be fetched.
  let isDryRun: Bool

  /// - Parameter now: the time by which a round counts as due.
  /// - Returns: the worst that happened; failures are reported, and the others are fetched all the same.
  func run(_ store: Store, at now: Instant) -> ExitCode {
    var code = ExitCode.ok
    for id in store.timelockedCapsules(dueBy: now, now: session.now) {
      do {
        try fetch(id, store)
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
    let missing: MissingBeacon?
    do throws(OpeningError) { missing = try store.missingBeacon(of: record) } catch {
      throw Failure(error, opening: record.model, in: store, session)
    }
    guard let missing else { return }
    let title = record.model.title
    if isDryRun {
      return session.console.note(
        "Would fetch the beacon of round \(missing.round) for '\(title)'.")
    }
    let search = BeaconSearch(session: session, invocation: invocation)
    let beacon = try search.relayed(chain: missing.chain, round: missing.round)
    try store.keep(beacon, for: missing, now: session.now)
    session.console.note("Kept the beacon of round \(missing.round) for '\(title)'.")
  }
}
