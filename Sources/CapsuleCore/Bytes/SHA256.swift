/// SHA-256 (FIPS 180-4), whole or in pieces.
package struct SHA256: BitwiseCopyable, Sendable {
  /// The bytes of a digest.
  package static let byteCount = 32
  /// The bytes of a block.
  package static let blockByteCount = 64

  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  /// The bytes of a block that is not yet full.
  private var partial = SIMD64<UInt8>()
  private var partialCount = 0
  private var totalCount: UInt64 = 0

  package init() {}

  /// Takes the next bytes of the message.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard var next = bytes.baseAddress else { return }
    var left = bytes.count
    totalCount &+= UInt64(left)
    if partialCount > 0 {
      let taken = min(left, 64 - partialCount)
      append(next, count: taken)
      next += taken
      left -= taken
      guard partialCount == 64 else { return }
      compressPartial()
    }
    let blocks = left / 64
    if blocks > 0 {
      Self.compress(&state, next, count: blocks)
      next += blocks * 64
      left -= blocks * 64
    }
    append(next, count: left)
  }

  /// Takes the next bytes of the message.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Takes 32 bytes that are eight big-endian words.
  package mutating func update(words: SIMD8<UInt32>) {
    var bytes = SIMD32<UInt8>()
    withUnsafeMutableBytes(of: &bytes) { bytes in
      Self.write(words, to: bytes)
      update(UnsafeRawBufferPointer(bytes))
      wipe(bytes)
    }
  }

  /// Returns the digest of everything taken, 32 bytes; the hash is then as new, and its state
  /// overwritten.
  package mutating func finalize() -> [UInt8] {
    let digest = finalizeWords()
    return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
      Self.write(digest, to: UnsafeMutableRawBufferPointer(buffer))
      count = Self.byteCount
    }
  }

  /// Writes eight words, big endian.
  package static func write(_ words: SIMD8<UInt32>, to bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<8 {
      bytes.storeBytes(of: words[index].bigEndian, toByteOffset: 4 * index, as: UInt32.self)
    }
  }

  /// Returns the digest as its eight words; the hash is then as new, and its state overwritten.
  package mutating func finalizeWords() -> SIMD8<UInt32> {
    let bitCount = totalCount &* 8
    let used = partialCount
    withUnsafeMutableBytes(of: &partial) { block in
      block[used] = 0x80
      for index in (used + 1)..<64 { block[index] = 0 }
    }
    if used >= 56 {
      compressPartial()
      partial = SIMD64()
    }
    withUnsafeMutableBytes(of: &partial) { block in
      block.storeBytes(of: bitCount.bigEndian, toByteOffset: 56, as: UInt64.self)
    }
    compressPartial()
    let digest = state
    wipe(value: &self)
    self = SHA256()
    return digest
  }

  private mutating func append(_ bytes: UnsafeRawPointer, count: Int) {
    let used = partialCount
    withUnsafeMutableBytes(of: &partial) { block in
      block[used...].copyBytes(from: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    partialCount += count
  }

  private mutating func compressPartial() {
    withUnsafeBytes(of: partial) { block in
      if let base = block.baseAddress { Self.compress(&state, base, count: 1) }
    }
    partialCount = 0
  }

  /// Returns the digest of one byte string.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// Returns the digest of one byte string.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// Sixteen consecutive words of the message schedule (FIPS 180-4 §6.2.2, step 1), four a vector.
  struct Schedule {
    private var x0, x1, x2, x3: Lanes

    /// The words of a block.
    @_transparent
    init(_ block: UnsafeRawPointer) {
      x0 = Self.words(block)
      x1 = Self.words(block + 16)
      x2 = Self.words(block + 32)
      x3 = Self.words(block + 48)
    }

    @_transparent
    private static func words(_ bytes: UnsafeRawPointer) -> Lanes {
      let words = bytes.loadUnaligned(as: Lanes.self).words
      return Lanes(
        words: swapped(words.0), swapped(words.1), swapped(words.2), swapped(words.3))
    }

    /// A big-endian word as the machine has it.
    @_transparent
    private static func swapped(_ word: UInt32) -> UInt32 {
      #if _endian(little)
        word.byteSwapped
      #else
        word
      #endif
    }

    /// Writes the words, each with its constant added.
    @_transparent
    func write(_ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer) {
      Self.write(x0, constants, words, at: 0)
      Self.write(x1, constants, words, at: 16)
      Self.write(x2, constants, words, at: 32)
      Self.write(x3, constants, words, at: 48)
    }

    /// Goes on by four words and writes these at a place.
    @_transparent
    mutating func advance(
      _ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer, at place: Int
    ) {
      (x0, x1, x2, x3) = (x1, x2, x3, Self.next(x0, x1, x2, x3))
      Self.write(x3, constants, words, at: place)
    }

    @_transparent
    private static func write(
      _ vector: Lanes, _ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer,
      at place: Int
    ) {
      let sum = vector &+ constants.loadUnaligned(fromByteOffset: place, as: Lanes.self)
      words.storeBytes(of: sum, toByteOffset: place, as: Lanes.self)
    }

    /// Returns the four words after sixteen.
    @_transparent
    private static func next(_ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes) -> Lanes {
      let (aw, bw, cw, dw) = (a.words, b.words, c.words, d.words)
      let back15 = Lanes(words: aw.1, aw.2, aw.3, bw.0)
      let back7 = Lanes(words: cw.1, cw.2, cw.3, dw.0)
      let sigma0 = back15.rotated(25).xor(back15.rotated(14)).xor(back15.shifted(3))
      // The first two words need the last two there are; the others need these two.
      let first = sigma1(Lanes(words: dw.2, dw.2, dw.3, dw.3)).words
      let half = a &+ back7 &+ sigma0 &+ Lanes(words: first.0, first.2, 0, 0)
      let hw = half.words
      let second = sigma1(Lanes(words: hw.0, hw.0, hw.1, hw.1)).words
      return half &+ Lanes(words: 0, 0, second.0, second.2)
    }

    /// Returns the function's values of two words that are each there twice, in lanes 0 and 2: a
    /// word beside itself is turned by one shift of 64 bits.
    @_transparent
    private static func sigma1(_ pairs: Lanes) -> Lanes {
      let wide = unsafeBitCast(pairs, to: (UInt64, UInt64).self)
      let turned17 = unsafeBitCast((wide.0 &>> 17, wide.1 &>> 17), to: Lanes.self)
      let turned19 = unsafeBitCast((wide.0 &>> 19, wide.1 &>> 19), to: Lanes.self)
      return turned17.xor(turned19).xor(pairs.shifted(10))
    }
  }

  // The compression function of SHA-256 (FIPS 180-4 §6.2.2).
  //
  // The rounds run in the general registers, and beside them the message schedule is made four words
  // at a time in the vector registers; they meet in 64 bytes of memory that hold the schedule's next
  // sixteen words, each with its round's constant added.

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
    0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
    0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
    0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
    0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
    0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
    0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
    0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]

  /// Folds `count` blocks of 64 bytes into the state.
  static func compress(_ state: inout SIMD8<UInt32>, _ blocks: UnsafeRawPointer, count: Int) {
    var working = Working(state)
    constants.withUnsafeBytes { constants in
      withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { words in
        guard let constants = constants.baseAddress, let base = words.baseAddress else { return }
        for block in 0..<count {
          working.compress(blocks + 64 &* block, constants, base)
        }
        wipe(words)
      }
    }
    state = working.state
  }

  /// The eight working variables.
  private struct Working {
    private var a, b, c, d, e, f, g, h: UInt32

    @inline(__always)
    init(_ state: SIMD8<UInt32>) {
      (a, b, c, d) = (state[0], state[1], state[2], state[3])
      (e, f, g, h) = (state[4], state[5], state[6], state[7])
    }

    @inline(__always)
    var state: SIMD8<UInt32> { SIMD8(a, b, c, d, e, f, g, h) }

    @inline(__always)
    mutating func compress(
      _ block: UnsafeRawPointer, _ constants: UnsafeRawPointer, _ words: UnsafeMutableRawPointer
    ) {
      let start = self
      var schedule = Schedule(block)
      schedule.write(constants, words)
      let sums = UnsafePointer(words.bindMemory(to: UInt32.self, capacity: 16))
      for group in 1..<4 {
        let next = constants + 64 &* group
        fourRounds(sums, at: 0)
        schedule.advance(next, words, at: 0)
        fourRounds(sums, at: 4)
        schedule.advance(next, words, at: 16)
        fourRounds(sums, at: 8)
        schedule.advance(next, words, at: 32)
        fourRounds(sums, at: 12)
        schedule.advance(next, words, at: 48)
      }
      fourRounds(sums, at: 0)
      fourRounds(sums, at: 4)
      fourRounds(sums, at: 8)
      fourRounds(sums, at: 12)
      a &+= start.a
      b &+= start.b
      c &+= start.c
      d &+= start.d
      e &+= start.e
      f &+= start.f
      g &+= start.g
      h &+= start.h
    }

    /// Four rounds, with the words at a place.
    @_transparent
    private mutating func fourRounds(_ words: UnsafePointer<UInt32>, at place: Int) {
      Self.round(a, b, c, &d, e, f, g, &h, words, place)
      Self.round(h, a, b, &c, d, e, f, &g, words, place &+ 1)
      Self.round(g, h, a, &b, c, d, e, &f, words, place &+ 2)
      Self.round(f, g, h, &a, b, c, d, &e, words, place &+ 3)
      // The variables have moved on by four. Inlined, this only names the registers anew.
      (a, b, c, d, e, f, g, h) = (e, f, g, h, a, b, c, d)
    }

    @_transparent
    private static func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
      _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
      _ words: UnsafePointer<UInt32>, _ place: Int
    ) {
      let word = words[place]
      let choice = g ^ (e & (f ^ g))
      let majority = (a & b) ^ (c & (a ^ b))
      let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let first = h &+ word &+ choice &+ sum1
      d &+= first
      h = first &+ sum0 &+ majority
    }

    @_transparent
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
      (word &>> count) | (word &<< (32 &- count))
    }
  }
}
