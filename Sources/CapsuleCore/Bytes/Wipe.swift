import CapsulePlatform

/// Overwrites a buffer with zeros, by a call the compiler may not drop: `explicit_bzero(3)`, or
/// `memset_s(3)` on Darwin.
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
@inline(__always)
package func wipe(value: inout some BitwiseCopyable) {
  withUnsafeMutableBytes(of: &value) { wipe($0) }
}
