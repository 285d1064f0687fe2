import CapsuleCore
import CapsulePlatform

/// The system's clocks and waiting by them.
enum SystemClocks {
  /// Reads the wall clock, in nanoseconds since the epoch.
  static func wall() -> Int64 { nanoseconds(CLOCK_REALTIME) }

  /// Reads a clock that is never set back, in nanoseconds since some point.
  static func monotonic() -> Int64 { nanoseconds(CLOCK_MONOTONIC) }

  /// Reads the time since the machine started, that of its sleep included, in nanoseconds.
  @Sendable static func boot() -> Int64 {
    #if canImport(Darwin)
      // It goes on while the machine sleeps.
      nanoseconds(CLOCK_MONOTONIC)
    #else
      nanoseconds(CLOCK_BOOTTIME)
    #endif
  }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    _ = clock_gettime(clock, &time)
    // A clock beyond the year 2262 stands still there.
    return Int64(time.tv_sec).multipliedClamped(by: 1_000_000_000).addingClamped(
      Int64(time.tv_nsec))
  }

  /// Waits until the wall clock shows the time (nanoseconds since the epoch), also when the machine
  /// sleeps or the clock is set meanwhile, and at most so many nanoseconds.
  static func wait(untilWall deadline: Int64, atMost limit: Int64) {
    let end = monotonic().addingClamped(limit)
    while true {
      let left = min(deadline.subtractingClamped(wall()), end.subtractingClamped(monotonic()))
      if left <= 0 { return }
      // Short steps, as a relative wait does not see that the clock was set; the absolute wait of
      // Linux does, but Darwin has none.
      pause(min(left, 500_000_000))
    }
  }

  /// Waits for so many nanoseconds, or until a signal is handled.
  static func pause(_ nanoseconds: Int64) {
    guard nanoseconds > 0 else { return }
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    _ = nanosleep(&time, nil)
  }
}
