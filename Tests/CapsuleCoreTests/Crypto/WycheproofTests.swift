import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Every case of Project Wycheproof's files for the primitives.
@Suite(.enabled(if: SharedVectors.exist, Comment(rawValue: SharedVectors.absence)))
struct WycheproofTests {
  private struct File: Decodable {
    struct Group: Decodable {
      let tests: [Case]
      let tagSize: Int?
    }
    struct Case: Decodable {
      let tcId: Int
      let result: String
      let flags: [String]
      let key: String?
      let msg: String?
      let tag: String?
      let iv: String?
      let aad: String?
      let ct: String?
      let ikm: String?
      let salt: String?
      let info: String?
      let size: Int?
      let okm: String?
      let password: String?
      let iterationCount: Int?
      let dkLen: Int?
      let dk: String?
      let `public`: String?
      let `private`: String?
      let shared: String?
    }
    let numberOfTests: Int
    let testGroups: [Group]
  }

  private func file(_ name: String) throws -> File {
    let decoded = try SharedVectors.decode(File.self, from: "wycheproof/\(name)_test.json")
    let file = try require(decoded)
    expect(file.testGroups.map(\.tests.count).reduce(0, +), is: file.numberOfTests)
    return file
  }

  private func bytes(_ text: String?) throws -> [UInt8] {
    let text = try require(text)
    return try require(Hex.decode(text))
  }

  @Test func `HMAC-SHA256 codes are right exactly where they are valid`() throws {
    for group in try file("hmac_sha256").testGroups {
      let count = try require(group.tagSize) / 8
      for test in group.tests {
        let code = HMACSHA256.authenticationCode(
          key: try bytes(test.key), data: try bytes(test.msg))
        let matches = constantTimeEqual(Array(code.prefix(count)), try bytes(test.tag))
        expect(matches == (test.result == "valid"), "case \(test.tcId)")
      }
    }
  }

  @Test func `HKDF-SHA256 derives what is valid, and the rest asks for too much`() throws {
    for test in try file("hkdf_sha256").testGroups.flatMap(\.tests) {
      let size = try require(test.size)
      guard test.result == "valid" else {
        expect(size > HKDFSHA256.maximumCount, "case \(test.tcId)")
        continue
      }
      let derived = HKDFSHA256.derive(
        secret: try bytes(test.ikm), salt: try bytes(test.salt), info: try bytes(test.info),
        count: size)
      expect(derived == (try bytes(test.okm)), "case \(test.tcId)")
    }
  }

  @Test func `PBKDF2 derives what is valid`() throws {
    var left = TestScale.count(full: .max, debug: 60_000)
    for test in try file("pbkdf2_hmacsha256").testGroups.flatMap(\.tests) {
      let iterations = try require(test.iterationCount)
      let count = try require(test.dkLen)
      expect(test.result, is: "valid")
      // The debug build's share: as many rounds as a few seconds allow, the long cases last.
      let cost = iterations * ((count + 31) / 32)
      guard cost <= left else { continue }
      left -= cost
      let derived = PBKDF2.derive(
        password: try bytes(test.password), salt: try bytes(test.salt), iterations: iterations,
        count: count)
      expect(derived == (try bytes(test.dk)), "case \(test.tcId)")
    }
  }

  @Test func `ChaCha20-Poly1305 opens what is valid and refuses the rest`() throws {
    for test in try file("chacha20_poly1305").testGroups.flatMap(\.tests) {
      let nonce = try bytes(test.iv)
      guard nonce.count == ChaCha20Poly1305.nonceByteCount else {
        // Another nonce is a precondition's failure, which its own test shows.
        expect(test.result, is: "invalid", "case \(test.tcId)")
        continue
      }
      let cipher = ChaCha20Poly1305(key: try bytes(test.key))
      let associated = try bytes(test.aad)
      let message = try bytes(test.msg)
      let sealed = try bytes(test.ct) + bytes(test.tag)
      let opened = cipher.open(sealed, nonce: nonce, associatedData: associated)
      let again = cipher.seal(message, nonce: nonce, associatedData: associated)
      if test.result == "valid" {
        expect(opened, is: message, "case \(test.tcId)")
        expect(again, is: sealed, "case \(test.tcId)")
      } else {
        expect(opened == nil, "case \(test.tcId)")
        expect(again != sealed, "case \(test.tcId)")
      }
    }
  }

  @Test func `X25519 shares what is valid or acceptable, and nothing where all is zero`() throws {
    var perKind: [[String]: Int] = [:]
    for test in try file("x25519").testGroups.flatMap(\.tests) {
      // The debug build's share: some of each kind.
      perKind[test.flags, default: 0] += 1
      guard perKind[test.flags, default: 0] <= TestScale.count(full: .max, debug: 15) else {
        continue
      }
      let shared = try bytes(test.shared)
      let result = X25519.sharedSecret(
        secret: try bytes(test.private), publicKey: try bytes(test.public))
      let isZero = shared.allSatisfy { $0 == 0 }
      expect(isZero, is: test.flags.contains("ZeroSharedSecret"), "case \(test.tcId)")
      expect(result == (isZero ? nil : shared), "case \(test.tcId)")
    }
  }
}
