import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct HybridKEMTests {
  private static let info = Array("age-encryption.org/mlkem768x25519".utf8)

  private static func digest(_ bytes: [UInt8]) -> String {
    Hex.encode(SHA3.hash(.sha3x256, bytes, count: 32))
  }

  private static func key(_ seed: [UInt8]) throws -> HybridKEM.SecretKey {
    try require(HybridKEM.SecretKey(seed: SecretBytes(copying: seed)))
  }

  @Test func `keys, encapsulations and schedules are those of other programs`() throws {
    for fields in try VectorFile("crypto-hybrid.txt").cases
      .prefix(TestScale.count(full: .max, debug: 10))
    {
      let number = try VectorFile.number(fields[0])
      let key = try Self.key(VectorFile.stream(120_000 + number, 32))
      expect(Self.digest(key.publicKey.bytes), is: fields[1])
      let random =
        VectorFile.stream(121_000 + number, 32) + VectorFile.stream(122_000 + number, 32)
      let made = try require(key.publicKey.encapsulate(SecretBytes(copying: random)))
      expect(Self.digest(made.encapsulation), is: fields[2])
      expect(Hex.encode(made.shared.bytes), is: fields[3])
      expect(key.decapsulate(made.encapsulation)?.bytes, is: made.shared.bytes)
      let schedule = HPKE(shared: made.shared, info: Self.info)
      expect(Hex.encode(schedule.key.bytes), is: fields[4])
      expect(Hex.encode(schedule.baseNonce), is: fields[5])
      let opened = ChaCha20Poly1305(key: schedule.key).open(
        try VectorFile.bytes(fields[6]), nonce: schedule.baseNonce)
      expect(opened, is: VectorFile.stream(123_000 + number, 16))
    }
  }

  @Test func `a seed of another length is no key`() {
    for count in [0, 31, 33, 64] {
      expect(
        HybridKEM.SecretKey(seed: SecretBytes(copying: [UInt8](repeating: 1, count: count))) == nil)
    }
  }

  @Test func `a public key of another length, or with a coefficient too large, is none`() throws {
    let bytes = try Self.key(VectorFile.stream(7, 32)).publicKey.bytes
    expect(bytes.count, is: 1216)
    expect(HybridKEM.PublicKey(bytes)?.bytes, is: bytes)
    expect(HybridKEM.PublicKey(bytes + [0]) == nil)
    expect(HybridKEM.PublicKey(Array(bytes.dropLast())) == nil)
    expect(HybridKEM.PublicKey([0xff, 0xff] + bytes.dropFirst(2)) == nil)
  }

  @Test func `a public key whose X25519 half is nobody's is not sealed to`() throws {
    let bytes = try Self.key(VectorFile.stream(7, 32)).publicKey.bytes
    let key = try require(
      HybridKEM.PublicKey(bytes.dropLast(32) + [UInt8](repeating: 0, count: 32)))
    expect(key.encapsulate(SecretBytes(copying: VectorFile.stream(8, 64))) == nil)
  }

  @Test func `an encapsulation whose share is nobody's, or of another length, holds no secret`()
    throws
  {
    let key = try Self.key(VectorFile.stream(7, 32))
    let made = try require(
      key.publicKey.encapsulate(SecretBytes(copying: VectorFile.stream(8, 64))))
    let whole = made.encapsulation
    expect(key.decapsulate(whole.dropLast(32) + [UInt8](repeating: 0, count: 32)) == nil)
    expect(key.decapsulate(whole + [0]) == nil)
    expect(key.decapsulate(Array(whole.dropLast())) == nil)
  }

  @Test func `a change of either half gives another secret`() throws {
    let key = try Self.key(VectorFile.stream(7, 32))
    let made = try require(
      key.publicKey.encapsulate(SecretBytes(copying: VectorFile.stream(8, 64))))
    for place in [0, 1087, 1088, 1119] {
      var changed = made.encapsulation
      changed[place] ^= 1
      let other = try require(key.decapsulate(changed))
      expect(other.bytes != made.shared.bytes, "byte \(place)")
    }
  }
}

/// The vectors of the drafts of X-Wing and of HPKE with it.
@Suite(.enabled(if: SharedVectors.exist, Comment(rawValue: SharedVectors.absence)))
struct HybridKEMVectorTests {
  private struct XWing: Decodable {
    let seed, eseed, ss, sk, pk, ct: String
  }

  private struct Setup: Decodable {
    struct Encryption: Decodable {
      let aad, ct, nonce, pt: String
    }
    struct Export: Decodable {
      let context: String
      let count: Int
      let value: String

      enum CodingKeys: String, CodingKey {
        case context = "exporter_context"
        case count = "L"
        case value = "exported_value"
      }
    }
    let mode, kem, kdf, aead: Int
    let info, ikmE, ikmR, skRm, pkRm, enc, shared, suite: String
    let key, nonce, exporter: String
    let encryptions: [Encryption]
    let exports: [Export]

    enum CodingKeys: String, CodingKey {
      case mode, info, ikmE, ikmR, skRm, pkRm, enc, key, encryptions, exports
      case kem = "kem_id"
      case kdf = "kdf_id"
      case aead = "aead_id"
      case shared = "shared_secret"
      case suite = "suite_id"
      case nonce = "base_nonce"
      case exporter = "exporter_secret"
    }
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    try require(Hex.decode(text))
  }

  private func check(
    secret: String, publicKey: String, random: String, encapsulation: String, shared: String
  ) throws {
    let key = try require(HybridKEM.SecretKey(seed: SecretBytes(copying: try bytes(secret))))
    expect(Hex.encode(key.publicKey.bytes), is: publicKey)
    let recipient = try require(HybridKEM.PublicKey(try bytes(publicKey)))
    let made = try require(recipient.encapsulate(SecretBytes(copying: try bytes(random))))
    expect(Hex.encode(made.encapsulation), is: encapsulation)
    expect(Hex.encode(made.shared.bytes), is: shared)
    let found = key.decapsulate(try bytes(encapsulation))
    expect(found.map { Hex.encode($0.bytes) }, is: shared)
  }

  @Test func `X-Wing's vectors agree in every field`() throws {
    let decoded = try SharedVectors.decode([XWing].self, from: "xwing/xwing-draft.json")
    let cases = try require(decoded)
    expect(cases.count, is: 3)
    for test in cases {
      expect(test.seed, is: test.sk)
      try check(
        secret: test.sk, publicKey: test.pk, random: test.eseed, encapsulation: test.ct,
        shared: test.ss)
    }
  }

  @Test(arguments: ["hpke-pq-draft", "hpke-pq-go"])
  func `HPKE's vectors agree in every field of the suite, and in the encapsulation of the other`(
    name: String
  ) throws {
    let decoded = try SharedVectors.decode([Setup].self, from: "xwing/\(name).json")
    var scheduled = 0
    for test in try require(decoded) {
      expect(test.mode == 0 && test.kem == 0x647a && test.aead == 3)
      expect(derivedKey(try bytes(test.ikmR)), is: test.skRm)
      try check(
        secret: test.skRm, publicKey: test.pkRm, random: test.ikmE, encapsulation: test.enc,
        shared: test.shared)
      // The other schedule is that of SHAKE256, which age does not use.
      guard test.kdf == 1 else { continue }
      scheduled += 1
      try checkSchedule(test)
    }
    expect(scheduled, is: 1)
  }

  /// HPKE's derivation of a seed, which age does not use (draft-ietf-hpke-pq §4).
  private func derivedKey(_ input: [UInt8]) -> String {
    let suite = Array("KEM".utf8) + [0x64, 0x7a]
    let label = Array("DeriveKeyPair".utf8)
    let message =
      input + Array("HPKE-v1".utf8) + suite + [0, UInt8(label.count)] + label + [0, 32]
    return Hex.encode(SHA3.hash(.shake256, message, count: 32))
  }

  private func checkSchedule(_ test: Setup) throws {
    expect(Hex.encode(HPKE.suite), is: test.suite)
    let schedule = HPKE(
      shared: SecretBytes(copying: try bytes(test.shared)), info: try bytes(test.info))
    expect(Hex.encode(schedule.key.bytes), is: test.key)
    expect(Hex.encode(schedule.baseNonce), is: test.nonce)
    let exporter = schedule.expand("exp", count: 32)
    expect(Hex.encode(exporter), is: test.exporter)
    for (number, encryption) in test.encryptions.enumerated() {
      var nonce = schedule.baseNonce
      nonce[11] ^= UInt8(number)
      expect(Hex.encode(nonce), is: encryption.nonce)
      let opened = ChaCha20Poly1305(key: schedule.key).open(
        try bytes(encryption.ct), nonce: nonce, associatedData: try bytes(encryption.aad))
      expect(opened.map { Hex.encode($0) }, is: encryption.pt)
    }
    for export in test.exports {
      let label = Array("HPKE-v1".utf8) + HPKE.suite + Array("sec".utf8)
      let value = HKDFSHA256.expand(
        exporter, info: [0, UInt8(export.count)] + label + (try bytes(export.context)),
        count: export.count)
      expect(Hex.encode(value), is: export.value)
    }
  }
}
