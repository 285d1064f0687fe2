import Synchronization

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
