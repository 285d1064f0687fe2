/// The reason why a timelock cannot be opened. The cases are never confused, because each asks the
/// reader for another action.
package enum TlockError: Error, Hashable, Sendable {
  /// The round's beacon is needed and was not given.
  case beaconNeeded(chain: TlockChain, round: UInt64)
  /// The round lies in the future: wait until `time` (`nil` when it is beyond any calendar).
  case notYet(round: UInt64, time: Instant?)
  /// The beacon is not the chain's signature of the round: ask another relay.
  case badSignature(round: UInt64)
  /// The beacon claims to be of another round than the one asked for.
  case otherRound(wanted: UInt64, claimed: UInt64)
  /// Sealed to a chain that is neither pinned nor given; the hash is as it stands in the stanza.
  case unknownChain(hash: String)
  /// The ciphertext was changed, or never was one.
  case damaged(TlockDamage)
}

/// A fault in a ciphertext.
package enum TlockDamage: Hashable, Sendable {
  /// It is not 128 bytes.
  case length
  /// U is not a point of G2.
  case point(PointFault)
  /// It does not decrypt to the bytes that it was made from.
  case ciphertext
}
