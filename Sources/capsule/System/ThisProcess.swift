import CapsuleCore
import CapsulePlatform

/// The process of this program: its words and variables, its user, its memory, its end.
enum ThisProcess {
  /// Puts `/dev/null` where one of the three descriptors is closed that a program starts with, so that no
  /// file of the store takes its number, and ignores the signals that would hide an error.
  ///
  /// It is opened the wrong way round: reading from a closed input and writing to a closed output
  /// fail, rather than that a result is lost in silence.
  static func reserveDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is this one: those before it are open by now.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
    // Writing to a closed pipe is an error here, also for the pipes to other programs; the end of
    // the program raises the signal again where the output was meant.
    _ = signal(SIGPIPE, SIG_IGN)
    // So is writing beyond the limit of a file's size.
    _ = signal(SIGXFSZ, SIG_IGN)
    // A parent may have had this one ignored: then the system would keep the end of no other program.
    _ = signal(SIGCHLD, SIG_DFL)
  }

  /// Returns the words of the command line after the program's name.
  static func words() -> [[UInt8]] {
    guard let vector = StartWords.vector else { return [] }
    return (1..<max(1, Int(StartWords.count))).compactMap { index in vector[index].map(bytes) }
  }

  /// Returns the bytes of a C string, without its NUL.
  private static func bytes(_ pointer: UnsafeMutablePointer<CChar>) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while pointer[index] != 0 {
      result.append(UInt8(bitPattern: pointer[index]))
      index += 1
    }
    return result
  }

  /// Returns the variables, each as `NAME=VALUE`.
  @Sendable static func environment() -> [[UInt8]] {
    var result: [[UInt8]] = []
    #if canImport(Darwin)
      let block: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = _NSGetEnviron().pointee
    #else
      let block: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    #endif
    guard let block else { return [] }
    var index = 0
    while let entry = block[index] {
      result.append(bytes(entry))
      index += 1
    }
    return result
  }

  /// Returns the working directory, if there is still one.
  @Sendable static func workingDirectory() -> [UInt8]? {
    guard let path = getcwd(nil, 0) else { return nil }
    defer { free(path) }
    return bytes(path)
  }

  /// Returns the user's home directory by `/etc/passwd` or the system's own database.
  static func accountHome() -> [UInt8]? {
    // The static C library cannot load the modules behind getpwuid(3), so the file is read first.
    passwordFileHome() ?? databaseHome()
  }

  private static func passwordFileHome() -> [UInt8]? {
    guard let fields = passwordFields(of: getuid()), fields[5].first == UInt8(ascii: "/") else {
      return nil
    }
    return fields[5]
  }

  /// Returns the name of a user by `/etc/passwd` or the system's own database.
  @Sendable static func accountName(of user: UInt32) -> [UInt8]? {
    if let fields = passwordFields(of: user) { return fields[0] }
    #if canImport(Darwin)
      guard let entry = getpwuid(user), let name = entry.pointee.pw_name else { return nil }
      return Array(String(cString: name).utf8)
    #else
      return nil
    #endif
  }

  /// Returns the fields of a user's line in `/etc/passwd`, at least six.
  private static func passwordFields(of user: UInt32) -> [[UInt8]]? {
    guard let content = Descriptor.contents(ofFile: "/etc/passwd") else { return nil }
    let user = Array(String(user).utf8)
    for line in content.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      if fields.count >= 6, Array(fields[2]) == user { return fields.map { Array($0) } }
    }
    return nil
  }

  private static func databaseHome() -> [UInt8]? {
    #if canImport(Darwin)
      guard let entry = getpwuid(getuid()), let home = entry.pointee.pw_dir else { return nil }
      return Array(String(cString: home).utf8)
    #else
      return nil
    #endif
  }

  /// Returns its name for messages of others that wait for it: `process 1234 on host`.
  static func identity() -> String {
    let host = hostName()
    return "process \(getpid())" + (host.isEmpty ? "" : " on \(host)")
  }

  /// Returns the name of the machine; empty where it has none.
  static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    let length = gethostname(&name, name.count - 1) == 0 ? strnlen(name, name.count) : 0
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Keeps its memory, in which keys and opened texts are, out of core dumps and, on Linux, away from the
  /// user's other processes (ptrace(2), `/proc/PID/mem`).
  ///
  /// It is a courtesy: a system that refuses is no reason to stop. Programs that this one starts are as
  /// they were: the mark ends with exec(2), and the limit is the soft one.
  static func keepPrivate() {
    #if canImport(Darwin)
      var limit = rlimit()
      guard getrlimit(RLIMIT_CORE, &limit) == 0 else { return }
      limit.rlim_cur = 0
      _ = setrlimit(RLIMIT_CORE, &limit)
    #else
      let setDumpable: Int32 = 4
      if processControl(setDumpable, 0, 0, 0, 0) == 0 { return }
      var limit = rlimit()
      #if canImport(Glibc)
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
      #else
        let core = RLIMIT_CORE
      #endif
      guard getrlimit(core, &limit) == 0 else { return }
      limit.rlim_cur = 0
      _ = setrlimit(core, &limit)
    #endif
  }

  /// Ends with the code; a signal's code by the signal itself, so that the shell sees it.
  static func exit(_ code: ExitCode) -> Never {
    switch code {
    case .interrupted: raise(SIGINT)
    case .terminated: raise(SIGTERM)
    case .brokenPipe: raise(SIGPIPE)
    default: break
    }
    // _exit: nothing of the C library holds output of ours.
    _exit(Int32(code.rawValue))
  }

  private static func raise(_ number: Int32) {
    _ = signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
  }
}

#if canImport(Glibc) && compiler(>=6.3)

  /// The command line as the kernel laid it on the stack, kept before `main` begins.
  ///
  /// The C library hands the words to each function in `.init_array` (glibc's `csu/libc-start.c`). The
  /// runtime's own way reads `/proc/self/cmdline` or `/proc/self/maps`, which a bare root does not have.
  enum StartWords {
    typealias Vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    // The two are written once, before any code of the program runs, and only read afterwards.
    nonisolated(unsafe) static var count: Int32 = 0
    nonisolated(unsafe) static var vector: Vector?

    @section(".init_array") @used
    private static let keep: @convention(c) (Int32, Vector?, Vector?) -> Void = { words, at, _ in
      count = words
      vector = at
    }
  }

#else

  /// The command line as the C library keeps it.
  enum StartWords {
    typealias Vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    static var count: Int32 { CommandLine.argc }
    static var vector: Vector? { CommandLine.unsafeArgv }
  }

#endif

#if CAPSULE_STATIC && canImport(Glibc) && compiler(>=6.3)

  // A program without shared libraries starts where there is no `/proc` either, and where a call that reads
  // it fails. Two parts of Swift's runtime read it before `main` and abort without it: these functions stand
  // in their place. The names and shapes are those of the runtime (swift: stdlib/public/stubs/CommandLine.cpp
  // and stdlib/public/runtime/Paths.cpp); where one of the names is missing, the linker takes the runtime's
  // part too, and says that it has two.

  /// Returns the words of the command line, for `CommandLine`, which is not used here.
  @c(_swift_stdlib_getUnsafeArgvArgc)
  func runtimeWords(_ count: UnsafeMutablePointer<Int32>) -> StartWords.Vector? {
    count.pointee = StartWords.count
    return StartWords.vector
  }

  /// Does nothing: the words are never others than those of the start.
  @c(_swift_stdlib_overrideUnsafeArgvArgc)
  func overrideRuntimeWords(_ vector: StartWords.Vector?, _ count: Int32) {}

  /// Returns nothing: no program that prints backtraces stands beside this one.
  @c(swift_copyAuxiliaryExecutablePath)
  func runtimeAuxiliaryProgram(_: UnsafePointer<CChar>?) -> UnsafeMutablePointer<CChar>? { nil }

  /// Returns nothing: the runtime is in the program.
  @c(swift_getRuntimeLibraryPath)
  func runtimeLibraryPath() -> UnsafePointer<CChar>? { nil }

#endif

/// The variables that the program was started with.
struct EnvironmentVariables: Sendable {
  private let entries: [[UInt8]]

  /// - Parameter entries: each as `NAME=VALUE`.
  init(_ entries: [[UInt8]]) {
    self.entries = entries
  }

  /// The value of a variable.
  subscript(_ name: String) -> [UInt8]? {
    let start = Array(name.utf8) + [UInt8(ascii: "=")]
    return entries.first { $0.starts(with: start) }.map { Array($0.dropFirst(start.count)) }
  }

  /// The value as text; `nil` also when it is not UTF-8.
  func text(_ name: String) -> String? {
    self[name].flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The value as an absolute path; `nil` when it is empty or relative.
  func absolutePath(_ name: String) -> FilePath? {
    self[name].flatMap { $0.first == UInt8(ascii: "/") ? FilePath(bytes: $0) : nil }
  }
}

#if !canImport(Darwin)
  /// prctl(2). It has a variable number of arguments, which Swift does not import; on the systems that this
  /// program is built for they are passed like others. It is linked by its name: a static program has no
  /// table in which it could be looked for.
  @_silgen_name("prctl")
  private func processControl(_ option: Int32, _: UInt, _: UInt, _: UInt, _: UInt) -> Int32
#endif

/// The program's version.
enum Version {
  static let text = "0.1.0"
}
