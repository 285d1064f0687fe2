extension StoreCare {
  /// Mends what can be mended: ``repair(_:now:lockProblems:putBack:judge:)``, and a changed capsule is accepted where its
  /// unlock time is not earlier than the one in its lock, and all of it that can be opened opens.
  ///
  /// - Parameter keys: open locks, so that what is sealed in them can be compared; the store's own
  ///   identities are added.
  /// - Throws: ``StoreError``.
  package func repair(
    _ request: RepairRequest = RepairRequest(), with keys: [any Identity] = [], now: Instant
  ) throws(StoreError) -> [RepairAction] {
    let identities = keys + (store.keys.all() as [any Identity])
    return try repair(
      request, now: now, lockProblems: store.capsules.lockProblems(with: store.keys.all()),
      putBack: { earlier, today throws(StoreError) in
        try store.capsules.puttingBack(earlier, into: today)
      },
      judge: { capsule, twin in refusal(of: capsule, twin, identities) })
  }

  /// Returns why a changed capsule must not be accepted; `nil` where it may be.
  ///
  /// - Parameter twin: the version that a journal holds.
  private func refusal(
    of capsule: Capsule, _ twin: Capsule?, _ identities: [any Identity]
  ) -> RepairRefusal? {
    guard
      capsule.contents.allSatisfy({ content in
        content.blob.map { (try? files.status(layout.blob($0))) != nil } ?? true
      })
    else { return .sealDamaged }
    if let timelock = capsule.lock.timelock {
      return refusal(of: capsule, timelock) ?? refusal(of: capsule, comparedWith: twin)
    }
    do {
      let key = try store.capsules.lock(of: capsule).sealedKey(with: identities)
      guard key.opens(capsule.contents.map(\.sealed), sealedTo: capsule.lock.recipient) else {
        return .sealDamaged
      }
      try key.terms.requireFit(.init(of: capsule))
      return nil
    } catch LockFault.unlockEarlier(let sealed) {
      return .unlockEarlierThanSealed(sealed)
    } catch LockFailure.file(.noMatch), LockFailure.file(.tooEarly), LockFailure.file(.unproven),
      LockFailure.file(.tooMuchWork)
    {
      guard let twin else { return .sealUnreadable }
      return refusal(of: capsule, comparedWith: twin)
    } catch {
      return .sealDamaged
    }
  }

  /// Returns the reason to refuse a capsule, if there is one: the parts that cannot be opened must
  /// be those of the journal, byte for byte.
  private func refusal(of capsule: Capsule, comparedWith twin: Capsule?) -> RepairRefusal? {
    guard let twin else { return .sealUnreadable }
    if capsule.unlockAt < twin.unlockAt { return .unlockEarlierThanSealed(twin.unlockAt) }
    let isSame =
      capsule.lock.key == twin.lock.key && capsule.lock.recipient == twin.lock.recipient
      && capsule.contents.map(\.sealed) == twin.contents.map(\.sealed)
    return isSame ? nil : .sealDamaged
  }

  /// The seal of a timelock cannot be looked into, but its round says the same to the period.
  private func refusal(of capsule: Capsule, _ timelock: Timelock) -> RepairRefusal? {
    guard let layer = try? store.capsules.lock(of: capsule).outerLayer(), layer.fits(timelock),
      (try? KnownChains(environment).chain(of: timelock)) != nil
    else { return .sealDamaged }
    let earliest = timelock.roundTime.adding(seconds: 1 - timelock.period)
    return capsule.unlockAt < earliest ? .unlockEarlierThanSealed(earliest) : nil
  }
}
