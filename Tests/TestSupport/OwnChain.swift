package import CapsuleAge

/// A chain whose secret key the test has.
package struct OwnChain {
  private let secret: CapsuleAge.Scalar
  package let chain: TlockChain

  package init(
    secret: UInt64 = 4711, period: UInt32 = 3, genesis: Int64 = 1_692_803_367
  ) throws {
    self.secret = CapsuleAge.Scalar(secret)
    let key = try require(G2.generator.multiplied(by: self.secret).affine)
    chain = try TlockChain(
      publicKey: key.encoded, period: period, genesis: genesis, seed: [1, 2, 3], beaconID: "own")
  }

  package var hash: String { Hex.encode(chain.hash) }

  package func signature(_ round: UInt64) throws -> String {
    let point = G1(TlockIBE.point(round: round)).multiplied(by: secret)
    return Hex.encode(try require(point.affine).encoded)
  }

  package func beacon(_ round: UInt64) throws -> VerifiedTlockBeacon {
    let signature = try require(Hex.decode(try signature(round)))
    return try chain.verify(TlockBeacon(round: round, signature: signature), round: round)
  }

  /// The chain info as drand writes it.
  package var info: String {
    ChainInfo(
      publicKey: chain.publicKey.encoded, period: chain.period, genesis: chain.genesis.seconds,
      seed: chain.seed, beaconID: "own"
    ).text
  }
}

/// Chain info of any parameters, with the hash that they make.
package struct ChainInfo {
  package var publicKey: [UInt8]
  package var period: UInt32
  package var genesis: Int64
  package var seed: [UInt8]
  package var beaconID: String

  package init(
    publicKey: [UInt8], period: UInt32 = 3, genesis: Int64, seed: [UInt8] = [1, 2, 3],
    beaconID: String
  ) {
    self.publicKey = publicKey
    self.period = period
    self.genesis = genesis
    self.seed = seed
    self.beaconID = beaconID
  }

  /// Quicknet's key with a genesis in the year 9000 and a name of another's.
  package static let forged = ChainInfo(
    publicKey: TlockChain.quicknet.publicKey.encoded, genesis: 221_845_392_000, beaconID: "far")

  package var hash: String {
    let numbers =
      withUnsafeBytes(of: period.bigEndian) { Array($0) }
      + withUnsafeBytes(of: genesis.bigEndian) { Array($0) }
    return Hex.encode(SHA256.hash(numbers + publicKey + seed + Array(beaconID.utf8)))
  }

  package var text: String {
    """
    {"public_key":"\(Hex.encode(publicKey))","period":\(period),\
    "genesis_time":\(genesis),"genesis_seed":"\(Hex.encode(seed))",\
    "chain_hash":"\(hash)","scheme":"\(TlockChain.scheme)","beacon_id":"\(beaconID)"}
    """
  }

  /// The members of a record's timelock.
  package func timelock(round: Int64, inner: String? = nil, beacon: String? = nil) -> JSONObject {
    var members: JSONObject = [
      "chain": .string(hash), "publicKey": .string(Hex.encode(publicKey)),
      "genesis": .integer(genesis), "groupHash": .string(Hex.encode(seed)),
      "beaconID": .string(beaconID), "period": .integer(Int64(period)), "round": .integer(round),
    ]
    members["inner"] = inner.map { .string($0) }
    members["beacon"] = beacon.map { .string($0) }
    return members
  }
}
