import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Where a transcript's commands run: a home, a zone, a clock and random bytes of its own. Nothing of the
/// machine is seen, and no process is started: `capsule` runs in this one, and the few other commands are
/// written here.
final class TranscriptShell {
  private let name: String
  private let folder: TemporaryFolder
  let files: RootedFiles
  var environment = ["HOME": "/home/ada", "TZ": "UTC", "NO_COLOR": "1"]
  /// The time of the next command. A command that waits moves it on.
  var now: Instant
  private let start: Instant
  /// The columns of the terminal; `nil` when there is none.
  var columns: Int?
  /// The lines of the stand-ins for other programs, by their names.
  var programs: [String: [String]] = [:]
  /// What a stand-in could not do.
  var programFault: (any Error)?
  /// How often each line was run.
  private var runs: [String: Int] = [:]
  private var count: Int64 = 0

  /// - Parameter name: the transcript's file, for what is recorded as an issue of a command.
  init(name: String) throws {
    self.name = name
    folder = try TemporaryFolder(isInMemory: true)
    files = RootedFiles(root: folder.path, directory: "/home/ada")
    start = try require(Instant(rfc3339: "2026-01-10T09:00:00Z"))
    now = start
    for name in ["/home", "/home/ada", "/dev"] {
      try files.createDirectory(FilePath(name), mode: 0o755)
    }
  }

  struct Outcome {
    var said: [TestHost.Said] = []
    var status: Int32 = 0
    /// The answers that no question took.
    var answersLeft: [String] = []
    /// Whether what is printed is of files or members, and not of words.
    var showsFacts = false
  }

  /// - Throws: ``TestFault`` where the line is not understood.
  func run(_ step: Transcript.Step) throws -> Outcome {
    let line = try ShellLine(step.command)
    var input = step.input.map { Array($0.utf8) }
    if let file = line.input {
      guard input == nil else { throw TestFault("the input is given twice") }
      input = try read(try one(file))
    }
    var run = Invocation(line: step.command, number: step.line, answers: step.answers)
    run.hasTerminal = step.asks || columns != nil
    run.environment = environment
    for (name, value) in line.variables { run.environment[name] = value }
    run.isRedirected = line.output != nil || line.commands.count > 1
    run.input = input
    return try self.run(line, run)
  }

  /// Runs the commands of a line.
  func run(_ line: ShellLine, _ run: Invocation) throws -> Outcome {
    var (input, run) = (run.input, run)
    var outcome = Outcome()
    for (place, words) in line.commands.enumerated() {
      run.input = input
      let part = try self.run(try expanded(words), run)
      let isLast = place == line.commands.count - 1
      input = isLast && line.output == nil ? nil : []
      for said in part.said {
        if case .output(let bytes) = said, input != nil {
          input?.append(contentsOf: bytes)
        } else {
          outcome.said.append(said)
        }
      }
      outcome.status = part.status
      outcome.answersLeft += part.answersLeft
      outcome.showsFacts = outcome.showsFacts || part.showsFacts
      run.answers = []
    }
    if let file = line.errors {
      let errors = outcome.said.flatMap { said -> [UInt8] in
        if case .error(let bytes) = said { bytes } else { [] }
      }
      outcome.said.removeAll { if case .error = $0 { true } else { false } }
      try write(errors, to: try one(file))
    }
    switch line.output {
    case nil: break
    case "/dev/stderr": outcome.said.append(.error(input ?? []))
    case let file?:
      let before = line.appends ? (try? read(file)) ?? [] : []
      try write(before + (input ?? []), to: try one(file))
    }
    return outcome
  }

  /// The one file that a word stands for.
  private func one(_ word: String) throws -> String {
    let names = try expanded([word])
    guard names.count == 1 else { throw TestFault("more than one file matches") }
    return names[0]
  }

  /// What one command of a line is given.
  struct Invocation {
    let line: String
    let number: Int
    var answers: [String]
    var hasTerminal = false
    var isRedirected = false
    var input: [UInt8]?
    var environment: [String: String] = [:]

    init(line: String, number: Int, answers: [String]) {
      self.line = line
      self.number = number
      self.answers = answers
    }
  }

  private func run(_ words: [String], _ run: Invocation) throws -> Outcome {
    let operands = Array(words.dropFirst())
    if words[0] == "capsule" { return try capsule(operands, run) }
    if let lines = programs[words[0]] { return try program(lines, operands, run) }
    do {
      var outcome = try command(words[0], operands, run.input ?? [])
      outcome.answersLeft = run.answers
      return outcome
    } catch let error as Fault {
      let reason =
        error.condition == .notFound ? "no such file or directory" : (error.file?.symbol ?? "")
      let text = "\(words[0]): \((error.file?.path.text ?? "")): \(reason)\n"
      return Outcome(said: [.error(Array(text.utf8))], status: 1, answersLeft: run.answers)
    }
  }

  // MARK: The program

  private func capsule(_ words: [String], _ run: Invocation) throws -> Outcome {
    var host = TestHost()
    host.arguments = words.map { Array($0.utf8) }
    host.environment = run.environment
    host.directory = files.directory
    host.now = now.rfc3339
    // Each command finds the clock a little later, as on a machine.
    host.nanoseconds = count * 1_000
    count += 1
    host.boot = (now.seconds - start.seconds) * 1_000_000_000 + count
    host.waits = true
    host.input = try require(String(validating: run.input ?? [], as: UTF8.self))
    // What reads a file named '-' opens this one.
    try write(run.input ?? [], to: "/dev/stdin")
    host.inputIsTerminal = run.hasTerminal && run.input == nil
    host.answers = run.hasTerminal ? run.answers : nil
    host.columns = run.isRedirected ? nil : columns
    host.random = random(for: run.line)
    host.zones = TestZones.database
    host.files = files
    nonisolated(unsafe) let shell = self
    host.process = { request throws(Fault) in try shell.answer(request, run) }
    let result = host.run(file: "Transcripts/" + name, line: run.number)
    if let fault = programFault {
      programFault = nil
      throw fault
    }
    now = result.now.flatMap { Instant(rfc3339: $0) } ?? now
    return Outcome(
      said: result.said, status: Int32(result.code.rawValue),
      answersLeft: run.hasTerminal ? result.answersLeft : run.answers)
  }

  /// Random bytes that follow from the line and from how often it was run: what stands above a command
  /// changes none of its ids.
  private func random(for line: String) -> RandomSource {
    let number = runs[line, default: 0]
    runs[line] = number + 1
    var seed: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(number) \(line)".utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let generator = SharedGenerator(SeededGenerator(seed: seed))
    return RandomSource { buffer in generator.fill(buffer) }
  }
}

/// A generator that several threads may use.
private final class SharedGenerator: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(_ generator: SeededGenerator) { self.generator = Mutex(generator) }

  func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    generator.withLock { generator in
      for place in buffer.indices { buffer[place] = UInt8(truncatingIfNeeded: generator.next()) }
    }
  }
}
