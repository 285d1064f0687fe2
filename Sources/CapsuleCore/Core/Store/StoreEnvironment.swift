import CapsulePlatform
import Synchronization

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
  /// The name of this machine, which a sync tells the other devices; empty where there is none.
  package let hostName: String
  /// The clock of the library's own door; all else is handed the time.
  package let clock: StoreClock
  /// The operation that all changes of the process are.
  package let operation: OperationSource

  package init(
    fileSystem: any FileSystem, random: RandomSource, patience: LockPatience,
    cacheHome: FilePath?, stateHome: FilePath?, holder: String, hostName: String = "",
    clock: StoreClock, operation: OperationSource? = nil
  ) {
    self.fileSystem = fileSystem
    self.random = random
    self.patience = patience
    self.cacheHome = cacheHome
    self.stateHome = stateHome
    self.holder = holder
    self.hostName = hostName
    self.clock = clock
    self.operation = operation ?? OperationSource(command: "library")
  }
}

/// A clock that a store asks for the time: once at each public operation.
public struct StoreClock: Sendable {
  private let read: @Sendable () -> Instant
  private let readNanoseconds: @Sendable () -> Int64

  /// Makes a clock of a function, such as one that gives a fixed time in a test.
  public init(_ read: @escaping @Sendable () -> Instant) {
    self.init(read) { read().nanoseconds }
  }

  /// Makes a clock of two functions: one for the time of an operation, and one for the order in which
  /// records are made, in nanoseconds since 1970.
  package init(
    _ read: @escaping @Sendable () -> Instant,
    nanoseconds readNanoseconds: @escaping @Sendable () -> Int64
  ) {
    self.read = read
    self.readNanoseconds = readNanoseconds
  }

  /// The time now, within the years that can be written.
  package var now: Instant { read().clamped }

  /// The time now in nanoseconds since 1970, by which records made within one second are sorted.
  var nanoseconds: Int64 { readNanoseconds() }
}

// The one file of the library that reads a clock.
extension StoreClock {
  /// The system's wall clock.
  public static let system = StoreClock {
    Instant(seconds: Int64(systemTime.tv_sec))
  } nanoseconds: {
    let time = systemTime
    return Instant(seconds: Int64(time.tv_sec)).nanoseconds.addingClamped(Int64(time.tv_nsec))
  }

  private static var systemTime: timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time
  }
}

/// The times in nanoseconds at which records come into a store: each of one second later than the last,
/// also where a clock stands still.
final class MakingOrder: Sendable {
  private struct Last {
    var second: Int64 = .min
    var time: Int64 = .min
  }

  private let last = Mutex(Last())

  /// Returns the time of the next record.
  ///
  /// - Parameters:
  ///   - time: the time by the clock, in nanoseconds since 1970.
  ///   - second: the second that the record says it was made in, in nanoseconds since 1970.
  func next(_ time: Int64, in second: Int64) -> Int64 {
    last.withLock { last in
      let earliest = last.second == second ? last.time.addingClamped(1) : second
      last = Last(second: second, time: max(time, earliest))
      return last.time
    }
  }
}
