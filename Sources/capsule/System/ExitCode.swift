/// The exit code of the program, as the shell sees it.
enum ExitCode: UInt8, CaseIterable, Hashable, Sendable {
  case ok = 0
  case none = 1
  case usage = 2
  case partial = 3
  case locked = 4
  case notFound = 5
  case key = 6
  case damaged = 7
  case busy = 8
  case unproven = 9
  case io = 10
  case version = 11
  case refused = 12
  case `internal` = 13
  case interrupted = 130
  case brokenPipe = 141
  case terminated = 143

  /// The codes that any command may end with.
  static let common: [ExitCode] = [.ok, .usage, .io, .internal]

  /// The meaning of the code: one sentence.
  var meaning: String {
    switch self {
    case .ok: "Done."
    case .none: "Nothing matched, where `--exit-code` asked."
    case .usage: "The command line is wrong."
    case .partial: "Some was done and some failed; each failure was said."
    case .locked: "The gate is closed: it is too early."
    case .notFound: "There is no such thing, or there are several; the candidates are listed."
    case .key:
      "The passphrase is wrong, no identity fits, or one is needed and none may be asked for."
    case .damaged: "Data is not what was written."
    case .busy: "Another process holds the store, and did so past `--lock-timeout`."
    case .unproven:
      "The time cannot be proved now: no beacon, no network, a relay's error, or a bad signature."
    case .io: "The system refused: no space, no permission, or read-only."
    case .version: "The store or file is of a newer version."
    case .refused: "A safety rule said no; the message says which, and what lifts it."
    case .internal: "A bug. Please report it."
    case .interrupted: "Ended by SIGINT (Ctrl-C)."
    case .brokenPipe: "Ended by SIGPIPE: whoever read the output stopped reading."
    case .terminated: "Ended by SIGTERM."
    }
  }

  /// The worse of two outcomes; damage comes before everything, partial after every other failure.
  static func worst(_ left: ExitCode, _ right: ExitCode) -> ExitCode {
    left.severity >= right.severity ? left : right
  }

  private var severity: Int {
    switch self {
    case .ok: 0
    case .none: 1
    case .partial: 2
    case .locked: 3
    case .notFound: 4
    case .refused: 5
    case .usage: 6
    case .key: 7
    case .unproven: 8
    case .busy: 9
    case .version: 10
    case .io: 11
    case .damaged: 12
    case .internal: 13
    case .brokenPipe, .interrupted, .terminated: 14
    }
  }
}
