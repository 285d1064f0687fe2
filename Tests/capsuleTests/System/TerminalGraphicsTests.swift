import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The answers of terminals, and the forms in which they are sent pictures.
@Suite struct TerminalGraphicsTests {
  private func replies(_ text: String) -> TerminalReplies {
    var replies = TerminalReplies()
    for byte in text.utf8 { replies.take(byte) }
    replies.end()
    return replies
  }

  private func graphics(_ text: String) -> TerminalGraphics? {
    TerminalGraphics(answers: replies(text).answers)
  }

  @Test(
    arguments: [
      ("\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[?62;c", .kitty),
      ("\u{1b}_Gi=31;OK\u{1b}\\\u{1b}]1337;ReportCellSize=1;2\u{7}\u{1b}[?62;4c", .kitty),
      ("\u{1b}]1337;ReportCellSize=17.0;8.0;2.0\u{1b}\\\u{1b}[?62;4c", .iTerm2),
      ("\u{1b}P>|iTerm2 3.5.0\u{1b}\\\u{1b}[?62;4c", .iTerm2),
      ("\u{1b}P>|XTerm(380)\u{1b}\\\u{1b}[?63;1;2;4;6c", .sixel),
      ("\u{1b}_Gi=31;ENOTSUP:no\u{1b}\\\u{1b}[?62;22c", nil),
      ("\u{1b}_Gi=3;OK\u{1b}\\\u{1b}[?1;2c", nil), ("\u{1b}[?4;2c", nil), ("\u{1b}[?64;44c", nil),
      ("", nil), ("4c", nil),
    ] as [(String, TerminalGraphics?)])
  func `a terminal has what it answers, and nothing is guessed`(
    answer: String, expected: TerminalGraphics?
  ) {
    expect(graphics(answer), is: expected)
  }

  @Test(
    arguments: [
      ("ls\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[Ax\u{1b}[?62c", "ls\u{1b}[Ax"),
      ("\u{1b}b\u{1b}[?1c", "\u{1b}b"),
      ("q\u{1b}", "q\u{1b}"), ("\u{1b}[?6", ""), ("\u{1b}]1337;Rep", ""),
      ("ü\u{1b}OP", "ü\u{1b}OP"),
    ])
  func `keys among the answers are keys`(text: String, keys: String) {
    expect(String(decoding: replies(text).keys, as: UTF8.self), is: keys)
  }

  @Test func `a terminal says how many pixels a character has, or does not`() throws {
    let (terminal, _) = try TerminalRun.open()
    defer { close(terminal) }
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    try require(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
    expect(TerminalSize.of(terminal), is: TerminalSize(columns: 80, rows: 24))
    (size.ws_xpixel, size.ws_ypixel) = (720, 432)
    try require(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
    let cell = try require(TerminalSize.of(terminal)?.cell)
    expect([cell.width, cell.height], is: [9, 18])
  }

  @Test func `the device attributes end the answers`() {
    expect(replies("\u{1b}[?62;4c").isWhole)
    expect(!replies("\u{1b}_Gi=31;OK\u{1b}\\").isWhole && !replies("\u{1b}[?2026;2$y").isWhole)
  }

  @Test func `an answer without an end is not kept without an end`() {
    let text = "\u{1b}_G" + String(repeating: "x", count: 20_000)
    expect(replies(text).answers.isEmpty)
  }

  @Test(
    arguments: [
      (80, 160, .own), (640, 192, .own), (641, 10, .columns(80)), (10, 193, .rows(12)),
      (4000, 3000, .rows(12)), (4000, 300, .columns(80)), (nil, nil, .rows(12)), (0, 0, .rows(12)),
      (Int64.max, Int64.max, .rows(12)),
    ] as [(Int64?, Int64?, TerminalGraphics.Extent)])
  func `a picture is made to fit its box, and no larger than it is`(
    width: Int64?, height: Int64?, expected: TerminalGraphics.Extent
  ) {
    let extent = TerminalGraphics.Extent(
      MediaFacts(width: width, height: height), in: TerminalSize(columns: 80, rows: 12),
      cell: (8, 16))
    expect(extent, is: expected)
  }

  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  @Test func `kitty gets a PNG in pieces, and is asked not to answer`() throws {
    let picture = Self.png + [UInt8](repeating: 7, count: 5000)
    let drawing = try require(TerminalGraphics.kitty.drawing(picture, .rows(12)))
    let parts = String(decoding: drawing, as: UTF8.self).parts(at: "\u{1b}").filter { $0 != "\\" }
    expect(parts.count == 3 && parts[0].isEmpty)
    expect(parts[1].hasPrefix("_Ga=T,f=100,q=2,r=12,m=1;") && parts[2].hasPrefix("_Gq=2,m=0;"))
    let data = try parts.dropFirst().map { try require($0.parts(at: ";").last) }
    expect(data[0].utf8.count, is: 4096)
    expect(Base64.decode(Array(data.joined().utf8), padded: true), is: picture)
    expect(TerminalGraphics.kitty.drawing([0xff, 0xd8, 0xff], .own) == nil)
  }

  @Test func `iTerm2 gets any file, and a terminal with sixels none`() throws {
    let drawing = try require(TerminalGraphics.iTerm2.drawing([0xff, 0xd8, 0xff], .columns(80)))
    expect(
      String(decoding: drawing, as: UTF8.self),
      is: "\u{1b}]1337;File=inline=1;size=3;preserveAspectRatio=1;width=80:/9j/\u{7}")
    expect(TerminalGraphics.sixel.drawing(Self.png, .own) == nil)
  }
}
