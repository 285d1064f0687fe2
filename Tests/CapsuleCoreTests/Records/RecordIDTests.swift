import CapsuleCore
import Testing

@Suite struct RecordIDTests {
  @Test func `an id is a random UUID of version 4 and comes back from its text`() throws {
    for _ in 0..<100 {
      let id = try RecordID(random: .system)
      let text = id.description
      #expect(text.count == 36)
      #expect(text[text.index(text.startIndex, offsetBy: 14)] == "4")
      #expect("89ab".contains(text[text.index(text.startIndex, offsetBy: 19)]))
      #expect(RecordID(text) == id)
      #expect(Hex.encode([id.shard]) == text.prefix(2))
    }
  }

  @Test(arguments: [
    "", "3f2a9c1e", "3F2A9C1E-0000-4000-8000-000000000000", "3f2a9c1e00000-4000-8000-000000000000",
    "3f2a9c1e-0000-4000-8000-00000000000g",
  ])
  func `any other form is refused`(text: String) {
    #expect(RecordID(text) == nil)
  }
}
