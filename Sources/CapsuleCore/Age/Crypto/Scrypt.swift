import CapsulePlatform

/// The password-based key derivation scrypt (RFC 7914).
///
/// The addresses it reads depend on the password: that is what makes it hard for hardware, and a
/// side channel towards other programs on the same machine.
package enum Scrypt {
  /// Derives `count` bytes with the cost N = 2^`logN` (1 to 31), block size `r` and `p` lanes; takes
  /// 128 · r · N bytes of memory.
  ///
  /// - Parameter pass: called again and again, every few milliseconds.
  /// - Throws: `.memory`.
  package static func derive(
    password: [UInt8], salt: [UInt8], logN: Int, r: Int, p: Int, count: Int,
    pass: () -> Void = {}
  ) throws(AgeFailure) -> [UInt8] {
    precondition((1...31).contains(logN) && r > 0 && p > 0 && r * p < 1 << 30)
    let size = (128 * r).multipliedReportingOverflow(by: 1 << logN)
    guard !size.overflow, let table = allocate(size.partialValue) else {
      throw .memory
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
      for lane in 0..<p { mix(base + 128 * r * lane, table, logN: logN, r: r, pass) }
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
    _ block: UnsafeMutableRawPointer, _ table: UnsafeMutableRawPointer, logN: Int, r: Int,
    _ pass: () -> Void
  ) {
    let size = 128 * r
    let cost = 1 << logN
    // Every entry of the table is made from the one before it, without a copy.
    table.copyMemory(from: block, byteCount: size)
    for step in 1..<cost {
      if step & 0x3ff == 0 { pass() }
      SalsaBlockMix.mix(table + size &* (step &- 1), into: table + size &* step, r: r)
    }
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { scratch in
      guard let sum = scratch.baseAddress else { return }
      SalsaBlockMix.mix(table + size &* (cost &- 1), into: block, r: r)
      for step in 0..<cost {
        if step & 0x3ff == 0 { pass() }
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

/// scrypt's BlockMix (RFC 7914 §4) on Salsa20/8 (§3), over bytes.
///
/// Every chunk waits for the one before it, so that time is the latency of a round: words one by one,
/// with four independent chains of them, are faster here than vectors.
enum SalsaBlockMix {
  /// Mixes 128 · r bytes into as many others.
  static func mix(
    _ input: UnsafeRawPointer, into output: UnsafeMutableRawPointer, r: Int
  ) {
    var x = Words(input + 64 &* (2 &* r &- 1))
    for chunk in 0..<(2 &* r) {
      x.mix(input + 64 &* chunk)
      // Even chunks go to the first half, odd ones to the second.
      x.write(to: output + 64 &* ((chunk &>> 1) &+ (chunk & 1) &* r))
    }
  }

  /// The sixteen words of a chunk.
  private struct Words {
    private var x0: UInt32
    private var x1: UInt32
    private var x2: UInt32
    private var x3: UInt32
    private var x4: UInt32
    private var x5: UInt32
    private var x6: UInt32
    private var x7: UInt32
    private var x8: UInt32
    private var x9: UInt32
    private var x10: UInt32
    private var x11: UInt32
    private var x12: UInt32
    private var x13: UInt32
    private var x14: UInt32
    private var x15: UInt32

    @inline(__always)
    init(_ bytes: UnsafeRawPointer) {
      x0 = bytes.littleEndian(at: 0, as: UInt32.self)
      x1 = bytes.littleEndian(at: 4, as: UInt32.self)
      x2 = bytes.littleEndian(at: 8, as: UInt32.self)
      x3 = bytes.littleEndian(at: 12, as: UInt32.self)
      x4 = bytes.littleEndian(at: 16, as: UInt32.self)
      x5 = bytes.littleEndian(at: 20, as: UInt32.self)
      x6 = bytes.littleEndian(at: 24, as: UInt32.self)
      x7 = bytes.littleEndian(at: 28, as: UInt32.self)
      x8 = bytes.littleEndian(at: 32, as: UInt32.self)
      x9 = bytes.littleEndian(at: 36, as: UInt32.self)
      x10 = bytes.littleEndian(at: 40, as: UInt32.self)
      x11 = bytes.littleEndian(at: 44, as: UInt32.self)
      x12 = bytes.littleEndian(at: 48, as: UInt32.self)
      x13 = bytes.littleEndian(at: 52, as: UInt32.self)
      x14 = bytes.littleEndian(at: 56, as: UInt32.self)
      x15 = bytes.littleEndian(at: 60, as: UInt32.self)
    }

    @inline(__always)
    func write(to bytes: UnsafeMutableRawPointer) {
      bytes.store(littleEndian: x0, at: 0)
      bytes.store(littleEndian: x1, at: 4)
      bytes.store(littleEndian: x2, at: 8)
      bytes.store(littleEndian: x3, at: 12)
      bytes.store(littleEndian: x4, at: 16)
      bytes.store(littleEndian: x5, at: 20)
      bytes.store(littleEndian: x6, at: 24)
      bytes.store(littleEndian: x7, at: 28)
      bytes.store(littleEndian: x8, at: 32)
      bytes.store(littleEndian: x9, at: 36)
      bytes.store(littleEndian: x10, at: 40)
      bytes.store(littleEndian: x11, at: 44)
      bytes.store(littleEndian: x12, at: 48)
      bytes.store(littleEndian: x13, at: 52)
      bytes.store(littleEndian: x14, at: 56)
      bytes.store(littleEndian: x15, at: 60)
    }

    /// Adds the words of a chunk and applies Salsa20/8.
    @inline(__always)
    mutating func mix(_ bytes: UnsafeRawPointer) {
      x0 ^= bytes.littleEndian(at: 0, as: UInt32.self)
      x1 ^= bytes.littleEndian(at: 4, as: UInt32.self)
      x2 ^= bytes.littleEndian(at: 8, as: UInt32.self)
      x3 ^= bytes.littleEndian(at: 12, as: UInt32.self)
      x4 ^= bytes.littleEndian(at: 16, as: UInt32.self)
      x5 ^= bytes.littleEndian(at: 20, as: UInt32.self)
      x6 ^= bytes.littleEndian(at: 24, as: UInt32.self)
      x7 ^= bytes.littleEndian(at: 28, as: UInt32.self)
      x8 ^= bytes.littleEndian(at: 32, as: UInt32.self)
      x9 ^= bytes.littleEndian(at: 36, as: UInt32.self)
      x10 ^= bytes.littleEndian(at: 40, as: UInt32.self)
      x11 ^= bytes.littleEndian(at: 44, as: UInt32.self)
      x12 ^= bytes.littleEndian(at: 48, as: UInt32.self)
      x13 ^= bytes.littleEndian(at: 52, as: UInt32.self)
      x14 ^= bytes.littleEndian(at: 56, as: UInt32.self)
      x15 ^= bytes.littleEndian(at: 60, as: UInt32.self)
      let start = self
      for _ in 0..<4 {
        Self.quarterRound(&x0, &x4, &x8, &x12)
        Self.quarterRound(&x5, &x9, &x13, &x1)
        Self.quarterRound(&x10, &x14, &x2, &x6)
        Self.quarterRound(&x15, &x3, &x7, &x11)
        Self.quarterRound(&x0, &x1, &x2, &x3)
        Self.quarterRound(&x5, &x6, &x7, &x4)
        Self.quarterRound(&x10, &x11, &x8, &x9)
        Self.quarterRound(&x15, &x12, &x13, &x14)
      }
      x0 &+= start.x0
      x1 &+= start.x1
      x2 &+= start.x2
      x3 &+= start.x3
      x4 &+= start.x4
      x5 &+= start.x5
      x6 &+= start.x6
      x7 &+= start.x7
      x8 &+= start.x8
      x9 &+= start.x9
      x10 &+= start.x10
      x11 &+= start.x11
      x12 &+= start.x12
      x13 &+= start.x13
      x14 &+= start.x14
      x15 &+= start.x15
    }

    @inline(__always)
    private static func quarterRound(
      _ a: inout UInt32, _ b: inout UInt32, _ c: inout UInt32, _ d: inout UInt32
    ) {
      b ^= rotated(a &+ d, 7)
      c ^= rotated(b &+ a, 9)
      d ^= rotated(c &+ b, 13)
      a ^= rotated(d &+ c, 18)
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
      (word &<< count) | (word &>> (32 &- count))
    }
  }
}
