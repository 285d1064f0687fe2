extension Instant {
  /// 0001-01-01T00:00:00Z, the earliest instant that has a text.
  public static let earliest = Instant(seconds: -62_135_596_800)

  /// 9999-12-31T23:59:59Z, the latest instant that has a text.
  public static let latest = Instant(seconds: 253_402_300_799)

  /// Whether the instant lies in the years 0001 to 9999 of UTC, so that it can be written.
  package var isRepresentable: Bool {
    Instant.earliest <= self && self <= Instant.latest
  }

  /// The instant itself, or the nearest one that can be written.
  package var clamped: Instant {
    min(max(self, .earliest), .latest)
  }

  /// The nanoseconds since the epoch; the nearest that 64 bits can hold (the years 1677 to 2262).
  package var nanoseconds: Int64 { seconds.multipliedClamped(by: 1_000_000_000) }

  /// Returns the instant `count` seconds later (earlier when negative); stops at the ends of `Int64`.
  package func adding(seconds count: Int64) -> Instant {
    Instant(seconds: seconds.addingClamped(count))
  }

  /// Returns the seconds from `earlier` to this instant; stops at the ends of `Int64`.
  package func seconds(since earlier: Instant) -> Int64 {
    seconds.subtractingClamped(earlier.seconds)
  }
}
