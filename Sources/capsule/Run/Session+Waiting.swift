import CapsuleCore

extension Session {
  /// The wall clock now, for what waits: other commands read the clock once (``now``).
  var currentTime: Instant {
    Instant(seconds: host.wallClock() / 1_000_000_000)
  }

  /// Waits until a capsule's gate opens and the round of its timelock is signed: over suspension and changes of the clock, and over a later
  /// unlock time that someone gives it meanwhile.
  ///
  /// - Returns: the record as it is then.
  func waitForUnlock(
    of record: StoredRecord<Capsule>, in store: Store
  ) throws -> StoredRecord<Capsule> {
    var record = record
    while currentTime < record.model.dueAt {
      let (due, isFar) = record.model.dueAt.seconds.multipliedReportingOverflow(by: 1_000_000_000)
      host.sleepUntil(isFar ? .max : due)
      record = try store.read(Capsule.self, record.model.id)
    }
    return record
  }
}
