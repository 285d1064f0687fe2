/// A sealed copy of a capsule's key for trustees.
package struct TrusteeSpare: Sendable {
  /// `lock.spare`.
  package let key: String
  /// The recipient that it is sealed to, which cannot be seen in it.
  package let recipient: String
}

/// Tells for whom a capsule's spare is: a sealed file names no recipient.
package struct SpareHolders: Sendable {
  package enum Holder: Hashable, Sendable {
    /// The spare is sealed to the group's present key.
    case theirs
    /// It is sealed to another group, or to a key that the group had before.
    case others
    /// It was made on another machine, and the store has had more than one key of trustees.
    case unknown
  }

  package let group: TrusteeGroup
  private let known: KnownLocks
  /// Whether the store never had another key of trustees.
  private let isOnlyKey: Bool

  /// - Parameter now: the real time, for the index.
  package init(of group: TrusteeGroup, in store: Store, now: Instant) {
    self.group = group
    known = KnownLocks(store)
    let keys = store.trustees.groups(now: now).flatMap(\.withFormer).map(\.recipient)
    isOnlyKey = keys.allSatisfy { $0 == group.recipient }
  }

  /// Returns whose the capsule's spare is; `nil` where it has none.
  package func holder(of capsule: Capsule) -> Holder? {
    guard let spare = capsule.lock.usableSpare else { return nil }
    return switch known.knows(spare: spare, for: group.recipient, of: capsule.id) {
    case true?: .theirs
    case false?: .others
    case nil: isOnlyKey ? .theirs : .unknown
    }
  }
}
