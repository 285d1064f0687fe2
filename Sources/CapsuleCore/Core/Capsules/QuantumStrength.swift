/// The use that a large quantum computer is to whoever has a copy of the store.
package enum QuantumStrength: Hashable, Sendable {
  /// Nothing is claimed: the key lies in the store.
  case unclaimed
  /// The computer opens the capsule.
  case readable
  /// The computer is of no use beyond guessing the passphrase, for which no date has to come.
  case passphrase
  /// The computer is of no use. It lifts a timelock early, but does not open what is inside.
  case secret
}

extension Capsule {
  /// The strength of the lock against quantum computers: that of the weakest part that the record
  /// shows.
  package var quantumStrength: QuantumStrength {
    guard lock.kind != .honor else { return .unclaimed }
    guard RecipientText.isMarkedHybrid(lock.recipient) else { return .readable }
    switch lock.timelock?.inner ?? lock.kind {
    case .passphrase:
      let isWeak = lock.timelock == nil && lock.usableSpare.map(Self.isSealedToOthers) ?? false
      return isWeak ? .readable : .passphrase
    case .recipients:
      return lock.timelock == nil && Self.isSealedToOthers(lock.key) ? .readable : .secret
    case .honor, .timelock: return .readable
    }
  }

  /// Whether some copy of the key in a layer is for another than a post-quantum recipient: another
  /// program may have sealed it so.
  private static func isSealedToOthers(_ layer: String) -> Bool {
    guard let reader = try? AgeReader(MemorySource(Array(layer.utf8))) else { return true }
    return !reader.header.stanzas.allSatisfy { $0.kind == KeyKind.hybrid.stanza }
  }
}
