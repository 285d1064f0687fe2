import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct RecordIDTests {
  @Test func `an id is a random UUID of version 4 and comes back from its text`() throws {
    for _ in 0..<100 {
      let id = try RecordID(random: .system)
      let text = id.description
      expect(text.count, is: 36)
      expect(text[text.index(text.startIndex, offsetBy: 14)], is: "4")
      expect("89ab".contains(text[text.index(text.startIndex, offsetBy: 19)]))
      expect(RecordID(text), is: id)
      expect(Hex.encode([id.shard]) == text.prefix(2))
    }
  }

  @Test func `its text and its file's name have every digit in its place`() {
    let id = RecordID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
    let text = "01234567-89ab-cdef-fedc-ba9876543210"
    expect(id.description, is: text)
    expect(id.fileName, is: Array("\(text).json".utf8))
    var bytes = Array("a/".utf8)
    id.appendFileName(to: &bytes)
    expect(bytes, is: Array("a/\(text).json".utf8))
  }

  @Test(arguments: [
    "", "3f2a9c1e", "3F2A9C1E-0000-4000-8000-000000000000", "3f2a9c1e00000-4000-8000-000000000000",
    "3f2a9c1e-0000-4000-8000-00000000000g",
  ])
  func `any other form is refused`(text: String) {
    expect(RecordID(text) == nil)
  }
}
