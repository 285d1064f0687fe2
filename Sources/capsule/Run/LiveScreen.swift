import CapsuleCore

/// Lines that are drawn again and again in place, until the user has seen enough.
///
/// The screen above stays as it was; the cursor is hidden meanwhile, and shown again however the
/// program ends, suspended and continued included.
///
///     let end = session.live { now in rows(at: now) }
final class LiveScreen {
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

  /// Leaves the last lines on the screen and shows the cursor.
  func release() {
    output.raw("\u{1b}[?25h")
    try? output.flush()
    drawn = 0
  }

  private func goToTop() {
    output.raw("\r")
    if drawn > 0 { output.raw("\u{1b}[\(drawn)A") }
  }
}

extension Session {
  /// Whether lines can be drawn in place: standard output is a terminal that can do that.
  var canDrawLive: Bool {
    console.out.isTerminal && options.form == .text && environment.text("TERM") != "dumb"
  }

  /// The columns of a line that is drawn in place; the last of the terminal stays free.
  var liveColumns: Int { console.out.drawingWidth - 1 }

  /// Draws at each turn of the second, and at once when the size changes, until `frame` gives
  /// `nil`, which takes the lines away, or a signal ends the program.
  ///
  /// - Parameters:
  ///   - quit: called when `q` ended it, the lines left where they are; without it no key does.
  ///   - frame: makes the lines at a time of the wall clock.
  /// - Returns: `.ok`, or the code of the signal, to be returned from the command.
  func live(
    quit: (() -> Void)? = nil, _ frame: (Instant) throws -> [StyledText]?
  ) throws -> ExitCode {
    let screen = LiveScreen(console.out)
    // A job in the background that asked for keys would be stopped.
    let terminal = quit != nil && console.canAsk ? host.terminal() : nil
    let keys = terminal?.isForeground == true ? try terminal?.keys() : nil
    let watch = host.watchSignals()
    defer {
      screen.release()
      keys?.end()
      watch.end()
    }
    while true {
      let now = host.wallClock()
      guard let lines = try frame(Instant(nanoseconds: now)) else {
        screen.erase()
        return .ok
      }
      try screen.draw(lines)
      if let code = waitForTurn(from: now, screen, keys, watch) {
        if code == .ok { quit?() }
        return code
      }
    }
  }

  /// Waits for the next turn of the second, a new size, `q`, or a signal.
  ///
  /// - Returns: `.ok` for `q`, or the code of a signal that ends the program.
  private func waitForTurn(
    from start: Int64, _ screen: LiveScreen, _ keys: (any KeyInput)?, _ watch: any SignalWatch
  ) -> ExitCode? {
    let size = host.output.size()
    let second: Int64 = 1_000_000_000
    let untilTurn = second - (start % second + second) % second
    while true {
      let left = untilTurn &- (host.wallClock() &- start)
      // The wait ends also when the clock was set: nothing is waited for longer than a turn.
      if left <= 0 || left > second { return nil }
      let pause = min(left, 100_000_000)
      switch watch.wait(keys == nil ? pause : 0) {
      case nil: break
      case .interrupt: return .interrupted
      case .terminate, .hangUp, .quit: return .terminated
      case .suspend:
        screen.release()
        keys?.pause()
        watch.deliver(.suspend)
        keys?.resume()
        return nil
      }
      if let keys {
        guard let typed = keys.read(pause) else { return .terminated }
        if typed.contains(where: { $0 | 0x20 == UInt8(ascii: "q") }) { return .ok }
      }
      if host.output.size() != size { return nil }
    }
  }
}
