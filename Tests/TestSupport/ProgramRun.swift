import CapsulePlatform

/// A run of a real program, by default the `capsule` that was just built.
///
///     let run = try ProgramRun("list", "--json", environment: ["CAPSULE_STORE": store]).result()
///     expect(run.end, is: .exited(0))
package struct ProgramRun: Sendable {
  package var program = BuiltProgram.path
  package var arguments: [[UInt8]]
  /// The whole environment; nothing is inherited.
  package var environment: [String: String]
  package var input: [UInt8] = []
  /// Which of the descriptors 0 to 2 are closed when it starts.
  package var closed: Set<Int32> = []
  /// A file that standard output goes to, such as `/dev/full`.
  package var outputFile: String?
  /// Whether whoever reads standard output is gone before the program starts.
  package var outputIsClosedPipe = false
  /// Whether the program starts with SIGPIPE ignored.
  package var ignoresSIGPIPE = false
  package var workingDirectory: String?
  /// In seconds, after which it is killed.
  package var timeLimit = 120

  package init(_ arguments: String..., environment: [String: String] = [:], input: String = "") {
    self.arguments = arguments.map { Array($0.utf8) }
    self.environment = environment
    self.input = Array(input.utf8)
  }

  /// A line for `/bin/sh`, in which `$capsule` is the program.
  package init(shell line: String, environment: [String: String] = [:], input: String = "") {
    self.init("-c", line, environment: environment, input: input)
    program = "/bin/sh"
    self.environment["capsule"] = BuiltProgram.path
    if self.environment["PATH"] == nil { self.environment["PATH"] = "/usr/bin:/bin" }
  }

  /// The environment, with a place for what the program keeps of the machine. Without one that would be in the home
  /// of whoever runs the tests.
  var wholeEnvironment: [String: String] {
    guard environment["HOME"] == nil, environment["XDG_STATE_HOME"] == nil,
      let store = environment["CAPSULE_STORE"]
    else { return environment }
    return environment.merging(["XDG_STATE_HOME": store + ".state"]) { own, _ in own }
  }

  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case killedAfterTimeLimit
  }

  package struct Result: CommandAnswer, Sendable {
    package var end: End
    package var output: [UInt8]
    package var errorOutput: [UInt8]

    package init(end: End, output: [UInt8], errorOutput: [UInt8]) {
      self.end = end
      self.output = output
      self.errorOutput = errorOutput
    }

    package var exitCode: Int32? {
      if case .exited(let code) = end { code } else { nil }
    }
  }

  /// Runs it to its end.
  package func result() throws -> Result {
    guard BuiltProgram.ignoresSIGPIPE else { throw TestFault("SIGPIPE is not ignored") }
    var outputs: [Int32: Pipe] = [:]
    if !closed.contains(1), outputFile == nil { outputs[1] = try Pipe() }
    if !closed.contains(2) { outputs[2] = try Pipe() }
    let inputPipe = closed.contains(0) ? nil : try Pipe()
    if outputIsClosedPipe, let pipe = outputs[1] {
      close(pipe.readEnd)
      outputs[1]?.readEnd = -1
    }

    var spawn = Spawn(self)
    // It has no terminal to ask on, whatever the tests were started from.
    spawn.leadsSession = true
    if let inputPipe { spawn.move(inputPipe.readEnd, to: 0) }
    for (target, pipe) in outputs { spawn.move(pipe.writeEnd, to: target) }
    if let outputFile { spawn.openFile(outputFile, as: 1) }
    for descriptor in closed { spawn.close(descriptor) }
    let child = try spawn.start()
    if let inputPipe { close(inputPipe.readEnd) }
    for pipe in outputs.values { close(pipe.writeEnd) }

    var exchange = Exchange(
      input: input, inputEnd: inputPipe?.writeEnd ?? -1,
      outputEnds: [outputs[1]?.readEnd ?? -1, outputs[2]?.readEnd ?? -1])
    let end = exchange.run(child, timeLimit: timeLimit)
    return Result(end: end, output: exchange.outputs[0], errorOutput: exchange.outputs[1])
  }
}

/// A pipe whose ends no child inherits by accident.
package struct Pipe {
  package var readEnd: Int32
  package var writeEnd: Int32

  package init() throws {
    var ends: [Int32] = [-1, -1]
    let code = Spawn.betweenStarts {
      guard pipe(&ends) == 0 else { return errno }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return 0
    }
    guard code == 0 else { throw TestFault("pipe: \(code)") }
    readEnd = ends[0]
    writeEnd = ends[1]
  }
}

/// What goes into a child and comes out of it.
private struct Exchange {
  var input: [UInt8]
  var inputEnd: Int32
  var outputEnds: [Int32]
  var outputs: [[UInt8]] = [[], []]

  init(input: [UInt8], inputEnd: Int32, outputEnds: [Int32]) {
    self.input = input
    self.inputEnd = inputEnd
    self.outputEnds = outputEnds
    if inputEnd >= 0 { _ = fcntl(inputEnd, F_SETFL, O_NONBLOCK) }
  }

  mutating func run(_ child: pid_t, timeLimit: Int) -> ProgramRun.End {
    let start = time(nil)
    var wasKilled = false
    while inputEnd >= 0 || outputEnds.contains(where: { $0 >= 0 }) {
      step()
      if time(nil) - start > timeLimit, !wasKilled {
        kill(child, SIGKILL)
        wasKilled = true
      }
    }
    var status: Int32 = 0
    while waitpid(child, &status, WNOHANG) == 0 {
      usleep(1_000)
      if time(nil) - start > timeLimit, !wasKilled {
        kill(child, SIGKILL)
        wasKilled = true
      }
    }
    if wasKilled { return .killedAfterTimeLimit }
    return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
  }

  private mutating func step() {
    if inputEnd >= 0, input.isEmpty {
      close(inputEnd)
      inputEnd = -1
    }
    var entries = [pollfd(fd: inputEnd, events: Int16(POLLOUT), revents: 0)]
    entries += outputEnds.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&entries, nfds_t(entries.count), 100) > 0 else { return }
    if entries[0].revents != 0 {
      let count = write(inputEnd, input, input.count)
      input = count > 0 ? Array(input.dropFirst(count)) : []
    }
    for index in outputEnds.indices where entries[index + 1].revents != 0 {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = read(outputEnds[index], &chunk, chunk.count)
      if count > 0 {
        outputs[index] += chunk[..<count]
      } else {
        close(outputEnds[index])
        outputEnds[index] = -1
      }
    }
  }
}
