import CapsulePlatform

extension POSIXFileSystem {
  package func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(FileSystemError) -> FileDescriptor {
    let (flags, mode) = Self.flags(access)
    let number = try path.calling(.open) { CapsulePlatform.open($0, flags, mode) }
    let file = FileDescriptor(number: number, path: path)
    do throws(FileSystemError) {
      let status = try status(file)
      if !access.admits(status.kind) {
        let isDirectory = status.kind == .directory
        throw FileSystemError(
          .open, path, code: isDirectory ? EISDIR : FileSystemError.notRegularFile)
      }
      if case .createExclusive = access, status.mode & 0o777 != mode & 0o777 {
        try setNewMode(file, UInt32(mode))
      }
    } catch {
      try? close(file)
      if case .createExclusive = access { try? unlink(path) }
      throw error
    }
    return file
  }

  /// Undoes the umask on a file just made. A file system without modes refuses, and is left so.
  private func setNewMode(_ file: FileDescriptor, _ mode: UInt32) throws(FileSystemError) {
    do throws(FileSystemError) {
      try setMode(file, mode)
    } catch {
      if error.condition != .notPermitted && error.condition != .notSupported { throw error }
    }
  }

  /// `O_NONBLOCK` does nothing to a regular file, and keeps a FIFO in its place from blocking.
  private static func flags(_ access: FileAccess) -> (flags: Int32, mode: mode_t) {
    let always = O_CLOEXEC | O_NOCTTY
    let own = always | O_NOFOLLOW | O_NONBLOCK
    return switch access {
    case .read: (O_RDONLY | own, 0)
    case .readFollowingLinks(streams: true): (O_RDONLY | always, 0)
    case .readFollowingLinks(streams: false): (O_RDONLY | always | O_NONBLOCK, 0)
    case .createExclusive(let mode): (O_WRONLY | O_CREAT | O_EXCL | own, mode_t(mode))
    case .append(let mode): (O_WRONLY | O_APPEND | O_CREAT | own, mode_t(mode))
    case .readWriteCreate(let mode): (O_RDWR | O_CREAT | own, mode_t(mode))
    case .directory: (O_RDONLY | O_DIRECTORY | own, 0)
    case .directoryFollowingLinks: (O_RDONLY | O_DIRECTORY | O_NONBLOCK | always, 0)
    }
  }
}

extension FileAccess {
  /// Whether what was opened is of a kind that this access asks for.
  package func admits(_ kind: FileKind) -> Bool {
    switch self {
    case .directory, .directoryFollowingLinks: kind == .directory
    case .readFollowingLinks(streams: true): kind != .directory && kind != .blockDevice
    default: kind == .regular
    }
  }
}
