import CapsuleCore

extension Session {
  /// The wall clock now, for commands that wait: others read the clock once (``now``).
  var currentTime: Instant {
    Instant(nanoseconds: host.wallClock())
  }

  /// Waits as ``waitForUnlock(of:in:)`` does; on a terminal the time that is left is shown meanwhile.
  ///
  /// - Throws: `WorkSignals.Interrupted` for a signal that ends the program.
  func watchUnlock(
    of record: StoredRecord<Capsule>, in store: Store
  ) throws -> StoredRecord<Capsule> {
    guard canDrawLive, !isQuiet, currentTime < record.model.dueAt else {
      return try waitForUnlock(of: record, in: store)
    }
    let settings = storeSettings(store)
    let style: SpanStyle = settings.showsTenths ? .tenths : .full
    var record = record
    let code = try live { now in
      // Somebody may have moved it later meanwhile.
      record = try store.read(Capsule.self, record.model.id)
      guard now < record.model.dueAt else { return nil }
      let left = style.text(from: now, to: record.model.dueAt, in: zone)
      let title = StyledText(record.model.title, .bold)
      return [title.followed(by: "\("opens in " + left, .yellow)", width: liveColumns)]
    }
    if code != .ok { throw WorkSignals.Interrupted(code: code) }
    return record
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
