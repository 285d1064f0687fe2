/// The sizes of files as records hold them.
enum FileSize {
  /// The most bytes that a file may be said to have: 8 PiB, as many as every reader of JSON counts exactly.
  static let most: Int64 = 1 << 53
}
