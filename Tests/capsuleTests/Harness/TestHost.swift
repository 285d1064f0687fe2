import CapsuleCore
import CapsulePlatform
import Synchronization
import TestSupport
import Testing

@testable import capsule

/// A host for commands that run in this process. Whatever it was not given, it must not be asked:
/// every other touch is recorded as an issue.
///
///     var host = TestHost("date", "tomorrow")
///     host.now = "2026-03-01T12:00:00Z"
///     let run = host.run()
///     expect(run.code, is: .ok)
struct TestHost {
  var arguments: [[UInt8]]
  var environment: [String: String] = ["HOME": "/home/ada", "TZ": "UTC"]
  /// The time that the clock shows, in RFC 3339; `nil` when it must not be read.
  var now: String?
  /// Nanoseconds that the clock shows besides.
  var nanoseconds: Int64 = 0
  /// Nanoseconds since the machine started; `nil` when they must not be read.
  var boot: Int64?
  /// Whether a command may wait: the clock then shows the time that it waited for.
  var waits = false
  var input: String?
  var inputIsTerminal = false
  /// The columns of the terminal that both output streams go to; `nil` when they go to none.
  var columns: Int?
  /// Whether standard output is a file that everybody can read.
  var outputIsReadableByAll = false
  /// What the user types, an answer a question; `nil` when there is no terminal to ask on.
  var answers: [String]?
  /// Where files are; by default there are none.
  var files: (any FileSystem)?
  /// The working directory.
  var directory = "/here"
  var random: RandomSource?
  /// Whether zones may be looked up; none is found.
  var asksZones = false
  /// Zones of the test's own, that may be looked up.
  var zones: ZoneDatabase?
  /// A signal that comes when a command looks for one, after it looked so many times in vain.
  var signal: (signal: WatchedSignal, after: Int)?
  /// Answers to runs of other programs.
  var process: (@Sendable (ProcessRequest) throws(Fault) -> ProcessOutcome)?
  var table = CommandTable.capsule

  init(_ arguments: String...) {
    self.arguments = arguments.map { Array($0.utf8) }
  }

  struct Run: CommandAnswer {
    var code: ExitCode
    var output: [UInt8]
    var errorOutput: [UInt8]
    /// The questions that were asked.
    var questions: [String]
    /// The text that was shown on the terminal alone.
    var shown: String
    /// All that a person at a terminal would have seen, in order.
    var said: [Said]
    /// The answers that no question took.
    var answersLeft: [String]
    /// The time that the clock shows at the end, where it was given one.
    var now: String?

    var exitCode: Int32? { Int32(code.rawValue) }
  }

  /// A part of what a command writes, asks and is told.
  enum Said: Equatable {
    case output([UInt8])
    case error([UInt8])
    case question(String)
    case answer(String)
    /// Text that is shown on the terminal alone.
    case shown([UInt8])
  }

  /// Runs the command line.
  func run(file: String = #fileID, line: Int = #line) -> Run {
    let record = Record()
    // What this process has let go of is free for this command.
    Spawn.waitForOthers()
    let code = Program(table: table, host: host(record, file: file, line: line)).run()
    return record.state.withLock { state in
      Run(
        code: code, output: state.output, errorOutput: state.errorOutput,
        questions: state.questions, shown: String(decoding: state.shown, as: UTF8.self),
        said: state.said, answersLeft: state.answers,
        now: state.clock.map { Instant(seconds: $0 / 1_000_000_000).rfc3339 })
    }
  }

  /// The host itself, for tests below the command line.
  func host(
    _ record: Record = Record(), file: String = #fileID, line: Int = #line
  ) -> Host {
    let touched: @Sendable (String) -> Void = { what in
      Issue.record(
        "\(what) was touched and was not given", sourceLocation: SourceLocation(file, line))
    }
    let waits = waits
    let process = process
    let signal = signal
    let nanoseconds = nanoseconds
    let answers = answers
    let directory = directory
    let inputIsTerminal = inputIsTerminal
    let environment = environment
    let asksZones = asksZones
    record.state.withLock {
      $0.clock = now.flatMap { Instant(rfc3339: $0) }.map {
        $0.seconds * 1_000_000_000 + nanoseconds
      }
      $0.input = input.map { Array($0.utf8) }
      $0.answers = answers ?? []
    }
    var host = Host(
      arguments: arguments,
      environment: { environment.map { Array("\($0.key)=\($0.value)".utf8) } },
      wallClock: {
        guard let clock = record.state.withLock({ $0.clock }) else {
          touched("the clock")
          return 0
        }
        return clock
      },
      monotonicClock: { record.tick() },
      wait: { time, limit in
        if waits { record.wait(until: time, atMost: limit) } else { touched("sleeping") }
      },
      input: InputPort(
        isTerminal: { inputIsTerminal },
        read: { buffer in
          guard let count = record.read(into: buffer) else {
            touched("standard input")
            return 0
          }
          return count
        }),
      output: port { record.write($0) },
      errorOutput: port { record.writeError($0) },
      terminal: { answers == nil ? nil : ScriptedTerminal(record: record) },
      workingDirectory: { Array(directory.utf8) },
      accountHome: { Array("/home/ada".utf8) },
      user: { geteuid() },
      random: random
        ?? RandomSource { _ throws(Fault) in touched("the random source") },
      zones: zones
        ?? ZoneDatabase(read: { _ in
          if !asksZones { touched("the zone files") }
          return nil
        }),
      zoneFile: { _ in nil },
      files: files ?? POSIXFileSystem(),
      identity: { "process 1 on test" },
      // Each home is a machine of its own.
      name: { environment["HOME"]?.split(separator: "/").last.map(String.init) ?? "" },
      runProcess: { request throws(Fault) in
        guard let process else {
          touched("another program (\(String(decoding: request.program, as: UTF8.self)))")
          throw Fault(system: 1, action: "run another program")
        }
        var outcome = try process(request)
        // What another program prints is seen, unless it is kept.
        if !request.capturesOutput {
          outcome.output.withUnsafeBytes {
            if request.sendsOutputToErrors { record.writeError($0) } else { record.write($0) }
          }
          outcome.output = []
        }
        if !request.capturesOutput || request.showsMessages {
          outcome.errorOutput.withUnsafeBytes { record.writeError($0) }
          outcome.errorOutput = []
        }
        return outcome
      },
      isInUse: { _ in false },
      watchSignals: { ScriptedSignals(record: record, signal: signal) })
    host.passphraseWorkFactor = 2
    let boot = boot
    host.bootClock = {
      if boot == nil { touched("the clock of the machine's run") }
      return boot ?? 0
    }
    return host
  }

  private func port(_ write: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) -> OutputPort {
    let size = columns.map { TerminalSize(columns: $0, rows: 24) }
    let isReadableByAll = outputIsReadableByAll
    return OutputPort(
      isTerminal: { size != nil }, size: { size }, isReadableByAll: { isReadableByAll },
      write: { write($0) })
  }

  /// What happened.
  final class Record: Sendable {
    struct State {
      var output: [UInt8] = []
      var errorOutput: [UInt8] = []
      var input: [UInt8]?
      var answers: [String] = []
      var questions: [String] = []
      var shown: [UInt8] = []
      var said: [Said] = []
      var ticks: Int64 = 0
      /// How often a signal was looked for.
      var looks = 0
      /// What the clock shows, in nanoseconds.
      var clock: Int64?
    }

    let state = Mutex(State())

    func write(_ bytes: UnsafeRawBufferPointer) {
      state.withLock {
        $0.output += bytes
        $0.said.append(.output(Array(bytes)))
      }
    }

    func writeError(_ bytes: UnsafeRawBufferPointer) {
      state.withLock {
        $0.errorOutput += bytes
        $0.said.append(.error(Array(bytes)))
      }
    }

    func show(_ bytes: [UInt8]) {
      state.withLock {
        $0.shown += bytes
        $0.said.append(.shown(bytes))
      }
    }

    func tick() -> Int64 {
      state.withLock {
        $0.ticks += 1
        return $0.ticks
      }
    }

    /// Moves the clock on. A pause of much less than a second is one for a lock, which a process that another
    /// test starts may hold for a moment: it passes on the machine, and not on the clock.
    func wait(until time: Int64, atMost limit: Int64) {
      let isLong = state.withLock { state in
        guard let clock = state.clock else { return false }
        let time = min(time, clock + limit)
        guard time - clock >= 900_000_000 else { return false }
        state.clock = time
        return true
      }
      if !isLong { usleep(1000) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      state.withLock { state in
        guard let input = state.input else { return nil }
        let part = input.prefix(buffer.count)
        buffer.copyBytes(from: part)
        state.input = Array(input.dropFirst(part.count))
        return part.count
      }
    }

    func answer(_ question: String) -> [UInt8]? {
      state.withLock { state in
        state.questions.append(question)
        state.said.append(.question(question))
        if state.answers.isEmpty { return nil }
        let answer = state.answers.removeFirst()
        state.said.append(.answer(answer))
        return Array(answer.utf8)
      }
    }
  }

  private struct ScriptedTerminal: Terminal {
    let record: Record
    func ask(_ question: String, echo: Bool) -> [UInt8]? { record.answer(question) }
    func hideTyping() -> (any DerivationWatch)? { nil }
    func show(_ bytes: [UInt8]) { record.show(bytes) }
    var isForeground: Bool { false }
    func query(_ question: [UInt8], within: Int64) -> [[UInt8]]? { nil }
    func keys() throws(Fault) -> any KeyInput {
      throw Fault(system: 25, action: "read keys")
    }
  }

  private struct ScriptedSignals: SignalWatch {
    let record: Record
    let signal: (signal: WatchedSignal, after: Int)?

    func wait(_ nanoseconds: Int64) -> WatchedSignal? {
      record.state.withLock { state in
        state.looks += 1
        guard let signal, state.looks > signal.after else { return nil }
        return signal.signal
      }
    }

    func deliver(_ signal: WatchedSignal) {}
    func end() {}
  }
}
