/// A file's time stamp, as fine as the file system keeps it.
package struct FileTime: Hashable, Comparable, Sendable {
  /// Since the epoch; negative before it.
  package var seconds: Int64

  /// 0–999,999,999, to be added.
  package var nanoseconds: Int64

  package init(seconds: Int64, nanoseconds: Int64 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (left: FileTime, right: FileTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
