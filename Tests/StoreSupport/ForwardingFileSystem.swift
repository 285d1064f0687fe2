package import CapsuleCore

/// A file system that hands its calls on to another one, but for those that a type of its own answers.
package protocol ForwardingFileSystem: FileSystem {
  associatedtype Files: FileSystem
  var files: Files { get }
  /// Is called before each call that is handed on.
  func step()
}

/// The machine's file system without the waiting for its disk: for tests that no power cut threatens.
package struct UnsynchronizedFileSystem: ForwardingFileSystem {
  package let files = POSIXFileSystem()

  package init() {}

  package func synchronizeOnce(_ file: FileDescriptor) throws(Fault) {}
}

extension ForwardingFileSystem {
  package func step() {}

  package func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor {
    step()
    return try files.openOnce(path, access)
  }

  package func close(_ file: FileDescriptor) throws(Fault) {
    step()
    try files.close(file)
  }

  package func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    step()
    return try files.readOnce(file, into: buffer)
  }

  package func readOnce(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    step()
    return try files.readOnce(file, at: offset, into: buffer)
  }

  package func writeOnce(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int {
    step()
    return try files.writeOnce(file, bytes)
  }

  package func writeOnce(
    _ file: FileDescriptor, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int {
    step()
    return try files.writeOnce(file, at: offset, bytes)
  }

  package func synchronizeOnce(_ file: FileDescriptor) throws(Fault) {
    step()
    try files.synchronizeOnce(file)
  }

  package func truncateOnce(_ file: FileDescriptor, to size: Int64) throws(Fault) {
    step()
    try files.truncateOnce(file, to: size)
  }

  package func lockOnce(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool {
    step()
    return try files.lockOnce(file, wait: wait)
  }

  package func unlock(_ file: FileDescriptor) throws(Fault) {
    step()
    try files.unlock(file)
  }

  package func status(_ path: FilePath) throws(Fault) -> FileStatus {
    step()
    return try files.status(path)
  }

  package func statusFollowingLinks(_ path: FilePath) throws(Fault) -> FileStatus {
    step()
    return try files.statusFollowingLinks(path)
  }

  package func status(_ file: FileDescriptor) throws(Fault) -> FileStatus {
    step()
    return try files.status(file)
  }

  package func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(Fault) {
    step()
    try files.setMode(file, mode)
  }

  package func setModified(_ file: FileDescriptor, _ time: FileTime) throws(Fault) {
    step()
    try files.setModified(file, time)
  }

  package func contents(ofDirectory path: FilePath) throws(Fault) -> [DirectoryEntry] {
    step()
    return try files.contents(ofDirectory: path)
  }

  package func createDirectory(_ path: FilePath, mode: UInt32) throws(Fault) {
    step()
    try files.createDirectory(path, mode: mode)
  }

  package func removeDirectory(_ path: FilePath) throws(Fault) {
    step()
    try files.removeDirectory(path)
  }

  package func link(_ from: FilePath, to: FilePath) throws(Fault) {
    step()
    try files.link(from, to: to)
  }

  package func rename(_ from: FilePath, to: FilePath) throws(Fault) {
    step()
    try files.rename(from, to: to)
  }

  package func renameExclusively(_ from: FilePath, to: FilePath) throws(Fault) {
    step()
    try files.renameExclusively(from, to: to)
  }

  package func unlink(_ path: FilePath) throws(Fault) {
    step()
    try files.unlink(path)
  }

  package func readLink(_ path: FilePath) throws(Fault) -> FilePath {
    step()
    return try files.readLink(path)
  }
}
