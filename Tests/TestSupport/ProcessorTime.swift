import CapsulePlatform

/// The time that a processor worked, which does not grow while others have the machine.
package enum ProcessorTime {
  /// Runs the body, and returns how long its thread was at work, in seconds.
  package static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now
    try body()
    return now - start
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
