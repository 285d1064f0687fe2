import CapsuleCore
import Synchronization

/// A file system that lets something else happen just before one of its calls.
final class IndexInterposer: FileSystem {
  private struct State {
    var calls = 0
    var action: (at: Int, run: @Sendable () -> Void)?
  }

  private let files: SimulatedFileSystem
  private let state = Mutex(State())

  init(_ files: SimulatedFileSystem) {
    self.files = files
  }

  /// Runs an action once, before the call of this number, counted from 1 and from now.
  func plan(at call: Int, _ run: @escaping @Sendable () -> Void) {
    state.withLock { $0 = State(calls: 0, action: (call, run)) }
  }

  /// Whether the action has been run.
  var isDone: Bool { state.withLock { $0.action == nil } }

  private func step() {
    let run = state.withLock { state -> (@Sendable () -> Void)? in
      state.calls += 1
      guard let action = state.action, action.at == state.calls else { return nil }
      state.action = nil
      return action.run
    }
    run?()
  }

  func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(FileSystemError) -> FileDescriptor {
    step()
    return try files.openOnce(path, access)
  }

  func close(_ file: FileDescriptor) throws(FileSystemError) {
    step()
    try files.close(file)
  }

  func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    step()
    return try files.readOnce(file, into: buffer)
  }

  func readOnce(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    step()
    return try files.readOnce(file, at: offset, into: buffer)
  }

  func writeOnce(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer
  ) throws(FileSystemError) -> Int {
    step()
    return try files.writeOnce(file, bytes)
  }

  func synchronizeOnce(_ file: FileDescriptor) throws(FileSystemError) {
    step()
    try files.synchronizeOnce(file)
  }

  func truncateOnce(_ file: FileDescriptor, to size: Int64) throws(FileSystemError) {
    step()
    try files.truncateOnce(file, to: size)
  }

  func lockOnce(_ file: FileDescriptor, wait: Bool) throws(FileSystemError) -> Bool {
    step()
    return try files.lockOnce(file, wait: wait)
  }

  func unlock(_ file: FileDescriptor) throws(FileSystemError) {
    step()
    try files.unlock(file)
  }

  func status(_ path: FilePath) throws(FileSystemError) -> FileStatus {
    step()
    return try files.status(path)
  }

  func statusFollowingLinks(_ path: FilePath) throws(FileSystemError) -> FileStatus {
    step()
    return try files.statusFollowingLinks(path)
  }

  func status(_ file: FileDescriptor) throws(FileSystemError) -> FileStatus {
    step()
    return try files.status(file)
  }

  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(FileSystemError) {
    step()
    try files.setMode(file, mode)
  }

  func setModified(_ file: FileDescriptor, _ time: FileTime) throws(FileSystemError) {
    step()
    try files.setModified(file, time)
  }

  func contents(ofDirectory path: FilePath) throws(FileSystemError) -> [DirectoryEntry] {
    step()
    return try files.contents(ofDirectory: path)
  }

  func createDirectory(_ path: FilePath, mode: UInt32) throws(FileSystemError) {
    step()
    try files.createDirectory(path, mode: mode)
  }

  func removeDirectory(_ path: FilePath) throws(FileSystemError) {
    step()
    try files.removeDirectory(path)
  }

  func link(_ from: FilePath, to: FilePath) throws(FileSystemError) {
    step()
    try files.link(from, to: to)
  }

  func rename(_ from: FilePath, to: FilePath) throws(FileSystemError) {
    step()
    try files.rename(from, to: to)
  }

  func renameExclusively(_ from: FilePath, to: FilePath) throws(FileSystemError) {
    step()
    try files.renameExclusively(from, to: to)
  }

  func unlink(_ path: FilePath) throws(FileSystemError) {
    step()
    try files.unlink(path)
  }

  func readLink(_ path: FilePath) throws(FileSystemError) -> FilePath {
    step()
    return try files.readLink(path)
  }
}
