import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct SafeTextTests {
  @Test(arguments: [
    ("plain text", "plain text"),
    ("\u{1b}[31mred\u{1b}[0m", #"\u{1b}[31mred\u{1b}[0m"#),
    ("\u{1b}]0;title\u{7}", #"\u{1b}]0;title\u{7}"#),
    ("two\nlines\tand a tab\r", #"two\nlines\tand a tab\r"#),
    ("\u{7f}\u{9b}31m\u{85}", #"\u{7f}\u{9b}31m\u{85}"#),
    ("\u{202e}gpj.exe", #"\u{202e}gpj.exe"#),
    ("\u{2066}a\u{2069}\u{200f}", #"\u{2066}a\u{2069}\u{200f}"#),
    ("\u{2028}\u{2029}\u{feff}\u{200b}", #"\u{2028}\u{2029}\u{feff}\u{200b}"#),
    ("pass\u{200d}word", #"pass\u{200d}word"#),
    ("\u{e0041}", #"\u{e0041}"#),
    ("naïve été 東京", "naïve été 東京"),
    ("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👩\u{200d}👧"),
    ("می\u{200c}خواهم", "می\u{200c}خواهم"),
    (
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"
    ),
  ])
  func `what would act on a terminal or break a line is shown`(text: String, shown: String) {
    expect(SafeText.line(text), is: shown)
  }

  @Test func `a character that acts is seen at any place of a text of any length`() {
    for code in 0...0x9f as ClosedRange<UInt8> {
      let scalar = Unicode.Scalar(code)
      let isShown = code < 0x20 || code >= 0x7f
      for count in 1...20 {
        for place in 0..<count {
          var scalars = Array(repeating: Unicode.Scalar("~"), count: count)
          scalars[place] = scalar
          // Its neighbour is the least that is printed.
          if place + 1 < count { scalars[place + 1] = " " }
          let text = String(String.UnicodeScalarView(scalars))
          expect((SafeText.line(text) == text) == !isShown, "\(code) at \(place) of \(count)")
        }
      }
    }
  }

  @Test func `a block keeps its lines and tabs`() {
    expect(SafeText.block("a\tb\nc\u{1b}\n"), is: "a\tb\nc\\u{1b}\n")
  }

  @Test func `what is put into a styled text is made harmless, and what is written in it stays`() {
    let title = "\u{1b}[2J\n"
    let text: StyledText = "\(title, .bold)\tends"
    expect(text.plain, is: "\\u{1b}[2J\\n\tends")
    expect(StyledText(title).plain, is: "\\u{1b}[2J\\n")
  }
}

@Suite struct TextWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("東京", 4), ("ｆｕｌｌ", 8), ("한국", 4),
    ("\u{1112}\u{1161}\u{11ab}", 2), ("👍", 2), ("👍🏽", 2), ("👩\u{200d}👩\u{200d}👧", 2), ("❤", 1),
    ("❤\u{fe0f}", 2), ("🇫🇷", 2), ("नमस्ते", 4), ("a\u{20dd}", 1), ("…", 1), ("☃", 1),
  ])
  func `columns are those that a terminal shows`(text: String, columns: Int) {
    expect(TextWidth.of(text), is: columns)
  }

  @Test(arguments: [
    ("abc", 2, "ab"), ("東京", 3, "東"), ("東京", 1, ""), ("e\u{301}x", 1, "e\u{301}"), ("ab", 5, "ab"),
  ])
  func `a beginning never splits a character`(text: String, columns: Int, beginning: String) {
    expect(TextWidth.prefix(of: text, columns: columns), is: beginning)
  }

  @Test func `a cut text ends with an ellipsis and has the width`() {
    let text: StyledText = "\("東京", .bold) is far"
    expect(text.cut(to: 6).plain, is: "東京 …")
    expect(text.cut(to: 4).plain, is: "東…")
    expect(text.cut(to: 4).width <= 4)
    expect(text.cut(to: 11).plain, is: "東京 is far")
    expect(text.cut(to: 1).plain, is: "…")
    expect(text.cut(to: 0).plain, is: "")
  }

  @Test(arguments: [
    ("\u{202e}gpj", #"\u202egpj"#), ("a\u{200b}b\u{2066}", #"a\u200bb\u2066"#),
    ("\u{e0041}", #"\udb40\udc41"#), ("é 東京 👩\u{200d}👧", "é 東京 👩\u{200d}👧"),
  ])
  func `JSON on a terminal has escapes for what turns or hides text`(text: String, shown: String)
    throws
  {
    let json = SafeText.json(JSON.string(text).encoded(.compact))
    expect(String(decoding: json, as: UTF8.self), is: "\"\(shown)\"")
    try expect(JSON.parse(json).string, is: text)
  }

  @Test func `JSON is written as it is to all but a terminal`() throws {
    let home = try HostedStore()
    try home.create("\u{202e}gpj", "--unlock", "2040-01-01", "--text", "x")
    expect(try home.done("list", "--json").contains("\u{202e}gpj"))
    home.columns = 80
    for words in [["list", "--json"], ["list", "--ndjson"], ["show", "--json", "\u{202e}gpj"]] {
      let shown = try home.done(words)
      expect(shown.contains(#"\u202egpj"#) && !shown.unicodeScalars.contains("\u{202e}"))
    }
  }
}
