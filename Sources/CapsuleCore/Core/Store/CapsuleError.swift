/// The reason why something could not be done with a capsule or with files.
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
  /// A file that was to be an event's image is none; its MIME type is named.
  case notAnImage(path: String, mediaType: String)
  /// Reading a stream failed.
  case streamFailed(any Error)
  /// The seal could not be made or opened; what is opened is named.
  case seal(any Error, path: String)
  /// A file was sealed, and what was read back is not what was read: nothing is kept of it.
  case proof(path: String)
  /// The record and the lock of a capsule disagree, or its recipient is another than this machine knows.
  case lock(LockProblem, path: String)
  /// The details inside a content's seal are not what this program writes.
  case details(FieldError?, path: String)
  /// The capsule was opened before: nothing can be put into it any more.
  case alreadyOpened(Instant)
  /// A new capsule has a field that no record can hold.
  case invalid(FieldError)
  /// A content, counted from 1, has neither a text nor a file.
  case noBytes(content: Int)
  /// A content, counted from 1, has another size than its details say.
  case otherSize(content: Int, Int64, expected: Int64)
  /// There is no content at this index.
  case noSuchContent(Int)
  /// A word means no content of a capsule of this title and with so many.
  case unknownContent(String, title: String, count: Int)
  /// A word means several contents, by their numbers from 1.
  case ambiguousContent(String, numbers: [Int])
  /// Something has the name that a file was to get.
  case nameTaken(path: String)
}
