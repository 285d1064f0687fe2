import CapsuleCore

extension Session {
  /// The wall clock now, for commands that wait: others read the clock once (``now``).
  var currentTime: Instant {
    Instant(nanoseconds: host.wallClock())
  }

  /// Waits until a capsule's gate opens and the round of its timelock is signed: over suspension and
  /// changes of the clock, and over a later unlock time that someone gives it meanwhile.
  ///
  /// - Returns: the record as it is then.
  func waitForUnlock(
    of record: StoredRecord<Capsule>, in store: Store
  ) throws -> StoredRecord<Capsule> {
    var record = record
    while currentTime < record.model.dueAt {
      host.sleepUntil(record.model.dueAt.nanoseconds)
      record = try store.read(Capsule.self, record.model.id)
    }
    return record
  }
}
