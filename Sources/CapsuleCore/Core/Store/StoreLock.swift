import CapsulePlatform

/// The time to wait for another process, and the way to pass it.
package struct LockPatience: Sendable {
  /// The milliseconds after which waiting ends.
  package let limit: Int
  /// Sleeps for some milliseconds.
  package let pause: @Sendable (Int) -> Void

  package init(limit: Int, pause: @escaping @Sendable (Int) -> Void) {
    self.limit = limit
    self.pause = pause
  }
}

/// The most bytes of the text in a store's lock.
private let holderLimit: Int64 = 4096

/// A lock that is held, until ``FileSystem/release(_:)``.
package struct HeldLock: Sendable {
  fileprivate let file: FileDescriptor
  /// The directory of the file; `nil` where the file system locks no directories.
  fileprivate let directory: FileDescriptor?
  /// Whether the file says who holds it.
  fileprivate let isNoted: Bool
}

extension FileSystem {
  /// Takes an exclusive `flock` on a file that stays, and on the directory it is in, waiting as long as
  /// `patience` allows.
  ///
  /// Whoever moves or removes the file while it is held makes room for another file of its name, which
  /// nobody holds. So the file that was waited for must still have the name when it is held; and the
  /// directory, which goes nowhere without its content, keeps out whoever holds the new file.
  ///
  /// The pauses grow from 1 to 8 ms: a holder needs milliseconds, and who has waited long asks no
  /// more seldom than the others.
  package func acquireLock(
    _ path: FilePath, holder: [UInt8], patience: LockPatience
  ) throws(Fault) -> HeldLock {
    var wait = LockWait(patience)
    while true {
      let file = try open(path, .readWriteCreate(mode: 0o600))
      do {
        try take(file, path, &wait)
        if try isNamed(file, path) {
          let directory = try takeDirectory(of: path, &wait)
          return HeldLock(
            file: file, directory: directory, isNoted: noteHolder(holder, in: file))
        }
      } catch {
        try? close(file)
        throw error.isWithoutLocks ? error.withHintOfLocks : error
      }
      try? close(file)
      try pass(&wait, path)
    }
  }

  /// Gives a lock up, and takes the name of its holder away: others may hold the file without a word. A
  /// failure leaves it to the end of the process.
  ///
  /// Closing alone would not do: a program that another thread is starting holds a copy of every
  /// descriptor until it runs, and the lock with it (flock(2)).
  package func release(_ lock: HeldLock) {
    if lock.isNoted { try? truncate(lock.file, to: 0) }
    for file in [lock.directory, lock.file].compactMap(\.self) {
      try? unlock(file)
      try? close(file)
    }
  }

  /// Waits until the file is held.
  private func take(
    _ file: FileDescriptor, _ path: FilePath, _ wait: inout LockWait
  ) throws(Fault) {
    while try !lock(file, wait: false) {
      try pass(&wait, path)
    }
  }

  private func takeDirectory(
    of path: FilePath, _ wait: inout LockWait
  ) throws(Fault) -> FileDescriptor? {
    let directory: FileDescriptor
    do {
      directory = try open(path.parent, .directoryFollowingLinks)
    } catch {
      // One that its owner cannot read.
      if error.condition == .notPermitted { return nil }
      throw error
    }
    while true {
      do {
        if try lock(directory, wait: false) { return directory }
      } catch {
        // A network file system that locks files only.
        try? close(directory)
        return nil
      }
      do {
        try pass(&wait, path)
      } catch {
        try? close(directory)
        throw error
      }
    }
  }

  private func pass(_ wait: inout LockWait, _ path: FilePath) throws(Fault) {
    guard !wait.pass() else { return }
    let text = (try? readFile(path, limit: Int(holderLimit))) ?? []
    throw .busy(holder: text.isEmpty ? nil : String(decoding: text, as: UTF8.self))
  }

  /// Whether a path leads to the file that is open.
  private func isNamed(_ file: FileDescriptor, _ path: FilePath) throws(Fault) -> Bool {
    guard let named = try statusIfPresent(path) else { return false }
    return try status(file).isSameFile(as: named)
  }

  /// Writes who holds the lock. The file's text is only for messages: no failure to write it fails the
  /// command. A file that has another name too, or holds more than such a text, was not made here, and is
  /// left as it is.
  ///
  /// - Returns: whether it was written.
  private func noteHolder(_ holder: [UInt8], in file: FileDescriptor) -> Bool {
    guard let status = try? status(file), status.links == 1, status.size <= holderLimit else {
      return false
    }
    try? truncate(file, to: 0)
    try? writeAll(file, holder.prefix(Int(holderLimit)) + [])
    return true
  }
}

extension Fault {
  /// The refusal of a lock with the way out.
  fileprivate var withHintOfLocks: Fault {
    var fault = self
    fault.hint =
      "this file system has no locks, which a store needs: keep the store on another disk, and use this one for "
      + "backups, or as a remote: capsule sync add NAME PLACE"
    return fault
  }
}

/// The waiting for one lock, in all its steps.
private struct LockWait {
  private let patience: LockPatience
  private var waited = 0
  private var delay = 1

  init(_ patience: LockPatience) {
    self.patience = patience
  }

  /// Pauses; `false` where the patience is at its end.
  mutating func pass() -> Bool {
    guard waited < patience.limit else { return false }
    patience.pause(delay)
    waited += delay
    delay = min(delay * 2, 8)
    return true
  }
}

extension LockPatience {
  /// Waits by sleeping.
  ///
  /// - Parameter limit: milliseconds after which waiting ends.
  package static func sleeping(limit: Int) -> LockPatience {
    LockPatience(limit: limit) { milliseconds in
      var time = timespec(
        tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
      _ = nanosleep(&time, nil)
    }
  }
}
