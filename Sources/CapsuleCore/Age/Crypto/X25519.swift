/// The Diffie-Hellman function X25519 (RFC 7748 §5), in constant time.
package enum X25519 {
  package static let byteCount = 32

  /// Returns the public key of a secret key of 32 bytes.
  package static func publicKey(secret: [UInt8]) -> [UInt8] {
    multiply(secret, [9] + [UInt8](repeating: 0, count: 31))
  }

  /// Returns the secret shared with the owner of a public key of 32 bytes; `nil` where it is all
  /// zeros, because the public key is a point of low order.
  package static func sharedSecret(secret: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
    let shared = multiply(secret, publicKey)
    let isZero = constantTimeEqual(shared, [UInt8](repeating: 0, count: byteCount))
    return isZero ? nil : shared
  }

  /// Multiplies a point by a scalar with the Montgomery ladder: every bit of the scalar costs the
  /// same steps, and chooses by a mask.
  private static func multiply(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
    precondition(scalar.count == byteCount && point.count == byteCount)
    var k = SIMD4<UInt64>()
    var x1 = Curve25519Field.zero
    scalar.withUnsafeBytes { scalar in
      point.withUnsafeBytes { point in
        guard let scalar = scalar.baseAddress, let point = point.baseAddress else { return }
        for index in 0..<4 { k[index] = scalar.littleEndian(at: 8 * index, as: UInt64.self) }
        x1 = Curve25519Field(point)
      }
    }
    k[0] &= ~7
    k[3] = k[3] & (1 << 63 - 1) | 1 << 62
    var x2 = Curve25519Field.one
    var z2 = Curve25519Field.zero
    var x3 = x1
    var z3 = Curve25519Field.one
    var swap: UInt64 = 0
    for position in stride(from: 254, through: 0, by: -1) {
      let bit = k[position &>> 6] &>> UInt64(position & 63) & 1
      Curve25519Field.swap(&x2, &x3, if: swap ^ bit)
      Curve25519Field.swap(&z2, &z3, if: swap ^ bit)
      swap = bit
      let a = x2 + z2
      let b = x2 - z2
      let aa = a.squared()
      let bb = b.squared()
      let e = aa - bb
      let da = (x3 - z3) * a
      let cb = (x3 + z3) * b
      x3 = (da + cb).squared()
      z3 = x1 * (da - cb).squared()
      x2 = aa * bb
      z2 = e * (aa + e.times121665())
    }
    Curve25519Field.swap(&x2, &x3, if: swap)
    Curve25519Field.swap(&z2, &z3, if: swap)
    var result = x2 * z2.inverted()
    defer {
      wipe(value: &k)
      wipe(value: &x2)
      wipe(value: &z2)
      wipe(value: &x3)
      wipe(value: &z3)
      wipe(value: &result)
    }
    return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      result.write(to: UnsafeMutableRawBufferPointer(output))
      count = byteCount
    }
  }
}

/// An element of the field of 2^255 − 19 elements, in five limbs of 51 bits and a little.
///
/// Sums and products are below 2^52 a limb and differences below 2^54, which is what a product
/// takes. No branch and no address depends on a value.
struct Curve25519Field: BitwiseCopyable {
  private static let mask: UInt64 = (1 << 51) - 1

  static let zero = Curve25519Field(0, 0, 0, 0, 0)
  static let one = Curve25519Field(1, 0, 0, 0, 0)

  private var l0: UInt64
  private var l1: UInt64
  private var l2: UInt64
  private var l3: UInt64
  private var l4: UInt64

  @_transparent
  private init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64, _ l3: UInt64, _ l4: UInt64) {
    self.l0 = l0
    self.l1 = l1
    self.l2 = l2
    self.l3 = l3
    self.l4 = l4
  }

  /// The element in 32 bytes, little endian; the top bit is ignored and no value refused (RFC 7748
  /// §5).
  init(_ bytes: UnsafeRawPointer) {
    let w0 = bytes.littleEndian(at: 0, as: UInt64.self)
    let w1 = bytes.littleEndian(at: 8, as: UInt64.self)
    let w2 = bytes.littleEndian(at: 16, as: UInt64.self)
    let w3 = bytes.littleEndian(at: 24, as: UInt64.self)
    self.init(
      w0 & Self.mask,
      (w0 &>> 51 | w1 &<< 13) & Self.mask,
      (w1 &>> 38 | w2 &<< 26) & Self.mask,
      (w2 &>> 25 | w3 &<< 39) & Self.mask,
      w3 &>> 12 & Self.mask)
  }

  /// Writes the one canonical form, 32 bytes.
  func write(to bytes: UnsafeMutableRawBufferPointer) {
    var t = self
    t.carry()
    t.carry()
    // t is below 2^255; it is at least p exactly where t + 19 has a bit 255.
    var q = (t.l0 &+ 19) &>> 51
    q = (t.l1 &+ q) &>> 51
    q = (t.l2 &+ q) &>> 51
    q = (t.l3 &+ q) &>> 51
    q = (t.l4 &+ q) &>> 51
    t.l0 &+= 19 &* q
    t.l1 &+= t.l0 &>> 51
    t.l0 &= Self.mask
    t.l2 &+= t.l1 &>> 51
    t.l1 &= Self.mask
    t.l3 &+= t.l2 &>> 51
    t.l2 &= Self.mask
    t.l4 &+= t.l3 &>> 51
    t.l3 &= Self.mask
    t.l4 &= Self.mask
    let words = (
      t.l0 | t.l1 &<< 51, t.l1 &>> 13 | t.l2 &<< 38, t.l2 &>> 26 | t.l3 &<< 25,
      t.l3 &>> 39 | t.l4 &<< 12
    )
    bytes.storeBytes(of: words.0.littleEndian, toByteOffset: 0, as: UInt64.self)
    bytes.storeBytes(of: words.1.littleEndian, toByteOffset: 8, as: UInt64.self)
    bytes.storeBytes(of: words.2.littleEndian, toByteOffset: 16, as: UInt64.self)
    bytes.storeBytes(of: words.3.littleEndian, toByteOffset: 24, as: UInt64.self)
  }

  /// Exchanges two elements where `bit` is 1, by a mask.
  @_transparent
  static func swap(_ left: inout Curve25519Field, _ right: inout Curve25519Field, if bit: UInt64) {
    let mask = 0 &- bit
    let d0 = (left.l0 ^ right.l0) & mask
    let d1 = (left.l1 ^ right.l1) & mask
    let d2 = (left.l2 ^ right.l2) & mask
    let d3 = (left.l3 ^ right.l3) & mask
    let d4 = (left.l4 ^ right.l4) & mask
    left = Curve25519Field(
      left.l0 ^ d0, left.l1 ^ d1, left.l2 ^ d2, left.l3 ^ d3, left.l4 ^ d4)
    right = Curve25519Field(
      right.l0 ^ d0, right.l1 ^ d1, right.l2 ^ d2, right.l3 ^ d3, right.l4 ^ d4)
  }

  @_transparent
  static func + (left: Curve25519Field, right: Curve25519Field) -> Curve25519Field {
    Curve25519Field(
      left.l0 &+ right.l0, left.l1 &+ right.l1, left.l2 &+ right.l2, left.l3 &+ right.l3,
      left.l4 &+ right.l4)
  }

  @_transparent
  static func - (left: Curve25519Field, right: Curve25519Field) -> Curve25519Field {
    // 4p is added, so that no limb becomes negative: right's limbs are below 2^53 − 76.
    let four0: UInt64 = (1 << 53) - 76
    let four: UInt64 = (1 << 53) - 4
    return Curve25519Field(
      left.l0 &+ four0 &- right.l0, left.l1 &+ four &- right.l1, left.l2 &+ four &- right.l2,
      left.l3 &+ four &- right.l3, left.l4 &+ four &- right.l4)
  }

  @_transparent
  static func * (left: Curve25519Field, right: Curve25519Field) -> Curve25519Field {
    let (a0, a1, a2, a3, a4) = (left.l0, left.l1, left.l2, left.l3, left.l4)
    let (b0, b1, b2, b3, b4) = (right.l0, right.l1, right.l2, right.l3, right.l4)
    let (c1, c2, c3, c4) = (b1 &* 19, b2 &* 19, b3 &* 19, b4 &* 19)
    let t0 = wide(a0, b0) &+ wide(a1, c4) &+ wide(a2, c3) &+ wide(a3, c2) &+ wide(a4, c1)
    let t1 = wide(a0, b1) &+ wide(a1, b0) &+ wide(a2, c4) &+ wide(a3, c3) &+ wide(a4, c2)
    let t2 = wide(a0, b2) &+ wide(a1, b1) &+ wide(a2, b0) &+ wide(a3, c4) &+ wide(a4, c3)
    let t3 = wide(a0, b3) &+ wide(a1, b2) &+ wide(a2, b1) &+ wide(a3, b0) &+ wide(a4, c4)
    let t4 = wide(a0, b4) &+ wide(a1, b3) &+ wide(a2, b2) &+ wide(a3, b1) &+ wide(a4, b0)
    return reduced(t0, t1, t2, t3, t4)
  }

  @_transparent
  func squared() -> Curve25519Field {
    let (d0, d1, d2) = (l0 &* 2, l1 &* 2, l2 &* 2)
    let (c3, c4) = (l3 &* 19, l4 &* 19)
    let t0 = Self.wide(l0, l0) &+ Self.wide(d1, c4) &+ Self.wide(d2, c3)
    let t1 = Self.wide(d0, l1) &+ Self.wide(d2, c4) &+ Self.wide(l3, c3)
    let t2 = Self.wide(d0, l2) &+ Self.wide(l1, l1) &+ Self.wide(l3 &* 2, c4)
    let t3 = Self.wide(d0, l3) &+ Self.wide(d1, l2) &+ Self.wide(l4, c4)
    let t4 = Self.wide(d0, l4) &+ Self.wide(d1, l3) &+ Self.wide(l2, l2)
    return Self.reduced(t0, t1, t2, t3, t4)
  }

  /// Returns the product with (486662 − 2) / 4.
  @_transparent
  func times121665() -> Curve25519Field {
    let a24: UInt64 = 121_665
    return Self.reduced(
      Self.wide(l0, a24), Self.wide(l1, a24), Self.wide(l2, a24), Self.wide(l3, a24),
      Self.wide(l4, a24))
  }

  /// Returns the inverse, and zero for zero: the power p − 2, by a fixed chain.
  func inverted() -> Curve25519Field {
    let z2 = squared()
    let z9 = z2.squared(times: 2) * self
    let z11 = z9 * z2
    let z2p5 = z11.squared() * z9
    let z2p10 = z2p5.squared(times: 5) * z2p5
    let z2p20 = z2p10.squared(times: 10) * z2p10
    let z2p40 = z2p20.squared(times: 20) * z2p20
    let z2p50 = z2p40.squared(times: 10) * z2p10
    let z2p100 = z2p50.squared(times: 50) * z2p50
    let z2p200 = z2p100.squared(times: 100) * z2p100
    let z2p250 = z2p200.squared(times: 50) * z2p50
    return z2p250.squared(times: 5) * z11
  }

  private func squared(times count: Int) -> Curve25519Field {
    var result = self
    for _ in 0..<count { result = result.squared() }
    return result
  }

  private mutating func carry() {
    l1 &+= l0 &>> 51
    l2 &+= l1 &>> 51
    l3 &+= l2 &>> 51
    l4 &+= l3 &>> 51
    l0 = (l0 & Self.mask) &+ 19 &* (l4 &>> 51)
    l1 &= Self.mask
    l2 &= Self.mask
    l3 &= Self.mask
    l4 &= Self.mask
  }

  @_transparent
  private static func reduced(
    _ t0: UInt128, _ t1: UInt128, _ t2: UInt128, _ t3: UInt128, _ t4: UInt128
  ) -> Curve25519Field {
    let u1 = t1 &+ t0.shiftedRight(51)
    let u2 = t2 &+ u1.shiftedRight(51)
    let u3 = t3 &+ u2.shiftedRight(51)
    let u4 = t4 &+ u3.shiftedRight(51)
    let l0 = (t0.low & mask) &+ u4.shiftedRight(51).low &* 19
    return Curve25519Field(
      l0 & mask, (u1.low & mask) &+ l0 &>> 51, u2.low & mask, u3.low & mask, u4.low & mask)
  }

  @_transparent
  private static func wide(_ left: UInt64, _ right: UInt64) -> UInt128 {
    UInt128(product: left, right)
  }
}
