import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct TlockBeaconTests {
  @Test(arguments: ["quicknet", "oracle"])
  func `a chain's signatures are valid for their round, and for no other`(name: String) throws {
    let chain = try TlockVectors.chain(name)
    for (place, (round, signature)) in try TlockVectors.signatures(name).enumerated() {
      let beacon = TlockBeacon(round: nil, signature: signature)
      let verified = try chain.verify(beacon, round: round)
      expect(verified.round == round && verified.signature == signature)
      expect(verified.time, is: chain.time(ofRound: round))
      let others = [round &+ 1, round - 1, 0]
      // The debug build's share: one other for each.
      for other in TestScale.isFull ? others : [others[place % 3]] where other != round {
        expect(throws: TlockError.badSignature(round: other)) {
          try chain.verify(beacon, round: other)
        }
      }
    }
  }

  @Test func `a signature with any byte changed is bad`() throws {
    let chain = TlockChain.quicknet
    let signature = try require(try TlockVectors.signatures("quicknet")[1000])
    let values = TestScale.isFull ? Array(UInt8(1)...255) : [1, 0x20, 0x80]
    for position in 0..<48 {
      for value in values where TestScale.isFull || position % 3 == 0 {
        var changed = signature
        changed[position] ^= value
        expect(throws: TlockError.badSignature(round: 1000), "byte \(position) ^ \(value)") {
          try chain.verify(TlockBeacon(round: 1000, signature: changed), round: 1000)
        }
      }
    }
  }

  @Test func `bytes that are no point of the group are a bad signature`() throws {
    for words in try BLSVectors.cases("g1.refused", in: "points") {
      let signature = try require(Hex.decode(words[1]))
      expect(throws: TlockError.badSignature(round: 1), "\(words)") {
        try TlockChain.quicknet.verify(TlockBeacon(round: 1, signature: signature), round: 1)
      }
    }
  }

  @Test func `another chain's signature is bad`() throws {
    let signature = try require(try TlockVectors.signatures("oracle")[2])
    expect(throws: TlockError.badSignature(round: 2)) {
      try TlockChain.quicknet.verify(TlockBeacon(round: 2, signature: signature), round: 2)
    }
  }

  @Test func `a beacon given twice is one proof, and each round another`() throws {
    let signatures = try TlockVectors.signatures("quicknet")
    let proofs = try [1000, 1001, 1000].map { (round: UInt64) in
      try TlockChain.quicknet.verify(
        TlockBeacon(round: nil, signature: try require(signatures[round])), round: round)
    }
    expect(Set(proofs).count, is: 2)
    expect(proofs[0] == proofs[2] && proofs[0] != proofs[1])
    let chains = try Set([TlockVectors.chain("quicknet"), .quicknet, TlockVectors.chain("oracle")])
    expect(chains.count, is: 2)
  }

  @Test func `a beacon that says it is of another round is told apart`() throws {
    let signature = try require(try TlockVectors.signatures("quicknet")[1001])
    let beacon = TlockBeacon(round: 1001, signature: signature)
    expect(throws: TlockError.otherRound(wanted: 1000, claimed: 1001)) {
      try TlockChain.quicknet.verify(beacon, round: 1000)
    }
  }

  static let digits = String(repeating: "b4", count: 48)
  /// The same bytes in base64.
  static let lotus = String(repeating: "tLS0", count: 16)

  @Test(
    arguments: [
      ("{\"round\":1000,\"randomness\":\"00\",\"signature\":\"\(digits)\"}", 1000),
      ("{\"round\":1000,\"signature\":\"\(digits)\"}\n", 1000),
      (
        "{\"signature\":\"\(digits)\",\"previous_signature\":\"ab\",\"round\":18446744073709551615}",
        .max
      ),
      ("{\"signature\":\"\(digits)\"}", nil),
      (digits, nil), ("  \(digits)\r\n", nil), (digits.uppercased(), nil),
      ("{\"Round\":1000,\"Data\":\"\(lotus)\"}", 1000), ("{\"Data\":\"\(lotus)\"}", nil),
    ] as [(String, UInt64?)])
  func `drand's JSON, that of Lotus and bare digits are read`(text: String, round: UInt64?) throws {
    let beacon = try require(TlockBeacon(parsing: Array(text.utf8)))
    expect(beacon.round, is: round)
    expect(beacon.signature, is: [UInt8](repeating: 0xb4, count: 48))
  }

  @Test(
    arguments: [
      "", " ", "b4", digits + "b4",
      digits.dropLast() + "g", "0x" + digits,
      "<html>404</html>", "[]", "{",
      "\"\(digits)\"", "{}", "{\"signature\":1}",
      "{\"signature\":\"xy\"}", "{\"signature\":\"abc\"}",
      "{\"Data\":\"\(digits.dropLast())\"}", "{\"Data\":1}",
      "{\"Data\":\"\(lotus)\",\"Round\":-1}",
      "{\"signature\":\"ab\",\"round\":\"1\"}",
      "{\"signature\":\"ab\",\"round\":-1}",
      "{\"signature\":\"ab\",\"round\":1.5}",
      "{\"signature\":\"ab\",\"round\":null}",
      "{\"signature\":\"ab\",\"round\":1,\"round\":1}",
      "\u{FEFF}" + digits,
      String(repeating: " ", count: TlockBeacon.maximumByteCount) + digits,
    ])
  func `anything else is no beacon`(text: String) {
    expect(TlockBeacon(parsing: Array(text.utf8)) == nil)
  }

  @Test func `a beacon has at most 16 KiB`() {
    let most = String(repeating: " ", count: (16 << 10) - 96) + Self.digits
    expect(TlockBeacon(parsing: Array(most.utf8)) != nil)
    expect(TlockBeacon(parsing: Array((" " + most).utf8)) == nil)
  }

  @Test(.enabled(if: SharedVectors.exist, "\(SharedVectors.absence)"))
  func `published signatures of quicknet are valid`() throws {
    let file = try SharedVectors.json("tlock_quicknet.json")
    for member in try require(file["signatures"]?.object) {
      let round = try require(UInt64(member.key))
      let signature = try require(member.value.string.flatMap { Hex.decode($0) })
      let beacon = TlockBeacon(round: round, signature: signature)
      expect(throws: Never.self) { try TlockChain.quicknet.verify(beacon, round: round) }
    }
  }
}
