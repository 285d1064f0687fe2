/// The world outside a store, handed in by whoever opens it.
package struct StoreEnvironment: Sendable {
  package let fileSystem: any FileSystem
  package let random: RandomSource
  package let patience: LockPatience
  /// `$XDG_CACHE_HOME/capsule`; `nil` where there is no place for a cache.
  package let cacheHome: FilePath?
  /// `$XDG_STATE_HOME/capsule`; `nil` where this machine has no place to remember things in.
  package let stateHome: FilePath?
  /// The text of the lock file while this process holds it: process, host and verb, never arguments.
  package let holder: String
  /// The clock of the library's own door; all else is handed the time.
  package let clock: StoreClock

  package init(
    fileSystem: any FileSystem, random: RandomSource, patience: LockPatience,
    cacheHome: FilePath?, stateHome: FilePath?, holder: String, clock: StoreClock
  ) {
    self.fileSystem = fileSystem
    self.random = random
    self.patience = patience
    self.cacheHome = cacheHome
    self.stateHome = stateHome
    self.holder = holder
    self.clock = clock
  }
}
