import CapsulePlatform

/// `posix_spawn(2)` with this program's descriptors, signals and group put right.
enum ProcessSpawn {
  /// Starts a program.
  ///
  /// - Throws: the refusal of the system, such as for a program that is not there.
  static func start(
    _ request: ProcessRequest, pipes: ProcessPipes, ownGroup: Bool, action: String
  ) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
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
      throw SystemError(code: EINVAL, action: action)
    }
    var child: pid_t = 0
    let code = withCStrings(words) { arguments in
      withCStrings(entries) { environment in
        guard case let program?? = arguments.first else { return EINVAL }
        return posix_spawnp(&child, program, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw SystemError(code: code, action: action) }
    return child
  }

  /// Returns the inherited environment, with some variables set and some removed.
  private static func environment(changed: [String: [UInt8]?]) -> [[UInt8]] {
    let equals = UInt8(ascii: "=")
    let kept = Environment.entries().filter { entry in
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
}
