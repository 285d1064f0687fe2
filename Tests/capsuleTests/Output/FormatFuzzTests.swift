import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Characters that a format gives a meaning to, with scalars around them that make one grapheme of
/// both: formats are read by their bytes, so they have to be written by them.
@Suite struct FormatFuzzTests {
  /// A sign of format that takes the next character in (Prepend), marks and joiners that the one
  /// before takes in, and a letter of a flag.
  static let signs: [(before: String, after: String)] = [
    ("", ""), ("\u{600}", ""), ("\u{110bd}", ""), ("", "\u{301}"), ("\u{600}", "\u{20e3}"),
    ("a\u{200d}", "\u{200d}a"), ("", "\u{fe0f}"), ("\u{1f1e6}", "\u{1f1e6}\u{93f}"),
    ("\r\n", "\r\n"), ("\u{600}\r", "\n\u{301}"),
  ]

  /// A text in which each of the characters stands between the signs.
  private static func text(_ characters: String, _ sign: (before: String, after: String)) -> String
  {
    "t" + characters.unicodeScalars.map { sign.before + String($0) + sign.after }.joined()
  }

  /// The lengths of the runs of a byte.
  private static func runs(of byte: Unicode.Scalar, in text: String) -> [Int] {
    var runs: [Int] = []
    var count = 0
    for other in Array(text.utf8) + [0] {
      if other == UInt8(byte.value) {
        count += 1
      } else {
        if count > 0 { runs.append(count) }
        count = 0
      }
    }
    return runs
  }

  private static func count(_ scalar: Unicode.Scalar, in text: String) -> Int {
    runs(of: scalar, in: text).reduce(0, +)
  }

  @Test(arguments: signs)
  func `no title acts in the line of a bar`(before: String, after: String) throws {
    let home = try HostedStore()
    let title = Self.text("|#%<>&\"'", (before, after))
    try home.done("event", "add", "--on", "2030-01-01", "--", title)
    let tmux = try home.done("status", "--format", "tmux")
    for scalar: Unicode.Scalar in ["#", "%"] {
      let runs = Self.runs(of: scalar, in: tmux)
      expect(!runs.isEmpty && runs.allSatisfy { $0.isMultiple(of: 2) }, "\(tmux)")
    }
    expect(Self.count("\n", in: tmux), is: 1)
    let swiftbar = try home.done("status", "--format", "swiftbar")
    expect(Self.count("|", in: swiftbar), is: 0)
    expect(Self.count("\n", in: swiftbar), is: 3, "\(swiftbar)")
    let waybar = try JSON.parse(Array(try home.done("status", "--format", "waybar").utf8))
    for member in ["text", "tooltip"] {
      let markup = try require(waybar[member]?.string)
      for scalar: Unicode.Scalar in ["<", ">", "\"", "'"] {
        expect(Self.count(scalar, in: markup), is: 0, "\(markup)")
      }
      expect(Self.count("&", in: markup), is: Self.count(";", in: markup))
    }
  }

  @Test(arguments: ["-- a", " --a", "\u{3000}---", "-"])
  func `no title makes a menu of SwiftBar's`(title: String) throws {
    let home = try HostedStore()
    try home.done("event", "add", "--on", "2030-01-01", "--", title)
    let line = try home.done("status", "--format", "swiftbar")
    expect(line.unicodeScalars.first, is: "\u{2060}")
  }

  @Test(arguments: signs)
  func `no text of an event ends its line or value in a calendar`(
    before: String, after: String
  ) throws {
    let home = try HostedStore()
    let text = Self.text("\\;,:\"", (before, after))
    try home.done("event", "add", "--on", "2030-01-01", "--notes", text, "--", text)
    let bytes = try home.done("export", "ics")
    let lines = Self.unfolded(bytes)
    expect(lines.first == "BEGIN:VCALENDAR" && lines.last == "END:VCALENDAR")
    for name in ["SUMMARY:", "DESCRIPTION:"] {
      let line = try require(lines.first { $0.utf8.starts(with: name.utf8) })
      var value = Array(line.utf8.dropFirst(name.utf8.count))[...]
      while let byte = value.popFirst() {
        expect(byte != UInt8(ascii: ";") && byte != UInt8(ascii: ","), "\(line)")
        if byte == UInt8(ascii: "\\") {
          let escaped = value.popFirst() ?? 0
          expect("\\;,n".utf8.contains(escaped), "\(line)")
        }
      }
    }
    expect(lines.allSatisfy { !$0.utf8.contains(0x0d) && !$0.utf8.contains(0x0a) })
  }

  /// The content lines, by bytes (RFC 5545, 3.1).
  private static func unfolded(_ text: String) -> [String] {
    var lines: [[UInt8]] = [[]]
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      guard byte == 0x0d, bytes.first == 0x0a else {
        lines[lines.count - 1].append(byte)
        continue
      }
      bytes.removeFirst()
      if bytes.first == 0x20 { bytes.removeFirst() } else { lines.append([]) }
    }
    if lines.last == [] { lines.removeLast() }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: signs)
  func `notes come back from a table of commas`(before: String, after: String) throws {
    let home = try HostedStore()
    let notes = Self.text("\",x\"\"", (before, after))
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--notes", notes)
    let rows = Self.rows(try home.done("item", "history", "Filter", "--csv"))
    expect(rows.count, is: 2)
    let last = try require(rows.last?.last)
    expect(
      rows[1].count == 6 && SpreadsheetText.bare(last).utf8.elementsEqual(notes.utf8), "\(rows)")
  }

  @Test func `tables and calendars do nothing to a terminal`() throws {
    let home = try HostedStore()
    let text = "a\u{1b}[2J\u{202e}b"
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--notes", text)
    try home.done("event", "add", "--on", "2030-01-01", "--", text)
    home.columns = 80
    for words in [["item", "history", "Filter", "--csv"], ["export", "ics"]] {
      let shown = try home.done(words)
      expect(!shown.unicodeScalars.contains { ["\u{1b}", "\u{202e}", "\r"].contains($0) })
    }
  }

  /// The rows of a table, by bytes (RFC 4180).
  private static func rows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var field: [UInt8] = []
    var isQuoted = false
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "\"") {
        if isQuoted, bytes.first == byte {
          field.append(bytes.removeFirst())
        } else {
          isQuoted.toggle()
        }
      } else if !isQuoted, byte == UInt8(ascii: ",") || byte == 0x0a {
        row.append(String(decoding: field, as: UTF8.self))
        field = []
        if byte == 0x0a {
          rows.append(row)
          row = []
        }
      } else if isQuoted || byte != 0x0d {
        field.append(byte)
      }
    }
    return rows
  }

  @Test(arguments: signs)
  func `no text acts in a page`(before: String, after: String) {
    let text = Self.text("<>&\"'", (before, after))
    let html: HTML = "\(text)"
    for scalar: Unicode.Scalar in ["<", ">", "\"", "'", "\r"] {
      expect(Self.count(scalar, in: html.source), is: 0)
    }
    expect(Self.count("&", in: html.source), is: Self.count(";", in: html.source))
  }

  @Test(arguments: signs)
  func `no text ends its string in JSON`(before: String, after: String) throws {
    let text = Self.text("\"\\", (before, after))
    let bytes = JSON.string(text).encoded(.compact)
    let read = try require(try JSON.parse(bytes).string)
    expect(read.utf8.elementsEqual(text.utf8))
    expect(Self.count("\n", in: String(decoding: bytes, as: UTF8.self)), is: 0)
  }

  @Test(arguments: signs)
  func `a file's name is what is behind the last slash`(before: String, after: String) {
    let path = "files/\(before.filter { $0 != "\r\n" })x/\u{301}\(after)b.png"
    let file = GiftFile(path: path, mediaType: "image/png", size: 1)
    expect(!file.name.utf8.contains(UInt8(ascii: "/")))
    expect(path.parts(at: "/").joined(separator: "/").utf8.elementsEqual(path.utf8))
  }
}
