/// The steps of a commit: whole files that appear under their names only when they are safe.
extension FileSystem {
  /// Makes a directory and those above it that are missing, 0700 each, and synchronises the parent
  /// of each one made.
  package func createDirectories(_ path: FilePath) throws(FileSystemError) {
    if (try? statusFollowingLinks(path))?.kind == .directory { return }
    let parent = path.parent
    if parent != path { try createDirectories(parent) }
    do throws(FileSystemError) {
      try createDirectory(path, mode: 0o700)
      try synchronizeDirectory(parent, .directoryFollowingLinks)
    } catch {
      // Another process may have made it at the same time.
      if error.condition == .exists, (try? statusFollowingLinks(path))?.kind == .directory {
        return
      }
      throw error
    }
  }

  /// Synchronises the directories that a directory stands in, as far up as its owner made them: one
  /// that is there may have been made by a process that died before it was safe.
  package func synchronizeAncestors(of path: FilePath) throws(FileSystemError) {
    var directory = path
    let owner = try statusFollowingLinks(path).owner
    while directory.parent != directory,
      try statusFollowingLinks(directory).owner == owner
    {
      do throws(FileSystemError) {
        try synchronizeDirectory(directory.parent, .directoryFollowingLinks)
      } catch {
        // Not ours to read: then it was not made here either.
        guard error.condition == .notPermitted else { throw error }
        return
      }
      directory = directory.parent
    }
  }

  /// The names in a directory; none where there is no directory.
  package func contentsIfPresent(
    ofDirectory path: FilePath
  ) throws(FileSystemError) -> [DirectoryEntry] {
    do throws(FileSystemError) {
      return try contents(ofDirectory: path)
    } catch {
      if error.condition == .notFound { return [] }
      throw error
    }
  }

  /// Writes a new synchronised file, which nobody else can see under a name that matters.
  ///
  /// - Returns: the file's status when all of it was written; `nil` where it cannot be read.
  @discardableResult
  package func writeTemporary(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32
  ) throws(FileSystemError) -> FileStatus? {
    let written: FileStatus?
    let file = try open(path, .createExclusive(mode: 0o600))
    do throws(FileSystemError) {
      try writeAll(file, bytes)
      if mode != 0o600 { try setMode(file, mode) }
      try synchronize(file)
      written = try? status(file)
    } catch {
      try? close(file)
      try? unlink(path)
      throw error
    }
    do throws(FileSystemError) {
      try close(file)
    } catch {
      try? unlink(path)
      throw error
    }
    return written
  }

  /// Gives a finished temporary file its name, which nothing may have yet; the temporary is gone
  /// afterwards whatever happens.
  package func publish(_ temporary: FilePath, as path: FilePath) throws(FileSystemError) {
    do throws(FileSystemError) {
      try link(temporary, to: path)
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        // A file system without hard links.
        do throws(FileSystemError) {
          try renameExclusively(temporary, to: path)
          return
        } catch {
          try? unlink(temporary)
          throw error
        }
      default:
        try? unlink(temporary)
        throw error
      }
    }
    try? unlink(temporary)
  }

  /// Writes a new file whole; fails where anything has its name. Its directory is the caller's to
  /// synchronise.
  ///
  /// - Returns: the same as ``writeTemporary(_:_:mode:)``.
  @discardableResult
  package func writeNew(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32, by temporary: FilePath
  ) throws(FileSystemError) -> FileStatus? {
    let written = try writeTemporary(temporary, bytes, mode: mode)
    try publish(temporary, as: path)
    return written
  }

  /// Replaces a file whole, or makes it, and synchronises its directory.
  ///
  /// - Returns: the same as ``writeTemporary(_:_:mode:)``.
  @discardableResult
  package func replace(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32, by temporary: FilePath
  ) throws(FileSystemError) -> FileStatus? {
    let written = try writeTemporary(temporary, bytes, mode: mode)
    do throws(FileSystemError) {
      try rename(temporary, to: path)
    } catch {
      try? unlink(temporary)
      throw error
    }
    try synchronizeDirectory(path.parent)
    return written
  }
}
