import CapsuleCore

/// One run of a command: the host, the options, the clock and the console, and what is made of them.
final class Session {
  let host: Host
  let options: RunOptions
  /// The command's name, as `event add`; empty for help and for a line that was not understood.
  let verb: String
  /// Whether the command changes nothing: a part of a title is enough then to name a record.
  let isReading: Bool
  let environment: EnvironmentVariables

  init(host: Host, options: RunOptions, verb: String = "", isReading: Bool = false) {
    self.host = host
    self.options = options
    self.verb = verb
    self.isReading = isReading
    environment = EnvironmentVariables(host.environment())
  }

  private(set) lazy var console = Console(
    host: host, options: options, environment: environment,
    zone: { [unowned self] in zone }, store: { [unowned self] in places.store },
    permissions: { [unowned self] in
      let own = [places.store, places.state, places.cache, places.configuration]
      return PermissionHint(host, own: own.compactMap(\.self)).text(for: $0)
    })

  /// The time of the run; the clock is read once, when it is first asked for.
  private(set) lazy var now = currentTime

  /// The wall clock now, for commands that wait.
  var currentTime: Instant { Instant(nanoseconds: host.wallClock()) }

  /// All that the command changes in a store: one operation.
  private(set) lazy var operation = OperationSource(command: verb)

  /// Whether a store may be made where there is none; see ``Stores/requireMayCreate()``.
  lazy var mayCreateStore = options.makesNewStore

  /// Begins another operation: what is changed from now on is one of its own.
  func beginOperation(_ command: String) { operation = OperationSource(command: command) }

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

  /// Whether a list is for a person: it goes to a terminal, and not with `--plain`. The output for
  /// a program depends on no setting, and nothing of it is cut.
  var isForPeople: Bool { console.out.isTerminal && !options.isPlain }

  /// Times, as the user reads and writes them.
  var dates: Dates { Dates(session: self) }
  /// The store, and what is warned of when it is used.
  var stores: Stores { Stores(session: self) }
  /// The passphrase of a protected store.
  private(set) lazy var passphrases = StorePassphrases(self)
  /// The records that words mean.
  var records: Records { Records(session: self) }
  /// Records as commands answer with them: in lists, and after a change.
  var answers: Answers { Answers(session: self) }
  /// The files that the user names.
  private(set) lazy var files = NamedFiles(self)
  /// Questions.
  var ask: Asker { Asker(console: console) }
  var pager: Pager { Pager(console: console) }
  /// The programs that show, play and record files.
  var viewer: Viewer { Viewer(session: self) }
  /// Lines that are drawn again and again.
  var live: Live { Live(console: console) }
  /// Waiting for a time.
  var waiting: Waiting { Waiting(session: self) }
}

extension Instant {
  /// The instant at so many nanoseconds since the epoch, rounded down, before the epoch too.
  init(nanoseconds: Int64) {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(seconds: remainder < 0 ? quotient - 1 : quotient)
  }
}
