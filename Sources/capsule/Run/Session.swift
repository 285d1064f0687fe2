import CapsuleCore

/// One run of a command: the host, the console, and what the run reads once.
final class Session {
  let host: Host
  let options: RunOptions
  /// The command's name, as `event add`; empty for help and for a line that was not understood.
  let verb: String
  private(set) lazy var console = Console(host: host, options: options) { [unowned self] in zone }
  let environment: EnvironmentVariables
  /// The wall clock when it was first asked for, in nanoseconds since the epoch: read once a run.
  private(set) lazy var startNanoseconds = host.wallClock()

  init(host: Host, options: RunOptions, verb: String = "") {
    self.host = host
    self.options = options
    self.verb = verb
    environment = EnvironmentVariables(host.environment())
  }

  /// Whether something reads standard input in this run; see ``takeInput()``.
  var isInputTaken = false

  /// The identities of a protected store that was opened in this run, and where that store is.
  var openedIdentities: [OpenedIdentity]?
  var openedPlace: FilePath?

  /// The time of the run; the clock is read once.
  var now: Instant {
    Instant(nanoseconds: startNanoseconds)
  }

  /// The places of the store and of the program's other files.
  private(set) lazy var places = UserDirectories(
    named: options.store, environment: environment,
    workingDirectory: host.workingDirectory, accountHome: host.accountHome)

  /// The zone that the user lives in. A warning about it is given once, at the first look.
  private(set) lazy var localZone: LocalZone = {
    let zone = LocalZone.resolve(
      tz: environment.text("TZ"), database: host.zones, file: host.zoneFile)
    if let warning = zone.warning { console.warning(warning) }
    return zone
  }()

  /// The rules of the user's zone.
  private(set) lazy var zone = localZone.rules

  var isQuiet: Bool { options.isQuiet }

  /// Whether a list is for a person: it goes to a terminal, and not with `--plain`. The output for
  /// a program depends on no setting, and nothing of it is cut.
  var isForPeople: Bool { console.out.isTerminal && !options.isPlain }

  /// The store's directory.
  func storePath() throws -> FilePath {
    guard let path = places.store else {
      throw Failure(
        .usage, "no place for a store: HOME is not set and the account has no home",
        hint: "name one with '--store DIR' or the variable CAPSULE_STORE")
    }
    return path
  }
}

extension Instant {
  /// The instant at so many nanoseconds since the epoch, rounded down, before the epoch too.
  init(nanoseconds: Int64) {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(seconds: remainder < 0 ? quotient - 1 : quotient)
  }
}
