import RoomTestHelpers
import TestSupport
import Testing

@testable import CapsuleAge

@Suite struct X25519Tests {
  @Test(arguments: [
    // RFC 7748 §5.2
    (
      "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
      "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
      "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    ),
    (
      "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
      "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
      "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
    ),
  ])
  func `the examples of RFC 7748 have their results`(
    scalar: String, point: String, result: String
  ) throws {
    let shared = X25519.sharedSecret(
      secret: try require(Hex.decode(scalar)), publicKey: try require(Hex.decode(point)))
    expect(shared.map { Hex.encode($0) }, is: result)
  }

  @Test func `the Diffie-Hellman of RFC 7748 agrees from both sides`() throws {
    // §6.1
    let alice = try require(
      Hex.decode("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    let bob = try require(
      Hex.decode("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    let alicePublic = X25519.publicKey(secret: alice)
    let bobPublic = X25519.publicKey(secret: bob)
    expect(
      Hex.encode(alicePublic),
      is: "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    expect(
      Hex.encode(bobPublic), is: "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    let shared = try require(X25519.sharedSecret(secret: alice, publicKey: bobPublic))
    expect(X25519.sharedSecret(secret: bob, publicKey: alicePublic), is: shared)
    expect(
      Hex.encode(shared), is: "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
  }

  @Test func `iterated, the function gives the results of RFC 7748`() throws {
    var k = [9] + [UInt8](repeating: 0, count: 31)
    var u = k
    for round in 1...TestScale.count(full: 1000, debug: 20) {
      let result = try require(X25519.sharedSecret(secret: k, publicKey: u))
      u = k
      k = result
      if round == 1 {
        expect(
          Hex.encode(k), is: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
      }
      if round == 1000 {
        expect(
          Hex.encode(k), is: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
      }
    }
  }

  @Test func `keys and shared secrets are those of another program`() throws {
    for fields in try VectorFile("crypto-x25519.txt").cases
      .prefix(TestScale.count(full: .max, debug: 24))
    {
      let secret = try VectorFile.bytes(fields[0])
      expect(Hex.encode(X25519.publicKey(secret: secret)), is: fields[2])
      let shared = X25519.sharedSecret(secret: secret, publicKey: try VectorFile.bytes(fields[1]))
      expect(shared.map { Hex.encode($0) }, is: fields[3])
    }
  }

  @Test(arguments: [
    // The points of order 1, 2, 4 and 8 and their forms above p.
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    // And of some with the top bit set, which is ignored.
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b880",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  ])
  func `a public key of low order shares nothing`(point: String) throws {
    let shared = X25519.sharedSecret(
      secret: VectorFile.stream(1, 32), publicKey: try require(Hex.decode(point)))
    expect(shared == nil)
  }

  // MARK: The field

  /// The element with some first and last byte and others between them.
  private func element(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> Curve25519Field {
    let bytes = [first] + [UInt8](repeating: middle, count: 30) + [last]
    return bytes.withUnsafeBytes { bytes in
      Curve25519Field(bytes.baseAddress.unsafelyUnwrapped)
    }
  }

  private func written(_ element: Curve25519Field) -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { element.write(to: $0) }
    return Hex.encode(bytes)
  }

  @Test func `an element has one form, however large its limbs are`() {
    // p − 1, p, p + 1 and 2^255 − 1.
    expect(written(element(0xec, 0xff, 0x7f)), is: "ec" + String(repeating: "ff", count: 30) + "7f")
    expect(written(element(0xed, 0xff, 0x7f)), is: written(.zero))
    expect(written(element(0xee, 0xff, 0x7f)), is: written(.one))
    expect(written(element(0xff, 0xff, 0x7f)), is: written(element(18, 0, 0)))
    expect(written(.zero - .one), is: written(element(0xec, 0xff, 0x7f)))
    for (first, last) in [(0xec, 0x7f), (0xff, 0x7f), (1, 0), (0, 0x40)] as [(UInt8, UInt8)] {
      let (left, right) = (element(first, 0x5a, last), element(0xff, 0xff, 0x7f))
      expect(written(left + right), is: written((left + right) * .one))
      expect(written(left - right), is: written((left - right) * .one))
      expect(written(right - left), is: written((right - left) * .one))
    }
  }
}
