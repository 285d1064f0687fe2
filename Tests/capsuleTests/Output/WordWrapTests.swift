import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Lines that are broken at words.
@Suite struct WordWrapTests {
  private static func words(_ text: some StringProtocol) -> [String] {
    String(text).split { [" ", "\t", "\n"].contains($0) }.map { String($0) }
  }

  private static let pieces = [
    "a", "of", "word", "sentence", "'Letter", "Mia'", "親愛", "手紙を読むとき", "e\u{301}te\u{301}", "편지를",
    "👩‍👩‍👧", "🇫🇷", "'capsule", "open'", "'--output", "DIR'", "raise:", "capsule", "settings;",
    "'/home/ada/a", "place'", "4e8064d9-ce47-40e6-8faf-79cd4f725029",
  ]

  private static func sentence(_ random: inout SeededGenerator) -> String {
    let indent = String(repeating: " ", count: Int.random(in: 0...6, using: &random))
    return (0..<Int.random(in: 1...25, using: &random)).reduce(into: indent) { text, place in
      if place > 0 { text += Int.random(in: 0..<8, using: &random) == 0 ? "  " : " " }
      text += pieces.randomElement(using: &random) ?? ""
    }
  }

  private static func isWithin(_ columns: Int, _ line: String) -> Bool {
    TextWidth.of(line) <= columns || words(line).count == 1
  }

  @Test(arguments: 1...8)
  func `a line has the words of the text, and is no wider than asked for unless it is one word`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let text = Self.sentence(&random)
      let columns = Int.random(in: 1...90, using: &random)
      let indent = Int.random(in: 0...14, using: &random)
      let lines = StyledText(text, .bold).wrapped(to: columns, indent: indent).map(\.plain)
      expect(lines.flatMap { Self.words($0) }, is: Self.words(text))
      expect(lines.allSatisfy { Self.isWithin(columns, $0) }, "\(columns): \(lines)")
      // The first word of a line had no room on the line before it.
      for (line, next) in zip(lines, lines.dropFirst()) {
        let first = Self.words(next)[0]
        let isCopied = ["'", "c", "-"].contains(first.prefix(1))
        let least = TextWidth.of(line + "  " + first)
        expect(isCopied || least > columns, "\(columns): \(lines)")
      }
      if TextWidth.of(text) <= columns { expect(lines, is: [text]) }
    }
  }

  @Test(arguments: 1...8)
  func `a letter keeps its words, its short lines and its indents`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let lines = (0..<Int.random(in: 1...8, using: &random)).map { _ in
        Int.random(in: 0..<4, using: &random) == 0 ? "" : Self.sentence(&random)
      }
      let columns = Int.random(in: 16...120, using: &random)
      let letter = WordWrap.letter(lines.joined(separator: "\n"), columns: columns)
      let shown = letter.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let most = min(columns, 76)
      expect(Self.words(letter), is: lines.flatMap { Self.words($0) })
      expect(shown.allSatisfy { Self.isWithin(most, $0) }, "\(most): \(shown)")
      expect(shown.filter(\.isEmpty).count, is: lines.filter(\.isEmpty).count)
      for line in lines where TextWidth.of(line) <= most {
        expect(shown.contains(line), "\(most): \(shown)")
      }
    }
  }

  @Test(arguments: [
    ("    the oak behind the house", 20, "    the oak behind\n    the house"),
    ("- the oak behind the house", 16, "- the oak behind\n  the house"),
    ("12. the oak behind the house", 18, "12. the oak behind\n    the house"),
    ("- https://example.org/a/b", 12, "- https://example.org/a/b"),
    ("-5 degrees in the winter", 16, "-5 degrees in\nthe winter"),
    ("\tthe oak behind", 20, "\tthe oak\n\tbehind"),
    ("one\ttwo three", 16, "one\ttwo\nthree"),
    ("the oak.\ttwo three", 18, "the oak.\ntwo three"),
    ("手紙を 読むとき", 12, "手紙を\n読むとき"),
    ("e\u{301}te\u{301} a", 5, "e\u{301}te\u{301} a"),
    ("one  \n\n  \ntwo", 6, "one  \n\n  \ntwo"),
    ("the oak   ", 7, "the oak"),
  ])
  func `a letter is broken like this`(text: String, columns: Int, lines: String) {
    expect(WordWrap.letter(text, columns: columns), is: lines)
  }

  @Test(arguments: [
    // What is to be copied stays together where a line has room for it.
    ("raise it: capsule settings set a 1", 30, "raise it:\n  capsule settings set a 1"),
    ("raise it: capsule settings set a 1", 20, "raise it: capsule\n  settings set a 1"),
    ("choose one: --output DIR", 20, "choose one:\n  --output DIR"),
    ("the command 'capsule open' opens", 24, "the command\n  'capsule open' opens"),
    ("is kept in '/home/ada/my letter'.", 26, "is kept in\n  '/home/ada/my letter'."),
    ("the name of 'Letter to Mia' is", 20, "the name of 'Letter\n  to Mia' is"),
    // A word takes less of the indent, or none, before it is wider than the terminal.
    ("the id abcdefghijkl", 13, "the id\n abcdefghijkl"),
    ("the id abcdefghijklmno", 13, "the id\nabcdefghijklmno"),
  ])
  func `a message is broken like this`(text: String, columns: Int, lines: String) {
    let wrapped = StyledText(text).wrapped(to: columns).map(\.plain)
    expect(wrapped.joined(separator: "\n"), is: lines)
  }

  @Test func `styles go on in the next line`() {
    let text: StyledText = "The \("letter to", .bold) Mia"
    var bytes: [UInt8] = []
    for line in text.wrapped(to: 10, indent: 0) {
      line.write(to: &bytes, colors: .basic)
      bytes.append(UInt8(ascii: "\n"))
    }
    expect(
      String(decoding: bytes, as: UTF8.self),
      is: "The \u{1b}[1mletter\u{1b}[0m\n\u{1b}[1mto\u{1b}[0m Mia\n")
  }

  @Test func `a question keeps the space before its answer`() {
    expect(WordWrap.question("Is it so? [y/N] ", columns: 12), is: "Is it so?\n  [y/N] ")
    expect(WordWrap.question("Name: ", columns: 5), is: "Name: ")
    expect(WordWrap.question(" ", columns: 5), is: " ")
  }
}
