/// One key that a new capsule is sealed to.
package struct SealedTo: Sendable {
  package enum Role: String, Sendable {
    /// The store's own key: an honor lock.
    case store
    case passphrase
    case recipient
    /// A beacon of the drand network.
    case timelock
    /// Lifts the timelock at any time.
    case escrow
    /// A second copy of the capsule's key, in the place of the passphrase or of the store's key.
    case recoveryCopy
  }

  package let role: Role
  /// `age1…`; `nil` for a passphrase and a timelock.
  package let recipient: String?
  /// The trustees who hold its key; `nil` for others.
  package let trustees: TrusteeGroup?
}

extension LockRequest {
  /// Every key that a capsule with this lock is sealed to, the outermost layer first.
  ///
  /// - Parameter own: the recipients of the store.
  package func sealedTo(own: [String]) -> [SealedTo] {
    func entry(_ recipient: any Recipient, _ role: SealedTo.Role) -> SealedTo {
      if recipient is TlockRecipient {
        return SealedTo(role: .timelock, recipient: nil, trustees: nil)
      }
      guard let key = recipient as? AgeRecipient else {
        return SealedTo(role: .passphrase, recipient: nil, trustees: nil)
      }
      let group = trustees.flatMap { $0.recipient == key ? $0.group : nil }
      return SealedTo(role: role, recipient: key.description, trustees: group)
    }
    guard kind != .honor else {
      return own.map { SealedTo(role: .store, recipient: $0, trustees: nil) } + copies(entry)
    }
    return layers.flatMap { layer in
      let isTimelock = layer.contains { $0 is TlockRecipient }
      return layer.map { entry($0, isTimelock ? .escrow : .recipient) }
    } + copies(entry)
  }

  private func copies(
    _ entry: (any Recipient, SealedTo.Role) -> SealedTo
  ) -> [SealedTo] {
    (spareLayers.last ?? []).map { entry($0, .recoveryCopy) }
  }
}
