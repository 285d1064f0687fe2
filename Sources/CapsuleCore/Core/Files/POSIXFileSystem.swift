import CapsulePlatform

/// The file system of the machine.
package struct POSIXFileSystem: FileSystem {
  package init() {}

  package func close(_ file: FileDescriptor) throws(FileSystemError) {
    // The descriptor is gone after EINTR too; to close it again could close another's.
    if CapsulePlatform.close(file.number) != 0, errno != EINTR {
      throw FileSystemError(.close, file.path, code: errno)
    }
  }

  package func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
    let count = CapsulePlatform.read(file.number, base, buffer.count)
    if count < 0 { throw FileSystemError(.read, file.path, code: errno) }
    return count
  }

  package func readOnce(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return 0 }
    let count = pread(file.number, base, buffer.count, off_t(offset))
    if count < 0 { throw FileSystemError(.read, file.path, code: errno) }
    return count
  }

  package func writeOnce(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer
  ) throws(FileSystemError) -> Int {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    let count = CapsulePlatform.write(file.number, base, bytes.count)
    if count < 0 { throw FileSystemError(.write, file.path, code: errno) }
    return count
  }

  package func writeOnce(
    _ file: FileDescriptor, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(FileSystemError) -> Int {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return 0 }
    let count = pwrite(file.number, base, bytes.count, off_t(offset))
    if count < 0 { throw FileSystemError(.write, file.path, code: errno) }
    return count
  }

  package func synchronizeOnce(_ file: FileDescriptor) throws(FileSystemError) {
    if POSIXPlatform.synchronize(file.number) != 0 {
      throw FileSystemError(.synchronize, file.path, code: errno)
    }
  }

  package func truncateOnce(_ file: FileDescriptor, to size: Int64) throws(FileSystemError) {
    if ftruncate(file.number, off_t(size)) != 0 {
      throw FileSystemError(.truncate, file.path, code: errno)
    }
  }

  package func lockOnce(_ file: FileDescriptor, wait: Bool) throws(FileSystemError) -> Bool {
    if flock(file.number, wait ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw FileSystemError(.lock, file.path, code: errno)
  }

  package func unlock(_ file: FileDescriptor) throws(FileSystemError) {
    if flock(file.number, LOCK_UN) != 0 {
      throw FileSystemError(.unlock, file.path, code: errno)
    }
  }

  package func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(FileSystemError) {
    if fchmod(file.number, mode_t(mode & 0o7777)) != 0 {
      throw FileSystemError(.setMode, file.path, code: errno)
    }
  }

  package func setModified(_ file: FileDescriptor, _ time: FileTime) throws(FileSystemError) {
    let times = [
      timespec(tv_sec: 0, tv_nsec: POSIXPlatform.omitTime),
      timespec(tv_sec: time_t(time.seconds), tv_nsec: Int(time.nanoseconds)),
    ]
    if futimens(file.number, times) != 0 {
      throw FileSystemError(.setModified, file.path, code: errno)
    }
  }
}
