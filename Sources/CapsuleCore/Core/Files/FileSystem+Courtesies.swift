import CapsulePlatform
import Synchronization

/// Calls that a poor file system refuses for good, such as one of a network, of a virtual machine's host, or FAT:
/// what they give is worth having, and nothing that is written depends on it. Here alone it is judged what is passed
/// over; a disk that fails is an error everywhere.
extension FileRefusal {
  /// Whether the file system does not have what was asked for, and the work can go on without it.
  fileprivate var isOfPoorFileSystem: Bool {
    switch operation {
    // The owner of the mount may be another one, who alone may change these.
    case .setModified, .setMode: [.notPermitted, .notSupported, .invalid].contains(condition)
    case .synchronize: [.notSupported, .invalid].contains(condition)
    case .lock: [.notPermitted, .notSupported, .invalid].contains(condition)
    default: false
    }
  }
}

extension Fault {
  /// Whether a file system has no locks at all.
  package var isWithoutLocks: Bool {
    file.map { $0.operation == .lock && $0.isOfPoorFileSystem } ?? false
  }
}

extension FileSystem {
  /// Makes a call that a poor file system may refuse, and keeps the refusal for a warning.
  ///
  /// - Returns: `false` where it was refused.
  private func attempt(_ call: () throws(Fault) -> Void) throws(Fault) -> Bool {
    do {
      try call()
      return true
    } catch {
      guard let refusal = error.file, refusal.isOfPoorFileSystem else { throw error }
      note(refusal)
      return false
    }
  }

  /// Sets the permission bits, where the file system has any.
  package func protect(_ file: FileDescriptor, mode: UInt32) throws(Fault) {
    _ = try attempt { () throws(Fault) in try setMode(file, mode) }
  }

  /// Sets the time of the last modification, where the file system lets us.
  package func date(_ file: FileDescriptor, _ time: FileTime) throws(Fault) {
    _ = try attempt { () throws(Fault) in try setModified(file, time) }
  }

  /// Makes a directory's entries survive a power cut, where the file system can.
  ///
  /// - Returns: `false` where it cannot.
  @discardableResult
  package func synchronizeDirectory(
    _ path: FilePath, _ access: FileAccess = .directory
  ) throws(Fault) -> Bool {
    try withFile(path, access) { file throws(Fault) in
      try attempt { () throws(Fault) in try synchronize(file) }
    }
  }
}

/// The refusals that were passed over: the first one of each call.
package final class PassedRefusals: Sendable {
  private let first = Mutex<[FileRefusal.Operation: FileRefusal]>([:])

  package init() {}

  func add(_ refusal: FileRefusal) {
    first.withLock { if $0[refusal.operation] == nil { $0[refusal.operation] = refusal } }
  }

  /// The refusal of a call; `nil` where none was passed over.
  package subscript(operation: FileRefusal.Operation) -> FileRefusal? {
    first.withLock { $0[operation] }
  }
}

extension FileSystem {
  package var passed: PassedRefusals? { nil }

  /// Keeps a refusal that was passed over.
  package func note(_ refusal: FileRefusal) { passed?.add(refusal) }
}
