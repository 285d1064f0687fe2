/// The rules for changes of a capsule: the store holds them, whoever makes the change.
public enum CapsuleRule: Hashable, Sendable {
  /// The unlock time moves later only: it is `from`, and was to be `to`.
  case neverEarlier(from: Instant, to: Instant)
  /// A capsule that was opened is locked again only by somebody who asks for just that.
  case lockedAgainOnPurpose(since: Instant)
  /// Nothing is added to a capsule after it was opened.
  case nothingAdded(since: Instant)
  /// Contents that are sealed stay as they are.
  case contentsStay
  /// A lock stays as it is; only the beacon of its timelock, and a spare for trustees, come into it.
  case lockStays
  /// The first opening stays.
  case openingStays
}

extension Capsule {
  /// Sees to it that a change of the capsule is one that the rules allow.
  ///
  /// - Parameter before: the capsule as the store has it.
  /// - Throws: `.forbidden`.
  package func requireAllowed(after before: Capsule) throws(StoreError) {
    if let rule = brokenRule(after: before) { throw .forbidden(rule, id) }
  }

  private func brokenRule(after before: Capsule) -> CapsuleRule? {
    if unlockAt < before.unlockAt { return .neverEarlier(from: before.unlockAt, to: unlockAt) }
    if !contents.starts(with: before.contents) { return .contentsStay }
    if contents.count > before.contents.count, let openedAt = before.openedAt {
      return .nothingAdded(since: openedAt)
    }
    if let openedAt = before.openedAt, openedAt != self.openedAt { return .openingStays }
    var expected = before.lock
    if expected.timelock?.beacon == nil { expected.timelock?.beacon = lock.timelock?.beacon }
    if lock.canHaveSpare, let spare = lock.spare { expected.take(spare: spare) }
    return lock == expected ? nil : .lockStays
  }

  /// Refuses a capsule that was opened before: nothing can be put into it any more.
  ///
  /// - Throws: `.alreadyOpened`.
  package func requireUnopened() throws(CapsuleError) {
    if let openedAt { throw .alreadyOpened(openedAt) }
  }
}
