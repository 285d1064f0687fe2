import CapsuleCore
import CapsulePlatform

/// Everything outside of the program that it may touch.
///
/// The real one is `Host.system`; the tests have one that records an issue at any touch which it
/// was not given.
struct Host: Sendable {
  /// The words after the program's name.
  var arguments: [[UInt8]]
  /// The environment, each entry as `NAME=VALUE`.
  var environment: @Sendable () -> [[UInt8]]
  /// The wall clock, in nanoseconds since the epoch.
  var wallClock: @Sendable () -> Int64
  /// A clock that only goes forward, in nanoseconds.
  var monotonicClock: @Sendable () -> Int64
  /// The time since the machine started, sleep included, in nanoseconds.
  var bootClock: @Sendable () -> Int64 = SystemClocks.boot
  /// The name of the machine's start that the clock counts from; empty where there is none.
  var bootName: @Sendable () -> String = SystemClocks.bootName
  /// Waits until the wall clock shows the time, over suspension and changes of the clock, and at most so many
  /// nanoseconds of the other clock: one that was set back holds nobody up.
  var wait: @Sendable (_ time: Int64, _ limit: Int64) -> Void
  var input: InputPort
  var output: OutputPort
  var errorOutput: OutputPort
  /// The user's terminal, for questions: `/dev/tty`.
  var terminal: @Sendable () -> (any Terminal)?
  var workingDirectory: @Sendable () -> [UInt8]?
  /// The user's home by the system's database.
  var accountHome: @Sendable () -> [UInt8]?
  /// The name of a user by the system's database.
  var accountName: @Sendable (UInt32) -> [UInt8]? = ThisProcess.accountName
  /// The number of the user whose rights the program has.
  var user: @Sendable () -> UInt32
  var random: RandomSource
  /// The cost of one guess at a new passphrase; see ``ScryptRecipient``.
  var passphraseWorkFactor = ScryptRecipient.defaultWorkFactor
  /// What hides the typing of somebody who has typed a passphrase.
  var cover = TypingCover()
  /// The zones of the machine.
  var zones: ZoneDatabase
  /// A file that may hold a zone, such as `/etc/localtime`, by its absolute path.
  var zoneFile: @Sendable (String) -> LocalZone.File?
  /// The file system that has the store and the contents.
  var files: any FileSystem
  /// The name of this process, for others that wait for it: `process 1234 on host`.
  var identity: @Sendable () -> String
  /// The name of the machine; empty where it has none.
  var name: @Sendable () -> String
  /// Runs another program.
  var runProcess: @Sendable (ProcessRequest) throws(Fault) -> ProcessOutcome
  /// Whether another process shows a file of the folder of this name, which no other folder has.
  var isInUse: @Sendable ([UInt8]) -> Bool
  /// Holds back the signals that would end the program, while a screen is drawn.
  var watchSignals: @Sendable () -> any SignalWatch
}

/// A stream that is read.
struct InputPort: Sendable {
  var isTerminal: @Sendable () -> Bool
  /// Reads at least one byte; 0 at the end.
  var read: @Sendable (UnsafeMutableRawBufferPointer) throws(Fault) -> Int
}

/// A stream that is written.
struct OutputPort: Sendable {
  var isTerminal: @Sendable () -> Bool
  /// The size of the terminal; `nil` when it is none or does not say.
  var size: @Sendable () -> TerminalSize?
  /// Whether it is a file that every user of the machine can read.
  var isReadableByAll: @Sendable () -> Bool
  /// Writes all of the bytes.
  var write: @Sendable (UnsafeRawBufferPointer) throws(Fault) -> Void
}

/// The user's terminal.
protocol Terminal: Sendable {
  /// Asks a question and reads a line without its end; `nil` at the end of input.
  ///
  /// - Parameter echo: whether what is typed is shown.
  func ask(_ question: String, echo: Bool) throws(Fault) -> [UInt8]?
  /// Hides what is typed, and forgets it at the end; `nil` where nothing is typed for this program.
  func hideTyping() -> (any DerivationWatch)?
  /// Shows bytes as they are.
  func show(_ bytes: [UInt8]) throws(Fault)
  /// Whether keys go to this program, and not to another job of the same shell.
  var isForeground: Bool { get }
  /// Asks the terminal itself for what it can do, and takes its answers unseen; keys that are typed meanwhile
  /// are given back. `nil` where keys wait to be read already: nothing is asked then, and they stay.
  ///
  /// - Parameter within: the longest time, in nanoseconds.
  func query(_ question: [UInt8], within: Int64) throws(Fault) -> [[UInt8]]?
  /// Takes each key as it is typed, without an echo, until the input is ended.
  func keys() throws(Fault) -> any KeyInput
}

/// Keys that are read between `Terminal.keys` and `end`.
protocol KeyInput: Sendable {
  /// Waits so many nanoseconds, or less when something was typed; `nil` when the terminal is gone.
  func read(_ nanoseconds: Int64) -> [UInt8]?
  /// Lets the terminal be as it was, while the program is suspended.
  func pause()
  /// Takes the keys again.
  func resume()
  /// Lets the terminal be as it was.
  func end()
}

/// Signals that are held back between `Host.watchSignals` and `end`.
protocol SignalWatch: Sendable {
  /// Waits so many nanoseconds, or less when a signal came.
  func wait(_ nanoseconds: Int64) -> WatchedSignal?
  /// Lets a signal that was held back do what it does; returns when the program goes on.
  func deliver(_ signal: WatchedSignal)
  /// Lets all signals through again.
  func end()
}

/// The signals that a watch holds back.
enum WatchedSignal: CaseIterable, Hashable, Sendable {
  case interrupt, terminate, hangUp, quit, suspend

  /// The code of a program that it ends; `nil` for one that only suspends it.
  var exitCode: ExitCode? {
    switch self {
    case .interrupt: .interrupted
    case .terminate, .hangUp, .quit: .terminated
    case .suspend: nil
    }
  }
}

extension Host {
  /// Returns the machine that the program runs on.
  static func system() -> Host {
    let cover = TypingCover()
    return Host(
      arguments: ThisProcess.words(),
      environment: ThisProcess.environment,
      wallClock: SystemClocks.wall,
      monotonicClock: SystemClocks.monotonic,
      wait: SystemClocks.wait(untilWall:atMost:),
      input: InputPort(
        isTerminal: { isatty(0) == 1 },
        read: { buffer throws(Fault) in
          try Descriptor.read(0, into: buffer, "read standard input")
        }),
      output: .descriptor(1, "write to standard output"),
      errorOutput: .descriptor(2, "write to standard error"),
      terminal: { ControllingTerminal.open() },
      workingDirectory: ThisProcess.workingDirectory,
      accountHome: ThisProcess.accountHome,
      user: { geteuid() },
      random: .system,
      cover: cover,
      zones: ZoneDatabase(read: ZoneFiles.read),
      zoneFile: ZoneFiles.file,
      files: POSIXFileSystem(passed: PassedRefusals()),
      identity: ThisProcess.identity,
      name: ThisProcess.hostName,
      runProcess: { request throws(Fault) in
        cover.end()
        return try SystemProcess.run(request)
      },
      isInUse: SystemProcess.isInUse,
      watchSignals: {
        cover.end()
        return BlockedSignals()
      })
  }
}

extension OutputPort {
  fileprivate static func descriptor(_ descriptor: Int32, _ action: String) -> OutputPort {
    OutputPort(
      isTerminal: { isatty(descriptor) == 1 },
      size: { TerminalSize.of(descriptor) },
      isReadableByAll: {
        let file = FileDescriptor(number: descriptor, path: FilePath(""))
        guard let status = try? POSIXFileSystem().status(file) else { return false }
        return status.kind == .regular && status.mode & 0o004 != 0
      },
      write: { bytes throws(Fault) in
        try Descriptor.write(bytes, to: descriptor, action)
      })
  }
}

/// Standard input as a source.
struct InputSource: ByteSource {
  let port: InputPort

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try port.read(buffer)
  }
}
