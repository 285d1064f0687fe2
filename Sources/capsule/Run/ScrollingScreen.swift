import CapsuleCore

/// The lines of a long list, of which only those on the screen are made.
struct ScrollingRows {
  let count: Int
  /// Returns a row by its place: the column that is aligned, and the title, which gives way.
  let row: (Int) -> (span: StyledText, title: StyledText)
}

/// A list that fills the terminal, drawn again and again and moved by keys. The screen that was there
/// comes back when it ends.
private final class ScrollingScreen {
  private let output: TextOutput
  /// The first row that is seen.
  private var top = 0
  private var count = 0

  init(_ output: TextOutput) {
    self.output = output
  }

  private var width: Int { output.drawingWidth }
  /// The number of rows that are seen; the last line of the screen is the program's.
  private var visible: Int { max(1, (output.height ?? 24) - 1) }
  private var lastTop: Int { max(0, count - visible) }

  /// Takes the screen, and hides the cursor.
  func enter() {
    output.raw("\u{1b}[?1049h\u{1b}[?25l")
  }

  /// Gives the screen back.
  func leave() {
    output.raw("\u{1b}[?25h\u{1b}[?1049l")
    try? output.flush()
  }

  func draw(_ rows: ScrollingRows) throws {
    count = rows.count
    top = min(top, lastTop)
    let shown = (top..<min(count, top + visible)).map(rows.row)
    let spans = shown.map(\.span.width).max() ?? 0
    output.raw("\u{1b}[H")
    for (span, title) in shown {
      let padding = StyledText(String(repeating: " ", count: spans - span.width))
      line(padding + span + "  " + title)
    }
    for _ in shown.count..<max(visible, shown.count) { line("") }
    output.write(StyledText(footer, .dim).cut(to: width - 1))
    output.raw("\u{1b}[K\u{1b}[J")
    try output.flush()
  }

  private func line(_ text: StyledText) {
    output.write(text.cut(to: width - 1))
    output.raw("\u{1b}[K\n")
  }

  private var footer: String {
    guard count > 0 else { return "Nothing is to come.  q ends" }
    guard count > visible else { return "\(count)  q ends" }
    return "\(top + 1) to \(min(count, top + visible)) of \(count)  q ends  ↑ ↓ PgUp PgDn Home End"
  }

  func move(_ key: ScrollKey) {
    switch key {
    case .up: top -= 1
    case .down: top += 1
    case .pageUp: top -= max(1, visible - 1)
    case .pageDown: top += max(1, visible - 1)
    case .home: top = 0
    case .end: top = lastTop
    case .quit: break
    }
    top = max(0, min(top, lastTop))
  }
}

/// A key that moves a list, or ends it.
enum ScrollKey: Hashable, Sendable {
  case up, down, pageUp, pageDown, home, end, quit
}

/// Reads keys from the bytes that a terminal sends: letters as `less` has them, and the sequences of the
/// arrow keys and their kin (ECMA-48 §5.4, as xterm sends them).
struct ScrollKeyReader {
  /// The beginning of a sequence whose end has not come.
  private var pending: [UInt8] = []

  /// Returns the keys in more bytes; what is no key of a list is passed over.
  mutating func take(_ bytes: [UInt8]) -> [ScrollKey] {
    var rest = (pending + bytes)[...]
    var keys: [ScrollKey] = []
    while let first = rest.first {
      guard first == 0x1b else {
        rest = rest.dropFirst()
        if let key = Self.letters[first] { keys.append(key) }
        continue
      }
      guard let second = rest.dropFirst().first else { break }
      guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else {
        rest = rest.dropFirst()
        continue
      }
      let body = rest.dropFirst(2)
      guard let end = body.firstIndex(where: { (0x40...0x7e).contains($0) }) else {
        // No key has a longer sequence.
        if rest.count > 16 { rest = [] }
        break
      }
      if let key = Self.sequences[String(decoding: body[...end], as: UTF8.self)] {
        keys.append(key)
      }
      rest = rest[(end + 1)...]
    }
    pending = Array(rest)
    return keys
  }

  private static let letters: [UInt8: ScrollKey] = [
    UInt8(ascii: "q"): .quit, UInt8(ascii: "Q"): .quit, UInt8(ascii: "j"): .down,
    UInt8(ascii: "k"): .up, 0x0a: .down, 0x0d: .down, UInt8(ascii: " "): .pageDown,
    UInt8(ascii: "f"): .pageDown, UInt8(ascii: "b"): .pageUp, UInt8(ascii: "g"): .home,
    UInt8(ascii: "G"): .end,
  ]

  private static let sequences: [String: ScrollKey] = [
    "A": .up, "B": .down, "H": .home, "F": .end, "1~": .home, "4~": .end, "7~": .home, "8~": .end,
    "5~": .pageUp, "6~": .pageDown,
  ]
}

extension Session {
  /// Whether a list can fill the terminal and be moved by keys.
  var canScroll: Bool {
    canDrawLive && console.canAsk
  }

  /// Shows a list on the whole screen, drawn at each turn of the second, at each key, and when the size
  /// changes, until `q` or a signal ends it.
  ///
  /// - Parameter rows: makes the rows at a time of the wall clock.
  /// - Returns: `.ok`, or the code of the signal.
  func scroll(_ rows: (Instant) throws -> ScrollingRows) throws -> ExitCode {
    guard let keys = try host.terminal()?.keys() else {
      throw Failure.internal("a list that scrolls without a terminal")
    }
    let watch = host.watchSignals()
    let screen = ScrollingScreen(console.out)
    screen.enter()
    defer {
      screen.leave()
      keys.end()
      watch.end()
    }
    var reader = ScrollKeyReader()
    while true {
      let now = host.wallClock()
      try screen.draw(try rows(Instant(nanoseconds: now)))
      switch wait(from: now, keys, watch) {
      case .turn: break
      case .typed(let bytes):
        for key in reader.take(bytes) {
          if key == .quit { return .ok }
          screen.move(key)
        }
      case .suspended:
        screen.leave()
        keys.pause()
        watch.deliver(.suspend)
        keys.resume()
        screen.enter()
      case .ended(let code): return code
      }
    }
  }

  /// A reason to draw again, or to end.
  private enum Turn {
    case turn
    case typed([UInt8])
    case suspended
    case ended(ExitCode)
  }

  /// Waits for the next turn of the second, a new size, a key or a signal.
  private func wait(from start: Int64, _ keys: any KeyInput, _ watch: any SignalWatch) -> Turn {
    let size = host.output.size()
    let second: Int64 = 1_000_000_000
    let untilTurn = second - (start % second + second) % second
    while true {
      switch watch.wait(0) {
      case nil: break
      case .suspend: return .suspended
      case .interrupt: return .ended(.interrupted)
      case .terminate, .hangUp, .quit: return .ended(.terminated)
      }
      let left = untilTurn &- (host.wallClock() &- start)
      // The wait ends also when the clock was set: nothing is waited for longer than a turn.
      if left <= 0 || left > second { return .turn }
      guard let typed = keys.read(min(left, 50_000_000)) else { return .ended(.terminated) }
      if !typed.isEmpty { return .typed(typed) }
      if host.output.size() != size { return .turn }
    }
  }
}
