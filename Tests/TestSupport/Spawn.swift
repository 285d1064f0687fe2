import CapsulePlatform
import Synchronization

/// `posix_spawn(2)` for tests.
package struct Spawn {
  private enum Action {
    case move(Int32, Int32)
    case open(String, Int32, Int32)
    case close(Int32)
  }

  private let run: ProgramRun
  private var actions: [Action] = []
  /// Whether the child leads a session of its own, so that a terminal it opens becomes its own.
  package var leadsSession = false

  package init(_ run: ProgramRun) {
    self.run = run
  }

  package mutating func move(_ descriptor: Int32, to target: Int32) {
    actions.append(.move(descriptor, target))
  }

  package mutating func openFile(_ path: String, as target: Int32, reading: Bool = false) {
    actions.append(.open(path, target, reading ? O_RDWR : O_WRONLY))
  }

  package mutating func close(_ descriptor: Int32) {
    actions.append(.close(descriptor))
  }

  package func start() throws -> Int32 {
    var (list, attributes) = spawnOrders()
    posix_spawn_file_actions_init(&list)
    defer { posix_spawn_file_actions_destroy(&list) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    for action in actions {
      switch action {
      case .move(let from, let to): posix_spawn_file_actions_adddup2(&list, from, to)
      case .open(let path, let target, let mode):
        posix_spawn_file_actions_addopen(&list, target, path, mode, 0)
      case .close(let descriptor): posix_spawn_file_actions_addclose(&list, descriptor)
      }
    }
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    if leadsSession { flags |= Self.setsid }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    posix_spawnattr_setsigdefault(&attributes, &signals)

    var words = [Array(run.program.utf8)] + run.arguments
    if run.ignoresSIGPIPE {
      words = Self.shell(#"trap "" PIPE; exec "$0" "$@""#) + words
    }
    if let directory = run.workingDirectory {
      words = Self.shell(#"cd "$0" && exec "$@""#) + [Array(directory.utf8)] + words
    }
    let entries = run.wholeEnvironment.map { Array("\($0.key)=\($0.value)".utf8) }
    var child: pid_t = 0
    let code = Self.gate.withLock { _ in
      withCStrings(words) { arguments in
        withCStrings(entries) { environment in
          guard case let program?? = arguments.first else { return EINVAL }
          return posix_spawn(&child, program, &list, &attributes, arguments, environment)
        }
      }
    }
    guard code == 0 else { throw TestFault("cannot start \(run.program): \(code)") }
    return child
  }

  /// Waits until no child is between its beginning and its program: till then it holds open whatever
  /// this process had open, and the locks that go with it.
  package static func waitForOthers() { betweenStarts {} }

  /// Runs the body while no child is started. One that starts between the making of a descriptor and
  /// its mark for closing inherits it, and holds a pipe open that another test waits for.
  package static func betweenStarts<Result: Sendable, Fault: Error>(
    _ body: () throws(Fault) -> Result
  ) throws(Fault) -> Result {
    try gate.withLock { _ throws(Fault) in try body() }
  }

  private static let gate = Mutex(())

  private static func shell(_ line: String) -> [[UInt8]] {
    ["/bin/sh", "-c", line].map { Array($0.utf8) }
  }

  private static var setsid: Int32 {
    #if canImport(Darwin)
      Int32(POSIX_SPAWN_SETSID)
    #else
      0x80  // POSIX_SPAWN_SETSID, which glibc shows to _GNU_SOURCE only
    #endif
  }

  private func withCStrings<Result>(
    _ words: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = words.map { word -> UnsafeMutablePointer<CChar>? in
      let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: word.count + 1)
      for (index, byte) in word.enumerated() { pointer[index] = CChar(bitPattern: byte) }
      pointer[word.count] = 0
      return pointer
    }
    defer { for pointer in pointers { pointer?.deallocate() } }
    return body(pointers + [nil])
  }
}
