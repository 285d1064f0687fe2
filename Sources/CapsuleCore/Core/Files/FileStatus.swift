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
