import CapsulePlatform

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
