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
      let summary = CapsuleSummary(id: entry.id, encoded: entry.summary)
      return summary?.lock == .timelock ? entry.id : nil
    }
  }

  /// Returns the beacon that a capsule's record lacks; `nil` where it lacks none.
  ///
  /// - Throws: `.capsule`, `.timelock`, `.otherRound`.
  package func missingBeacon(
    of record: StoredRecord<Capsule>
  ) throws(OpeningError) -> MissingBeacon? {
    // A beacon that is kept is verified when it is used.
    if record.integrity == nil, record.model.lock.timelock?.beacon != nil { return nil }
    let opening = try CapsuleOpening(record, in: store)
    guard let timelock = record.model.lock.timelock, let chain = opening.chain else { return nil }
    try opening.requireFit()
    return MissingBeacon(record: record, chain: chain, round: timelock.roundNumber)
  }

  /// Keeps a verified beacon in the record that lacked it: from then on the network is needed no more.
  ///
  /// - Throws: ``StoreError``.
  package func keep(
    _ beacon: VerifiedTlockBeacon, for missing: MissingBeacon, now: Instant
  ) throws(StoreError) {
    var changed = missing.record
    changed.model.lock.timelock?.keep(beacon)
    _ = try store.update(changed, now: now)
  }
}
