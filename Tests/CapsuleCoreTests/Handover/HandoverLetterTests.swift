import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct HandoverLetterTests {
  /// Two columns for a Chinese character, one for everything else.
  private static func width(_ character: Character) -> Int {
    (0x4e00...0x9fff).contains(character.unicodeScalars.first?.value ?? 0) ? 2 : 1
  }

  private func letter(_ message: String, title: String = "Ring") -> [String] {
    let handover = Handover(
      owner: "Ada", person: "Mia", date: "21 November 2026",
      gifts: [
        Gift(
          kind: .item, title: title, message: message,
          files: [GiftFile(path: "files/ring.jpg", mediaType: "image/jpeg", size: 2_048)])
      ], leftOut: [.init(title: "Letters", reason: "opens on 1 January 2040")])
    let bytes = HandoverPage(handover: handover).letter
    return String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  @Test(
    arguments: [
      String(repeating: "word ", count: 400), String(repeating: "x", count: 10_000),
      String(repeating: "遺", count: 500), "a " + String(repeating: "y", count: 100) + " b",
      String(repeating: " ", count: 300), "e" + String(repeating: "\u{301}", count: 300),
    ])
  func `only a word is wider than 72 columns, and nothing is lost`(message: String) {
    let lines = letter(message)
    for line in lines {
      let isWord = !line.contains(" ") && line.utf8.allSatisfy { $0 < 0x80 }
      expect(isWord || line.reduce(0) { $0 + Self.width($1) } <= 72, "\(line)")
    }
    let text = lines.joined().filter { $0 != " " }
    expect(text.contains(message.filter { $0 != " " }))
  }

  @Test func `a message keeps its own lines`() {
    let lines = letter("Dear Mia,\n\n  indented\r\nbye")
    let start = lines.firstIndex(of: "Dear Mia,") ?? 0
    expect(lines[start...].prefix(5), is: ["Dear Mia,", "", "  indented", "bye", "— Ada"])
  }

  @Test func `words alone begin with their first line and end with their last`() {
    expect(Page.wrapped("one\n\ntwo"), is: "one\n\ntwo\n")
  }

  @Test func `what acts on a terminal or turns a line is shown`() {
    let text = letter("\u{1b}[2J\u{9b}m\u{202e}abc\u{7}", title: "a\nb").joined(separator: "\n")
    expect(text.contains("\\u{1b}[2J\\u{9b}m\\u{202e}abc\\u{7}"))
    expect(text.contains("1. a b"))
  }

  @Test func `files and what is not there yet are named`() {
    let lines = letter("m")
    expect(lines.contains("  files/ring.jpg"))
    expect(lines.contains("    image/jpeg, 2.0 KiB"))
    expect(lines.contains("- Letters: opens on 1 January 2040"))
  }
}
