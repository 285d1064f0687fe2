/// A file's time stamp, as fine as the file system keeps it.
package struct FileTime: Hashable, Comparable, Sendable {
  /// The seconds since the epoch; negative before it.
  package var seconds: Int64

  /// The nanoseconds to be added, 0 to 999,999,999.
  package let nanoseconds: Int64

  /// A time stamp; nanoseconds outside of 0 to 999,999,999 become the nearest inside.
  package init(seconds: Int64, nanoseconds: Int64 = 0) {
    self.seconds = seconds
    self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
  }

  /// Returns the whole seconds from `earlier` to this time; stops at the ends of `Int64`.
  package func seconds(since earlier: FileTime) -> Int64 {
    Instant(seconds: seconds).seconds(since: Instant(seconds: earlier.seconds))
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
