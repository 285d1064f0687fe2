/// The system calls that the store makes, and no others: the seam between it and the disk.
///
/// A requirement is one system call (or the few that make one effect) and fails as the call does.
/// Calls that a signal may interrupt have names ending in `Once` and may fail with
/// `.interrupted`; the store calls their namesakes of ``FileSystem`` without `Once`, which try
/// again. No call follows a symbolic link in the last component of a path unless its name says so.
package protocol FileSystem: Sendable {
  /// Opens a file as `access` says. It never blocks, but for the streams of
  /// ``FileAccess/readFollowingLinks(streams:)``.
  func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor

  /// Closes a descriptor; it is gone even if this fails. An interruption is not a failure.
  func close(_ file: FileDescriptor) throws(Fault)

  /// Reads where the descriptor stands. Returns 0 only at the end, or for an empty buffer.
  func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int

  /// Reads `offset` bytes from the start, without moving the descriptor.
  func readOnce(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int

  /// Writes the first bytes of a buffer, at least one unless it is empty, and returns how many.
  func writeOnce(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int

  /// Writes the first bytes of a buffer `offset` bytes from the start, without moving the descriptor,
  /// and returns how many. The file must not be open for writing at its end.
  func writeOnce(
    _ file: FileDescriptor, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int

  /// Makes a file's bytes, or a directory's entries, survive a power cut.
  func synchronizeOnce(_ file: FileDescriptor) throws(Fault)

  /// Cuts a file, or lengthens it with zeros.
  func truncateOnce(_ file: FileDescriptor, to size: Int64) throws(Fault)

  /// Takes the exclusive lock of the file (`flock`), which ends when its last descriptor is closed.
  ///
  /// - Returns: `false` where another holds it and `wait` is `false`.
  func lockOnce(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool

  /// Gives the lock up.
  func unlock(_ file: FileDescriptor) throws(Fault)

  /// Returns the status of the file at a path; of a symbolic link itself, not of the file behind it.
  func status(_ path: FilePath) throws(Fault) -> FileStatus

  /// Returns the status of the file that a path leads to, through links.
  func statusFollowingLinks(_ path: FilePath) throws(Fault) -> FileStatus

  /// Returns the status of the file that a descriptor is open on.
  func status(_ file: FileDescriptor) throws(Fault) -> FileStatus

  /// Sets the permission bits, whatever the umask.
  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(Fault)

  /// Sets the time of the last modification; the time of access stays.
  func setModified(_ file: FileDescriptor, _ time: FileTime) throws(Fault)

  /// The names in a directory, without `.` and `..`, in no particular order.
  func contents(ofDirectory path: FilePath) throws(Fault) -> [DirectoryEntry]

  /// Hands over each name in a directory, without `.` and `..`, in no particular order, with the status of
  /// what has it; links are not followed.
  ///
  /// - Parameter isKnown: returns whether what has the name, of this inode number, can be passed over.
  func forEachStatus(
    inDirectory path: FilePath, unless isKnown: (UnsafeRawBufferPointer, UInt64) -> Bool,
    _ body: (UnsafeRawBufferPointer, Result<FileStatus, Fault>) -> Void
  ) throws(Fault)

  /// Hands over the status of each of some names in a directory, in their order; links are not followed.
  ///
  /// - Parameters:
  ///   - count: the number of names.
  ///   - name: adds the name of this number, from 0, to the empty bytes: without `/` and NUL.
  func forEachStatus(
    inDirectory path: FilePath, count: Int, name: (Int, inout [UInt8]) -> Void,
    _ body: (Int, Result<FileStatus, Fault>) -> Void
  )

  /// Makes a directory with exactly these permission bits; fails where anything has the name.
  func createDirectory(_ path: FilePath, mode: UInt32) throws(Fault)

  /// Removes an empty directory.
  func removeDirectory(_ path: FilePath) throws(Fault)

  /// Gives a file a second name; fails with `.exists` where anything has it, a dangling link too.
  func link(_ from: FilePath, to: FilePath) throws(Fault)

  /// Gives a file another name, in place of what has it.
  func rename(_ from: FilePath, to: FilePath) throws(Fault)

  /// Gives a file another name; fails with `.exists` where anything has it.
  ///
  /// If the system has no such call it is a `link` and an `unlink` (a crash between leaves both
  /// names), and without hard links a look and a `rename`, exclusive only among holders of one
  /// lock.
  func renameExclusively(_ from: FilePath, to: FilePath) throws(Fault)

  /// Removes a name that is not a directory's.
  func unlink(_ path: FilePath) throws(Fault)

  /// Returns the path that a symbolic link holds.
  func readLink(_ path: FilePath) throws(Fault) -> FilePath

  /// The refusals that were passed over; `nil` where nobody asks for them.
  var passed: PassedRefusals? { get }
}

extension FileSystem {
  /// Lists the directory, and asks for each status by itself.
  package func forEachStatus(
    inDirectory path: FilePath, unless isKnown: (UnsafeRawBufferPointer, UInt64) -> Bool,
    _ body: (UnsafeRawBufferPointer, Result<FileStatus, Fault>) -> Void
  ) throws(Fault) {
    for entry in try contents(ofDirectory: path) {
      let place = path.appending(bytes: entry.name)
      entry.name.withUnsafeBytes { name in
        if isKnown(name, entry.inode) { return }
        body(name, Result { () throws(Fault) in try status(place) })
      }
    }
  }

  package func forEachStatus(
    inDirectory path: FilePath, count: Int, name: (Int, inout [UInt8]) -> Void,
    _ body: (Int, Result<FileStatus, Fault>) -> Void
  ) {
    forEachStatusByPath(path, count, name, body)
  }

  /// Asks for each status by its path.
  func forEachStatusByPath(
    _ path: FilePath, _ count: Int, _ name: (Int, inout [UInt8]) -> Void,
    _ body: (Int, Result<FileStatus, Fault>) -> Void
  ) {
    for number in 0..<count {
      var text: [UInt8] = []
      name(number, &text)
      let place = path.appending(bytes: text)
      body(number, Result { () throws(Fault) in try status(place) })
    }
  }
}

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

/// The kind of file that a name in a directory stands for.
package enum FileKind: String, Hashable, Sendable {
  case regular, directory, symbolicLink, fifo, socket, characterDevice, blockDevice, unknown
}

/// The facts that the system knows about a file.
package struct FileStatus: Hashable, Sendable {
  package var kind: FileKind
  /// The permission bits, with set-user-id, set-group-id and sticky: `mode & 0o7777`.
  package var mode: UInt32
  /// The size in bytes.
  package var size: Int64
  package var device: UInt64
  package var inode: UInt64
  /// The number of names that the file has.
  package var links: UInt64
  /// The user's number.
  package var owner: UInt32
  package var modified: FileTime
  package var changed: FileTime

  package init(
    kind: FileKind, mode: UInt32, size: Int64, device: UInt64, inode: UInt64, links: UInt64,
    owner: UInt32, modified: FileTime, changed: FileTime
  ) {
    self.kind = kind
    self.mode = mode
    self.size = size
    self.device = device
    self.inode = inode
    self.links = links
    self.owner = owner
    self.modified = modified
    self.changed = changed
  }

  /// Whether others than the owner can write to it, by its permissions.
  package var isWritableByOthers: Bool { kind != .symbolicLink && mode & 0o022 != 0 }

  /// Whether two statuses are of one file, by device and inode.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }

  /// Whether two statuses of one file show no change between them: the size and both times are equal.
  package func isUnchanged(since other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
      && changed == other.changed
  }
}

/// A name in a directory.
package struct DirectoryEntry: Hashable, Sendable {
  /// The name's bytes, in no particular encoding.
  package var name: [UInt8]

  /// The kind of file that the name stands for; `nil` where only `status` would show it.
  package var kind: FileKind?

  /// The number of the inode that the name stands for, as the directory has it.
  package var inode: UInt64

  package init(name: [UInt8], kind: FileKind?, inode: UInt64) {
    self.name = name
    self.kind = kind
    self.inode = inode
  }
}

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
