import CapsulePlatform

/// The file system of the machine.
package struct POSIXFileSystem: FileSystem {
  package let passed: PassedRefusals?

  /// - Parameter passed: keeps the refusals that are passed over.
  package init(passed: PassedRefusals? = nil) {
    self.passed = passed
  }

  package func close(_ file: FileDescriptor) throws(Fault) {
    // The descriptor is gone after EINTR too; to close it again could close another's.
    if CapsulePlatform.close(file.number) != 0, errno != EINTR {
      throw Fault(.close, file.path, code: errno)
    }
  }

  package func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
    let count = CapsulePlatform.read(file.number, base, buffer.count)
    if count < 0 { throw Fault(.read, file.path, code: errno) }
    return count
  }

  package func readOnce(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
    let count = pread(file.number, base, buffer.count, off_t(offset))
    if count < 0 { throw Fault(.read, file.path, code: errno) }
    return count
  }

  package func writeOnce(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    let count = CapsulePlatform.write(file.number, base, bytes.count)
    if count < 0 { throw Fault(.write, file.path, code: errno) }
    return count
  }

  package func writeOnce(
    _ file: FileDescriptor, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    let count = pwrite(file.number, base, bytes.count, off_t(offset))
    if count < 0 { throw Fault(.write, file.path, code: errno) }
    return count
  }

  package func synchronizeOnce(_ file: FileDescriptor) throws(Fault) {
    if POSIXPlatform.synchronize(file.number) != 0 {
      throw Fault(.synchronize, file.path, code: errno)
    }
  }

  package func truncateOnce(_ file: FileDescriptor, to size: Int64) throws(Fault) {
    if ftruncate(file.number, off_t(size)) != 0 {
      throw Fault(.truncate, file.path, code: errno)
    }
  }

  package func lockOnce(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool {
    if flock(file.number, wait ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw Fault(.lock, file.path, code: errno)
  }

  package func unlock(_ file: FileDescriptor) throws(Fault) {
    if flock(file.number, LOCK_UN) != 0 {
      throw Fault(.unlock, file.path, code: errno)
    }
  }

  package func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(Fault) {
    if fchmod(file.number, mode_t(mode & 0o7777)) != 0 {
      throw Fault(.setMode, file.path, code: errno)
    }
  }

  package func setModified(_ file: FileDescriptor, _ time: FileTime) throws(Fault) {
    let times = [
      timespec(tv_sec: 0, tv_nsec: POSIXPlatform.omitTime),
      timespec(tv_sec: time_t(time.seconds), tv_nsec: Int(time.nanoseconds)),
    ]
    if futimens(file.number, times) != 0 {
      throw Fault(.setModified, file.path, code: errno)
    }
  }
}

extension POSIXFileSystem {
  package func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor {
    let (flags, mode) = Self.flags(access)
    let number = try path.calling(.open) { CapsulePlatform.open($0, flags, mode) }
    let file = FileDescriptor(number: number, path: path)
    do throws(Fault) {
      let status = try status(file)
      if !access.admits(status.kind) {
        let isDirectory = status.kind == .directory
        throw Fault(
          .open, path, code: isDirectory ? EISDIR : FileRefusal.notRegularFile)
      }
      if case .createExclusive = access, status.mode & 0o777 != mode & 0o777 {
        try protect(file, mode: UInt32(mode))
      }
      // An empty file may be a new one.
      if access.mayCreate, status.size == 0 { giveToOwner(of: path.parent, file) }
    } catch {
      try? close(file)
      if case .createExclusive = access { try? unlink(path) }
      throw error
    }
    return file
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

extension POSIXFileSystem {
  /// Gives what root has made to the owner of the directory that it is in. After one run with sudo, the directories
  /// of a user have nothing that only root can change. It is a courtesy: where the system refuses, root keeps it.
  private func giveToOwner(of directory: FilePath, _ file: FileDescriptor) {
    guard geteuid() == 0 else { return }
    var parent = stat()
    var made = stat()
    guard (try? directory.calling(.status) { stat($0, &parent) }) != nil, parent.st_uid != 0,
      fstat(file.number, &made) == 0, made.st_uid == 0
    else { return }
    // A file with a second name may be one that root keeps elsewhere.
    let isDirectory = made.st_mode & S_IFMT == S_IFDIR
    guard isDirectory || made.st_nlink == 1 else { return }
    _ = fchown(file.number, parent.st_uid, parent.st_gid)
  }
}

extension FileAccess {
  /// Whether it makes a file where there is none.
  fileprivate var mayCreate: Bool {
    switch self {
    case .createExclusive, .append, .readWriteCreate: true
    default: false
    }
  }

  /// Whether what was opened is of a kind that this access asks for.
  package func admits(_ kind: FileKind) -> Bool {
    switch self {
    case .directory, .directoryFollowingLinks: kind == .directory
    case .readFollowingLinks(streams: true): kind != .directory && kind != .blockDevice
    default: kind == .regular
    }
  }
}

extension POSIXFileSystem {
  package func status(_ path: FilePath) throws(Fault) -> FileStatus {
    var value = stat()
    try path.calling(.status) { lstat($0, &value) }
    return FileStatus(value)
  }

  package func statusFollowingLinks(_ path: FilePath) throws(Fault) -> FileStatus {
    var value = stat()
    try path.calling(.status) { stat($0, &value) }
    return FileStatus(value)
  }

  package func status(_ file: FileDescriptor) throws(Fault) -> FileStatus {
    var value = stat()
    if fstat(file.number, &value) != 0 {
      throw Fault(.status, file.path, code: errno)
    }
    return FileStatus(value)
  }

  package func contents(ofDirectory path: FilePath) throws(Fault) -> [DirectoryEntry] {
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
    _ body: (UnsafeRawBufferPointer, Result<FileStatus, Fault>) -> Void
  ) throws(Fault) {
    try forEachEntry(of: path) { entry, name, directory in
      if isKnown(name, UInt64(entry.pointee.d_ino)) { return }
      var value = stat()
      let text = name.assumingMemoryBound(to: CChar.self).baseAddress
      if let text, fstatat(directory, text, &value, AT_SYMLINK_NOFOLLOW) == 0 {
        body(name, .success(FileStatus(value)))
      } else {
        let code = errno
        let place = path.appending(bytes: Array(name))
        body(name, .failure(Fault(.status, place, code: code)))
      }
    }
  }

  /// Asks for all by one descriptor, so that the system walks the directory's path once.
  package func forEachStatus(
    inDirectory path: FilePath, count: Int, name: (Int, inout [UInt8]) -> Void,
    _ body: (Int, Result<FileStatus, Fault>) -> Void
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
        body(number, .failure(Fault(.status, place, code: code)))
      }
    }
  }

  /// Hands over the entries of a directory, without `.` and `..`: each with its name, behind which stands
  /// a NUL, and the directory's descriptor.
  private func forEachEntry(
    of path: FilePath, _ body: (UnsafeMutablePointer<dirent>, UnsafeRawBufferPointer, Int32) -> Void
  ) throws(Fault) {
    let file = try open(path, .directory)
    guard let stream = fdopendir(file.number) else {
      let code = errno
      try? close(file)
      throw Fault(.listDirectory, path, code: code)
    }
    defer { closedir(stream) }
    while true {
      // The end and a failure both give nothing; only errno tells them apart.
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw Fault(.listDirectory, path, code: errno) }
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

  package func createDirectory(_ path: FilePath, mode: UInt32) throws(Fault) {
    try path.calling(.createDirectory) { mkdir($0, mode_t(mode)) }
    if geteuid() == 0, let file = try? open(path, .directory) {
      giveToOwner(of: path.parent, file)
      try? close(file)
    }
    // A umask may have taken bits away; a file system without modes may refuse them back.
    let made = try status(path)
    guard made.kind == .directory, made.mode & 0o777 != mode & 0o777 else { return }
    let bits = mode_t(mode | made.mode & 0o7000)
    do {
      try path.calling(.setMode) { chmod($0, bits) }
    } catch {
      if error.condition == .notPermitted || error.condition == .notSupported { return }
      try? removeDirectory(path)
      throw error
    }
  }

  package func removeDirectory(_ path: FilePath) throws(Fault) {
    try path.calling(.removeDirectory) { rmdir($0) }
  }

  package func readLink(_ path: FilePath) throws(Fault) -> FilePath {
    var text = [CChar](repeating: 0, count: 4096)
    let size = text.count
    let count = try path.calling(.readLink) { readlink($0, &text, size) }
    if count == size { throw Fault(.readLink, path, code: ENAMETOOLONG) }
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

extension POSIXFileSystem {
  package func link(_ from: FilePath, to: FilePath) throws(Fault) {
    // Without flags linkat gives the link itself a name, never what it leads to; link(2) on Darwin
    // follows it.
    try from.calling(.link, to: to) { linkat(AT_FDCWD, $0, AT_FDCWD, $1, 0) }
  }

  package func rename(_ from: FilePath, to: FilePath) throws(Fault) {
    try from.calling(.rename, to: to) { renameat(AT_FDCWD, $0, AT_FDCWD, $1) }
  }

  package func renameExclusively(_ from: FilePath, to: FilePath) throws(Fault) {
    var isRefused = false
    try from.calling(.rename, to: to) { from, to in
      let result = POSIXPlatform.renameExclusively(from, to)
      isRefused = result == nil
      return result ?? 0
    }
    if !isRefused { return }
    do {
      try link(from, to: to)
    } catch {
      switch error.condition {
      case .notPermitted, .notSupported, .tooManyLinks:
        if try statusIfPresent(to) != nil {
          throw Fault(.rename, from, to: to, code: EEXIST)
        }
        return try rename(from, to: to)
      default:
        throw Fault(.rename, from, to: to, code: error.errno)
      }
    }
    try unlink(from)
  }

  package func unlink(_ path: FilePath) throws(Fault) {
    try path.calling(.unlink) { unlinkat(AT_FDCWD, $0, 0) }
  }
}
