import CapsulePlatform
import Testing

/// A run of a program on a terminal of its own (a pty), talked to step by step.
///
///     let terminal = try TerminalRun(ProgramRun("countdown"))
///     try terminal.wait(for: "days")
///     terminal.send("\u{3}")
///     expect(terminal.finish().end, is: .signalled(SIGINT))
package final class TerminalRun {
  private let child: pid_t
  private let primary: Int32
  private let outputEnd: Int32
  private let timeLimit: Int
  private let start = time(nil)
  /// All that the terminal was sent.
  package private(set) var screen: [UInt8] = []
  /// What went to standard output, when that is a pipe.
  package private(set) var output: [UInt8] = []
  private var searched = 0

  /// - Parameters:
  ///   - pipedOutput: whether standard output is a pipe, and only the rest is the terminal.
  package init(
    _ run: ProgramRun, columns: UInt16 = 80, rows: UInt16 = 24, pipedOutput: Bool = false
  ) throws {
    let (primary, name) = try Spawn.betweenStarts { try Self.open() }
    self.primary = primary
    var run = run
    if run.environment["TERM"] == nil { run.environment["TERM"] = "xterm" }
    timeLimit = run.timeLimit

    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
    var spawn = Spawn(run)
    spawn.leadsSession = true
    for descriptor: Int32 in 0...2 { spawn.openFile(name, as: descriptor, reading: true) }
    let pipe = pipedOutput ? try Pipe() : nil
    if let pipe { spawn.move(pipe.writeEnd, to: 1) }
    child = try spawn.start()
    if let pipe { close(pipe.writeEnd) }
    outputEnd = pipe?.readEnd ?? -1
  }

  /// A new pty: the end that is ours, and the name of the program's.
  package static func open() throws -> (Int32, String) {
    #if canImport(Darwin)
      let primary = posix_openpt(O_RDWR | O_NOCTTY)
      _ = fcntl(primary, F_SETFD, FD_CLOEXEC)
      try require(primary >= 0 && grantpt(primary) == 0 && unlockpt(primary) == 0)
      return (primary, String(cString: try require(ptsname(primary))))
    #else
      // What posix_openpt(3), unlockpt(3) and ptsname(3) do, which glibc shows to _XOPEN_SOURCE only.
      let primary = CapsulePlatform.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var unlock: Int32 = 0
      var number: Int32 = 0
      let setLock: UInt = 0x4004_5431
      let getNumber: UInt = 0x8004_5430
      try require(primary >= 0)
      try require(ioctl(primary, setLock, &unlock) == 0)
      try require(ioctl(primary, getNumber, &number) == 0)
      return (primary, "/dev/pts/\(number)")
    #endif
  }

  deinit {
    close(primary)
    if outputEnd >= 0 { close(outputEnd) }
  }

  /// Reads until the text has come (after what was waited for before).
  package func wait(for text: String, file: String = #fileID, line: Int = #line) throws {
    while time(nil) - start < timeLimit {
      if let end = position(of: Array(text.utf8)) {
        searched = end
        return
      }
      step()
    }
    let shown = String(decoding: screen, as: UTF8.self)
    Issue.record(
      "\(text.debugDescription) did not come; the screen has \(shown.debugDescription)",
      sourceLocation: SourceLocation(file, line))
    // A child that nobody waits for would keep every other wait of the process busy.
    kill(child, SIGKILL)
    _ = finish()
    throw CancellationError()
  }

  /// Types.
  package func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(primary, bytes, bytes.count)
  }

  /// Sends a signal to the program.
  package func signal(_ number: Int32) {
    kill(child, number)
  }

  /// Whether the terminal shows what is typed.
  package var echoes: Bool {
    var settings = termios()
    guard tcgetattr(primary, &settings) == 0 else { return false }
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Gives the terminal another size.
  package func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
  }

  /// Reads to the end of the program. `output` is the screen, or the pipe where there is one.
  package func finish() -> ProgramRun.Result {
    var status: Int32 = 0
    var wasKilled = false
    while waitpid(child, &status, WNOHANG) == 0 {
      step()
      if time(nil) - start > timeLimit, !wasKilled {
        kill(child, SIGKILL)
        wasKilled = true
      }
    }
    while step() {}
    let end: ProgramRun.End =
      wasKilled
      ? .killedAfterTimeLimit
      : status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
    return ProgramRun.Result(
      end: end, output: outputEnd >= 0 ? output : screen, errorOutput: outputEnd >= 0 ? screen : [])
  }

  /// Reads what comes within a moment; `false` when nothing did.
  @discardableResult
  private func step() -> Bool {
    var entries = [
      pollfd(fd: primary, events: Int16(POLLIN), revents: 0),
      pollfd(fd: outputEnd, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, 2, 20) > 0 else { return false }
    var came = false
    var chunk = [UInt8](repeating: 0, count: 65_536)
    if entries[0].revents & Int16(POLLIN) != 0 {
      let count = read(primary, &chunk, chunk.count)
      if count > 0 {
        screen += chunk[..<count]
        came = true
      }
    }
    if entries[1].revents & Int16(POLLIN) != 0 {
      let count = read(outputEnd, &chunk, chunk.count)
      if count > 0 {
        output += chunk[..<count]
        came = true
      }
    }
    if !came { usleep(2_000) }
    return came
  }

  /// Where the text ends, if it came.
  private func position(of wanted: [UInt8]) -> Int? {
    guard screen.count >= searched + wanted.count else { return nil }
    for index in searched...(screen.count - wanted.count)
    where screen[index..<(index + wanted.count)].elementsEqual(wanted) {
      return index + wanted.count
    }
    return nil
  }
}
