import CapsulePlatform

extension POSIXFileSystem {
  package func status(_ path: FilePath) throws(FileSystemError) -> FileStatus {
    var value = stat()
    try path.calling(.status) { lstat($0, &value) }
    return FileStatus(value)
  }

  package func statusFollowingLinks(_ path: FilePath) throws(FileSystemError) -> FileStatus {
    var value = stat()
    try path.calling(.status) { stat($0, &value) }
    return FileStatus(value)
  }

  package func status(_ file: FileDescriptor) throws(FileSystemError) -> FileStatus {
    var value = stat()
    if fstat(file.number, &value) != 0 {
      throw FileSystemError(.status, file.path, code: errno)
    }
    return FileStatus(value)
  }

  package func contents(ofDirectory path: FilePath) throws(FileSystemError) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    try forEachEntry(of: path) { entry, name, _ in
      entries.append(
        DirectoryEntry(
          name: Array(name), kind: FileKind(directoryType: entry.pointee.d_type),
          inode: UInt64(entry.pointee.d_ino)))
    }
    return entries
  }

  package func forEachStatus(
    inDirectory path: FilePath, unless isKnown: (UnsafeRawBufferPointer, UInt64) -> Bool,
    _ body: (UnsafeRawBufferPointer, Result<FileStatus, FileSystemError>) -> Void
  ) throws(FileSystemError) {
    try forEachEntry(of: path) { entry, name, directory in
      if isKnown(name, UInt64(entry.pointee.d_ino)) { return }
      var value = stat()
      let text = name.assumingMemoryBound(to: CChar.self).baseAddress
      if let text, fstatat(directory, text, &value, AT_SYMLINK_NOFOLLOW) == 0 {
        body(name, .success(FileStatus(value)))
      } else {
        let code = errno
        let place = path.appending(bytes: Array(name))
        body(name, .failure(FileSystemError(.status, place, code: code)))
      }
    }
  }

  /// Asks for all by one descriptor, so that the system walks the directory's path once.
  package func forEachStatus(
    inDirectory path: FilePath, count: Int, name: (Int, inout [UInt8]) -> Void,
    _ body: (Int, Result<FileStatus, FileSystemError>) -> Void
  ) {
    if count == 0 { return }
    guard let directory = try? open(path, .directory) else {
      return forEachStatusByPath(path, count, name, body)
    }
    defer { try? close(directory) }
    var text: [UInt8] = []
    for number in 0..<count {
      text.removeAll(keepingCapacity: true)
      name(number, &text)
      text.append(0)
      var value = stat()
      let code = text.withUnsafeBytes { text in
        guard let text = text.assumingMemoryBound(to: CChar.self).baseAddress else { return EINVAL }
        return fstatat(directory.number, text, &value, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno
      }
      if code == 0 {
        body(number, .success(FileStatus(value)))
      } else {
        let place = path.appending(bytes: Array(text.dropLast()))
        body(number, .failure(FileSystemError(.status, place, code: code)))
      }
    }
  }

  /// Hands over the entries of a directory, without `.` and `..`: each with its name, behind which stands
  /// a NUL, and the directory's descriptor.
  private func forEachEntry(
    of path: FilePath, _ body: (UnsafeMutablePointer<dirent>, UnsafeRawBufferPointer, Int32) -> Void
  ) throws(FileSystemError) {
    let file = try open(path, .directory)
    guard let stream = fdopendir(file.number) else {
      let code = errno
      try? close(file)
      throw FileSystemError(.listDirectory, path, code: code)
    }
    defer { closedir(stream) }
    while true {
      // The end and a failure both give nothing; only errno tells them apart.
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw FileSystemError(.listDirectory, path, code: errno) }
        return
      }
      let name = Self.name(entry)
      if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
      body(entry, name, file.number)
    }
  }

  /// The bytes of an entry's name, which may be longer or shorter than the field declared.
  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> UnsafeRawBufferPointer {
    guard let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let start = UnsafeRawPointer(entry) + offset
    let count = strlen(start.assumingMemoryBound(to: CChar.self))
    return UnsafeRawBufferPointer(start: start, count: Int(count))
  }

  package func createDirectory(_ path: FilePath, mode: UInt32) throws(FileSystemError) {
    try path.calling(.createDirectory) { mkdir($0, mode_t(mode)) }
    // A umask may have taken bits away; a file system without modes may refuse them back.
    let made = try status(path)
    guard made.kind == .directory, made.mode & 0o777 != mode & 0o777 else { return }
    let bits = mode_t(mode | made.mode & 0o7000)
    do throws(FileSystemError) {
      try path.calling(.setMode) { chmod($0, bits) }
    } catch {
      if error.condition == .notPermitted || error.condition == .notSupported { return }
      try? removeDirectory(path)
      throw error
    }
  }

  package func removeDirectory(_ path: FilePath) throws(FileSystemError) {
    try path.calling(.removeDirectory) { rmdir($0) }
  }

  package func readLink(_ path: FilePath) throws(FileSystemError) -> FilePath {
    var text = [CChar](repeating: 0, count: 4096)
    let size = text.count
    let count = try path.calling(.readLink) { readlink($0, &text, size) }
    if count == size { throw FileSystemError(.readLink, path, code: ENAMETOOLONG) }
    return FilePath(bytes: text[..<count].map { UInt8(bitPattern: $0) })
  }
}

extension FileStatus {
  init(_ value: stat) {
    self.init(
      kind: FileKind(mode: value.st_mode), mode: UInt32(value.st_mode) & 0o7777,
      size: Int64(value.st_size), device: UInt64(truncatingIfNeeded: value.st_dev),
      inode: UInt64(value.st_ino), links: UInt64(value.st_nlink), owner: value.st_uid,
      modified: POSIXPlatform.modified(value), changed: POSIXPlatform.changed(value))
  }
}

extension FileKind {
  init(mode: mode_t) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .unknown
      }
  }

  /// The kind that a directory's entry shows; `nil` where it shows none. Its numbers are the mode's
  /// high bits.
  init?(directoryType type: UInt8) {
    if type == 0 { return nil }
    self.init(mode: mode_t(type) << 12)
  }
}
