/// What a command on a capsule's contents could not do.
public enum CapsuleError: Error {
  case store(StoreError)
  /// A file that was named cannot be read.
  case unreadableSource(FileSystemError)
  /// A path that was named is a directory.
  case sourceIsDirectory(path: String)
  /// A file is larger than the setting `maxFileSize` allows; the size is what is known of it.
  case sourceTooLarge(path: String, size: Int64, limit: Int64)
  /// A file changed while it was read.
  case sourceChanged(path: String)
  /// Reading a stream failed.
  case streamFailed(any Error)
  /// The seal could not be made or opened; what is opened is named.
  case seal(any Error, path: String)
  /// The details inside a content's seal are not what this program writes.
  case details(FieldError?, path: String)
  /// The capsule was opened before: nothing can be put into it any more.
  case alreadyOpened(Instant)
}
