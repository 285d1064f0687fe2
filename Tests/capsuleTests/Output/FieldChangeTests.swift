import Testing

@testable import capsule

@Suite struct FieldChangeTests {
  private func change(_ from: String, _ to: String) -> FieldChange? {
    FieldChange.between(from, to, [("notes", { $0 })]).first
  }

  @Test func `the first line that differs is shown`() {
    #expect(change("a\nb\nc", "a\nx\nc")?.line.plain == "  notes  b → x")
    #expect(change("", "a")?.line.plain == "  notes  none → a")
    #expect(change("a\nb", "a")?.line.plain == "  notes  b → ")
    #expect(change("a", "a") == nil)
  }

  @Test func `two spellings of a character are a change, and are both shown`() throws {
    let line = try #require(change("é\nx", "e\u{301}\nx")?.line.plain)
    #expect(line.utf8.elementsEqual("  notes  é → e\u{301}".utf8))
  }
}
