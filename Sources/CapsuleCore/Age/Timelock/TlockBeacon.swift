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

  /// A number of bytes larger than any beacon's; a reader may stop there.
  package static let maximumByteCount = 16 << 10

  /// Reads drand's JSON, of API version 1 or 2; the form in which Filecoin's Lotus writes the beacons
  /// of its block headers, `{"Round": …, "Data": …}` with the signature in base64; or the signature's
  /// 96 hexadecimal digits alone. ASCII white space may stand around each.
  ///
  /// `randomness` and all other members are passed over: only the signature proves anything.
  package init?(parsing bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount else { return nil }
    if let object = (try? JSON.parse(bytes))?.object {
      if object["signature"] == nil, let data = object["Data"]?.string {
        guard let signature = Base64.decode(data, padded: true),
          let round = Self.round(in: object, named: "Round")
        else { return nil }
        self.init(round: round, signature: signature)
        return
      }
      guard let text = object["signature"]?.string, let signature = Hex.decode(text),
        let round = Self.round(in: object, named: "round")
      else { return nil }
      self.init(round: round, signature: signature)
      return
    }
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
    let digits = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    guard
      let signature = Hex.decode(String(decoding: digits, as: UTF8.self)),
      signature.count == G1.byteCount
    else { return nil }
    self.init(round: nil, signature: signature)
  }

  /// Returns the round where one is named; `nil` for one that is no whole number.
  private static func round(in object: JSONObject, named name: String) -> UInt64?? {
    switch object[name] {
    case nil: return .some(nil)
    case .integer(let value): if let round = UInt64(exactly: value) { return round }
    // The number is beyond 63 bits.
    case .number(let value): if let round = UInt64(value.text) { return round }
    default: break
    }
    return nil
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
      round > 0, let point = G1.Affine(encoded: beacon.signature),
      GT.pairingsAreEqual(point, G2.Affine.generator, TlockIBE.point(round: round), publicKey)
    else { throw .badSignature(round: round) }
    return VerifiedTlockBeacon(
      chain: self, round: round, signature: beacon.signature, point: point)
  }
}
