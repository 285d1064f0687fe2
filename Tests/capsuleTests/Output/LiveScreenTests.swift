import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct LiveScreenTests {
  /// A clock that goes on by what is waited, and a signal after so many waits.
  private final class Machine: SignalWatch {
    let nanoseconds = Mutex<Int64>(1_500_000_000)
    let delivered = Mutex<[WatchedSignal]>([])
    let signals: Mutex<[WatchedSignal?]>

    init(_ signals: [WatchedSignal?] = []) { self.signals = Mutex(signals) }

    func wait(_ count: Int64) -> WatchedSignal? {
      nanoseconds.withLock { $0 += count }
      return signals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func deliver(_ signal: WatchedSignal) { delivered.withLock { $0.append(signal) } }
    func end() {}
  }

  private func run(
    _ machine: Machine, frames: Int, environment: [String: String] = [:],
    line: String = "and a line"
  ) throws -> (code: ExitCode?, out: String, times: [Int64]) {
    let record = TestHost.Record()
    var test = TestHost("x")
    test.columns = 40
    test.environment.merge(environment) { $1 }
    var host = test.host(record)
    host.wallClock = { machine.nanoseconds.withLock { $0 } }
    host.watchSignals = { machine }
    let session = Session(host: host, options: RunOptions())
    var times: [Int64] = []
    var code: ExitCode?
    do {
      try session.live.draw { _ in
        times.append(machine.nanoseconds.withLock { $0 })
        return times.count > frames ? nil : ["\(times.count) of them", "\(line)"]
      }
    } catch let interruption as WorkSignals.Interrupted {
      code = interruption.code
    }
    return (code, record.state.withLock { String(decoding: $0.output, as: UTF8.self) }, times)
  }

  @Test func `it is drawn at each turn of the second, in place, and the cursor comes back`() throws
  {
    let (code, out, times) = try run(Machine(), frames: 2)
    expect(code, is: nil)
    expect(times, is: [1_500_000_000, 2_000_000_000, 3_000_000_000])
    expect(
      out,
      is: "\u{1b}[?25l\r1 of them\u{1b}[K\nand a line\u{1b}[K\n\u{1b}[J"
        + "\u{1b}[?25l\r\u{1b}[2A2 of them\u{1b}[K\nand a line\u{1b}[K\n\u{1b}[J\r\u{1b}[2A\u{1b}[J\u{1b}[?25h"
    )
  }

  @Test(arguments: [("20", 19), ("80", 39), ("40", 39), ("none", 39)])
  func `COLUMNS makes its lines shorter, and never wider than the terminal`(
    columns: String, width: Int
  ) throws {
    let line = String(repeating: "x", count: 100)
    let (_, out, _) = try run(Machine(), frames: 1, environment: ["COLUMNS": columns], line: line)
    let shown = String(repeating: "x", count: width - 1) + "…"
    expect(out.contains("\n\(shown)\u{1b}[K"), "\(out)")
  }

  @Test(arguments: [
    (WatchedSignal.interrupt, ExitCode.interrupted), (.terminate, .terminated),
  ])
  func `a signal ends it with its own code and the cursor back`(
    signal: WatchedSignal, code: ExitCode
  ) throws {
    let (ended, out, _) = try run(Machine([nil, signal]), frames: 100)
    expect(ended, is: code)
    expect(out.hasSuffix("\u{1b}[?25h"))
  }

  @Test func `suspended it gives the cursor back, and goes on afterwards`() throws {
    let machine = Machine([.suspend])
    let (code, out, _) = try run(machine, frames: 2)
    expect(code, is: nil)
    expect(machine.delivered.withLock { $0 }, is: [.suspend])
    expect(out.split(separator: "\u{1b}[?25h").count, is: 2)
  }
}

@Suite struct ProgressTests {
  /// A terminal, and a clock that stands where the test sets it.
  private struct Screen {
    let session: Session
    let clock: Clock
    private let record = TestHost.Record()

    final class Clock: Sendable {
      private let time = Mutex<Int64>(0)

      var now: Int64 {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
      }
    }

    init(columns: Int) {
      let clock = Clock()
      var test = TestHost("x")
      test.columns = columns
      var host = test.host(record)
      host.monotonicClock = { clock.now }
      self.clock = clock
      session = Session(host: host, options: RunOptions())
    }

    var shown: String {
      record.state.withLock { String(decoding: $0.errorOutput, as: UTF8.self) }
    }
  }

  @Test func `it shows nothing in the first half second, then what is done, and clears it`() {
    let screen = Screen(columns: 60)
    let progress = screen.session.console.progress("Sealing", total: 10 << 20)
    progress.advance(by: 1 << 20)
    expect(screen.shown.isEmpty)
    screen.clock.now = 2_000_000_000
    progress.advance(by: 1 << 20)
    let shown = screen.shown
    expect(shown, is: "\rSealing  2.0 MiB of 10 MiB  20 %  512 KiB/s  0:16 left\u{1b}[K")
    progress.end()
    progress.end()
    expect(screen.shown, is: shown + "\r\u{1b}[K")
  }

  @Test func `what goes before the first part says nothing of the speed`() {
    let screen = Screen(columns: 80)
    let progress = screen.session.console.progress("Sealing", total: 10 << 20)
    // The work of a passphrase.
    screen.clock.now = 8_000_000_000
    progress.advance(by: 1 << 20)
    screen.clock.now = 9_000_000_000
    progress.advance(by: 4 << 20)
    progress.end()
    expect(
      screen.shown,
      is: "\rSealing  1.0 MiB of 10 MiB  10 %\u{1b}[K"
        + "\rSealing  5.0 MiB of 10 MiB  50 %  4.0 MiB/s  0:01 left\u{1b}[K\r\u{1b}[K")
  }

  @Test func `whatever the numbers are, it shows some`() {
    let screen = Screen(columns: 200)
    for (total, done) in [(Int64.max, Int64(1)), (1, .max), (.max, .max)] {
      screen.clock.now = 0
      let progress = screen.session.console.progress("Sealing", total: total)
      screen.clock.now = 1_000_000_000_000_000
      progress.advance(by: done)
      progress.end()
    }
    expect(!screen.shown.isEmpty)
  }

  @Test func `it is silent where standard error is no terminal`() {
    let record = TestHost.Record()
    let session = Session(
      host: TestHost("x").host(record), options: RunOptions())
    let progress = session.console.progress("Sealing", total: nil)
    progress.advance(by: 1)
    progress.end()
    expect(record.state.withLock { $0.errorOutput.isEmpty })
  }
}
