import TestSupport
import Testing

@testable import capsule

@Suite struct FieldChangeTests {
  private func change(_ from: String, _ to: String) -> FieldChange? {
    FieldChange.between(from, to, [("notes", { $0 })]).first
  }

  @Test(arguments: [
    ("a\nb\nc", "a\nx\nc", "b → x"), ("", "a", "none → a"), ("a\nb", "", "a; b → none"),
    ("a\nb", "a", "removed: b"), ("a\nb\nc", "a\nc", "removed: b"), ("a\nc", "a\nb\nc", "added: b"),
    ("a\na", "a", "removed: a"), ("a\nb\nc\nd", "x\ny\nd", "a; b; c → x; y"),
    ("1\n2\n3\n4\n5\n6", "x", "1; 2; 3; 4; and 2 more → x"),
  ])
  func `the lines that went and came are shown`(from: String, to: String, words: String) {
    expect(change(from, to)?.line.plain, is: "  notes  " + words)
    expect(change(from, from) == nil)
  }

  @Test func `two spellings of a character are a change, and are both shown`() throws {
    let line = try require(change("é\nx", "e\u{301}\nx")?.line.plain)
    expect(line.utf8.elementsEqual("  notes  é → e\u{301}".utf8))
  }
}
