import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The live countdown of events, of the real program on a terminal of its own.
@Suite(.ownThread) struct LiveCountdownTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  private func add(_ title: String, _ on: String, _ words: String...) throws {
    try home.done(["event", "add", title, "--on", on] + words)
  }

  private func terminal(_ words: String...) throws -> TerminalRun {
    try TerminalRun(home.program(words))
  }

  /// What was drawn each time: the lines, without what moves the cursor.
  private func frames(_ screen: [UInt8]) -> [[String]] {
    var frames: [[String]] = []
    var line: [UInt8] = []
    var rest = screen[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x1b:
        let end = rest.dropFirst().firstIndex { (0x40...0x7e).contains($0) } ?? rest.endIndex - 1
        // Each drawing begins by hiding the cursor.
        if rest[...end].elementsEqual("[?25l".utf8) { frames.append([]) }
        rest = rest[(end + 1)...]
      case 0x0a:
        frames[frames.count - 1].append(String(decoding: line, as: UTF8.self))
        line = []
      case 0x0d: continue
      default: line.append(byte)
      }
    }
    return frames
  }

  /// Seconds to go by a line of a countdown, below zero when it is past; `nil` for another line.
  private func seconds(_ line: String) -> Int? {
    if line.hasSuffix("now") { return 0 }
    let words = line.split(separator: " ")
    guard let clock = words.first(where: { $0.contains(":") }) else { return nil }
    let parts = clock.split(separator: ":").compactMap { Int($0) }
    guard parts.count == 3 else { return nil }
    let count = parts[0] * 3600 + parts[1] * 60 + parts[2]
    return words.last == "ago" ? -count : count
  }

  @Test func `several at once count each second, turn at zero, and Ctrl-C leaves a clean terminal`()
    throws
  {
    let now = Int64(time(nil))
    let zero = Instant(seconds: now + 6).rfc3339
    try add("Soon", zero)
    try add("Report", zero, "--deadline")
    try add("Launch", Instant(seconds: now + 3000).rfc3339)
    try add("Long ago", Instant(seconds: now - 3000).rfc3339)
    let screen = try terminal(
      "countdown", "Soon", "Report", "Launch", "Long ago", "--color", "never")
    try screen.wait(for: "Soon  in 00:00:0")
    try screen.wait(for: "Report  in 00:00:0")
    try screen.wait(for: "Soon  00:00:02 ago")
    try screen.wait(for: "Report  over, 00:00:02 ago")
    screen.send("\u{3}")
    let end = screen.finish()
    expect(end.end, is: .signalled(SIGINT))
    expect(screen.echoes)
    // The cursor is shown again, and nothing is sent behind that.
    expect(end.out.hasSuffix("\u{1b}[?25h") || end.out.hasSuffix("\u{1b}[?25h^C"))

    var seen: [Int] = []
    for frame in frames(end.output) {
      try require(frame.count == 4, "\(frame)")
      let left = frame.compactMap(seconds)
      try require(left.count == 4, "\(frame)")
      // All of a frame are of the same second.
      expect(left[0], is: left[1])
      expect(left[2] - left[0] == 2994 && left[0] - left[3] == 3006)
      expect(frame[0].hasPrefix("Soon  ") && frame[1].hasPrefix("Report  "))
      expect(frame[1].contains("over") == (left[0] <= 0), "\(frame)")
      expect(frame[2].hasPrefix("Launch  in ") && frame[3].hasSuffix(" ago"))
      seen.append(left[0])
    }
    // Never back, and a second at a time, as long as the machine keeps up.
    expect(zip(seen, seen.dropFirst()).allSatisfy { $0 >= $1 })
    expect(Set(seen).count >= 4)
    expect((seen.first ?? 0) > 0 && (seen.last ?? 0) <= -2)
  }

  @Test func `a whole day is counted in days, in the title's colour, and SIGTERM ends it`() throws {
    try add("Far", "2090-06-15", "--text-color", "#ff8800")
    let screen = try terminal("countdown", "--color", "always")
    try screen.wait(for: "Far")
    try screen.wait(for: " d")
    expect(String(decoding: screen.screen, as: UTF8.self).contains("\u{1b}[1;3"))
    screen.signal(SIGTERM)
    let end = screen.finish()
    expect(end.end, is: .signalled(SIGTERM))
    expect(end.out.hasSuffix("\u{1b}[?25h"))
    expect(screen.echoes)
  }

  @Test func `without a terminal and with --once it is told once`() throws {
    try add("Far", "2090-06-15 12:00")
    let told = try home.run("countdown", "Far")
    expect(told.end, is: .exited(0))
    expect(told.out.split(separator: "\n").count == 1 && !told.output.contains(0x1b))
    let screen = try terminal("countdown", "Far", "--once")
    let end = screen.finish()
    expect(end.end, is: .exited(0))
    expect(!end.out.contains("\u{1b}[?25l"))
  }
}
