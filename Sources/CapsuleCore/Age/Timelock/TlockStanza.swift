/// The stanza `tlock`: a round, the hash of its chain, and the file key sealed to the round's
/// signature, as `tle` and tlock-js write it.
package struct TlockStanza: Hashable, Sendable {
  package static let kind = "tlock"

  /// The round whose signature opens it, at least 1.
  package let round: UInt64
  /// The chain's hash, 64 lower-case hexadecimal digits where others made it rightly.
  package let chainHash: String
  /// U ‖ V ‖ W, 128 bytes.
  let ciphertext: [UInt8]

  init(round: UInt64, chainHash: String, ciphertext: [UInt8]) {
    self.round = round
    self.chainHash = chainHash
    self.ciphertext = ciphertext
  }

  /// Reads a stanza: a round in decimal digits without a leading zero, a hash, and 128 bytes; `nil`
  /// for a stanza of another kind.
  package init?(_ stanza: Stanza) throws(AgeFailure) {
    guard stanza.kind == Self.kind else { return nil }
    guard stanza.arguments.count == 3,
      let round = Self.round(stanza.arguments[1])
    else { throw .header(.stanza(kind: Self.kind)) }
    guard stanza.body.count == TlockIBE.byteCount else {
      throw .header(.fileKeyLength(kind: Self.kind))
    }
    self.init(round: round, chainHash: stanza.arguments[2], ciphertext: stanza.body)
  }

  /// The stanza as it stands in a header.
  package var stanza: Stanza {
    Stanza(arguments: [Self.kind, String(round), chainHash], body: ciphertext)
  }

  /// Reads a round from its one canonical text.
  private static func round(_ text: String) -> UInt64? {
    guard let round = UInt64(text), round > 0, String(round) == text else { return nil }
    return round
  }
}

/// A round of a chain to seal to: nobody opens the file before the network signs that round.
package struct TlockRecipient: Hashable, Sendable {
  package let chain: TlockChain
  /// The number of the round, at least 1.
  package let round: UInt64

  /// A recipient; in place of round 0, which nobody signs, stands the first.
  package init(chain: TlockChain, round: UInt64) {
    self.chain = chain
    self.round = max(round, 1)
  }

  /// The first round that is signed at the instant or later.
  package init(chain: TlockChain, until instant: Instant) {
    self.init(chain: chain, round: chain.round(at: instant))
  }
}

extension TlockRecipient: Recipient {
  package var label: RecipientLabel { .timelock }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    var key = fileKey.bytes.bytes
    defer { wipe(&key) }
    while true {
      var sigma: [UInt8]
      do {
        sigma = try random.bytes(TlockIBE.keyByteCount)
      } catch { throw .random(error) }
      defer { wipe(&sigma) }
      if let ciphertext = TlockIBE.seal(
        key, sigma: sigma, round: round, publicKey: chain.publicKey)
      {
        let stanza = TlockStanza(
          round: round, chainHash: Hex.encode(chain.hash), ciphertext: ciphertext)
        return [stanza.stanza]
      }
    }
  }
}

/// An identity that opens timelocked files with beacons that were verified.
///
/// Without the beacon that a file needs it answers `.unproven` with a ``TlockError``: `.beaconNeeded`
/// for a chain it knows, with the round to ask for, or `.unknownChain`.
package struct TlockIdentity: Sendable {
  private let chains: [TlockChain]
  private let beacons: [VerifiedTlockBeacon]

  /// An identity of some chains and beacons.
  ///
  /// - Parameters:
  ///   - chains: the chains that count as known; those of the beacons always do.
  ///   - beacons: the beacons, of any rounds.
  package init(chains: [TlockChain], beacons: [VerifiedTlockBeacon]) {
    self.chains = chains
    self.beacons = beacons
  }
}

extension TlockIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    var answer = Unwrapped.noMatch
    for stanza in stanzas {
      let timelock: TlockStanza
      do {
        guard let parsed = try TlockStanza(stanza) else { continue }
        timelock = parsed
      } catch { return .failed(error) }
      if let beacon = beacons.first(where: { $0.opens(timelock) }) {
        return unwrap(timelock, with: beacon)
      }
      // The first stanza that could be opened with one more beacon decides the answer.
      if case .unproven(TlockError.beaconNeeded) = answer { continue }
      let known = chains + beacons.map(\.chain)
      answer =
        if let chain = known.first(where: { Hex.encode($0.hash) == timelock.chainHash }) {
          .unproven(TlockError.beaconNeeded(chain: chain, round: timelock.round))
        } else {
          .unproven(TlockError.unknownChain(hash: timelock.chainHash))
        }
    }
    return answer
  }

  private func unwrap(_ timelock: TlockStanza, with beacon: VerifiedTlockBeacon) -> Unwrapped {
    guard var key = try? TlockIBE.open(timelock.ciphertext, signature: beacon.point),
      let fileKey = FileKey(SecretBytes(taking: &key))
    else { return .failed(.header(.timelock)) }
    return .fileKey(fileKey)
  }
}

extension VerifiedTlockBeacon {
  /// Whether the beacon is the one that a stanza waits for.
  fileprivate func opens(_ timelock: TlockStanza) -> Bool {
    round == timelock.round && Hex.encode(chain.hash) == timelock.chainHash
  }
}

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
  case point
  /// It does not decrypt to the bytes that it was made from.
  case ciphertext
}
