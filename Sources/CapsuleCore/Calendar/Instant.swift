/// A point in time: whole seconds since 1970-01-01T00:00:00Z, without leap seconds (POSIX).
public struct Instant: Hashable, Comparable, Sendable {
  /// The seconds since the epoch; negative before it.
  public var seconds: Int64

  /// The instant `seconds` after the epoch.
  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// 1970-01-01T00:00:00Z.
  package static let epoch = Instant(seconds: 0)

  public static func < (left: Instant, right: Instant) -> Bool {
    left.seconds < right.seconds
  }
}
