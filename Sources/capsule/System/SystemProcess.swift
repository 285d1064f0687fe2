#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Another program and how to run it.
package struct ProcessRequest: Sendable {
  /// A path, or a name that is looked for in `PATH`.
  package var program: [UInt8]
  package var arguments: [[UInt8]]
  /// Variables that are set besides those inherited; `nil` takes one away.
  package var environment: [String: [UInt8]?]
  /// What the program reads; `nil` leaves it this program's own input.
  package var input: [UInt8]?
  /// Whether its output is kept rather than going where this program's goes.
  package var capturesOutput: Bool
  /// In nanoseconds; with a limit the program runs in a process group of its own, all of which is
  /// killed when the time is over.
  package var timeLimit: Int64?
  /// How many bytes of output are kept.
  package var outputLimit = 64 << 20
  /// Whether the program is ended when it wrote that much; only with a time limit.
  package var endsAtOutputLimit = false
  /// Whether the program has the terminal, so that Ctrl-C is for it: what ends it does not end this
  /// program. Only without a time limit.
  package var isForeground = false

  package init(
    program: [UInt8], arguments: [[UInt8]] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = nil, capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.capturesOutput = capturesOutput
    self.timeLimit = timeLimit
  }

  /// A program by text.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = nil, capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) {
    self.init(
      program: Array(program.utf8), arguments: arguments.map { Array($0.utf8) },
      environment: environment, input: input, capturesOutput: capturesOutput, timeLimit: timeLimit)
  }

  /// A line for `/bin/sh -c`, with `$1…` after it.
  package static func shell(
    _ line: [UInt8], arguments: [[UInt8]] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = nil, capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) -> ProcessRequest {
    ProcessRequest(
      program: Array("/bin/sh".utf8),
      arguments: [Array("-c".utf8), line, Array("sh".utf8)] + arguments,
      environment: environment, input: input, capturesOutput: capturesOutput, timeLimit: timeLimit)
  }
}

/// How another program ended.
package struct ProcessOutcome: Sendable {
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
  }

  package var end: End
  package var output: [UInt8]
  package var errorOutput: [UInt8]
  /// Whether a signal that would have ended this program came meanwhile.
  package var wasInterrupted = false

  package init(end: End, output: [UInt8] = [], errorOutput: [UInt8] = []) {
    self.end = end
    self.output = output
    self.errorOutput = errorOutput
  }

  /// Whether it ended by itself with code 0.
  package var succeeded: Bool { end == .exited(0) }
}
