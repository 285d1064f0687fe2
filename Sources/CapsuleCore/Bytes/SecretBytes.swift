import CapsulePlatform

/// Secret bytes that never change and are overwritten when the last reference goes.
///
/// Their pages are kept out of swap where the system allows it; they stay so, because other secrets may
/// lie on the same page.
package final class SecretBytes: Sendable {
  // Unsafe only in name: the memory is written in `init` and in `deinit`, which nothing can run
  // beside, and only read in between.
  private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer

  /// The number of bytes.
  package var count: Int { storage.count }

  /// Copies the bytes; the original stays as it is.
  package init(copying bytes: some Collection<UInt8>) {
    storage = Self.locked(byteCount: bytes.count)
    storage.copyBytes(from: bytes)
  }

  /// Copies the bytes, then overwrites and empties the array they came from.
  package init(taking bytes: inout [UInt8]) {
    storage = Self.locked(byteCount: bytes.count)
    storage.copyBytes(from: bytes)
    wipe(&bytes)
  }

  /// `count` bytes written in place; the buffer starts as zeros.
  package init<Failure: Error>(
    count: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    storage = Self.locked(byteCount: count)
    storage.initializeMemory(as: UInt8.self, repeating: 0)
    try body(storage)
  }

  private static func locked(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    // Most systems let a user lock some; where not, it is swapped as all else.
    if let base = storage.baseAddress, byteCount > 0 { _ = mlock(base, byteCount) }
    return storage
  }

  deinit {
    wipe(storage)
    // The page stays locked: another secret may lie in it.
    storage.deallocate()
  }

  /// Lends the bytes for the length of a call; the buffer must not escape it.
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(storage))
  }

  /// A copy of the bytes, which the caller has to wipe.
  package var bytes: [UInt8] { [UInt8](storage) }
}
