import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Every case for ML-KEM-768 of Project Wycheproof, of NIST's ACVP, and of C2SP's CCTV as far as it
/// follows the final standard.
@Suite(.enabled(if: SharedVectors.exist, Comment(rawValue: SharedVectors.absence)))
struct MLKEM768VectorTests {
  private struct File: Decodable {
    struct Group: Decodable {
      let tests: [Case]
    }
    struct Case: Decodable {
      let tcId: Int
      let result: String
      let seed: String?
      let ek: String?
      let dk: String?
      let m: String?
      let c: String?
      let shared: String?

      enum CodingKeys: String, CodingKey {
        case tcId, result, seed, ek, dk, m, c
        case shared = "K"
      }
    }
    let numberOfTests: Int
    let testGroups: [Group]
  }

  private struct ACVP: Decodable {
    struct Group: Decodable {
      let function: String?
      let dk: String?
      let tests: [Case]
    }
    struct Case: Decodable {
      let tcId: Int
      let d: String?
      let z: String?
      let ek: String?
      let dk: String?
      let m: String?
      let c: String?
      let k: String?
    }
    let keyGen: [Group]
    let encapDecap: [Group]
  }

  /// The cases of a file; in a debug build every `debug`th one of each result, and the first.
  private func cases(_ name: String, every step: Int) throws -> [File.Case] {
    let decoded = try SharedVectors.decode(File.self, from: "mlkem/mlkem_768_\(name)test.json")
    let file = try require(decoded)
    let all = file.testGroups.flatMap(\.tests)
    expect(all.count, is: file.numberOfTests)
    guard !TestScale.isFull else { return all }
    var counts: [String: Int] = [:]
    return all.filter { test in
      defer { counts[test.result, default: 0] += 1 }
      return counts[test.result, default: 0].isMultiple(of: step)
    }
  }

  private func bytes(_ text: String?) throws -> [UInt8] {
    let text = try require(text)
    return try require(Hex.decode(text))
  }

  private func key(seed: [UInt8]) throws -> MLKEM768.DecapsulationKey {
    try require(seed.count == 64)
    return seed.withUnsafeBytes { seed in
      MLKEM768.DecapsulationKey(
        d: UnsafeRawBufferPointer(rebasing: seed[..<32]),
        z: UnsafeRawBufferPointer(rebasing: seed[32...]))
    }
  }

  private func expanded(_ bytes: [UInt8]) -> MLKEM768.DecapsulationKey? {
    MLKEM768.DecapsulationKey(expanded: SecretBytes(copying: bytes))
  }

  @Test func `Wycheproof's seeds decapsulate what is valid`() throws {
    var count = 0
    for test in try cases("", every: 8) {
      let seed = try bytes(test.seed)
      // A seed of another length is a precondition's failure here; a ciphertext of one is refused.
      guard seed.count == 64 else {
        expect(test.result, is: "invalid", "case \(test.tcId)")
        continue
      }
      let key = try key(seed: seed)
      let shared = key.decapsulate(try bytes(test.c))
      if test.result == "valid" {
        expect(key.encapsulationKey.bytes == (try bytes(test.ek)), "case \(test.tcId)")
        expect(shared?.bytes == (try bytes(test.shared)), "case \(test.tcId)")
        count += 1
      } else {
        expect(shared == nil, "case \(test.tcId)")
      }
    }
    expect(count > 0)
  }

  @Test func `Wycheproof's public keys are sealed to where they are valid`() throws {
    for test in try cases("encaps_", every: 8) {
      let key = MLKEM768.EncapsulationKey(try bytes(test.ek))
      expect((key != nil) == (test.result == "valid"), "case \(test.tcId)")
      guard let key else { continue }
      let (ciphertext, shared) = key.encapsulate(SecretBytes(copying: try bytes(test.m)))
      expect(ciphertext == (try bytes(test.c)), "case \(test.tcId)")
      expect(shared.bytes == (try bytes(test.shared)), "case \(test.tcId)")
    }
  }

  @Test func `Wycheproof's seeds give the keys of the standard`() throws {
    for test in try cases("keygen_seed_", every: 8) {
      let key = try key(seed: try bytes(test.seed))
      expect(key.encapsulationKey.bytes == (try bytes(test.ek)), "case \(test.tcId)")
      expect(key.expanded.bytes == (try bytes(test.dk)), "case \(test.tcId)")
    }
  }

  @Test func `Wycheproof's expanded keys decapsulate what is valid`() throws {
    for test in try cases("semi_expanded_decaps_", every: 1) {
      let shared = expanded(try bytes(test.dk))?.decapsulate(try bytes(test.c))
      let expected = test.result == "valid" ? try bytes(test.shared) : nil
      expect(shared?.bytes, is: expected, "case \(test.tcId)")
    }
  }

  @Test func `NIST's keys, encapsulations and decapsulations are right`() throws {
    let decoded = try SharedVectors.decode(ACVP.self, from: "mlkem/acvp-768.json")
    let file = try require(decoded)
    var counts: [String: Int] = [:]
    for test in file.keyGen.flatMap(\.tests) {
      let key = try key(seed: try bytes(test.d) + bytes(test.z))
      expect(key.encapsulationKey.bytes == (try bytes(test.ek)), "case \(test.tcId)")
      expect(key.expanded.bytes == (try bytes(test.dk)), "case \(test.tcId)")
      counts["keyGen", default: 0] += 1
    }
    for group in file.encapDecap {
      let function = try require(group.function)
      for test in group.tests {
        let key = try require(expanded(try bytes(test.dk ?? group.dk)))
        let ciphertext = try bytes(test.c)
        expect(key.decapsulate(ciphertext)?.bytes == (try bytes(test.k)), "case \(test.tcId)")
        if function == "encapsulation" {
          let (made, shared) = key.encapsulationKey.encapsulate(
            SecretBytes(copying: try bytes(test.m)))
          expect(made, is: ciphertext, "case \(test.tcId)")
          expect(shared.bytes == (try bytes(test.k)), "case \(test.tcId)")
        }
        counts[function, default: 0] += 1
      }
    }
    expect(counts, is: ["keyGen": 25, "encapsulation": 25, "decapsulation": 10])
  }

  @Test func `a key that any zero byte of a comparison would fool is not fooled`() throws {
    let fields = try SharedVectors.fields("mlkem/cctv-strcmp-768.txt")
    let key = try require(expanded(try bytes(fields["dk"])))
    expect(key.decapsulate(try bytes(fields["c"]))?.bytes == (try bytes(fields["K"])))
  }

  @Test func `a key whose matrix needs more of its stream than others is right`() throws {
    let fields = try SharedVectors.fields("mlkem/cctv-unluckysample-768.txt")
    let key = try require(expanded(try bytes(fields["dk"])))
    expect(key.decapsulate(try bytes(fields["c"]))?.bytes == (try bytes(fields["K"])))
    let publicKey = try require(MLKEM768.EncapsulationKey(try bytes(fields["ek"])))
    let (ciphertext, shared) = publicKey.encapsulate(SecretBytes(copying: try bytes(fields["m"])))
    expect(ciphertext == (try bytes(fields["c"])))
    expect(shared.bytes == (try bytes(fields["K"])))
  }

  @Test func `every place where a coefficient can be too large is looked at`() throws {
    let lines = try SharedVectors.compressedLines("mlkem/cctv-modulus-768.txt.gz")
    expect(lines.count, is: 780)
    for line in lines { expect(MLKEM768.EncapsulationKey(try bytes(line)) == nil) }
  }
}
