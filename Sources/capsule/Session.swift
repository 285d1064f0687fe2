package import CapsuleCore

/// One run of a command: the host, the console, and what the run reads once.
package final class Session {
  package let host: Host
  package let table: CommandTable
  package let settings: Settings
  package let console: Console
  package let environment: EnvironmentVariables
  /// The wall clock when the command began, in nanoseconds since the epoch.
  package let startNanoseconds: Int64

  init(host: Host, table: CommandTable, settings: Settings) {
    self.host = host
    self.table = table
    self.settings = settings
    environment = EnvironmentVariables(host.environment())
    console = Console(host: host, settings: settings)
    startNanoseconds = host.wallClock()
  }

  /// The time at which the command began; the clock is read once a run.
  package var now: Instant {
    // Rounded down, before the epoch too.
    Instant(seconds: startNanoseconds.roundedDown(to: 1_000_000_000))
  }

  /// Where the store and the program's other files are.
  package private(set) lazy var places = Places(
    named: settings.store, environment: environment,
    workingDirectory: host.workingDirectory, accountHome: host.accountHome)

  package var isQuiet: Bool { settings.isQuiet }

  /// The store's directory.
  package func storePath() throws(Failure) -> FilePath {
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
