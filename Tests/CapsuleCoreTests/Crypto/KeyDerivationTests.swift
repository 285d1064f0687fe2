import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// HMAC, HKDF and PBKDF2 with SHA-256.
@Suite struct KeyDerivationTests {
  @Test(arguments: [
    // RFC 4231 §4.2 to §4.8, without §4.6, whose code is cut short.
    (
      String(repeating: "0b", count: 20), "4869205468657265",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      String(repeating: "aa", count: 20), String(repeating: "dd", count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      "0102030405060708090a0b0c0d0e0f10111213141516171819", String(repeating: "cd", count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ),
    (
      String(repeating: "aa", count: 131),
      """
      54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368\
      204b6579204669727374
      """,
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      String(repeating: "aa", count: 131),
      """
      5468697320697320612074657374207573696e672061206c6172676572207468616e20626c6f636b2d73697a\
      65206b657920616e642061206c6172676572207468616e20626c6f636b2d73697a6520646174612e20546865\
      206b6579206e6565647320746f20626520686173686564206265666f7265206265696e672075736564206279\
      2074686520484d414320616c676f726974686d2e
      """,
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
  ])
  func `HMAC gives the codes of RFC 4231`(key: String, message: String, code: String) throws {
    let computed = HMACSHA256.authenticationCode(
      key: try require(Hex.decode(key)), data: try require(Hex.decode(message)))
    expect(Hex.encode(computed), is: code)
  }

  @Test func `HMAC agrees with another program at every length around the blocks`() throws {
    for fields in try VectorFile("crypto-hmac-sha256.txt").cases {
      let keyCount = try VectorFile.number(fields[0])
      let count = try VectorFile.number(fields[1])
      let code = HMACSHA256.authenticationCode(
        key: VectorFile.stream(1000 + keyCount, keyCount),
        data: VectorFile.stream(2000 + count, count))
      expect(Hex.encode(code), is: fields[2], "\(keyCount), \(count)")
    }
  }

  @Test func `HMAC of a message in pieces is that of the whole, and a copy keeps the key`() {
    let keyed = HMACSHA256(key: [1, 2, 3])
    for cut in 0...130 {
      let message = VectorFile.stream(9, 130)
      var code = keyed
      code.update(Array(message.prefix(cut)))
      code.update(Array(message.dropFirst(cut)))
      expect(
        code.finalize(), is: HMACSHA256.authenticationCode(key: [1, 2, 3], data: message))
    }
  }

  @Test(arguments: [
    // RFC 5869, appendix A.1 to A.3.
    (
      String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      Hex.encode((0x00...0x4f).map { UInt8($0) }), Hex.encode((0x60...0xaf).map { UInt8($0) }),
      Hex.encode((0xb0...0xff).map { UInt8($0) }),
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
        + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    ),
    (
      String(repeating: "0b", count: 22), "", "",
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ])
  func `HKDF derives the keys of RFC 5869`(
    secret: String, salt: String, info: String, key: String
  ) throws {
    let derived = HKDFSHA256.derive(
      secret: try require(Hex.decode(secret)), salt: try require(Hex.decode(salt)),
      info: try require(Hex.decode(info)), count: key.count / 2)
    expect(Hex.encode(derived), is: key)
  }

  @Test func `HKDF agrees with another program`() throws {
    for fields in try VectorFile("crypto-hkdf-sha256.txt").cases {
      let numbers = try fields.dropLast().map { try VectorFile.number($0) }
      let derived = HKDFSHA256.derive(
        secret: VectorFile.stream(numbers[0], numbers[1]), salt: VectorFile.stream(1, numbers[2]),
        info: VectorFile.stream(2, numbers[3]), count: numbers[4])
      expect(Hex.encode(SHA256.hash(derived)), is: fields[5], "\(numbers)")
    }
  }

  @Test func `HKDF derives nothing, or at most 255 digests`() async {
    expect(HKDFSHA256.derive(secret: [1], salt: [], info: [], count: 0).isEmpty)
    expect(HKDFSHA256.derive(secret: [1], salt: [], info: [], count: 8160).count, is: 8160)
    await #expect(processExitsWith: .failure) {
      _ = HKDFSHA256.derive(secret: [1], salt: [], info: [], count: 8161)
    }
  }

  @Test func `PBKDF2 derives the keys of RFC 7914`() throws {
    let one = PBKDF2.derive(
      password: Array("passwd".utf8), salt: Array("salt".utf8), iterations: 1, count: 64)
    expect(
      Hex.encode(one),
      is: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
    guard TestScale.isFull else { return }
    let many = PBKDF2.derive(
      password: Array("Password".utf8), salt: Array("NaCl".utf8), iterations: 80_000, count: 64)
    expect(
      Hex.encode(many),
      is: "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
        + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d")
  }

  @Test func `PBKDF2 agrees with another program`() throws {
    for fields in try VectorFile("crypto-pbkdf2.txt").cases {
      let numbers = try fields.dropLast().map { try VectorFile.number($0) }
      let derived = PBKDF2.derive(
        password: VectorFile.stream(60_000, numbers[0]), salt: VectorFile.stream(61_000, 16),
        iterations: numbers[1], count: numbers[2])
      expect(Hex.encode(derived), is: fields[3], "\(numbers)")
    }
  }
}
