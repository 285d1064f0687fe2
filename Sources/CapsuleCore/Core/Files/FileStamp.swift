/// A mark by which two states of a file differ, without the file being read.
package struct FileStamp: Hashable, Sendable {
  package var inode: UInt64
  package var size: Int64
  package var modified: FileTime
  package var changed: FileTime

  package init(_ status: FileStatus) {
    inode = status.inode
    size = status.size
    modified = status.modified
    changed = status.changed
  }

  /// The stamp of a file that has been written and has its name; `nil` where what has the name is
  /// not what was written. (Only the time of change may be another: a new name sets it.)
  package init?(_ named: FileStatus?, ifStill written: FileStatus?) {
    guard let named, let written, named.isSameFile(as: written), named.size == written.size,
      named.modified == written.modified
    else { return nil }
    self.init(named)
  }

  init(inode: UInt64, size: Int64, modified: FileTime, changed: FileTime) {
    self.inode = inode
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}
