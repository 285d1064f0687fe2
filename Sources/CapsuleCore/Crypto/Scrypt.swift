#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The password-based key derivation scrypt (RFC 7914).
///
/// The addresses it reads depend on the password: that is what makes it hard for hardware, and a
/// side channel towards other programs on the same machine.
package enum Scrypt {
  /// The memory could not be had.
  package struct OutOfMemory: Error, Hashable {
    package let byteCount: Int
  }

  /// Derives `count` bytes with the cost N = 2^`logN` (1 to 31), block size `r` and `p` lanes; takes
  /// 128 · r · N bytes of memory.
  package static func derive(
    password: [UInt8], salt: [UInt8], logN: Int, r: Int, p: Int, count: Int
  ) throws(OutOfMemory) -> [UInt8] {
    precondition((1...31).contains(logN) && r > 0 && p > 0 && r * p < 1 << 30)
    let vectors = 8 * r
    let size = (vectors * 16).multipliedReportingOverflow(by: 1 << logN)
    guard !size.overflow, let memory = allocate(size.partialValue) else {
      throw OutOfMemory(byteCount: size.partialValue)
    }
    defer { free(memory) }
    var blocks = PBKDF2.derive(password: password, salt: salt, iterations: 1, count: 128 * r * p)
    defer { wipe(&blocks) }
    let table = memory.bindMemory(to: SIMD4<UInt32>.self, capacity: vectors << logN)
    blocks.withUnsafeMutableBytes { blocks in
      guard let base = blocks.baseAddress else { return }
      for lane in 0..<p { mix(base + 128 * r * lane, table, logN: logN, r: r) }
    }
    return PBKDF2.derive(password: password, salt: blocks, iterations: 1, count: count)
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 1 << 21, size) == 0, let memory else { return nil }
    #if os(Linux)
      // Reads at random over hundreds of megabytes miss the TLB with small pages.
      madvise(memory, size, MADV_HUGEPAGE)
    #endif
    return memory
  }

  /// ROMix (§5), over 128 · r bytes in place.
  private static func mix(
    _ block: UnsafeMutableRawPointer, _ table: UnsafeMutablePointer<SIMD4<UInt32>>,
    logN: Int, r: Int
  ) {
    let vectors = 8 * r
    let mask = UInt32(1) &<< UInt32(logN) &- 1
    withUnsafeTemporaryAllocation(of: SIMD4<UInt32>.self, capacity: 2 * vectors) { scratch in
      guard var x = scratch.baseAddress else { return }
      var y = x + vectors
      permute(from: block, to: x, r: r)
      for step in 0...Int(mask) {
        (table + step &* vectors).update(from: x, count: vectors)
        SalsaBlockMix.mix(x, into: y, r: r)
        swap(&x, &y)
      }
      for _ in 0...mask {
        let chosen = Int(x[vectors - 4][0] & mask)
        SalsaBlockMix.mix(x, adding: table + chosen &* vectors, into: y, r: r)
        swap(&x, &y)
      }
      restore(from: x, to: block, r: r)
      wipe(UnsafeMutableRawBufferPointer(scratch))
    }
  }

  /// Reads little-endian words so that each vector holds a diagonal of Salsa20's square.
  private static func permute(
    from bytes: UnsafeMutableRawPointer, to vectors: UnsafeMutablePointer<SIMD4<UInt32>>, r: Int
  ) {
    let bytes = UnsafeRawPointer(bytes)
    for chunk in 0..<(2 * r) {
      for place in 0..<16 {
        vectors[4 * chunk + place / 4][place % 4] =
          bytes.littleEndian(at: 64 * chunk + 4 * (place * 5 % 16), as: UInt32.self)
      }
    }
  }

  private static func restore(
    from vectors: UnsafeMutablePointer<SIMD4<UInt32>>, to bytes: UnsafeMutableRawPointer, r: Int
  ) {
    for chunk in 0..<(2 * r) {
      for place in 0..<16 {
        bytes.store(
          littleEndian: vectors[4 * chunk + place / 4][place % 4],
          at: 64 * chunk + 4 * (place * 5 % 16))
      }
    }
  }
}
