import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct HexTests {
  @Test func `bytes come back from their digits, in either case`() {
    let all = (0...255).map { UInt8($0) }
    expect(Hex.decode(Hex.encode(all)), is: all)
    expect(Hex.decode("00fFAa"), is: [0, 255, 170])
  }

  @Test func `eight digits are those of the four bytes`() {
    var generator = SeededGenerator(seed: 7)
    for value in [0, 0x9999_9999, 0xaaaa_aaaa, 0x0123_4567, 0x89ab_cdef, .max]
      + (0..<1000).map({ _ in UInt32.random(in: 0 ... .max, using: &generator) })
    {
      let bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
      let digits = withUnsafeBytes(of: Hex.digits(value).bigEndian) { Array($0) }
      expect(String(decoding: digits, as: UTF8.self), is: Hex.encode(bytes))
    }
  }

  @Test(arguments: ["0", "0g", "é", "0x"])
  func `anything but pairs of digits is refused`(text: String) {
    expect(Hex.decode(text) == nil)
  }
}
