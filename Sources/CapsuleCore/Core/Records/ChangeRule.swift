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
  /// A delivery goes on, and never back.
  case deliveryStays(DeliveryState)
  /// The keys and shares that a group of trustees had, and who holds them, stay known.
  case holdersStay
  /// A declared passing gives way to another one only after it was withdrawn.
  case passingStays
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
    if !keepsLock(of: before) { return .lockStays }
    if unlockAt > before.unlockAt, let openedAt = before.openedAt {
      return .lockedAgainOnPurpose(since: openedAt)
    }
    return nil
  }
}

/// The rules for a record that is put together from changes that several machines made without knowing of each
/// other: what somebody who sees one of them is allowed may come after what another did.
extension Capsule {
  package func brokenMergeRule(after before: Capsule) -> ChangeRule? {
    if unlockAt < before.unlockAt { return .neverEarlier(from: before.unlockAt, to: unlockAt) }
    guard Set(contents).isSuperset(of: before.contents) else { return .contentsStay }
    if let openedAt = before.openedAt, self.openedAt.map({ $0 > openedAt }) ?? true {
      return .openingStays
    }
    return keepsLock(of: before) ? nil : .lockStays
  }

  /// Whether the lock is what it was but for the beacon of its timelock, and a spare for trustees.
  private func keepsLock(of before: Capsule) -> Bool {
    var expected = before.lock
    if expected.timelock?.beacon == nil { expected.timelock?.beacon = lock.timelock?.beacon }
    if lock.canHaveSpare { expected.take(spare: lock.spare) }
    return lock == expected
  }
}

extension Bequest {
  package func brokenMergeRule(after before: Bequest) -> ChangeRule? {
    if delivery.starts(with: before.delivery) || state.progress > before.state.progress {
      return nil
    }
    return .deliveryStays(before.state)
  }
}

extension TrusteeGroup {
  package func brokenMergeRule(after before: TrusteeGroup) -> ChangeRule? {
    let areKept = before.withFormer.allSatisfy { former in
      withFormer.contains { $0.keepsHolders(of: former) }
    }
    return areKept ? nil : .holdersStay
  }

  /// Whether it has the key of another one, its sets of shares, and, of the present one, who holds them.
  private func keepsHolders(of other: TrusteeGroup) -> Bool {
    func holders(_ group: TrusteeGroup) -> [[String?]] {
      group.shares.map { [$0.person?.description, $0.holder, $0.digest] }
    }
    guard recipient == other.recipient,
      Set([other.identifier] + other.earlierIdentifiers)
        .isSubset(of: [identifier] + earlierIdentifiers)
    else { return false }
    return identifier != other.identifier
      || (threshold == other.threshold && holders(self) == holders(other))
  }
}

extension StoreSettings {
  /// The first rule that settings break which take the place of others; `nil` where they keep all.
  package func brokenMergeRule(after before: StoreSettings) -> ChangeRule? {
    guard let declared = before.passing, let passing, passing != declared else { return nil }
    return .passingStays
  }
}

extension Bequest {
  package func brokenRule(after before: Bequest) -> ChangeRule? {
    before.access == access && before.message == message ? nil : before.ruleOfSent
  }

  /// The rule that holds it as it is; `nil` while it was not sent.
  var ruleOfSent: ChangeRule? { state == .notSent ? nil : .sentStays(state) }
}
