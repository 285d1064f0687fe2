/// A drand chain that files can be sealed to: its key, and the times of its rounds.
///
/// Only chains of the scheme `bls-unchained-g1-rfc9380` can be, because only their signatures can be
/// named before they exist and fit tlock's ciphertext.
package struct TlockChain: Hashable, Sendable {
  /// The only scheme that is known.
  package static let scheme = "bls-unchained-g1-rfc9380"

  /// The group's public key.
  package let publicKey: G2.Affine
  /// The seconds between two rounds, at least 1.
  package let period: UInt32
  /// The time at which round 1 is signed.
  package let genesis: Instant
  /// The chain's identifier: SHA-256 of all its parameters, 32 bytes.
  package let hash: [UInt8]
  /// The group's hash at its genesis, which goes into the chain's hash.
  package let seed: [UInt8]
  /// The network's own name for the chain.
  package let beaconID: String

  /// A chain from its parameters.
  ///
  /// - Parameters:
  ///   - publicKey: 96 bytes, a point of G2.
  ///   - genesis: seconds since 1970, not negative.
  ///   - seed: the group's hash at its genesis.
  /// - Throws: `.period`, `.genesis`, `.publicKey`, or `.keyTaken` for quicknet's key with other parameters:
  ///   its published signatures would prove times that have not come.
  package init(
    publicKey: [UInt8], period: UInt32, genesis: Int64, seed: [UInt8], beaconID: String
  ) throws(Fault) {
    guard period > 0 else { throw Fault(TlockChainProblem.period) }
    guard genesis >= 0 else { throw Fault(TlockChainProblem.genesis) }
    guard let key = G2.Affine(encoded: publicKey) else { throw Fault(TlockChainProblem.publicKey) }
    self.publicKey = key
    self.period = period
    self.genesis = Instant(seconds: genesis)
    self.seed = seed
    self.beaconID = beaconID
    hash = TlockChain.hash(
      publicKey: publicKey, period: period, genesis: genesis, seed: seed, beaconID: beaconID)
    guard !hasKey(of: .quicknet) || self == .quicknet else {
      throw Fault(TlockChainProblem.keyTaken(by: Hex.encode(TlockChain.quicknet.hash)))
    }
  }

  /// Whether the chain has the public key of another one, or its negative: a published signature proves either, with
  /// its own sign changed as well.
  package func hasKey(of other: TlockChain) -> Bool {
    Self.unsigned(publicKey.encoded) == Self.unsigned(other.publicKey.encoded)
  }

  /// An encoded key without the bit that says which of two points it is.
  package static func unsigned(_ key: [UInt8]) -> [UInt8] {
    key.isEmpty ? key : [key[0] & ~0x20] + key.dropFirst()
  }

  private init(
    checked publicKey: G2.Affine, period: UInt32, genesis: Instant, hash: [UInt8],
    seed: [UInt8], beaconID: String
  ) {
    self.publicKey = publicKey
    self.period = period
    self.genesis = genesis
    self.hash = hash
    self.seed = seed
    self.beaconID = beaconID
  }

  /// Returns the chain hash, which binds the parameters together.
  static func hash(
    publicKey: [UInt8], period: UInt32, genesis: Int64, seed: [UInt8], beaconID: String
  ) -> [UInt8] {
    var hash = SHA256()
    withUnsafeBytes(of: period.bigEndian) { hash.update($0) }
    withUnsafeBytes(of: genesis.bigEndian) { hash.update($0) }
    hash.update(publicKey)
    hash.update(seed)
    if beaconID != "default" { hash.update(Array(beaconID.utf8)) }
    return hash.finalize()
  }

  /// Quicknet, the League of Entropy's chain with a round every 3 seconds.
  ///
  /// Its key is pinned as coordinates, so that no run decodes it again; a test holds them against
  /// the published parameters.
  package static let quicknet = TlockChain(
    checked: quicknetKey, period: 3, genesis: Instant(seconds: 1_692_803_367),
    hash: [
      0x52, 0xdb, 0x9b, 0xa7, 0x0e, 0x0c, 0xc0, 0xf6, 0xea, 0xf7, 0x80, 0x3d, 0xd0, 0x74, 0x47,
      0xa1, 0xf5, 0x47, 0x77, 0x35, 0xfd, 0x3f, 0x66, 0x17, 0x92, 0xba, 0x94, 0x60, 0x0c, 0x84,
      0xe9, 0x71,
    ],
    seed: [
      0xf4, 0x77, 0xd5, 0xc8, 0x9f, 0x21, 0xa1, 0x7c, 0x86, 0x3a, 0x7f, 0x93, 0x7c, 0x6a, 0x6d,
      0x15, 0x85, 0x94, 0x14, 0xd2, 0xbe, 0x09, 0xcd, 0x44, 0x8d, 0x42, 0x79, 0xaf, 0x33, 0x1c,
      0x5d, 0x3e,
    ], beaconID: "quicknet")

  package static func == (left: TlockChain, right: TlockChain) -> Bool {
    left.hash == right.hash
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }

  /// Returns the first round whose signature is published at the instant or later: never an earlier
  /// one.
  package func round(at instant: Instant) -> UInt64 {
    guard instant > genesis else { return 1 }
    // Both are at least 0 here, so that neither the difference nor the sums can overflow.
    let elapsed = UInt64(instant.seconds - genesis.seconds)
    return (elapsed + UInt64(period) - 1) / UInt64(period) + 1
  }

  /// Returns the time at which the first round at the instant or later is published.
  package func roundTime(at instant: Instant) throws(Fault) -> Instant {
    guard let time = time(ofRound: round(at: instant)), time.isRepresentable else {
      throw Fault(
        .usage, "the next drand round after that time is after the year 9999",
        hint: "choose an earlier time, or another chain")
    }
    return time
  }

  /// Returns the time at which a round's signature is published; `nil` for round 0, which nobody
  /// signs, and for a time beyond 64 bits.
  package func time(ofRound round: UInt64) -> Instant? {
    guard round > 0 else { return nil }
    let (elapsed, isTooLong) = (round - 1).multipliedReportingOverflow(by: UInt64(period))
    guard !isTooLong, let seconds = Int64(exactly: elapsed) else { return nil }
    let (time, isTooLate) = genesis.seconds.addingReportingOverflow(seconds)
    return isTooLate ? nil : Instant(seconds: time)
  }

  /// Reads drand's chain info, of API version 1 or 2, and compares the hash in it with the one that
  /// the parameters give.
  ///
  /// - Throws: a ``Fault`` with a ``TlockChainProblem``.
  package init(chainInfo bytes: [UInt8]) throws(Fault) {
    guard let info = (try? JSON.parse(bytes))?.object else {
      throw Fault(TlockChainProblem.malformed(key: nil))
    }
    let names = info["chain_hash"] == nil ? Names.first : Names.second
    let scheme = try names.string(names.scheme, in: info)
    guard scheme == Self.scheme else { throw Fault(TlockChainProblem.scheme(scheme)) }
    let stated = try names.bytes(names.hash, in: info)
    try self.init(
      publicKey: names.bytes("public_key", in: info),
      period: names.number("period", in: info),
      genesis: names.number("genesis_time", in: info),
      seed: names.bytes(names.seed, in: info),
      beaconID: names.beaconID(in: info))
    guard hash == stated else {
      throw Fault(TlockChainProblem.hash(stated: Hex.encode(stated), computed: Hex.encode(hash)))
    }
  }

  /// The names that a version of drand's API has for the parameters.
  private struct Names {
    let hash, seed, scheme: String

    static let first = Names(hash: "hash", seed: "groupHash", scheme: "schemeID")
    static let second = Names(hash: "chain_hash", seed: "genesis_seed", scheme: "scheme")

    func string(_ key: String, in info: JSONObject) throws(Fault) -> String {
      guard let text = info[key]?.string else { throw Fault(TlockChainProblem.malformed(key: key)) }
      return text
    }

    func bytes(_ key: String, in info: JSONObject) throws(Fault) -> [UInt8] {
      guard let bytes = Hex.decode(try string(key, in: info)), !bytes.isEmpty else {
        throw Fault(TlockChainProblem.malformed(key: key))
      }
      return bytes
    }

    func number<Value: FixedWidthInteger>(
      _ key: String, in info: JSONObject
    ) throws(Fault) -> Value {
      guard let number = info[key]?.integer, let value = Value(exactly: number) else {
        throw Fault(TlockChainProblem.malformed(key: key))
      }
      return value
    }

    /// Version 1 has it one level down.
    func beaconID(in info: JSONObject) throws(Fault) -> String {
      if let id = info["beacon_id"]?.string ?? info["metadata"]?["beaconID"]?.string { return id }
      throw Fault(TlockChainProblem.malformed(key: "beacon_id"))
    }
  }
}

/// The reason why a description of a chain is refused.
package enum TlockChainProblem: Hashable, Sendable {
  /// Not a JSON object, or JSON of another form than chain info, at this key.
  case malformed(key: String?)
  /// A scheme that is not known.
  case scheme(String)
  /// The period is zero.
  case period
  /// The genesis lies before 1970.
  case genesis
  /// The public key is not a point of G2.
  case publicKey
  /// The parameters do not make the hash that stands beside them.
  case hash(stated: String, computed: String)
  /// The public key is that of a known chain with this hash, and the parameters are not.
  case keyTaken(by: String)
}

/// The message leaves the name of the file open.
extension TlockChainProblem: FaultCause {
  package var code: Fault.Code { .usage }

  package var message: Fault.Message {
    let reason =
      switch self {
      case .malformed(let key):
        "not drand chain info" + (key.map { " ('\($0)')" } ?? "")
      case .scheme(let scheme):
        "scheme '\(scheme)' instead of '\(TlockChain.scheme)'"
      case .period: "the period is 0"
      case .genesis: "the genesis is before 1970"
      case .publicKey: "the public key is invalid"
      case .hash(let stated, let computed): "the hash is \(computed), not \(stated)"
      case .keyTaken(let hash):
        "the public key is that of the chain '\(hash)', but other parameters differ"
      }
    return "invalid chain info '\(open: .name)': \(reason)"
  }

  package var hint: String? {
    "download it again from a drand relay, as https://api.drand.sh/CHAIN-HASH/info"
  }
}
