import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct TlockIBETests {
  @Test func `sealing gives the bytes of the other implementation, whatever H3 tries`() throws {
    let ciphertexts = try TlockVectors.ciphertexts()
    expect(Set(ciphertexts.map(\.tries)), is: [1, 2, 3, 4, 5])
    for one in ciphertexts {
      let sealed = TlockIBE.seal(
        one.fileKey, sigma: one.sigma, round: one.round, publicKey: one.chain.publicKey)
      expect(sealed, is: one.bytes, "H3 takes \(one.tries)")
    }
  }

  @Test func `opening gives the file key of the other implementation's ciphertexts`() throws {
    for one in try TlockVectors.ciphertexts() {
      let name = one.chain == .quicknet ? "quicknet" : "oracle"
      let signature = try TlockVectors.beacon(name, round: one.round).signature
      let key = try TlockIBE.open(one.bytes, signature: try require(G1.Affine(encoded: signature)))
      expect(key, is: one.fileKey, "H3 takes \(one.tries)")
    }
  }

  @Test func `a ciphertext with any byte changed is damaged, never another key`() throws {
    let (ciphertext, signature) = try sample()
    let step = TestScale.isFull ? 1 : 9
    for position in stride(from: 0, to: ciphertext.count, by: step) {
      for bit in TestScale.isFull ? Array(0..<8) : [position % 8] {
        var changed = ciphertext
        changed[position] ^= 1 << bit
        let fault = expect(throws: TlockError.self) {
          try TlockIBE.open(changed, signature: signature)
        }
        guard case .damaged = fault else {
          Issue.record("byte \(position), bit \(bit): \(String(describing: fault))")
          return
        }
      }
    }
  }

  @Test func `another round's signature opens nothing`() throws {
    let (ciphertext, _) = try sample()
    let other = try TlockVectors.beacon("quicknet", round: 1001).signature
    expect(throws: TlockError.damaged(.ciphertext)) {
      try TlockIBE.open(ciphertext, signature: try require(G1.Affine(encoded: other)))
    }
  }

  @Test func `a ciphertext of another length, or whose U is no point, is refused by name`() throws {
    let (ciphertext, signature) = try sample()
    for wrong in [[], Array(ciphertext.dropLast()), ciphertext + [0]] {
      expect(throws: TlockError.damaged(.length)) {
        try TlockIBE.open(wrong, signature: signature)
      }
    }
    for words in try BLSVectors.cases("g2.refused", in: "points") where words[0] != "length" {
      let point = try require(Hex.decode(words[1]))
      let fault = expect(throws: TlockError.self) {
        try TlockIBE.open(point + ciphertext.suffix(32), signature: signature)
      }
      expect(fault, is: .damaged(.point), "\(words)")
    }
  }

  @Test(.enabled(if: SharedVectors.exist, "\(SharedVectors.absence)"))
  func `published ciphertexts are made and opened`() throws {
    let file = try SharedVectors.json("tlock_quicknet.json")
    let digits = try require(file["signatures"]?["1000"]?.string)
    let signature = try require(G1.Affine(encoded: try require(Hex.decode(digits))))
    for vector in try require(file["ibe"]?.array) {
      func bytes(_ key: String) throws -> [UInt8] {
        let digits = try require(vector[key]?.string)
        return try require(Hex.decode(digits))
      }
      let ciphertext = try bytes("U") + bytes("V") + bytes("W")
      let sealed = TlockIBE.seal(
        try bytes("fileKey"), sigma: try bytes("sigma"), round: 1000,
        publicKey: TlockChain.quicknet.publicKey)
      expect(sealed, is: ciphertext)
      try expect(TlockIBE.open(ciphertext, signature: signature), is: bytes("fileKey"))
    }
    let round = try require(file["round1000"])
    expect(Hex.encode(TlockIBE.message(round: 1000)), is: round["id"]?.string)
    let point = TlockIBE.point(round: 1000)
    expect(Hex.encode(point.x.bigEndian), is: round["QidX"]?.string)
    expect(Hex.encode(point.y.bigEndian), is: round["QidY"]?.string)
    let shared = GT.pairing(point, TlockChain.quicknet.publicKey)
    let mask = SHA256.hash(Array("IBE-H2".utf8) + shared.bytes)
    expect(Hex.encode(mask), is: round["H2_of_e(Qid,pk)"]?.string)
  }

  private func sample() throws -> ([UInt8], G1.Affine) {
    let one = try require(try TlockVectors.ciphertexts().first { $0.chain == .quicknet })
    let signature = try TlockVectors.beacon("quicknet", round: one.round).signature
    return (one.bytes, try require(G1.Affine(encoded: signature)))
  }
}
