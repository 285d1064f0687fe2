import CapsulePlatform

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
    let size = (128 * r).multipliedReportingOverflow(by: 1 << logN)
    guard !size.overflow, let table = allocate(size.partialValue) else {
      throw OutOfMemory(byteCount: size.partialValue)
    }
    defer {
      // From the table's first entry the derived key follows.
      wipe(UnsafeMutableRawBufferPointer(start: table, count: size.partialValue))
      free(table)
    }
    var blocks = PBKDF2.derive(password: password, salt: salt, iterations: 1, count: 128 * r * p)
    defer { wipe(&blocks) }
    blocks.withUnsafeMutableBytes { blocks in
      guard let base = blocks.baseAddress else { return }
      for lane in 0..<p { mix(base + 128 * r * lane, table, logN: logN, r: r) }
    }
    return PBKDF2.derive(password: password, salt: blocks, iterations: 1, count: count)
  }

  private static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, 1 << 21, size) == 0, let memory else { return nil }
    #if !canImport(Darwin)
      // Reads at random over hundreds of megabytes miss the TLB with small pages.
      madvise(memory, size, MADV_HUGEPAGE)
    #endif
    return memory
  }

  /// ROMix (§5), over 128 · r bytes in place.
  private static func mix(
    _ block: UnsafeMutableRawPointer, _ table: UnsafeMutableRawPointer, logN: Int, r: Int
  ) {
    let size = 128 * r
    let cost = 1 << logN
    // Every entry of the table is made from the one before it, without a copy.
    table.copyMemory(from: block, byteCount: size)
    for step in 1..<cost {
      SalsaBlockMix.mix(table + size &* (step &- 1), into: table + size &* step, r: r)
    }
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { scratch in
      guard let sum = scratch.baseAddress else { return }
      SalsaBlockMix.mix(table + size &* (cost &- 1), into: block, r: r)
      for _ in 0..<cost {
        // The first words of the last chunk choose the entry.
        let chosen = block.loadUnaligned(fromByteOffset: size &- 64, as: UInt32.self)
        let entry = table + size &* (Int(UInt32(littleEndian: chosen)) & (cost &- 1))
        for place in stride(from: 0, to: size, by: 16) {
          let left = block.loadUnaligned(fromByteOffset: place, as: Lanes.self)
          let right = entry.loadUnaligned(fromByteOffset: place, as: Lanes.self)
          sum.storeBytes(of: left.xor(right), toByteOffset: place, as: Lanes.self)
        }
        SalsaBlockMix.mix(sum, into: block, r: r)
      }
      wipe(scratch)
    }
  }
}
