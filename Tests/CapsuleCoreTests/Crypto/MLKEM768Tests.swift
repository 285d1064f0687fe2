import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct MLKEM768Tests {
  private static func key(_ d: [UInt8], _ z: [UInt8]) -> MLKEM768.DecapsulationKey {
    d.withUnsafeBytes { d in
      z.withUnsafeBytes { z in MLKEM768.DecapsulationKey(d: d, z: z) }
    }
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    Hex.encode(SHA3.hash(.sha3x256, bytes, count: 32))
  }

  @Test func `keys, ciphertexts and rejections are those of another program`() throws {
    for fields in try VectorFile("crypto-mlkem768.txt").cases
      .prefix(TestScale.count(full: .max, debug: 12))
    {
      let number = try VectorFile.number(fields[0])
      let key = Self.key(
        VectorFile.stream(110_000 + number, 32), VectorFile.stream(111_000 + number, 32))
      expect(Self.digest(key.encapsulationKey.bytes), is: fields[1])
      expect(Self.digest(key.expanded.bytes), is: fields[2])
      let (ciphertext, shared) = key.encapsulationKey.encapsulate(
        SecretBytes(copying: VectorFile.stream(112_000 + number, 32)))
      expect(Self.digest(ciphertext), is: fields[3])
      expect(Hex.encode(shared.bytes), is: fields[4])
      expect(key.decapsulate(ciphertext)?.bytes, is: shared.bytes)
      var changed = ciphertext
      changed[try VectorFile.number(fields[5])] ^= 1 << UInt8(number % 8)
      expect(key.decapsulate(changed).map { Hex.encode($0.bytes) }, is: fields[6])
    }
  }

  @Test func `many random runs have the hash that others found`() throws {
    let count = TestScale.count(full: 10_000, debug: 100)
    var source = SHA3(.shake128)
    var results = SHA3(.shake128)
    for _ in 0..<count {
      let key = Self.key(source.squeeze(32), source.squeeze(32))
      results.update(key.encapsulationKey.bytes)
      let (ciphertext, shared) = key.encapsulationKey.encapsulate(
        SecretBytes(copying: source.squeeze(32)))
      results.update(ciphertext)
      results.update(shared.bytes)
      let other = try require(key.decapsulate(source.squeeze(1088)))
      results.update(other.bytes)
    }
    expect(
      Hex.encode(results.squeeze(32))
        == (count == 100
          ? "1114b1b6699ed191734fa339376afa7e285c9e6acf6ff0177d346696ce564415"
          : "8a518cc63da366322a8e7a818c7a0d63483cb3528d34a4cf42f35d5ad73f22fc"))
  }

  @Test(arguments: [1, 4, 10])
  func `a coefficient is compressed as the exact quotient rounds`(bits: UInt32) {
    for value in UInt32(0)..<3329 {
      // Rounded half up, without a division that could be wrong in the same way.
      let exact = Double(value) * Double(1 << bits) / 3329
      let rounded = UInt32((exact + 0.5).rounded(.down)) % (1 << bits)
      expect(MLKEMPolynomial.compressed(value, bits), is: rounded)
    }
  }

  @Test(arguments: [4, 10])
  func `a compressed value stands for a coefficient that is compressed to it`(bits: UInt32) {
    for value in UInt32(0)..<(1 << bits) {
      let coefficient = MLKEMPolynomial.decompressed(value, bits)
      expect(coefficient < 3329)
      expect(MLKEMPolynomial.compressed(coefficient, bits), is: value)
    }
  }

  @Test func `remainders below 2 to the 25 are exact`() {
    var wrong = 0
    let step = UInt32(TestScale.count(full: 1, debug: 97))
    for value in stride(from: UInt32(0), to: 1 << 25, by: Int(step)) {
      if MLKEMPolynomial.reduced(value) != value % 3329 { wrong += 1 }
    }
    // Beside the multiples, where a quotient would first be too large or too small.
    for multiple in stride(from: UInt32(3329), to: 1 << 25, by: 3329) {
      if MLKEMPolynomial.reduced(multiple) != 0 { wrong += 1 }
      if MLKEMPolynomial.reduced(multiple - 1) != 3328 { wrong += 1 }
    }
    expect(wrong, is: 0)
  }

  @Test func `a key with a coefficient of the modulus is none`() {
    var bytes = Self.key(VectorFile.stream(1, 32), VectorFile.stream(2, 32)).encapsulationKey.bytes
    expect(MLKEM768.EncapsulationKey(bytes) != nil)
    // 3328 is the largest coefficient: 0xd00. The last of the third polynomial.
    bytes[1150] = bytes[1150] & 0x0f
    bytes[1151] = 0xd0
    expect(MLKEM768.EncapsulationKey(bytes) != nil)
    bytes[1150] = bytes[1150] & 0x0f | 0x10
    expect(MLKEM768.EncapsulationKey(bytes) == nil)
  }

  @Test(arguments: [0, 1183, 1185])
  func `a key of another length is none`(count: Int) {
    expect(MLKEM768.EncapsulationKey([UInt8](repeating: 0, count: count)) == nil)
  }

  @Test(arguments: [0, 1087, 1089])
  func `a ciphertext of another length holds no secret`(count: Int) {
    let key = Self.key(VectorFile.stream(1, 32), VectorFile.stream(2, 32))
    expect(key.decapsulate([UInt8](repeating: 0, count: count)) == nil)
  }

  @Test func `an expanded key whose hash is not that of its public key is none`() {
    let key = Self.key(VectorFile.stream(1, 32), VectorFile.stream(2, 32))
    var bytes = key.expanded.bytes
    expect(MLKEM768.DecapsulationKey(expanded: SecretBytes(copying: bytes)) != nil)
    bytes[2340] ^= 1
    expect(MLKEM768.DecapsulationKey(expanded: SecretBytes(copying: bytes)) == nil)
    expect(MLKEM768.DecapsulationKey(expanded: SecretBytes(copying: bytes.dropLast())) == nil)
  }

  @Test func `a changed bit anywhere in a ciphertext gives another secret`() throws {
    let key = Self.key(VectorFile.stream(3, 32), VectorFile.stream(4, 32))
    let (ciphertext, shared) = key.encapsulationKey.encapsulate(
      SecretBytes(copying: VectorFile.stream(5, 32)))
    let step = TestScale.count(full: 1, debug: 89)
    for place in Array(stride(from: 0, to: 1088, by: step)) + [1087] {
      var changed = ciphertext
      changed[place] ^= 1 << UInt8(place % 8)
      let other = try require(key.decapsulate(changed))
      expect(other.bytes != shared.bytes, "byte \(place)")
    }
  }
}
