/// A way to open a file. Every way closes on `exec`, and makes files with exactly the mode given,
/// whatever the umask.
package enum FileAccess: Hashable, Sendable {
  /// A regular file for reading; a link or anything else at its path is refused.
  case read

  /// A file that the user named, for reading: links are followed, directories are refused, and
  /// FIFOs, sockets, terminals and devices too unless `streams` is set (opening one may then block).
  case readFollowingLinks(streams: Bool)

  /// A new regular file for writing; fails with `.exists` where anything has the name.
  case createExclusive(mode: UInt32)

  /// A regular file for writing at its end, made with `mode` where there is none.
  case append(mode: UInt32)

  /// A regular file for reading and writing, made with `mode` where there is none.
  case readWriteCreate(mode: UInt32)

  /// A directory, to be synchronised or locked.
  case directory

  /// A directory above the store's own, which the user may have put elsewhere by a link.
  case directoryFollowingLinks
}

/// An open file.
package struct FileDescriptor: Hashable, Sendable {
  /// The system's number.
  package let number: Int32

  /// The path that it was opened by, for messages.
  package let path: FilePath

  package init(number: Int32, path: FilePath) {
    self.number = number
    self.path = path
  }
}
