import CapsuleCore
import TestSupport
import Testing

@testable import capsule

/// A home of a test's own, with a store in it, on which commands run in this process, at whatever time
/// the test says. Nothing of the machine is seen but the folder.
///
///     let home = try HostedStore(now: "2026-03-01T12:00:00Z")
///     try home.done("item", "add", "Ring")
///     home.now = "2027-03-01T12:00:00Z"
///     try expect(home.strings("name", "item", "list"), is: ["Ring"])
final class HostedStore: CommandHome {
  private let folder: TemporaryFolder
  var environment: [String: String]
  /// The time of the next command, in RFC 3339. A command that waits moves it on.
  var now: String
  /// The time since the machine started, in nanoseconds.
  var boot: Int64 = 1_000
  /// How many commands were run: each finds the clock a little later, as on a machine.
  private var runs: Int64 = 0
  /// The answers that a user at a terminal gives to the next command; `nil` when there is no terminal
  /// to ask on.
  var answers: [String]?
  /// The columns of the terminal that the output goes to; `nil` when it goes to none.
  var columns: Int?
  /// Whether standard input is a terminal.
  var inputIsTerminal = false
  /// A signal that comes to the next command, after it looked for one so many times.
  var signal: (signal: WatchedSignal, after: Int)?
  /// The file system of the commands: that of the machine, in which nothing waits for the disk.
  var files: any FileSystem = UnsynchronizedFileSystem()
  /// Answers to runs of other programs; no program may be run without it.
  var process: (@Sendable (ProcessRequest) throws(Fault) -> ProcessOutcome)?

  init(now: String = "2026-03-10T12:00:00Z", zone: String = "UTC") throws {
    folder = try TemporaryFolder()
    environment = ["HOME": folder.path, "TZ": zone]
    self.now = now
  }

  var path: String { folder.path }
  /// The store's directory.
  var store: String { path + "/.local/share/capsule" }

  func run(_ words: [String], input: String) -> TestHost.Run {
    var host = TestHost()
    host.arguments = words.map { Array($0.utf8) }
    host.environment = environment
    host.now = now
    host.nanoseconds = runs * 1_000
    runs += 1
    host.boot = boot
    host.waits = true
    host.input = input
    host.answers = answers
    answers = nil
    host.columns = columns
    host.inputIsTerminal = inputIsTerminal
    host.signal = signal
    signal = nil
    host.random = .system
    host.zones = TestZones.database
    host.files = files
    host.process = process
    let run = host.run()
    now = run.now ?? now
    return run
  }

  /// Lets time go by.
  func pass(seconds: Int64) throws {
    now = try require(Instant(rfc3339: now)).adding(seconds: seconds).rfc3339
  }
}

/// The zones of the tests' own; whatever the machine knows of them does not matter.
enum TestZones {
  static let database = ZoneDatabase(read: { name in
    let root = BuiltProgram.packageRoot + "Tests/CapsuleCoreTests/Vectors/time/zoneinfo/"
    return try? POSIXFileSystem().readFile(FilePath(root + name), limit: 1 << 20)
  })
}
