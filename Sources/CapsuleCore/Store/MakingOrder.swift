import Synchronization

/// The times in nanoseconds at which records come into a store: each one later than the last, also
/// where a clock stands still or goes back.
final class MakingOrder: Sendable {
  private let last = Mutex(Int64.min)

  /// Returns the time of the next record.
  ///
  /// - Parameters:
  ///   - time: the time by the clock, in nanoseconds since 1970.
  ///   - earliest: the time that it must not be before.
  func next(_ time: Int64, from earliest: Int64) -> Int64 {
    last.withLock { last in
      last = max(time, earliest, last.addingClamped(1))
      return last
    }
  }
}
