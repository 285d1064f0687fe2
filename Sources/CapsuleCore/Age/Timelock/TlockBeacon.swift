/// A round's signature as a relay or a file gives it. Nothing in it is believed.
package struct TlockBeacon: Hashable, Sendable {
  /// The round that it claims to be of, where it names one.
  package let round: UInt64?
  /// The signature, as bytes of any content.
  package let signature: [UInt8]

  package init(round: UInt64?, signature: [UInt8]) {
    self.round = round
    self.signature = signature
  }
}

/// A signature that was checked against the chain's key. It opens what is sealed to the round; whether it
/// proves that the round's time has come, ``KnownChains`` decides.
///
/// Only ``TlockChain/verify(_:round:)`` makes one.
package struct VerifiedTlockBeacon: Hashable, Sendable {
  /// The chain that signed.
  package let chain: TlockChain
  /// The round that is signed, at least 1.
  package let round: UInt64
  /// The signature, 48 bytes.
  package let signature: [UInt8]
  /// The signature as a point.
  let point: G1.Affine

  fileprivate init(chain: TlockChain, round: UInt64, signature: [UInt8], point: G1.Affine) {
    self.chain = chain
    self.round = round
    self.signature = signature
    self.point = point
  }

  /// The time at which the chain says that it signs the round. `nil` beyond 64 bits.
  package var time: Instant? {
    chain.time(ofRound: round)
  }

  package static func == (left: VerifiedTlockBeacon, right: VerifiedTlockBeacon) -> Bool {
    left.chain == right.chain && left.round == right.round && left.signature == right.signature
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(chain)
    hasher.combine(round)
  }
}

extension TlockChain {
  /// Checks that a beacon is the chain's signature of a round: e(signature, G2) = e(H(round), key).
  ///
  /// - Throws: ``TlockError/otherRound(wanted:claimed:)`` for a beacon that names another round,
  ///   ``TlockError/badSignature(round:)`` for anything else that is not the signature.
  package func verify(
    _ beacon: TlockBeacon, round: UInt64
  ) throws(TlockError) -> VerifiedTlockBeacon {
    if let claimed = beacon.round, claimed != round {
      throw .otherRound(wanted: round, claimed: claimed)
    }
    guard
      round > 0, let point = try? G1.Affine(encoded: beacon.signature),
      GT.pairingsAreEqual(point, G2.Affine.generator, TlockIBE.point(round: round), publicKey)
    else { throw .badSignature(round: round) }
    return VerifiedTlockBeacon(
      chain: self, round: round, signature: beacon.signature, point: point)
  }
}
