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

/// Overwrites a buffer with zeros, by a call the compiler may not drop: `explicit_bzero(3)`, or
/// `memset_s(3)` on Darwin.
@usableFromInline
package func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
  #if canImport(Darwin)
    _ = memset_s(base, buffer.count, 0, buffer.count)
  #else
    explicit_bzero(base, buffer.count)
  #endif
}

/// Overwrites an array's bytes with zeros and empties it.
///
/// Only this array's storage is reached: where a copy shares it, the copy keeps its bytes. Wipe
/// arrays that were filled in place and never handed on.
package func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { wipe($0) }
  bytes.removeAll()
}

/// Overwrites a plain value (a limb struct, a hash state) with zeros.
@inlinable @inline(__always)
package func wipe(value: inout some BitwiseCopyable) {
  withUnsafeMutableBytes(of: &value) { wipe($0) }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
///
/// Strings of different lengths are unequal at once: lengths are not secret.
package func constantTimeEqual(
  _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
) -> Bool {
  guard left.count == right.count else { return false }
  // No early exit and no branch on a byte: the differences are gathered and asked for once.
  var difference: UInt8 = 0
  for index in 0..<left.count { difference |= left[index] ^ right[index] }
  return difference == 0
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.withUnsafeBytes { left in right.withUnsafeBytes { right in constantTimeEqual(left, right) } }
}

/// Returns 0 where two byte strings of one length are equal, and else another number, in a time that
/// depends on their length only.
///
/// Never inlined, so that no caller's knowledge of the result can become a branch in here.
@inline(never)
package func constantTimeDifference(
  _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
) -> UInt8 {
  precondition(left.count == right.count)
  var difference: UInt8 = 0
  for index in 0..<left.count { difference |= left[index] ^ right[index] }
  return difference
}

/// Writes one byte string over another of its length where `difference` is not 0, by a mask: the
/// same steps are made either way.
///
/// Never inlined, so that the mask cannot become a branch on where it came from.
@inline(never)
package func constantTimeReplace(
  _ target: UnsafeMutableRawBufferPointer, with other: UnsafeRawBufferPointer,
  if difference: UInt8
) {
  precondition(target.count == other.count)
  // 0xFF where any bit is set, and else 0.
  let mask = UInt8(truncatingIfNeeded: (0 &- UInt32(difference)) &>> 8)
  for index in 0..<target.count { target[index] ^= mask & (target[index] ^ other[index]) }
}
