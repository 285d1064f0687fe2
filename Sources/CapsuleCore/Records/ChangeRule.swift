/// The rules for changes of a record: the store holds them, whoever makes the change.
public enum ChangeRule: Hashable, Sendable {
  /// The unlock time moves later only: it is `from`, and was to be `to`.
  case neverEarlier(from: Instant, to: Instant)
  /// A capsule that was opened is locked again only by somebody who asks for just that.
  case lockedAgainOnPurpose(since: Instant)
  /// Nothing is added to a capsule after it was opened.
  case nothingAdded(since: Instant)
  /// Contents that are sealed stay as they are.
  case contentsStay
  /// A lock stays as it is; only the beacon of its timelock comes into it, and a spare for trustees comes and goes.
  case lockStays
  /// The first opening stays.
  case openingStays
  /// A bequest that went out of the owner's hands stays as it was then.
  case sentStays(DeliveryState)
}

extension Capsule {
  /// The rule of locking again comes last: whoever may do that keeps the others.
  package func brokenRule(after before: Capsule) -> ChangeRule? {
    if unlockAt < before.unlockAt { return .neverEarlier(from: before.unlockAt, to: unlockAt) }
    if !contents.starts(with: before.contents) { return .contentsStay }
    if contents.count > before.contents.count, let openedAt = before.openedAt {
      return .nothingAdded(since: openedAt)
    }
    if let openedAt = before.openedAt, openedAt != self.openedAt { return .openingStays }
    var expected = before.lock
    if expected.timelock?.beacon == nil { expected.timelock?.beacon = lock.timelock?.beacon }
    if lock.canHaveSpare { expected.take(spare: lock.spare) }
    if lock != expected { return .lockStays }
    if unlockAt > before.unlockAt, let openedAt = before.openedAt {
      return .lockedAgainOnPurpose(since: openedAt)
    }
    return nil
  }
}

extension Bequest {
  package func brokenRule(after before: Bequest) -> ChangeRule? {
    before.access == access && before.message == message ? nil : before.ruleOfSent
  }

  /// The rule that holds it as it is; `nil` while it was not sent.
  var ruleOfSent: ChangeRule? { state == .notSent ? nil : .sentStays(state) }
}
