import CapsuleCore

/// Waiting for a time, over suspension and changes of the clock.
struct Waiting {
  let session: Session

  /// Waits until a capsule's gate opens and the round of its timelock is signed: over suspension and
  /// changes of the clock, and over a later unlock time that someone gives it meanwhile. On a terminal the
  /// time that is left is shown.
  ///
  /// - Returns: the record as it is then.
  /// - Throws: `WorkSignals.Interrupted` for a signal that ends the program.
  func forUnlock(
    of record: StoredRecord<Capsule>, in store: Store
  ) throws -> StoredRecord<Capsule> {
    var record = record
    func look() throws { record = try store.read(Capsule.self, record.model.id) }
    let live = session.live
    guard live.showsWaiting, session.currentTime < record.model.dueAt else {
      try until({ record.model.dueAt }, look)
      return record
    }
    let settings = session.stores.settings(of: store)
    let style: SpanStyle = settings.showsTenths ? .tenths : .full
    try live.draw { now in
      try look()
      guard now < record.model.dueAt else { return nil }
      let left = style.text(from: now, to: record.model.dueAt, in: session.zone)
      let title = StyledText(record.model.title, .bold)
      return [title.followed(by: "\("opens in " + left, .yellow)", width: live.columns)]
    }
    return record
  }

  /// Waits until the clock shows a time that somebody may change meanwhile.
  ///
  /// - Parameter look: is called some seconds after the last time, and at the end: what it reads may give
  ///   another time. A store that cannot be read for a while ends the wait only when the time has come.
  func until(_ time: () -> Instant, _ look: () throws -> Void) throws {
    while session.currentTime < time() {
      session.host.wait(time().nanoseconds, Self.lookingPause)
      do { try look() } catch {
        let isGone = Fault(error).kind == .notFound && isStoreThere
        if isGone || session.currentTime >= time() { throw error }
      }
    }
  }

  /// Whether the store can be opened: its disk may be away for a while.
  private var isStoreThere: Bool {
    do { return try session.stores.existingQuietly() != nil } catch { return false }
  }

  /// The nanoseconds between two looks at what is waited for.
  private static var lookingPause: Int64 { 5_000_000_000 }
}
