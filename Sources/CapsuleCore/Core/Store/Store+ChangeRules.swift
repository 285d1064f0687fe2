extension RecordModel {
  /// Checks that a change of the record is one that the rules allow.
  ///
  /// - Parameters:
  ///   - before: the record as it was read.
  ///   - locksAgain: whether a later unlock time may lock a capsule that was opened.
  /// - Throws: `.forbidden`.
  package func requireAllowed(
    after before: Self, locksAgain: Bool = false
  ) throws(StoreError) {
    guard let rule = brokenRule(after: before) else { return }
    if locksAgain, case .lockedAgainOnPurpose = rule { return }
    throw .forbidden(rule, id)
  }
}

extension Capsule {
  /// Refuses a capsule that was opened before: nothing can be put into it any more.
  ///
  /// - Throws: `.alreadyOpened`.
  package func requireUnopened() throws(CapsuleError) {
    if let openedAt { throw .alreadyOpened(openedAt) }
  }
}

extension Bequest {
  /// Refuses a bequest that went out of the owner's hands: its access and its message stay.
  ///
  /// - Throws: `.forbidden`.
  package func requireNotSent() throws(StoreError) {
    if let rule = ruleOfSent { throw .forbidden(rule, id) }
  }
}
