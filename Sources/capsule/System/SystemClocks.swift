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

  /// The start of the machine that the boot clock counts from, as a word; empty where the system gives it no name.
  @Sendable static func bootName() -> String {
    #if canImport(Darwin)
      var bytes = [UInt8](repeating: 0, count: 64)
      var count = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return "" }
      let name = bytes.prefix(count).prefix { $0 != 0 }
    #else
      let name = Descriptor.contents(ofFile: "/proc/sys/kernel/random/boot_id") ?? []
    #endif
    return String(decoding: name, as: UTF8.self).trimmed
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

/// The machine's zone files.
enum ZoneFiles {
  /// Reads a file below the first directory that has it.
  @Sendable static func read(_ name: String) -> [UInt8]? {
    for directory in ZoneDatabase.directories {
      if let bytes = Descriptor.contents(ofFile: "\(directory)/\(name)") { return bytes }
    }
    return nil
  }

  /// Reads a file that may hold a zone, by its absolute path; `nil` where there is none.
  @Sendable static func file(_ path: String) -> LocalZone.File? {
    var target = [CChar](repeating: 0, count: 4_096)
    let count = readlink(path, &target, target.count)
    let link =
      count > 0
      ? String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    let bytes = Descriptor.contents(ofFile: path)
    return bytes == nil && link == nil ? nil : LocalZone.File(bytes: bytes, linkTarget: link)
  }
}
