extension Store {
  /// Mends what can be mended: ``repair(now:judge:)``, and a changed capsule is accepted where its
  /// unlock time is not earlier than the one in its lock.
  ///
  /// - Parameter keys: open locks, so that what is sealed in them can be compared; the store's own
  ///   identities are added.
  /// - Throws: ``StoreError``.
  package func repair(
    with keys: [any Identity] = [], now: Instant
  ) throws(StoreError) -> [RepairAction] {
    let identities = keys + (identities() as [any Identity])
    return try repair(now: now) { capsule in refusal(of: capsule, identities) }
  }

  /// Returns why a changed capsule must not be accepted; `nil` where it may be.
  private func refusal(of capsule: Capsule, _ identities: [any Identity]) -> RepairRefusal? {
    if let timelock = capsule.lock.timelock { return refusal(of: capsule, timelock) }
    do {
      let terms = try lock(of: capsule).terms(with: identities)
      guard terms.id == capsule.id else { return .sealDamaged }
      return capsule.unlockAt < terms.unlock ? .unlockEarlierThanSealed(terms.unlock) : nil
    } catch LockFailure.file(.noMatch), LockFailure.file(.tooEarly), LockFailure.file(.unproven) {
      return .sealUnreadable
    } catch {
      return .sealDamaged
    }
  }

  /// The seal of a timelock cannot be looked into, but its round says the same to the period.
  private func refusal(of capsule: Capsule, _ timelock: Timelock) -> RepairRefusal? {
    guard let layer = try? lock(of: capsule).outerLayer(), layer.fits(timelock),
      (try? timelock.recordedChain()) != nil
    else { return .sealDamaged }
    let earliest = timelock.roundTime.adding(seconds: 1 - timelock.period)
    return capsule.unlockAt < earliest ? .unlockEarlierThanSealed(earliest) : nil
  }
}
