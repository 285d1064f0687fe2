import CapsulePlatform

/// The memory of this process, in which keys and opened texts are.
enum ProcessMemory {
  /// Keeps it out of core dumps and, on Linux, away from the user's other processes (ptrace(2),
  /// `/proc/PID/mem`).
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
}

#if !canImport(Darwin)
  /// prctl(2). It has a variable number of arguments, which Swift does not import; on the systems that this
  /// program is built for they are passed like others. It is linked by its name: a static program has no
  /// table in which it could be looked for.
  @_silgen_name("prctl")
  private func processControl(_ option: Int32, _: UInt, _: UInt, _: UInt, _: UInt) -> Int32
#endif
