import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// What relays, files and records may hold: noise, and valid bytes with a few of them changed. The
/// same seeds every time; `Fuzz` looks for inputs of its own.
@Suite struct TlockNoiseTests {
  @Test func `a point that is read is written as the same bytes`() throws {
    var random = SeededGenerator(seed: 1)
    let small = [G1.generator.encoded, (-G1.generator).encoded, TlockIBE.point(round: 1).encoded]
    let large = [G2.generator.encoded, TlockChain.quicknet.publicKey.encoded]
    var read = 0
    for _ in 0..<TestScale.count(full: 20_000, debug: 100) {
      let first = mutated(small, &random)
      if let point = G1.Affine(encoded: first) {
        expect(point.encoded, is: first)
        expect(G1(point).isInSubgroup)
        read += 1
      }
      let second = mutated(large, &random)
      if let point = G2.Affine(encoded: second) {
        expect(point.encoded, is: second)
        expect(G2(point).isInSubgroup)
        read += 1
      }
    }
    expect(read > 0)
  }

  @Test func `a changed ciphertext opens to the key that was sealed, or to nothing`() throws {
    var random = SeededGenerator(seed: 2)
    let one = try require(try TlockVectors.ciphertexts().first { $0.chain == .quicknet })
    let point = try require(
      G1.Affine(encoded: TlockVectors.beacon("quicknet", round: 1000).signature))
    for _ in 0..<TestScale.count(full: 3_000, debug: 20) {
      let ciphertext = mutated([one.bytes], &random)
      let key = try? TlockIBE.open(ciphertext, signature: point)
      expect(key == (ciphertext == one.bytes ? one.fileKey : nil))
    }
  }

  @Test func `a changed beacon is valid only with the true signature`() throws {
    var random = SeededGenerator(seed: 3)
    let signature = try require(try TlockVectors.signatures("quicknet")[1000])
    let digits = Hex.encode(signature)
    let texts = [
      "{\"round\":1000,\"signature\":\"\(digits)\"}", digits, "{\"signature\":\"\(digits)\"}",
    ]
    .map { Array($0.utf8) }
    for _ in 0..<TestScale.count(full: 50_000, debug: 150) {
      guard
        let beacon = TlockBeacon(parsing: mutated(texts, &random)),
        let verified = try? TlockChain.quicknet.verify(beacon, round: 1000)
      else { continue }
      expect(verified.signature, is: signature)
    }
  }

  @Test func `changed chain info describes the same chain, or none with its hash`() throws {
    var random = SeededGenerator(seed: 4)
    let info = try [TlockVectors.chainInfo("oracle-v1"), TlockVectors.chainInfo("oracle-v2")]
    let original = try TlockVectors.chain("oracle")
    for _ in 0..<TestScale.count(full: 20_000, debug: 200) {
      guard let chain = try? TlockChain(chainInfo: mutated(info, &random)) else { continue }
      expect(chain.hash == original.hash && chain.publicKey == original.publicKey)
      expect(chain.period == original.period && chain.genesis == original.genesis)
    }
  }

  @Test func `a changed stanza is read as what it says, or refused`() throws {
    var random = SeededGenerator(seed: 5)
    let one = try require(try TlockVectors.ciphertexts().first)
    let hash = Array(Hex.encode(one.chain.hash).utf8)
    let identity = TlockIdentity(chains: [.quicknet], beacons: [])
    for _ in 0..<TestScale.count(full: 50_000, debug: 500) {
      let stanza = Stanza(
        arguments: [
          "tlock", String(decoding: mutated([Array("1000".utf8)], &random), as: UTF8.self),
          String(decoding: mutated([hash], &random), as: UTF8.self),
        ], body: mutated([one.bytes], &random))
      if let read = try? TlockStanza(stanza) {
        expect(read.stanza, is: stanza)
      }
      if case .fileKey = identity.unwrap([stanza]) {
        Issue.record("opened without a beacon: \(stanza)")
      }
    }
  }

  /// One of the samples with up to three bytes changed, removed or inserted, or noise of its length.
  private func mutated(_ samples: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = samples[Int.random(in: 0..<samples.count, using: &random)]
    if Int.random(in: 0..<8, using: &random) == 0 {
      return bytes.map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes.remove(at: position)
      case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
      case 2: bytes[position] = UInt8.random(in: 0...255, using: &random)
      case 3: bytes[0] ^= 0x20
      default: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }
}
