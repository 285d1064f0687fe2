import CapsuleCore
import Testing

@Suite struct HexTests {
  @Test func `bytes come back from their digits, in either case`() {
    let all = (0...255).map { UInt8($0) }
    #expect(Hex.decode(Hex.encode(all)) == all)
    #expect(Hex.decode("00fFAa") == [0, 255, 170])
  }

  @Test(arguments: ["0", "0g", "é", "0x"])
  func `anything but pairs of digits is refused`(text: String) {
    #expect(Hex.decode(text) == nil)
  }
}
