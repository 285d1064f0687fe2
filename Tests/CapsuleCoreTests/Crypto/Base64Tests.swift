import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct Base64Tests {
  @Test(arguments: [
    // RFC 4648 §10
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `the examples of RFC 4648 go both ways, padded and not`(plain: String, text: String) {
    let bytes = Array(plain.utf8)
    let bare = String(text.prefix { $0 != "=" })
    expect(Base64.encode(bytes, padded: true), is: text)
    expect(Base64.encode(bytes, padded: false), is: bare)
    expect(Base64.decode(text, padded: true), is: bytes)
    expect(Base64.decode(bare, padded: false), is: bytes)
    if bare != text {
      expect(Base64.decode(text, padded: false) == nil)
      expect(Base64.decode(bare, padded: true) == nil)
    }
  }

  @Test func `bytes of every length are written as another program does, and read back`() throws {
    for fields in try VectorFile("crypto-base64.txt").cases {
      let count = try VectorFile.number(fields[0])
      let bytes = VectorFile.stream(80_000 + count, count)
      let text = fields[1] == "-" ? "" : fields[1]
      expect(Base64.encode(bytes, padded: true), is: text)
      expect(Base64.decode(text, padded: true), is: bytes)
      expect(Base64.decode(Base64.encode(bytes, padded: false), padded: false), is: bytes)
    }
  }

  @Test(arguments: [
    "=", "==", "===", "====", "Z", "Zg", "Zg=", "Zg===", "Zg==Zg==", "Zm8=Zm9v", "Z===", "Zm9v=",
    "Zm9v==", "Zm9v====", "Zh==", "Zm9=", "Zg=a", "Z=g=", "Zm9v\n", " Zm9v", "Zm 9v", "Zm-_",
    "Zm9v\0\0\0\0", "Zm9\u{e9}", "ＺＺＺＺ",
  ])
  func `padded text that is not exactly what would be written is refused`(text: String) {
    expect(Base64.decode(text, padded: true) == nil)
  }

  @Test(arguments: [
    "Z", "Zm9vZ", "Zh", "Zm9", "Zm9vZh", "Zg==", "=", "Zm9v\n", "Zm9v ", "Zm.v", "Zg\0",
  ])
  func `bare text that is not exactly what would be written is refused`(text: String) {
    expect(Base64.decode(text, padded: false) == nil)
  }

  @Test func `of all texts of four characters at one place only the digits are read`() {
    let digits = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for place in 0..<4 {
      for byte in UInt8.min...UInt8.max {
        var text = Array("AAAA".utf8)
        text[place] = byte
        let decoded = Base64.decode(text, padded: false)
        expect((decoded != nil) == digits.contains(byte), "\(byte) at \(place)")
        expect(decoded.map { Array(Base64.encode($0, padded: false).utf8) } ?? text, is: text)
      }
    }
  }

  @Test func `exactly the sixteen and the sixty-four short texts without loose bits are read`() {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let pairs = digits.filter { Base64.decode([UInt8(ascii: "B"), $0], padded: false) != nil }
    expect(pairs.count, is: 4)
    let triples = digits.filter {
      Base64.decode([UInt8(ascii: "B"), UInt8(ascii: "C"), $0], padded: false) != nil
    }
    expect(triples.count, is: 16)
  }

  @Test func `text is decoded into a buffer in pieces of whole groups`() {
    let bytes = VectorFile.stream(1, 96)
    let text = Array(Base64.encode(bytes, padded: true).utf8)
    var output = [UInt8](repeating: 0, count: 96)
    for piece in 0..<2 {
      let count = text.withUnsafeBytes { text in
        output.withUnsafeMutableBytes { output in
          Base64.decode(
            UnsafeRawBufferPointer(rebasing: text[(64 * piece)..<(64 * piece + 64)]),
            into: UnsafeMutableRawBufferPointer(rebasing: output[(48 * piece)...]), padded: true)
        }
      }
      expect(count, is: 48)
    }
    expect(output, is: bytes)
  }
}
