package import CapsuleCore

/// Why a command could not do what was asked, in words.
package struct Failure: Error, Sendable {
  package var kind: FailureKind
  /// What happened: lower case, no full stop, the offending value quoted.
  package var message: String
  /// The way out.
  package var hint: String?
  /// More members of the JSON object of the error.
  package var details: JSONObject

  package init(
    _ kind: FailureKind, _ message: String, hint: String? = nil, details: JSONObject = [:]
  ) {
    self.kind = kind
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// Translates any error that a command throws: the one place where errors become words.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as SystemError: self.init(error)
    case let error as FileSystemError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as CapsuleError: self.init(error)
    case let error as AgeFailure: self = .seal(error, path: "")
    case let problem as UsageProblem: self.init(problem)
    case let error as RandomSource.Failure: self.init(StoreError.random(error))
    default: self = .internal("an unexpected error: \(error)")
    }
  }

  /// The command line is wrong in a way that only the command can know.
  package static func usage(_ message: String, hint: String? = nil) -> Failure {
    Failure(.usage, message, hint: hint)
  }

  /// A bug.
  package static func `internal`(_ message: String) -> Failure {
    Failure(
      .internal, message,
      hint: "this is a bug; please report it with the command and the output of 'capsule version'")
  }

  /// Whoever read the output stopped reading: it ends the program without a word.
  package static let closedPipe = Failure(.signal, "the reader of the output is gone")
}

/// The kinds of failures, as JSON names them.
package enum FailureKind: String, CaseIterable, Hashable, Sendable {
  case usage, partial, locked, notFound, ambiguous, key, damaged, busy, unproven, io, version
  case refused
  case `internal`
  /// A closed pipe; no message is printed for it.
  case signal

  /// The code that the program ends with.
  package var exitCode: ExitCode {
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
