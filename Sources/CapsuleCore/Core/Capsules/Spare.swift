/// The reason for which a lock has no spare for trustees.
public enum SpareRefusal: Error, Hashable, Sendable {
  /// It is sealed to recipients: trustees are one of them from the beginning, or not at all.
  case recipients
  /// Nothing but its date is asked for: a spare would be in the place of nothing.
  case timelock
  /// The key of the trustees is X25519 and the capsule is post-quantum: the spare would be its weakest
  /// part.
  case weaker
}

extension Lock {
  /// The reason for which a capsule's lock takes no spare for trustees; `nil` where it does.
  package func refusalOfSpare(to trustees: AgeRecipient) -> SpareRefusal? {
    SpareRefusal(
      kind, inside: timelock?.inner,
      isWeaker: RecipientText.isMarkedHybrid(recipient) && !trustees.isPostQuantum)
  }
}

extension LockRequest {
  /// Returns the lock with a spare for trustees, in the place of the passphrase or of the store's identity.
  ///
  /// - Parameter isPostQuantum: whether the store seals against quantum computers.
  package func withSpare(
    to trustees: VouchedTrustees, isPostQuantum: Bool
  ) throws(SpareRefusal) -> LockRequest {
    let isWeaker = isPostQuantum && keepsFromQuantumComputers && !trustees.recipient.isPostQuantum
    if let refusal = SpareRefusal(kind, inside: timelock?.inner, isWeaker: isWeaker) {
      throw refusal
    }
    let outer = timelock == nil ? [] : Array(layers.prefix(1))
    return LockRequest(
      kind: kind, layers: layers, timelock: timelock, spareLayers: outer + [[trustees.recipient]],
      trustees: trustees)
  }
}

extension SpareRefusal {
  /// `nil` for a lock that can have a spare.
  fileprivate init?(_ kind: LockKind, inside: LockKind?, isWeaker: Bool) {
    switch inside ?? kind {
    case .recipients: self = .recipients
    case .timelock: self = .timelock
    case .passphrase, .honor:
      guard isWeaker else { return nil }
      self = .weaker
    }
  }
}
