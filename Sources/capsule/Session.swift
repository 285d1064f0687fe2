package import CapsuleCore

/// One run of a command: the host, the console, and what the run reads once.
package final class Session {
  package let host: Host
  package let table: CommandTable
  package let settings: Settings
  /// The command's name, as `event add`; empty for help and for a line that was not understood.
  package let verb: String
  package let console: Console
  package let environment: EnvironmentVariables
  /// The wall clock when it was first asked for, in nanoseconds since the epoch: read once a run.
  package private(set) lazy var startNanoseconds = host.wallClock()

  init(host: Host, table: CommandTable, settings: Settings, verb: String = "") {
    self.host = host
    self.table = table
    self.settings = settings
    self.verb = verb
    environment = EnvironmentVariables(host.environment())
    console = Console(host: host, settings: settings)
  }

  /// The time of the run; the clock is read once.
  package var now: Instant {
    // Rounded down, before the epoch too.
    Instant(seconds: startNanoseconds.roundedDown(to: 1_000_000_000))
  }

  /// Where the store and the program's other files are.
  package private(set) lazy var places = Places(
    named: settings.store, environment: environment,
    workingDirectory: host.workingDirectory, accountHome: host.accountHome)

  /// The zone that the user lives in. A warning about it is given once, at the first look.
  package private(set) lazy var localZone: LocalZone = {
    let zone = LocalZone.resolve(
      tz: environment.text("TZ"), localtime: host.localtime(), database: host.zones)
    if let warning = zone.warning { console.warning(warning) }
    return zone
  }()

  /// The rules of the user's zone.
  package var zone: ZoneRules { localZone.rules }

  package var isQuiet: Bool { settings.isQuiet }

  /// The store's directory.
  package func storePath() throws -> FilePath {
    guard let path = places.store else {
      throw Failure(
        .usage, "no place for a store: HOME is not set and the account has no home",
        hint: "name one with '--store DIR' or the variable CAPSULE_STORE")
    }
    return path
  }
}

extension Int64 {
  fileprivate func roundedDown(to unit: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: unit)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
