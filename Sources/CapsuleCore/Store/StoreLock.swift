/// How long to wait for another process, and how to pass the time.
package struct LockPatience: Sendable {
  /// Milliseconds after which waiting ends.
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

extension FileSystem {
  /// Takes an exclusive `flock` on a file that stays, waiting as long as `patience` allows.
  ///
  /// The pauses grow from 1 to 8 ms: a holder needs milliseconds, and who has waited long asks no
  /// more seldom than the others.
  package func acquireLock(
    _ path: FilePath, holder: [UInt8], patience: LockPatience
  ) throws(StoreError) -> FileDescriptor {
    let file = try storeIO { () throws(FileSystemError) in
      try open(path, .readWriteCreate(mode: 0o600))
    }
    var waited = 0
    var delay = 1
    while true {
      let isHeld: Bool
      do throws(FileSystemError) {
        isHeld = try lock(file, wait: false)
      } catch {
        try? close(file)
        throw .io(error)
      }
      if isHeld { break }
      guard waited < patience.limit else {
        try? close(file)
        let text = try? readFile(path, limit: Int(holderLimit))
        throw .busy(holder: text.map { String(decoding: $0, as: UTF8.self) })
      }
      patience.pause(delay)
      waited += delay
      delay = min(delay * 2, 8)
    }
    // The file's text is only for messages: no failure to write it fails the command. A file that has
    // another name too, or holds more than such a text, was not made here, and is left as it is.
    if let status = try? status(file), status.links == 1, status.size <= holderLimit {
      try? truncate(file, to: 0)
      try? writeAll(file, holder.prefix(Int(holderLimit)) + [])
    }
    return file
  }
}

/// Runs file system calls whose failure is the store's.
@discardableResult
package func storeIO<Value>(
  _ body: () throws(FileSystemError) -> Value
) throws(StoreError) -> Value {
  do throws(FileSystemError) { return try body() } catch { throw .io(error) }
}
