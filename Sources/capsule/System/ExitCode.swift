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
  case away = 14
  case interrupted = 130
  case brokenPipe = 141
  case terminated = 143

  /// The codes that any command may end with.
  static let common: [ExitCode] = [.ok, .usage, .io, .internal, .away]

  /// The meaning of the code: one sentence.
  var meaning: String {
    switch self {
    case .ok: "Success."
    case .none: "Nothing matched, and `--exit-code` was given."
    case .usage: "The command line is invalid."
    case .partial: "Partial success: some items failed; each failure was reported."
    case .locked: "Still locked: it is too early."
    case .notFound: "Not found, or ambiguous: several records match and are listed."
    case .key:
      "No key: the passphrase is wrong, no identity fits, or the command could not ask for one."
    case .damaged: "Data is damaged or missing."
    case .busy: "Another process used the store for longer than `--lock-timeout`."
    case .unproven:
      "The time cannot be proved now: no beacon, no network, a relay's error, or a bad signature."
    case .io: "System error: no space, no permission, or a read-only file system."
    case .version: "A newer version of this program wrote the store or the file."
    case .refused: "Canceled, or refused for safety; the message says why and how to proceed."
    case .internal: "Internal error: please report this bug."
    case .away:
      "No store at the path, although you named it or this device used one: a disk may not be mounted."
    case .interrupted: "Ended by SIGINT (Ctrl-C)."
    case .brokenPipe: "Ended by SIGPIPE: the reader of the output stopped reading."
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
    case .away: 13
    case .internal: 14
    case .brokenPipe, .interrupted, .terminated: 15
    }
  }
}
