/// The compression function of SHA-256 (FIPS 180-4 §6.2.2), unrolled so that the state and the
/// sixteen live words of the message schedule stay in registers and every constant is an immediate.
extension SHA256 {
  /// Folds `count` blocks of 64 bytes into the state.
  static func compress(_ state: inout SIMD8<UInt32>, _ blocks: UnsafeRawPointer, count: Int) {
    var a = state[0], b = state[1], c = state[2], d = state[3]
    var e = state[4], f = state[5], g = state[6], h = state[7]
    var input = blocks
    for _ in 0..<count {
      let start = (a, b, c, d, e, f, g, h)
      var w0 = input.bigEndian(at: 0, as: UInt32.self)
      var w1 = input.bigEndian(at: 4, as: UInt32.self)
      var w2 = input.bigEndian(at: 8, as: UInt32.self)
      var w3 = input.bigEndian(at: 12, as: UInt32.self)
      var w4 = input.bigEndian(at: 16, as: UInt32.self)
      var w5 = input.bigEndian(at: 20, as: UInt32.self)
      var w6 = input.bigEndian(at: 24, as: UInt32.self)
      var w7 = input.bigEndian(at: 28, as: UInt32.self)
      var w8 = input.bigEndian(at: 32, as: UInt32.self)
      var w9 = input.bigEndian(at: 36, as: UInt32.self)
      var w10 = input.bigEndian(at: 40, as: UInt32.self)
      var w11 = input.bigEndian(at: 44, as: UInt32.self)
      var w12 = input.bigEndian(at: 48, as: UInt32.self)
      var w13 = input.bigEndian(at: 52, as: UInt32.self)
      var w14 = input.bigEndian(at: 56, as: UInt32.self)
      var w15 = input.bigEndian(at: 60, as: UInt32.self)
      round(a, b, c, &d, e, f, g, &h, 0x428a2f98 &+ w0)
      round(h, a, b, &c, d, e, f, &g, 0x71374491 &+ w1)
      round(g, h, a, &b, c, d, e, &f, 0xb5c0fbcf &+ w2)
      round(f, g, h, &a, b, c, d, &e, 0xe9b5dba5 &+ w3)
      round(e, f, g, &h, a, b, c, &d, 0x3956c25b &+ w4)
      round(d, e, f, &g, h, a, b, &c, 0x59f111f1 &+ w5)
      round(c, d, e, &f, g, h, a, &b, 0x923f82a4 &+ w6)
      round(b, c, d, &e, f, g, h, &a, 0xab1c5ed5 &+ w7)
      round(a, b, c, &d, e, f, g, &h, 0xd807aa98 &+ w8)
      round(h, a, b, &c, d, e, f, &g, 0x12835b01 &+ w9)
      round(g, h, a, &b, c, d, e, &f, 0x243185be &+ w10)
      round(f, g, h, &a, b, c, d, &e, 0x550c7dc3 &+ w11)
      round(e, f, g, &h, a, b, c, &d, 0x72be5d74 &+ w12)
      round(d, e, f, &g, h, a, b, &c, 0x80deb1fe &+ w13)
      round(c, d, e, &f, g, h, a, &b, 0x9bdc06a7 &+ w14)
      round(b, c, d, &e, f, g, h, &a, 0xc19bf174 &+ w15)
      extend(&w0, w1, w9, w14)
      round(a, b, c, &d, e, f, g, &h, 0xe49b69c1 &+ w0)
      extend(&w1, w2, w10, w15)
      round(h, a, b, &c, d, e, f, &g, 0xefbe4786 &+ w1)
      extend(&w2, w3, w11, w0)
      round(g, h, a, &b, c, d, e, &f, 0x0fc19dc6 &+ w2)
      extend(&w3, w4, w12, w1)
      round(f, g, h, &a, b, c, d, &e, 0x240ca1cc &+ w3)
      extend(&w4, w5, w13, w2)
      round(e, f, g, &h, a, b, c, &d, 0x2de92c6f &+ w4)
      extend(&w5, w6, w14, w3)
      round(d, e, f, &g, h, a, b, &c, 0x4a7484aa &+ w5)
      extend(&w6, w7, w15, w4)
      round(c, d, e, &f, g, h, a, &b, 0x5cb0a9dc &+ w6)
      extend(&w7, w8, w0, w5)
      round(b, c, d, &e, f, g, h, &a, 0x76f988da &+ w7)
      extend(&w8, w9, w1, w6)
      round(a, b, c, &d, e, f, g, &h, 0x983e5152 &+ w8)
      extend(&w9, w10, w2, w7)
      round(h, a, b, &c, d, e, f, &g, 0xa831c66d &+ w9)
      extend(&w10, w11, w3, w8)
      round(g, h, a, &b, c, d, e, &f, 0xb00327c8 &+ w10)
      extend(&w11, w12, w4, w9)
      round(f, g, h, &a, b, c, d, &e, 0xbf597fc7 &+ w11)
      extend(&w12, w13, w5, w10)
      round(e, f, g, &h, a, b, c, &d, 0xc6e00bf3 &+ w12)
      extend(&w13, w14, w6, w11)
      round(d, e, f, &g, h, a, b, &c, 0xd5a79147 &+ w13)
      extend(&w14, w15, w7, w12)
      round(c, d, e, &f, g, h, a, &b, 0x06ca6351 &+ w14)
      extend(&w15, w0, w8, w13)
      round(b, c, d, &e, f, g, h, &a, 0x14292967 &+ w15)
      extend(&w0, w1, w9, w14)
      round(a, b, c, &d, e, f, g, &h, 0x27b70a85 &+ w0)
      extend(&w1, w2, w10, w15)
      round(h, a, b, &c, d, e, f, &g, 0x2e1b2138 &+ w1)
      extend(&w2, w3, w11, w0)
      round(g, h, a, &b, c, d, e, &f, 0x4d2c6dfc &+ w2)
      extend(&w3, w4, w12, w1)
      round(f, g, h, &a, b, c, d, &e, 0x53380d13 &+ w3)
      extend(&w4, w5, w13, w2)
      round(e, f, g, &h, a, b, c, &d, 0x650a7354 &+ w4)
      extend(&w5, w6, w14, w3)
      round(d, e, f, &g, h, a, b, &c, 0x766a0abb &+ w5)
      extend(&w6, w7, w15, w4)
      round(c, d, e, &f, g, h, a, &b, 0x81c2c92e &+ w6)
      extend(&w7, w8, w0, w5)
      round(b, c, d, &e, f, g, h, &a, 0x92722c85 &+ w7)
      extend(&w8, w9, w1, w6)
      round(a, b, c, &d, e, f, g, &h, 0xa2bfe8a1 &+ w8)
      extend(&w9, w10, w2, w7)
      round(h, a, b, &c, d, e, f, &g, 0xa81a664b &+ w9)
      extend(&w10, w11, w3, w8)
      round(g, h, a, &b, c, d, e, &f, 0xc24b8b70 &+ w10)
      extend(&w11, w12, w4, w9)
      round(f, g, h, &a, b, c, d, &e, 0xc76c51a3 &+ w11)
      extend(&w12, w13, w5, w10)
      round(e, f, g, &h, a, b, c, &d, 0xd192e819 &+ w12)
      extend(&w13, w14, w6, w11)
      round(d, e, f, &g, h, a, b, &c, 0xd6990624 &+ w13)
      extend(&w14, w15, w7, w12)
      round(c, d, e, &f, g, h, a, &b, 0xf40e3585 &+ w14)
      extend(&w15, w0, w8, w13)
      round(b, c, d, &e, f, g, h, &a, 0x106aa070 &+ w15)
      extend(&w0, w1, w9, w14)
      round(a, b, c, &d, e, f, g, &h, 0x19a4c116 &+ w0)
      extend(&w1, w2, w10, w15)
      round(h, a, b, &c, d, e, f, &g, 0x1e376c08 &+ w1)
      extend(&w2, w3, w11, w0)
      round(g, h, a, &b, c, d, e, &f, 0x2748774c &+ w2)
      extend(&w3, w4, w12, w1)
      round(f, g, h, &a, b, c, d, &e, 0x34b0bcb5 &+ w3)
      extend(&w4, w5, w13, w2)
      round(e, f, g, &h, a, b, c, &d, 0x391c0cb3 &+ w4)
      extend(&w5, w6, w14, w3)
      round(d, e, f, &g, h, a, b, &c, 0x4ed8aa4a &+ w5)
      extend(&w6, w7, w15, w4)
      round(c, d, e, &f, g, h, a, &b, 0x5b9cca4f &+ w6)
      extend(&w7, w8, w0, w5)
      round(b, c, d, &e, f, g, h, &a, 0x682e6ff3 &+ w7)
      extend(&w8, w9, w1, w6)
      round(a, b, c, &d, e, f, g, &h, 0x748f82ee &+ w8)
      extend(&w9, w10, w2, w7)
      round(h, a, b, &c, d, e, f, &g, 0x78a5636f &+ w9)
      extend(&w10, w11, w3, w8)
      round(g, h, a, &b, c, d, e, &f, 0x84c87814 &+ w10)
      extend(&w11, w12, w4, w9)
      round(f, g, h, &a, b, c, d, &e, 0x8cc70208 &+ w11)
      extend(&w12, w13, w5, w10)
      round(e, f, g, &h, a, b, c, &d, 0x90befffa &+ w12)
      extend(&w13, w14, w6, w11)
      round(d, e, f, &g, h, a, b, &c, 0xa4506ceb &+ w13)
      extend(&w14, w15, w7, w12)
      round(c, d, e, &f, g, h, a, &b, 0xbef9a3f7 &+ w14)
      extend(&w15, w0, w8, w13)
      round(b, c, d, &e, f, g, h, &a, 0xc67178f2 &+ w15)
      a &+= start.0
      b &+= start.1
      c &+= start.2
      d &+= start.3
      e &+= start.4
      f &+= start.5
      g &+= start.6
      h &+= start.7
      input += 64
    }
    state = SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let choice = g ^ (e & (f ^ g))
    let majority = (a & b) ^ (c & (a ^ b))
    let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    let first = h &+ word &+ sum1 &+ choice
    d &+= first
    h = first &+ sum0 &+ majority
  }

  /// Replaces the schedule's word 16 places back by the next one.
  @inline(__always)
  private static func extend(
    _ word: inout UInt32, _ back15: UInt32, _ back7: UInt32, _ back2: UInt32
  ) {
    let sigma0 = rotated(back15, 7) ^ rotated(back15, 18) ^ (back15 &>> 3)
    let sigma1 = rotated(back2, 17) ^ rotated(back2, 19) ^ (back2 &>> 10)
    word = word &+ sigma0 &+ back7 &+ sigma1
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word &>> count) | (word &<< (32 &- count))
  }
}
