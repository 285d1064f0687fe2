import CapsuleCore

/// The reason why a command could not do what was asked, in words.
struct Failure: Error, Sendable {
  var kind: FailureKind
  /// The message: lower case, no full stop, the offending value quoted; without the time that it
  /// ends with.
  var message: String
  /// The time that the message ends with: the code that shows it knows the user's zone.
  let time: Instant?
  /// The things that the message is about, a line each.
  var list: [String] = []
  /// The way out.
  var hint: String?
  /// More members of the JSON object of the error.
  var details: JSONObject

  init(
    _ kind: FailureKind, _ message: String, _ time: Instant? = nil, hint: String? = nil,
    details: JSONObject = [:]
  ) {
    self.kind = kind
    self.message = message
    self.time = time
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
    case let error as FindError: self.init(error)
    case let fault as ProtectionFault: self.init(fault)
    case let fault as FileKeyFault: self.init(fault)
    case let error as OpeningError: self.init(error)
    case let fault as LockPlan.Fault: self.init(fault)
    case let fault as RoundOutOfRange: self.init(fault)
    case let error as AgeFailure: self = .seal(error, path: "")
    case let problem as UsageProblem: self.init(problem)
    case let error as RandomSource.Failure: self.init(StoreError.random(error))
    case let fault as RecordFault: self.init(fault)
    case let refusal as SpareRefusal: self.init(refusal)
    case let error as NameTaken: self.init(CapsuleError.nameTaken(path: error.path.text))
    case let refusal as PlaceInStore: self.init(refusal)
    case let error as BackupError: self.init(error)
    case let error as SyncError: self.init(error)
    case let error as DeliveryError: self.init(error)
    case let problem as DueProblem: self.init(problem)
    case let fault as RecipientsFault: self = .seal(AgeFailure.recipients(fault), path: "")
    case let fault as IdentityLineFault: self.init(fault)
    case let fault as ShareFault: self.init(fault)
    case let fault as ShareSet.Fault: self.init(fault)
    case let fault as ShareSet.JoinFault: self.init(fault)
    case let fault as TrusteeGroup.IdentityFault: self.init(fault)
    case let fault as TrusteeShares.Fault: self.init(fault)
    case let fault as TrusteeTerms.Fault: self.init(fault)
    case let fault as TrusteeGroup.HolderFault: self.init(fault)
    default: self = .internal("an unexpected error: \(error)")
    }
  }

  /// Returns the whole message, its time on the clocks of `zone`.
  func message(in zone: @autoclosure () -> ZoneRules) -> String {
    time.map { "\(message) \(DateText.local($0, in: zone()))" } ?? message
  }

  /// The command line is wrong in a way that only the command can know.
  static func usage(_ message: String, hint: String? = nil) -> Failure {
    Failure(.usage, message, hint: hint)
  }

  /// A bug.
  static func `internal`(_ message: String) -> Failure {
    Failure(
      .internal, message,
      hint: "this is a bug; please report it with the command and the output of 'capsule version'")
  }

  /// Whoever read the output stopped reading: it ends the program without a word.
  static let closedPipe = Failure(.signal, "the reader of the output is gone")
}

/// The kinds of failures, as JSON names them.
enum FailureKind: String, CaseIterable, Hashable, Sendable {
  case usage, partial, locked, notFound, ambiguous, key, damaged, busy, unproven, io, version
  case refused
  case `internal`
  /// A closed pipe; no message is printed for it.
  case signal

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
    default: FailureKind.allCases.filter { $0.exitCode == self }.map(\.rawValue)
    }
  }
}
