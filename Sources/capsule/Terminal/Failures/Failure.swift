import CapsuleCore

/// The program's side of faults: what any error says, and the status that it ends with.
extension Fault {
  /// Translates any error that a command throws: the one place where errors become words.
  init(_ error: any Error) {
    switch error {
    case let fault as Fault: self = fault
    case let error as AgeFailure: self = .seal(error, path: "")
    default: self = .internal("an unexpected error: \(String(describing: error))")
    }
  }

  /// Returns the whole message, its instants on the clocks of `zone`.
  func message(in zone: @autoclosure () -> ZoneRules) -> String {
    message.text { seconds, _ in DateText.local(Instant(seconds: seconds), in: zone()) }
  }

  /// The command line is wrong in a way that only the command can know.
  static func usage(_ message: Message, hint: String? = nil) -> Fault {
    Fault(.usage, message, hint: hint)
  }

  @_disfavoredOverload
  static func usage(_ text: String, hint: String? = nil) -> Fault {
    Fault(.usage, text, hint: hint)
  }

  /// A bug.
  static func `internal`(_ message: Message) -> Fault {
    Fault(
      .internal, message,
      hint: "this is a bug; please report it with the command and the output of 'capsule version'")
  }

  /// Whoever read the output stopped reading: it ends the program without a word.
  static let closedPipe = Fault(.signal, "the reader of the output is gone")
}

extension Fault.Kind {
  /// The code that the program ends with.
  var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .partial: .partial
    case .locked: .locked
    case .notFound, .ambiguous: .notFound
    case .key: .key
    case .damaged: .damaged
    case .busy: .busy
    case .unproven: .unproven
    case .io: .io
    case .version: .version
    case .refused: .refused
    case .internal: .internal
    case .signal: .brokenPipe
    }
  }
}

extension ExitCode {
  /// The names of the outcomes that share the code, as JSON has them.
  var kinds: [String] {
    switch self {
    case .ok: ["ok"]
    case .none: ["none"]
    case .notFound: ["notFound", "ambiguous"]
    case .interrupted, .brokenPipe, .terminated: ["signal"]
    default: Fault.Kind.allCases.filter { $0.exitCode == self }.map(\.rawValue)
    }
  }
}
