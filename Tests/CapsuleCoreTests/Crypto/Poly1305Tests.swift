import CapsuleAge
import TestSupport
import Testing

@Suite struct Poly1305Tests {
  @Test(arguments: [
    // RFC 8439 §2.5.2, then the carries of A.3, #7 to #11: r, s, message and tag.
    (
      "85d6be7857556d337f4452fe42d506a8", "0103808afb0db2fd4abff6af4149f51b",
      "43727970746f6772617068696320466f72756d2052657365617263682047726f7570",
      "a8061dc1305136c6c22b8baf0c0127a9"
    ),
    (
      "02000000000000000000000000000000", "00000000000000000000000000000000",
      "ffffffffffffffffffffffffffffffff", "03000000000000000000000000000000"
    ),
    (
      "02000000000000000000000000000000", "ffffffffffffffffffffffffffffffff",
      "02000000000000000000000000000000", "03000000000000000000000000000000"
    ),
    (
      "01000000000000000000000000000000", "00000000000000000000000000000000",
      "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff"
        + "11000000000000000000000000000000", "05000000000000000000000000000000"
    ),
    (
      "01000000000000000000000000000000", "00000000000000000000000000000000",
      "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe"
        + "01010101010101010101010101010101", "00000000000000000000000000000000"
    ),
    (
      "02000000000000000000000000000000", "00000000000000000000000000000000",
      "fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"
    ),
    (
      "01000000000000000400000000000000", "00000000000000000000000000000000",
      "e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000"
        + "0000000000000000000000000000000001000000000000000000000000000000",
      "14000000000000005500000000000000"
    ),
    (
      "01000000000000000400000000000000", "00000000000000000000000000000000",
      "e33594d7505e43b900000000000000003394d7505e4379cd0100000000000000"
        + "00000000000000000000000000000000", "13000000000000000000000000000000"
    ),
  ])
  func `the examples of RFC 8439 have their tags`(
    r: String, s: String, message: String, tag: String
  ) throws {
    let key = try require(Hex.decode(r + s))
    let message = try require(Hex.decode(message))
    let computed = try key.withUnsafeBytes { key in
      try message.withUnsafeBytes { message in
        var authenticator = Poly1305(key: try require(key.baseAddress))
        let whole = message.count / 16
        authenticator.update(try require(message.baseAddress), blocks: whole)
        authenticator.update(last: UnsafeRawBufferPointer(rebasing: message[(16 * whole)...]))
        return authenticator.tag()
      }
    }
    expect(Hex.encode(withUnsafeBytes(of: computed.littleEndian) { Array($0) }), is: tag)
  }
}
