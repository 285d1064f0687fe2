import CapsuleBytes
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct TextTests {
  @Test(arguments: [
    ("  a b\t", "a b"), ("\r\n a\r\n", "a"), ("", ""), (" \n", ""), ("\u{a0}a\u{3000}", "a"),
    // A mark on a space belongs to the text.
    (" \u{301}a \u{301}", "\u{301}a \u{301}"), ("a\u{600} ", "a\u{600}"),
  ])
  func `white space is taken from both ends, and nothing else`(text: String, trimmed: String) {
    expect(Array(text.trimmed.unicodeScalars), is: Array(trimmed.unicodeScalars))
  }

  @Test(arguments: [
    (" a \r\n b\u{2028}c ", "a b c"), ("", ""), (" ", ""), ("a \u{301}b", "a \u{301}b"),
    ("a\u{600} b", "a\u{600} b"),
  ])
  func `a stretch of white space becomes one space`(text: String, line: String) {
    expect(Array(text.onOneLine.unicodeScalars), is: Array(line.unicodeScalars))
  }

  @Test func `a prefix is compared by bytes, in capitals or not`() {
    expect("MailTo:x".behind("mailto:"), is: "x")
    expect("mailto:".behind("mailto:"), is: "")
    expect("mailt".behind("mailto:") == nil)
    expect("mailto;x".behind("mailto:") == nil)
    // The last byte of the prefix and the mark are one character.
    expect("mailto:\u{301}x".behind("mailto:").map { Array($0.utf8) }, is: [0xcc, 0x81, 0x78])
    // The sign of Kelvin is no K.
    expect("\u{212a}ey".behind("key") == nil)
  }

  @Test func `the letters and digits of ASCII are those of Unicode's table`() {
    for byte in UInt8.min...UInt8.max {
      let scalar = Unicode.Scalar(byte)
      let isASCII = byte < 0x80
      expect(byte.isASCIIDigit == ("0"..."9").contains(scalar))
      expect(byte.isASCIILetter == (isASCII && scalar.properties.isAlphabetic))
      let (lower, upper) = (scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping)
      expect(byte.asciiLowercased == (isASCII ? lower.utf8.first : byte))
      expect(byte.asciiUppercased == (isASCII ? upper.utf8.first : byte))
    }
  }

  @Test func `repetitions are taken away and the order stays`() {
    expect(["b", "a", "b", "c", "a"].unique, is: ["b", "a", "c"])
    expect([Int]().unique, is: [])
  }
}
