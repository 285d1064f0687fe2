import CapsuleCore

/// What is drawn again and again: at each turn of the second, at a key, and when the size changes.
struct Live {
  let console: Console

  /// Whether lines can be drawn in place.
  var isPossible: Bool { console.canDraw }

  /// Whether the time that is left is drawn while a command waits.
  var showsWaiting: Bool { isPossible && console.showsNotes }

  /// Whether a list can fill the terminal and be moved by keys.
  var canScroll: Bool { isPossible && console.canAsk }

  /// The columns of a line that is drawn in place; the last of the terminal stays free.
  var columns: Int { console.out.drawingWidth - 1 }

  /// Draws lines until `frame` gives `nil`, which takes them away, or a signal ends the program.
  ///
  /// - Parameters:
  ///   - quit: called when `q` ended it, the lines left where they are; without it no key does.
  ///   - frame: makes the lines at a time of the wall clock.
  /// - Throws: `WorkSignals.Interrupted` for a signal that ends the program.
  func draw(quit: (() -> Void)? = nil, _ frame: (Instant) throws -> [StyledText]?) throws {
    let screen = LiveScreen(console.out)
    // A job in the background that asked for keys would be stopped.
    let terminal = quit != nil && console.canAsk ? console.host.terminal() : nil
    let keys = terminal?.isForeground == true ? try terminal?.keys() : nil
    try run(screen, keys) { now in
      guard let lines = try frame(now) else {
        screen.erase()
        return false
      }
      try screen.draw(lines)
      return true
    } react: { typed in
      guard typed.contains(where: { $0 | 0x20 == UInt8(ascii: "q") }) else { return .none }
      quit?()
      return .end
    }
  }

  /// Shows a list on the whole screen until `q` or a signal ends it.
  ///
  /// - Parameter rows: makes the rows at a time of the wall clock.
  /// - Throws: `WorkSignals.Interrupted` for a signal that ends the program.
  func scroll(_ rows: (Instant) throws -> ScrollingRows) throws {
    guard let keys = try console.host.terminal()?.keys() else {
      throw Fault.internal("a list that scrolls without a terminal")
    }
    let screen = ScrollingScreen(console.out)
    var reader = ScrollKeyReader()
    try run(screen, keys) { now in
      try screen.draw(try rows(now))
      return true
    } react: { typed in
      for key in reader.take(typed) {
        if key == .quit { return .end }
        screen.move(key)
      }
      return .draw
    }
  }

  /// The reaction to keys.
  private enum Reaction {
    case none, draw, end
  }

  /// Draws at each turn of the second, and at once when the size changes or keys ask for it. Signals are
  /// held back; while one suspends the program, the terminal is as it was.
  ///
  /// - Parameters:
  ///   - draw: draws at a time of the wall clock; `false` ends it.
  ///   - react: gets the keys that were typed.
  /// - Throws: `WorkSignals.Interrupted` for a signal that ends the program.
  private func run(
    _ screen: some DrawnScreen, _ keys: (any KeyInput)?, draw: (Instant) throws -> Bool,
    react: ([UInt8]) -> Reaction
  ) throws {
    let host = console.host
    let watch = host.watchSignals()
    screen.enter()
    defer {
      screen.leave()
      keys?.end()
      watch.end()
    }
    let second: Int64 = 1_000_000_000
    while true {
      let start = host.wallClock()
      guard try draw(Instant(nanoseconds: start)) else { return }
      let size = host.output.size()
      let untilTurn = second - (start % second + second) % second
      wait: while host.output.size() == size {
        let left = untilTurn &- (host.wallClock() &- start)
        // The wait ends also when the clock was set: nothing is waited for longer than a turn.
        if left <= 0 || left > second { break }
        let pause = min(left, keys == nil ? 100_000_000 : 50_000_000)
        if let signal = watch.wait(keys == nil ? pause : 0) {
          if let code = signal.exitCode { throw WorkSignals.Interrupted(code: code) }
          screen.leave()
          keys?.pause()
          watch.deliver(signal)
          keys?.resume()
          screen.enter()
          break
        }
        guard let keys else { continue }
        guard let typed = keys.read(pause) else {
          throw WorkSignals.Interrupted(code: .terminated)
        }
        switch typed.isEmpty ? .none : react(typed) {
        case .none: continue
        case .draw: break wait
        case .end: return
        }
      }
    }
  }

  /// Writes objects each second, one a line, until a signal ends the program or the reader goes.
  func everySecond(_ objects: (Instant) throws -> [JSONObject]) throws -> Never {
    while true {
      let now = Instant(nanoseconds: console.host.wallClock())
      for object in try objects(now) { console.out.jsonLine(.object(object)) }
      try console.out.flush()
      console.host.wait(now.adding(seconds: 1).nanoseconds, 1_000_000_000)
    }
  }
}

/// A part of the terminal that is drawn on from `enter` to `leave`.
private protocol DrawnScreen {
  func enter()
  func leave()
}

/// Lines that are drawn again and again in place, until the user has seen enough.
///
/// The screen above stays as it was; the cursor is hidden meanwhile, and shown again however the
/// program ends, suspended and continued included.
///
///     try session.live.draw { now in rows(at: now) }
private final class LiveScreen: DrawnScreen {
  private let output: TextOutput
  private var drawn = 0

  init(_ output: TextOutput) {
    self.output = output
  }

  /// Draws the lines over those before. Lines that do not fit are left out from the end.
  func draw(_ lines: [StyledText]) throws {
    let width = output.drawingWidth
    let fitting = lines.prefix(max(1, (output.height ?? 24) - 1))
    output.raw("\u{1b}[?25l")
    goToTop()
    for line in fitting {
      output.write(line.cut(to: width - 1))
      output.raw("\u{1b}[K\n")
    }
    output.raw("\u{1b}[J")
    drawn = fitting.count
    try output.flush()
  }

  /// Takes the lines away.
  func erase() {
    goToTop()
    output.raw("\u{1b}[J")
    drawn = 0
  }

  func enter() {}

  /// Leaves the last lines on the screen and shows the cursor.
  func leave() {
    output.raw("\u{1b}[?25h")
    try? output.flush()
    drawn = 0
  }

  private func goToTop() {
    output.raw("\r")
    if drawn > 0 { output.raw("\u{1b}[\(drawn)A") }
  }
}

/// The lines of a long list, of which only those on the screen are made.
struct ScrollingRows {
  let count: Int
  /// Returns a row by its place: the column that is aligned, and the title, which gives way.
  let row: (Int) -> (span: StyledText, title: StyledText)
}

/// A list that fills the terminal, drawn again and again and moved by keys. The screen that was there
/// comes back when it ends.
private final class ScrollingScreen: DrawnScreen {
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
