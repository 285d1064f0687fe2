/// The sizes of files as records hold them.
enum FileSize {
  /// The most bytes that a file may be said to have: 8 PiB, as many as every reader of JSON counts exactly.
  static let most: Int64 = 1 << 53
  /// The largest limit in bytes that may be set for files that are taken in: one below ``most``, as JSON of
  /// this program has no integer from 2^53 on.
  static let largestLimit = most - 1
}
