import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct TlockChainTests {
  static let quicknetInfo = """
    {"public_key":"83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3\
    ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09\
    e76eae8991ef5ece45a","period":3,"genesis_time":1692803367,\
    "hash":"52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",\
    "groupHash":"f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",\
    "schemeID":"bls-unchained-g1-rfc9380","metadata":{"beaconID":"quicknet"}}
    """

  @Test func `the pinned quicknet is what its published parameters make`() throws {
    let chain = try TlockChain(chainInfo: Array(Self.quicknetInfo.utf8))
    let pinned = TlockChain.quicknet
    expect(chain.hash, is: pinned.hash)
    expect(chain.publicKey, is: pinned.publicKey)
    expect(chain.period, is: pinned.period)
    expect(chain.genesis, is: pinned.genesis)
    expect(chain.beaconID, is: pinned.beaconID)
  }

  @Test func `both versions of chain info describe the same chain`() throws {
    let first = try TlockChain(chainInfo: TlockVectors.chainInfo("oracle-v1"))
    let second = try TlockChain(chainInfo: TlockVectors.chainInfo("oracle-v2"))
    expect(first, is: second)
    expect(first.publicKey, is: second.publicKey)
    expect(first.period == 30 && first.genesis == Instant(seconds: 1_700_000_000))
    expect(first != .quicknet)
  }

  @Test func `the beacon id called default stays out of the hash`() throws {
    let chain = try TlockChain(chainInfo: TlockVectors.chainInfo("default-v1"))
    expect(chain.beaconID, is: "default")
  }

  /// What is put in the place of a piece of quicknet's info, and what comes of it.
  static let changes: [(String, String, TlockChainProblem)] = [
    ("\"period\":3", "\"period\":0", .period),
    ("\"period\":3", "\"period\":-3", .malformed(key: "period")),
    ("\"period\":3", "\"period\":4294967296", .malformed(key: "period")),
    ("\"period\":3", "\"period\":\"3\"", .malformed(key: "period")),
    ("\"period\":3", "\"period\":3.5", .malformed(key: "period")),
    ("1692803367", "-1", .genesis),
    ("bls-unchained-g1-rfc9380", "pedersen-bls-chained", .scheme("pedersen-bls-chained")),
    ("bls-unchained-g1-rfc9380", "bls-unchained-on-g1", .scheme("bls-unchained-on-g1")),
    ("\"schemeID\"", "\"scheme\"", .malformed(key: "schemeID")),
    ("\"83cf", "\"03cf", .publicKey),
    ("\"83cf", "\"8fcf", .publicKey),
    ("\"83cf", "\"cf", .publicKey),
    ("\"83cf", "\"x3cf", .malformed(key: "public_key")),
    ("\"f477", "\"477", .malformed(key: "groupHash")),
    ("\"hash\":\"52", "\"hash\":\"", .hash(stated: "", computed: "")),
    ("beaconID", "beacon", .malformed(key: "beacon_id")),
    ("{\"public_key\"", "[\"public_key\"", .malformed(key: nil)),
    ("\"period\":3,", "\"period\":3,\"period\":3,", .malformed(key: nil)),
  ]

  @Test(arguments: changes)
  func `a description that is wrong is refused for what is wrong`(
    old: String, new: String, fault: TlockChainProblem
  ) throws {
    let text = try info(replacing: old, with: new)
    let thrown = expect(throws: TlockChainProblem.self) {
      try TlockChain(chainInfo: Array(text.utf8))
    }
    if case .hash = fault, case .hash = thrown { return }
    expect(thrown, is: fault)
  }

  @Test(
    arguments: [
      (.malformed(key: "period"), "not drand chain info ('period')"),
      (.malformed(key: nil), "not drand chain info"),
      (.publicKey, "the public key is invalid"), (.period, "the period is 0"),
    ] as [(TlockChainProblem, String)])
  func `a refusal of chain info names the file and the reason`(
    problem: TlockChainProblem, reason: String
  ) {
    let fault = Fault(problem).naming("chain.json")
    expect(fault.description, is: "invalid chain info 'chain.json': \(reason)")
    expect(
      fault.hint,
      is: "download it again from a drand relay, as https://api.drand.sh/CHAIN-HASH/info")
  }

  @Test(arguments: [
    ("1692803367", "1692803368"), ("\"period\":3", "\"period\":4"), ("\"010203", "\"010204"),
    ("\"own\"", "\"owl\""),
  ])
  func `a parameter that does not fit the hash is refused`(old: String, new: String) throws {
    let own = try OwnChain()
    let text = own.info.replacing(old, with: new)
    let fault = expect(throws: TlockChainProblem.self) {
      try TlockChain(chainInfo: Array(text.utf8))
    }
    guard case .hash(let stated, let computed) = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    expect(stated == own.hash && computed != stated)
  }

  @Test func `quicknet's key with other parameters is no chain, whatever hash they make`() throws {
    let quicknet = TlockChain.quicknet
    var infos = [ChainInfo.forged]
    let exact = ChainInfo(
      publicKey: quicknet.publicKey.encoded, period: quicknet.period,
      genesis: quicknet.genesis.seconds, seed: quicknet.seed, beaconID: quicknet.beaconID)
    infos += [exact, exact, exact, exact]
    infos[1].period = 4
    infos[2].genesis += 1
    infos[3].seed = []
    infos[4].beaconID = "default"
    let fault = TlockChainProblem.keyTaken(by: Hex.encode(quicknet.hash))
    for info in infos {
      expect(throws: fault) {
        try TlockChain(
          publicKey: info.publicKey, period: info.period, genesis: info.genesis, seed: info.seed,
          beaconID: info.beaconID)
      }
    }
    expect(throws: fault) { try TlockChain(chainInfo: Array(ChainInfo.forged.text.utf8)) }
    try expect(TlockChain(chainInfo: Array(exact.text.utf8)), is: quicknet)
  }

  @Test func `the round of a time is the first at that time or later, never an earlier one`() throws
  {
    let genesis: Int64 = 1_692_803_367
    let cases: [(Int64, UInt64)] = [
      (.min, 1), (0, 1), (genesis - 1, 1), (genesis, 1), (genesis + 1, 2), (genesis + 2, 2),
      (genesis + 3, 2), (genesis + 4, 3), (1_893_456_000, 66_884_212),
      (2_114_380_799, 140_525_812), (.max, 3_074_457_345_053_990_815),
    ]
    for (seconds, round) in cases {
      let chain = TlockChain.quicknet
      expect(chain.round(at: Instant(seconds: seconds)), is: round, "\(seconds)")
    }
  }

  @Test func `a round is signed at or after its time and less than a period later`() throws {
    var random = SeededGenerator(seed: 7)
    for name in ["quicknet", "oracle", "default"] {
      let chain = try TlockVectors.chain(name)
      for _ in 0..<1_000 {
        let seconds = Int64.random(in: chain.genesis.seconds...(1 << 40), using: &random)
        let round = chain.round(at: Instant(seconds: seconds))
        let time = try require(chain.time(ofRound: round))
        expect(time.seconds >= seconds && time.seconds - seconds < Int64(chain.period))
        expect(chain.round(at: time), is: round)
      }
    }
  }

  @Test func `rounds beyond the calendar have no time, and round 0 has none`() {
    let chain = TlockChain.quicknet
    expect(chain.time(ofRound: 0) == nil)
    expect(chain.time(ofRound: 1), is: chain.genesis)
    expect(chain.time(ofRound: .max) == nil)
    expect(chain.time(ofRound: 3_074_457_345_053_990_815) == nil)
    expect(
      chain.time(ofRound: 3_074_457_345_053_990_814), is: Instant(seconds: .max - 1))
  }

  @Test(.enabled(if: SharedVectors.exist, "\(SharedVectors.absence)"))
  func `published parameters and round times hold`() throws {
    let file = try SharedVectors.json("tlock_quicknet.json")
    let info = try require(file["chain"])
    func bytes(_ key: String) throws -> [UInt8] {
      let digits = try require(info[key]?.string)
      return try require(Hex.decode(digits))
    }
    let chain = try TlockChain(
      publicKey: bytes("publicKey"), period: 3, genesis: try require(info["genesisTime"]?.integer),
      seed: bytes("genesisSeed"), beaconID: "quicknet")
    try expect(chain.hash, is: bytes("chainHash"))
    expect(chain == .quicknet && chain.publicKey == TlockChain.quicknet.publicKey)
  }

  /// Quicknet's info with its first `old` replaced.
  private func info(replacing old: String, with new: String) throws -> String {
    var text = Self.quicknetInfo
    text.replaceSubrange(try require(text.firstRange(of: old)), with: new)
    return text
  }
}
