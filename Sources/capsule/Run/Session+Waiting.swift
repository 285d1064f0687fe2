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
    try wait(until: { record.model.dueAt }) {
      record = try store.read(Capsule.self, record.model.id)
    }
    return record
  }

  /// Waits until the clock shows a time that somebody may change meanwhile.
  ///
  /// - Parameter look: is called some seconds after the last time, and at the end: what it reads may give
  ///   another time. A store that cannot be read for a while ends the wait only when the time has come.
  func wait(until time: () -> Instant, _ look: () throws -> Void) throws {
    while currentTime < time() {
      host.wait(time().nanoseconds, Self.lookingPause)
      do { try look() } catch {
        let isGone = Failure(error).kind == .notFound && isStoreThere
        if isGone || currentTime >= time() { throw error }
      }
    }
  }

  /// Whether the store can be opened: its disk may be away for a while.
  private var isStoreThere: Bool {
    do { return try existingStoreQuietly() != nil } catch { return false }
  }

  /// The nanoseconds between two looks at what is waited for.
  private static var lookingPause: Int64 { 5_000_000_000 }
}
