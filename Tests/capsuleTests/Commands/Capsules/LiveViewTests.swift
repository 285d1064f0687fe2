import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Keys of a list, from the bytes that terminals send.
@Suite struct ScrollKeyReaderTests {
  @Test(arguments: [
    ("q", [ScrollKey.quit]), ("jk", [.down, .up]), (" bgG", [.pageDown, .pageUp, .home, .end]),
    ("\u{1b}[A\u{1b}[B", [.up, .down]), ("\u{1b}OA\u{1b}OB", [.up, .down]),
    ("\u{1b}[5~\u{1b}[6~", [.pageUp, .pageDown]), ("\u{1b}[H\u{1b}[F", [.home, .end]),
    ("\u{1b}[1~\u{1b}[4~", [.home, .end]), ("xyz\u{1b}[99;5u\u{1b}q", [.quit]),
  ])
  func `each key is known, and all else is passed over`(typed: String, keys: [ScrollKey]) {
    var reader = ScrollKeyReader()
    expect(reader.take(Array(typed.utf8)), is: keys)
  }

  @Test func `a sequence that comes in parts is one key`() {
    var reader = ScrollKeyReader()
    expect(reader.take([0x1b]), is: [])
    expect(reader.take([0x5b, 0x36]), is: [])
    expect(reader.take([0x7e, 0x6a]), is: [.pageDown, .down])
  }

  @Test func `a sequence without an end does not swallow what follows for ever`() {
    var reader = ScrollKeyReader()
    expect(reader.take([0x1b, 0x5b] + [UInt8](repeating: 0x31, count: 40)), is: [])
    expect(reader.take([0x71]), is: [.quit])
  }
}

/// What is live, of the real program on a terminal of its own.
@Suite(.ownThread) struct LiveViewTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  private func terminal(
    _ words: String..., columns: UInt16 = 60, rows: UInt16 = 6
  ) throws -> TerminalRun {
    try TerminalRun(home.program(words), columns: columns, rows: rows)
  }

  /// Ten capsules and an event with a colour, the soonest first.
  private func fill() throws {
    for number in 0..<10 {
      try home.create("Capsule \(number)", "--unlock", "20\(50 + number)-01-01", "--text", "t")
    }
    try home.done("event", "add", "Feast", "--on", "2049-01-01 12:00", "--text-color", "#ff8800")
  }

  @Test func `everything is listed, scrolls by keys, follows the size, and q ends it`() throws {
    try fill()
    let screen = try terminal("countdown", "--all", "--color", "always")
    try screen.wait(for: "\u{1b}[?1049h")
    try screen.wait(for: "Feast")
    try screen.wait(for: "Capsule 3")
    try screen.wait(for: "1 to 5 of 11")
    expect(!screen.echoes)
    expect(!String(decoding: screen.screen, as: UTF8.self).contains("Capsule 4"))
    screen.send("j")
    try screen.wait(for: "2 to 6 of 11")
    screen.send("\u{1b}[6~")
    try screen.wait(for: "6 to 10 of 11")
    screen.send("G")
    try screen.wait(for: "7 to 11 of 11")
    screen.resize(columns: 60, rows: 8)
    try screen.wait(for: "5 to 11 of 11")
    screen.send("\u{1b}[H")
    try screen.wait(for: "1 to 7 of 11")
    screen.send("q")
    let end = screen.finish()
    expect(end.end, is: .exited(0))
    expect(end.out.hasSuffix("\u{1b}[?25h\u{1b}[?1049l") && screen.echoes)
  }

  @Test func `Ctrl-C gives the screen and the keys back`() throws {
    try fill()
    let screen = try terminal("countdown", "--all")
    try screen.wait(for: "1 to 5 of 11")
    screen.send("\u{3}")
    let end = screen.finish()
    expect(end.end == .signalled(SIGINT) && screen.echoes)
    expect(end.out.contains("\u{1b}[?25h\u{1b}[?1049l"))
  }

  @Test func `q ends a countdown of one thing, and is not echoed`() throws {
    try home.create("Later", "--unlock", "in 1 hour", "--text", "t")
    let screen = try terminal("countdown", "Later", "--color", "never")
    try screen.wait(for: "in 00:59:")
    screen.send("q")
    let end = screen.finish()
    expect(end.end == .exited(0) && screen.echoes)
    expect(!end.out.contains("q") && end.out.hasSuffix("\u{1b}[?25h"))
  }

  @Test func `elsewhere everything is told once, the soonest first and then the past`() throws {
    try fill()
    try home.createUnlocked("Old", "--text", "t")
    try home.createUnlocked("Seen", "--text", "t")
    try home.done("open", "Seen")
    let lines = try home.run("countdown", "--all").lines
    expect(lines.count == 12 && lines[0].hasPrefix("Feast  in "))
    expect(lines[1].hasPrefix("Capsule 0  in ") && lines[11].hasPrefix("Old  "))
    try expect(home.strings("title", "countdown", "--all", "--at", "2048").count, is: 12)
    try home.refusal(.usage, "countdown", "--all", "Old")
    try home.refusal(.usage, "countdown", "--all", "--wait")
  }

  @Test func `waiting for a capsule counts down, takes that away, and reveals`() throws {
    try home.create("Soon", "--unlock", "in 4 seconds", "--text", "The words.")
    let screen = try terminal("open", "Soon", "--wait", rows: 24)
    try screen.wait(for: "opens in ")
    try screen.wait(for: "\u{1b}[J\u{1b}[?25h")
    try screen.wait(for: "The words.")
    expect(screen.finish().end, is: .exited(0))
  }

  @Test func `Ctrl-C ends the waiting, and nothing is revealed`() throws {
    try home.create("Later", "--unlock", "in 1 hour", "--text", "The words.")
    let screen = try terminal("open", "Later", "--wait")
    try screen.wait(for: "opens in ")
    screen.send("\u{3}")
    let end = screen.finish()
    expect(end.end == .signalled(SIGINT) && !end.out.contains("The words."))
    try expect(home.json("show", "Later")["openedAt"], is: .null)
  }

  @Test(arguments: [("\n", true), ("n\n", false)])
  func `a countdown to one capsule offers to open it at its time`(
    answer: String, isOpened: Bool
  ) throws {
    try home.create("Soon", "--unlock", "in 3 seconds", "--text", "The words.")
    let screen = try terminal("countdown", "Soon", "--color", "never", rows: 24)
    try screen.wait(for: "Soon  in ")
    try screen.wait(for: "Open 'Soon' now? [Y/n] ")
    screen.send(answer)
    try screen.wait(for: isOpened ? "The words." : " ago")
    if !isOpened { screen.send("\u{3}") }
    let end = screen.finish()
    expect(end.end == (isOpened ? .exited(0) : .signalled(SIGINT)))
    expect(end.out.contains("The words."), is: isOpened)
  }
}
