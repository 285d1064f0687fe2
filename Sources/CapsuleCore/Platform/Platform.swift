// The C library of the system: files that import this module see all of it, and those that import CapsuleCore none.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif

/// What posix_spawn(2) is told, before the calls that make something of it.
#if canImport(Darwin)
  public func spawnOrders() -> (posix_spawn_file_actions_t?, posix_spawnattr_t?) { (nil, nil) }
#else
  public func spawnOrders() -> (posix_spawn_file_actions_t, posix_spawnattr_t) {
    (posix_spawn_file_actions_t(), posix_spawnattr_t())
  }
#endif
