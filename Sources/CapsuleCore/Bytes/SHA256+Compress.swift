/// The compression function of SHA-256 (FIPS 180-4 §6.2.2).
///
/// The rounds run in the general registers, and beside them the message schedule is made four words
/// at a time in the vector registers; they meet in 64 bytes of memory that hold the schedule's next
/// sixteen words, each with its round's constant added.
///
/// Transparent functions are inlined in a debug build too, within their file: the tests hash much.
extension SHA256 {
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
      for group in 1..<4 {
        let next = constants + 64 &* group
        fourRounds(words, at: 0)
        schedule.advance(next, words, at: 0)
        fourRounds(words, at: 16)
        schedule.advance(next, words, at: 16)
        fourRounds(words, at: 32)
        schedule.advance(next, words, at: 32)
        fourRounds(words, at: 48)
        schedule.advance(next, words, at: 48)
      }
      fourRounds(words, at: 0)
      fourRounds(words, at: 16)
      fourRounds(words, at: 32)
      fourRounds(words, at: 48)
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
    private mutating func fourRounds(_ words: UnsafeMutableRawPointer, at place: Int) {
      Self.round(a, b, c, &d, e, f, g, &h, words, place)
      Self.round(h, a, b, &c, d, e, f, &g, words, place &+ 4)
      Self.round(g, h, a, &b, c, d, e, &f, words, place &+ 8)
      Self.round(f, g, h, &a, b, c, d, &e, words, place &+ 12)
      // The variables have moved on by four. Inlined, this only names the registers anew.
      (a, b, c, d, e, f, g, h) = (e, f, g, h, a, b, c, d)
    }

    @_transparent
    private static func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
      _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32,
      _ words: UnsafeMutableRawPointer, _ place: Int
    ) {
      let word = words.load(fromByteOffset: place, as: UInt32.self)
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
