import CapsulePlatform

extension LockPatience {
  /// Waits by sleeping.
  ///
  /// - Parameter limit: milliseconds after which waiting ends.
  package static func sleeping(limit: Int) -> LockPatience {
    LockPatience(limit: limit) { milliseconds in
      var time = timespec(
        tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
      _ = nanosleep(&time, nil)
    }
  }
}
