/// The use that a large quantum computer is to whoever has a copy of the store.
package enum QuantumStrength: Hashable, Sendable {
  /// Nothing is claimed: the key lies in the store.
  case unclaimed
  /// It opens the capsule.
  case readable
  /// None beyond guessing the passphrase, for which no date has to come.
  case passphrase
  /// None. A timelock can be lifted early with it, but not what is inside.
  case secret
}

extension Capsule {
  /// How far the lock withstands quantum computers: as far as its weakest part that the record shows.
  package var quantumStrength: QuantumStrength {
    guard lock.kind != .honor else { return .unclaimed }
    guard RecipientText.isMarkedHybrid(lock.recipient) else { return .readable }
    switch lock.timelock?.inner ?? lock.kind {
    case .passphrase: return .passphrase
    case .recipients: return lock.timelock != nil || isSealedToHybridOnly ? .secret : .readable
    case .honor, .timelock: return .readable
    }
  }

  /// Whether every copy of the key in the outermost layer is for a post-quantum recipient: another
  /// program may have sealed it otherwise.
  private var isSealedToHybridOnly: Bool {
    guard let reader = try? AgeReader(MemorySource(Array(lock.key.utf8))) else { return false }
    return reader.header.stanzas.allSatisfy { $0.kind == HybridStanza.kind }
  }
}
