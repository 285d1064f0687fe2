import CapsuleCore
import CapsulePlatform

/// Another program and how to run it.
struct ProcessRequest: Sendable {
  /// A path, or a name that is looked for in `PATH`.
  var program: [UInt8]
  var arguments: [[UInt8]] = []
  /// Variables that are set besides those inherited; `nil` removes one.
  var environment: [String: [UInt8]?] = [:]
  /// The program's input; `nil` leaves it this program's own, for one that has the user at its terminal. What
  /// stands there may be a content that is to be sealed.
  var input: [UInt8]? = []
  /// Whether its output is kept rather than going where this program's goes.
  var capturesOutput = false
  /// Whether its messages go where this program's go, though its output is kept.
  var showsMessages = false
  /// Whether its output goes where its messages go: this program's own output is one document.
  var sendsOutputToErrors = false
  /// The limit in nanoseconds; with one the program runs in a process group of its own, all of which
  /// is killed when the time is over.
  var timeLimit: Int64?
  /// The most bytes of output that are kept.
  var outputLimit = 64 << 20
  /// Whether the program is ended when it wrote that much.
  var endsAtOutputLimit = false
  /// Whether what it leaves running in its group ends with it; only with a time limit.
  var endsGroup = false
  /// Whether the program has the terminal, so that Ctrl-C is for it: a signal that ends it does not end this
  /// program. Only without a time limit.
  var isForeground = false
  /// A function that is called once when the program runs; never where the system refuses it.
  var whenStarted: @Sendable () -> Void = {}
}

extension ProcessRequest {
  /// A program by text.
  init(
    _ program: String, _ arguments: [String] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = [], capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) {
    self.init(
      program: Array(program.utf8), arguments: arguments.map { Array($0.utf8) },
      environment: environment, input: input, capturesOutput: capturesOutput, timeLimit: timeLimit)
  }

  /// Returns a line for `/bin/sh -c`, with `$1…` after it.
  static func shell(
    _ line: [UInt8], arguments: [[UInt8]] = [], environment: [String: [UInt8]?] = [:],
    input: [UInt8]? = [], capturesOutput: Bool = false, timeLimit: Int64? = nil
  ) -> ProcessRequest {
    ProcessRequest(
      program: Array("/bin/sh".utf8),
      // A line that begins with a hyphen is no option of the shell.
      arguments: ["-c", "--"].map { Array($0.utf8) } + [line, Array("sh".utf8)] + arguments,
      environment: environment, input: input, capturesOutput: capturesOutput, timeLimit: timeLimit)
  }
}

/// The end of another program.
struct ProcessOutcome: Sendable {
  enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case timedOut
  }

  var end: End
  var output: [UInt8] = []
  var errorOutput: [UInt8] = []
  /// The code of a signal that came meanwhile and would have ended this program; `nil` where none did.
  var interruption: ExitCode?

  /// Whether it ended by itself with code 0.
  var succeeded: Bool { end == .exited(0) }

  var wasInterrupted: Bool { interruption != nil }

  /// The end of what the program wrote on standard error, on one line behind `: `; empty for nothing.
  var lastWords: String {
    // The reason is seldom in the last line.
    let words = String(decoding: errorOutput.suffix(4096), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
      .suffix(5).joined(separator: "; ")
    return words.isEmpty ? "" : ": " + String(words.unicodeScalars.prefix(600))
  }
}

/// Running other programs by `posix_spawn(2)`.
enum SystemProcess {
  /// Runs a program to its end, or to the end of its time.
  ///
  /// - Throws: the refusal of the system to run it.
  @Sendable static func run(_ request: ProcessRequest) throws(Fault) -> ProcessOutcome {
    let name = String(decoding: request.program, as: UTF8.self)
    var pipes = ProcessPipes()
    defer { pipes.close() }
    if request.input != nil { try pipes.open(.input) }
    if request.capturesOutput {
      try pipes.open(.output)
      if !request.showsMessages { try pipes.open(.errorOutput) }
    }
    let isLimited = request.timeLimit != nil
    // The signals that would end this program are held back only while the other one runs in a
    // group of its own, where the terminal's do not reach it, or while they are for the other one.
    let watch = isLimited || request.isForeground ? BlockedSignals() : nil
    defer { watch?.end() }
    let child = try start(
      request, pipes: pipes, ownGroup: isLimited, action: "run '\(name)'")
    pipes.closeOtherEnds()
    request.whenStarted()
    return try wait(for: child, request, &pipes, watch)
  }

  private static func wait(
    for child: pid_t, _ request: ProcessRequest, _ pipes: inout ProcessPipes,
    _ watch: BlockedSignals?
  ) throws(Fault) -> ProcessOutcome {
    let deadline = request.timeLimit.map { SystemClocks.monotonic() + $0 }
    var input = (request.input ?? [])[...]
    var pause: Int32 = 1
    var interruption: ExitCode?
    while true {
      let moved = pipes.move(&input, waiting: pause, limit: request.outputLimit)
      var status: Int32 = 0
      // Its status first, then what it wrote before: nothing of its output is lost.
      let ended = waitpid(child, &status, WNOHANG)
      if ended == child {
        _ = pipes.move(&input, waiting: 0, limit: request.outputLimit)
        if isLimited(request), request.endsGroup { kill(-child, SIGKILL) }
        var outcome = ProcessOutcome(
          end: end(status), output: pipes.output, errorOutput: pipes.errorOutput)
        if !isLimited(request), let watch { interruption = take(watch, nil) ?? interruption }
        outcome.interruption = interruption
        return outcome
      }
      if ended < 0, errno != EINTR { throw .last("wait for a program") }
      if let deadline, SystemClocks.monotonic() >= deadline {
        kill(-child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        _ = pipes.move(&input, waiting: 0, limit: request.outputLimit)
        return ProcessOutcome(
          end: .timedOut, output: pipes.output, errorOutput: pipes.errorOutput)
      }
      if request.endsAtOutputLimit, pipes.output.count >= request.outputLimit {
        kill(isLimited(request) ? -child : child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return ProcessOutcome(
          end: .signalled(SIGKILL), output: pipes.output, errorOutput: pipes.errorOutput)
      }
      if let watch, !isLimited(request) {
        interruption = take(watch, child) ?? interruption
      } else if let watch, let signal = watch.wait(0) {
        kill(-child, signal.number)
        let ended = signal == .suspend ? nil : endGroup(of: child)
        watch.deliver(signal)
        // The first process of a container lives on.
        if let ended {
          _ = pipes.move(&input, waiting: 0, limit: request.outputLimit)
          return ProcessOutcome(
            end: end(ended), output: pipes.output, errorOutput: pipes.errorOutput)
        }
        kill(-child, SIGCONT)
      }
      pause = moved ? 1 : min(pause * 2, 20)
    }
  }

  /// Gives a program that was asked to end two seconds for it, and ends what is left of its group then.
  ///
  /// - Returns: its status where it ended in that time.
  private static func endGroup(of child: pid_t) -> Int32? {
    let deadline = SystemClocks.monotonic() + 2_000_000_000
    defer { kill(-child, SIGKILL) }
    var status: Int32 = 0
    while SystemClocks.monotonic() < deadline {
      if waitpid(child, &status, WNOHANG) == child { return status }
      SystemClocks.pause(10_000_000)
    }
    return nil
  }

  private static func isLimited(_ request: ProcessRequest) -> Bool { request.timeLimit != nil }

  /// Takes the signals that came while another program has the terminal, which sends its own to
  /// both.
  ///
  /// - Returns: the code of the last one that would have ended this program; `nil` where none would.
  private static func take(_ watch: BlockedSignals, _ child: pid_t?) -> ExitCode? {
    var last: ExitCode?
    while let signal = watch.wait(0) {
      guard let code = signal.exitCode else {
        watch.deliver(signal)
        continue
      }
      if signal == .terminate || signal == .hangUp, let child { kill(child, signal.number) }
      watch.discard(signal)
      last = code
    }
    return last
  }

  private static func end(_ status: Int32) -> ProcessOutcome.End {
    let signal = status & 0x7f
    return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
  }

  /// Starts a program, with this program's descriptors, signals and group put right.
  ///
  /// - Throws: the refusal of the system, such as for a program that is not there.
  private static func start(
    _ request: ProcessRequest, pipes: ProcessPipes, ownGroup: Bool, action: String
  ) throws(Fault) -> pid_t {
    var (actions, attributes) = spawnOrders()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for target: Int32 in 0...2 where pipes.theirs[Int(target)] >= 0 {
      posix_spawn_file_actions_adddup2(&actions, pipes.theirs[Int(target)], target)
    }
    if request.sendsOutputToErrors { posix_spawn_file_actions_adddup2(&actions, 2, 1) }

    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    if ownGroup { flags |= POSIX_SPAWN_SETPGROUP }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setpgroup(&attributes, 0)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    // This program ignores them for itself.
    sigaddset(&defaults, SIGPIPE)
    sigaddset(&defaults, SIGXFSZ)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)

    let words = [request.program] + request.arguments
    let entries = environment(changed: request.environment)
    guard !(words + entries).contains(where: { $0.contains(0) }) else {
      throw Fault(system: EINVAL, action: action)
    }
    var child: pid_t = 0
    let code = withCStrings(words) { arguments in
      withCStrings(entries) { environment in
        guard case let program?? = arguments.first else { return EINVAL }
        return posix_spawnp(&child, program, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw Fault(system: code, action: action) }
    return child
  }

  /// Returns the inherited environment, with some variables set and some removed.
  private static func environment(changed: [String: [UInt8]?]) -> [[UInt8]] {
    let equals = UInt8(ascii: "=")
    let kept = ThisProcess.environment().filter { entry in
      !changed.keys.contains { entry.starts(with: Array($0.utf8) + [equals]) }
    }
    let set = changed.sorted { $0.key < $1.key }.compactMap { name, value in
      value.map { Array(name.utf8) + [equals] + $0 }
    }
    return kept + set
  }

  /// Returns the words as an array of C strings that ends with a null pointer.
  private static func withCStrings<Result>(
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

  /// Whether a process was started with a file of the folder among its words, or has one open: as far as
  /// `/proc` says, which macOS has not.
  ///
  /// - Parameter folder: the name of the folder, which no other has.
  @Sendable static func isInUse(_ folder: [UInt8]) -> Bool {
    let files = POSIXFileSystem()
    let processes = FilePath("/proc")
    for entry in (try? files.contents(ofDirectory: processes)) ?? []
    where entry.name.allSatisfy(\.isASCIIDigit) {
      let process = processes.appending(bytes: entry.name)
      let words = (try? files.readFile(process.appending("cmdline"), limit: 1 << 20)) ?? []
      if words.contains(run: folder) { return true }
      let descriptors = process.appending("fd")
      for entry in (try? files.contents(ofDirectory: descriptors)) ?? [] {
        let target = try? files.readLink(descriptors.appending(bytes: entry.name))
        if target?.bytes.contains(run: folder) ?? false { return true }
      }
    }
    return false
  }
}

/// The pipes between this program and one that it runs.
struct ProcessPipes {
  enum Stream: Int32 {
    case input = 0
    case output = 1
    case errorOutput = 2
  }

  /// The ends of this program, and of the other; -1 where there is none.
  private var ours: [Int32] = [-1, -1, -1]
  private(set) var theirs: [Int32] = [-1, -1, -1]
  private(set) var output: [UInt8] = []
  private(set) var errorOutput: [UInt8] = []

  mutating func open(_ stream: Stream) throws(Fault) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &ends) { buffer in
      buffer.withMemoryRebound(to: Int32.self) { pointer -> Int32 in
        guard let base = pointer.baseAddress else { return -1 }
        return pipe(base)
      }
    }
    guard result == 0 else { throw .last("make a pipe") }
    let index = Int(stream.rawValue)
    ours[index] = stream == .input ? ends.1 : ends.0
    theirs[index] = stream == .input ? ends.0 : ends.1
    for descriptor in [ends.0, ends.1] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ours[index], F_SETFL, O_NONBLOCK)
  }

  mutating func closeOtherEnds() {
    for index in 0..<3 { Self.close(&theirs[index]) }
  }

  mutating func close() {
    for index in 0..<3 {
      Self.close(&ours[index])
      Self.close(&theirs[index])
    }
  }

  /// Writes and reads as much as is possible without a longer wait than so many milliseconds.
  ///
  /// - Returns: whether anything moved.
  mutating func move(_ input: inout ArraySlice<UInt8>, waiting: Int32, limit: Int) -> Bool {
    if input.isEmpty { Self.close(&ours[0]) }
    var entries = (0..<3).map { index in
      pollfd(fd: ours[index], events: Int16(index == 0 ? POLLOUT : POLLIN), revents: 0)
    }
    guard poll(&entries, 3, waiting) > 0 else { return false }
    if entries[0].revents != 0 { feed(&input) }
    if entries[1].revents != 0 { Self.drain(&ours[1], into: &output, limit: limit) }
    if entries[2].revents != 0 { Self.drain(&ours[2], into: &errorOutput, limit: limit) }
    return true
  }

  private mutating func feed(_ input: inout ArraySlice<UInt8>) {
    let count = input.withUnsafeBytes { bytes in write(ours[0], bytes.baseAddress, bytes.count) }
    if count > 0 {
      input = input.dropFirst(count)
    } else if errno != EAGAIN, errno != EINTR {
      // It does not read its input, which is fine.
      input = []
    }
    if input.isEmpty { Self.close(&ours[0]) }
  }

  /// The most that a pipe holds at once, in bytes (Linux: `/proc/sys/fs/pipe-max-size`): reading as much takes
  /// all that was written before, and ends while a program writes without end.
  private static let pipeLimit = 1 << 20

  private static func drain(_ descriptor: inout Int32, into kept: inout [UInt8], limit: Int) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var left = pipeLimit
    while left > 0 {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 {
        left -= count
        kept += chunk[..<min(count, max(0, limit - kept.count))]
      } else if count < 0, errno == EINTR {
        continue
      } else {
        if count == 0 || errno != EAGAIN { close(&descriptor) }
        return
      }
    }
  }

  private static func close(_ descriptor: inout Int32) {
    guard descriptor >= 0 else { return }
    _ = CapsulePlatform.close(descriptor)
    descriptor = -1
  }
}
