import CapsulePlatform

/// Another program and how to run it.
struct ProcessRequest: Sendable {
  /// A path, or a name that is looked for in `PATH`.
  var program: [UInt8]
  var arguments: [[UInt8]]
  /// Variables that are set besides those inherited; `nil` removes one.
  var environment: [String: [UInt8]?]
  /// The program's input; `nil` leaves it this program's own, for one that has the user at its terminal. What
  /// stands there may be a content that is to be sealed.
  var input: [UInt8]?
  /// Whether its output is kept rather than going where this program's goes.
  var capturesOutput: Bool
  /// Whether its messages go where this program's go, though its output is kept.
  var showsMessages = false
  /// Whether its output goes where its messages go: this program's own output is one document.
  var sendsOutputToErrors = false
  /// The limit in nanoseconds; with one the program runs in a process group of its own, all of which
  /// is killed when the time is over.
  var timeLimit: Int64?
  /// The most bytes of output that are kept.
  var outputLimit = 64 << 20
  /// Whether the program is ended when it wrote that much.
  var endsAtOutputLimit = false
  /// Whether what it leaves running in its group ends with it; only with a time limit.
  var endsGroup = false
  /// Whether the program has the terminal, so that Ctrl-C is for it: a signal that ends it does not end this
  /// program. Only without a time limit.
  var isForeground = false
  /// A function that is called once when the program runs; never where the system refuses it.
  var whenStarted: @Sendable () -> Void = {}

  init(
    program: [UInt8], arguments: [[UInt8]] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = [], capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.capturesOutput = capturesOutput
    self.timeLimit = timeLimit
  }

  /// A program by text.
  init(
    _ program: String, _ arguments: [String] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = [], capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) {
    self.init(
      program: Array(program.utf8), arguments: arguments.map { Array($0.utf8) },
      environment: environment, input: input, capturesOutput: capturesOutput, timeLimit: timeLimit)
  }

  /// Returns a line for `/bin/sh -c`, with `$1…` after it.
  static func shell(
    _ line: [UInt8], arguments: [[UInt8]] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = [], capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) -> ProcessRequest {
    ProcessRequest(
      program: Array("/bin/sh".utf8),
      // A line that begins with a hyphen is no option of the shell.
      arguments: ["-c", "--"].map { Array($0.utf8) } + [line, Array("sh".utf8)] + arguments,
      environment: environment, input: input, capturesOutput: capturesOutput, timeLimit: timeLimit)
  }
}

/// The end of another program.
struct ProcessOutcome: Sendable {
  enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
  }

  var end: End
  var output: [UInt8]
  var errorOutput: [UInt8]
  /// The code of a signal that came meanwhile and would have ended this program; `nil` where none did.
  var interruption: ExitCode?

  init(end: End, output: [UInt8] = [], errorOutput: [UInt8] = []) {
    self.end = end
    self.output = output
    self.errorOutput = errorOutput
  }

  /// Whether it ended by itself with code 0.
  var succeeded: Bool { end == .exited(0) }

  var wasInterrupted: Bool { interruption != nil }
}
