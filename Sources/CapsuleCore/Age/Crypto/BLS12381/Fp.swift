/// An element of the base field of BLS12-381: a number modulo
/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
///
/// Six 64-bit limbs, the lowest first, of a·2³⁸⁴ mod p (Montgomery form), always fully reduced.
/// Every operation here except `squareRoot()` runs in constant time: no branch and no address
/// depends on an element, because carries are added, never tested, and the reductions choose with a
/// mask.
package struct Fp: Equatable, Sendable {
  var l0, l1, l2, l3, l4, l5: UInt64

  package init(l0: UInt64, l1: UInt64, l2: UInt64, l3: UInt64, l4: UInt64, l5: UInt64) {
    self.l0 = l0
    self.l1 = l1
    self.l2 = l2
    self.l3 = l3
    self.l4 = l4
    self.l5 = l5
  }

  @inline(__always)
  package static func + (a: Fp, b: Fp) -> Fp {
    // p has 381 bits, so the sum of two elements never leaves the six limbs.
    var carry: UInt64 = 0
    return reduced(
      Fp(
        l0: Limb.add(a.l0, b.l0, &carry), l1: Limb.add(a.l1, b.l1, &carry),
        l2: Limb.add(a.l2, b.l2, &carry), l3: Limb.add(a.l3, b.l3, &carry),
        l4: Limb.add(a.l4, b.l4, &carry), l5: Limb.add(a.l5, b.l5, &carry)))
  }

  @inline(__always)
  package static func - (a: Fp, b: Fp) -> Fp {
    var borrow: UInt64 = 0
    let d = Fp(
      l0: Limb.subtract(a.l0, b.l0, &borrow), l1: Limb.subtract(a.l1, b.l1, &borrow),
      l2: Limb.subtract(a.l2, b.l2, &borrow), l3: Limb.subtract(a.l3, b.l3, &borrow),
      l4: Limb.subtract(a.l4, b.l4, &borrow), l5: Limb.subtract(a.l5, b.l5, &borrow))
    let mask = 0 &- borrow
    var carry: UInt64 = 0
    return Fp(
      l0: Limb.add(d.l0, p0 & mask, &carry), l1: Limb.add(d.l1, p1 & mask, &carry),
      l2: Limb.add(d.l2, p2 & mask, &carry), l3: Limb.add(d.l3, p3 & mask, &carry),
      l4: Limb.add(d.l4, p4 & mask, &carry), l5: Limb.add(d.l5, p5 & mask, &carry))
  }

  package static prefix func - (a: Fp) -> Fp {
    Fp(l0: 0, l1: 0, l2: 0, l3: 0, l4: 0, l5: 0) - a
  }

  /// Montgomery multiplication, one limb of `b` at a time (CIOS: Koç, Acar and Kaliski 1996),
  /// without the seventh limb, which the three spare bits of p's top limb make needless.
  @inline(never)
  package static func * (a: Fp, b: Fp) -> Fp {
    var t = Fp(l0: 0, l1: 0, l2: 0, l3: 0, l4: 0, l5: 0)
    t.accumulate(a, b.l0)
    t.accumulate(a, b.l1)
    t.accumulate(a, b.l2)
    t.accumulate(a, b.l3)
    t.accumulate(a, b.l4)
    t.accumulate(a, b.l5)
    return reduced(t)
  }

  /// (self + a·b) / 2⁶⁴ modulo p, below 2p.
  @inline(__always)
  private mutating func accumulate(_ a: Fp, _ b: UInt64) {
    var high: UInt64 = 0
    var carry: UInt64 = 0
    l0 = Limb.multiplyAdd(l0, a.l0, b, &high)
    let m = l0 &* Fp.minusInverse
    _ = Limb.multiplyAdd(l0, m, Fp.p0, &carry)
    l1 = Limb.multiplyAdd(l1, a.l1, b, &high)
    l0 = Limb.multiplyAdd(l1, m, Fp.p1, &carry)
    l2 = Limb.multiplyAdd(l2, a.l2, b, &high)
    l1 = Limb.multiplyAdd(l2, m, Fp.p2, &carry)
    l3 = Limb.multiplyAdd(l3, a.l3, b, &high)
    l2 = Limb.multiplyAdd(l3, m, Fp.p3, &carry)
    l4 = Limb.multiplyAdd(l4, a.l4, b, &high)
    l3 = Limb.multiplyAdd(l4, m, Fp.p4, &carry)
    l5 = Limb.multiplyAdd(l5, a.l5, b, &high)
    l4 = Limb.multiplyAdd(l5, m, Fp.p5, &carry)
    l5 = high &+ carry
  }

  package func squared() -> Fp {
    self * self
  }

  @inline(__always)
  package func doubled() -> Fp {
    self + self
  }

  package static func == (a: Fp, b: Fp) -> Bool {
    let low = a.l0 ^ b.l0 | a.l1 ^ b.l1 | a.l2 ^ b.l2
    return low | a.l3 ^ b.l3 | a.l4 ^ b.l4 | a.l5 ^ b.l5 == 0
  }

  package var isZero: Bool {
    l0 | l1 | l2 | l3 | l4 | l5 == 0
  }

  /// Takes `other` where `mask` is all ones, and stays as it is where it is zero.
  @inline(__always)
  package mutating func replace(with other: Fp, where mask: UInt64) {
    l0 ^= mask & (l0 ^ other.l0)
    l1 ^= mask & (l1 ^ other.l1)
    l2 ^= mask & (l2 ^ other.l2)
    l3 ^= mask & (l3 ^ other.l3)
    l4 ^= mask & (l4 ^ other.l4)
    l5 ^= mask & (l5 ^ other.l5)
  }

  /// Returns `t` modulo p, for `t` below 2p.
  @inline(__always)
  private static func reduced(_ t: Fp) -> Fp {
    var borrow: UInt64 = 0
    var result = subtractingModulus(t, &borrow)
    result.replace(with: t, where: 0 &- borrow)
    return result
  }

  /// Returns `t − p` on plain limbs; the borrow is 1 when `t` is below p.
  @inline(__always)
  static func subtractingModulus(_ t: Fp, _ borrow: inout UInt64) -> Fp {
    Fp(
      l0: Limb.subtract(t.l0, p0, &borrow), l1: Limb.subtract(t.l1, p1, &borrow),
      l2: Limb.subtract(t.l2, p2, &borrow), l3: Limb.subtract(t.l3, p3, &borrow),
      l4: Limb.subtract(t.l4, p4, &borrow), l5: Limb.subtract(t.l5, p5, &borrow))
  }

  // The limbs of p, and −1/p modulo 2⁶⁴: computed, not stored, so that they become literals.
  @inline(__always) private static var p0: UInt64 { 0xb9fe_ffff_ffff_aaab }
  @inline(__always) private static var p1: UInt64 { 0x1eab_fffe_b153_ffff }
  @inline(__always) private static var p2: UInt64 { 0x6730_d2a0_f6b0_f624 }
  @inline(__always) private static var p3: UInt64 { 0x6477_4b84_f385_12bf }
  @inline(__always) private static var p4: UInt64 { 0x4b1b_a7b6_434b_acd7 }
  @inline(__always) private static var p5: UInt64 { 0x1a01_11ea_397f_e69a }
  @inline(__always) private static var minusInverse: UInt64 { 0x89f3_fffc_fffc_fffd }

  /// The number of bytes of an element.
  package static var byteCount: Int { 48 }

  /// Reads 48 bytes, big endian; `nil` for a number that is not below p, or another count.
  package init?(bigEndian bytes: ArraySlice<UInt8>) {
    guard bytes.count == Fp.byteCount else { return nil }
    let plain = Fp(plain: bytes)
    var borrow: UInt64 = 0
    _ = Fp.subtractingModulus(plain, &borrow)
    guard borrow == 1 else { return nil }
    self = plain * .montgomeryRadix
  }

  /// The number of 64 bytes, big endian, modulo p (`hash_to_field`, RFC 9380, section 5.3).
  package init(reducing bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == 64)
    let high = Fp(plain: bytes.prefix(32)) * .montgomeryRadix
    let low = Fp(plain: bytes.suffix(32)) * .montgomeryRadix
    self = high * .toThe256 + low
  }

  /// The element as 48 bytes, big endian.
  package var bigEndian: [UInt8] {
    let plain = self.plain
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Fp.byteCount)
    for limb in [plain.l5, plain.l4, plain.l3, plain.l2, plain.l1, plain.l0] {
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: limb >> shift))
      }
    }
    return bytes
  }

  /// Whether the number is odd: `sgn0` of RFC 9380, section 4.1.
  package var isOdd: Bool {
    plain.l0 & 1 == 1
  }

  /// Whether the number is above (p − 1)/2, which makes it the larger of itself and its negative.
  package var isLarger: Bool {
    let plain = self.plain
    var carry: UInt64 = 0
    let twice = Fp(
      l0: Limb.add(plain.l0, plain.l0, &carry), l1: Limb.add(plain.l1, plain.l1, &carry),
      l2: Limb.add(plain.l2, plain.l2, &carry), l3: Limb.add(plain.l3, plain.l3, &carry),
      l4: Limb.add(plain.l4, plain.l4, &carry), l5: Limb.add(plain.l5, plain.l5, &carry))
    var borrow: UInt64 = 0
    _ = Fp.subtractingModulus(twice, &borrow)
    return borrow == 0
  }

  /// The number's own limbs, out of Montgomery form.
  private var plain: Fp {
    self * Fp(l0: 1, l1: 0, l2: 0, l3: 0, l4: 0, l5: 0)
  }

  /// Plain limbs from at most 48 bytes, big endian.
  private init(plain bytes: ArraySlice<UInt8>) {
    func limb(_ index: Int) -> UInt64 {
      bytes.dropLast(8 * index).suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(l0: limb(0), l1: limb(1), l2: limb(2), l3: limb(3), l4: limb(4), l5: limb(5))
  }

  /// Returns 1/self, or 0 for 0 (Fermat; the exponent is public, so this is constant time).
  package func inverse() -> Fp {
    power(Fp.inverseExponent)
  }

  /// Returns the element to the power of a public number, whose limbs begin with the lowest.
  func power(_ exponent: [UInt64]) -> Fp {
    var result = Fp.one
    for limb in exponent.reversed() {
      for bit in stride(from: UInt64(63), through: 0, by: -1) {
        result = result.squared()
        if limb >> bit & 1 == 1 { result = result * self }
      }
    }
    return result
  }

  /// Returns a root, when there is one. p ≡ 3 (mod 4), so self^((p + 1)/4) is it. For public
  /// values.
  package func squareRoot() -> Fp? {
    let root = power(Fp.rootExponent) * self
    return root.squared() == self ? root : nil
  }
}

/// Arithmetic on 64-bit limbs with carries, in constant time: a carry is a number, not a condition.
enum Limb {
  /// Returns `a + b + carry`; the carry becomes 0 or 1.
  @_transparent
  static func add(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (s, first) = a.addingReportingOverflow(b)
    let (t, second) = s.addingReportingOverflow(carry)
    carry = bit(first) | bit(second)
    return t
  }

  /// Returns `a − b − borrow`; the borrow becomes 0 or 1.
  @_transparent
  static func subtract(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let (s, first) = a.subtractingReportingOverflow(b)
    let (t, second) = s.subtractingReportingOverflow(borrow)
    borrow = bit(first) | bit(second)
    return t
  }

  /// Returns the low half of `t + a·b + carry`, which never exceeds 128 bits; the carry becomes the
  /// high half.
  @_transparent
  static func multiplyAdd(
    _ t: UInt64, _ a: UInt64, _ b: UInt64, _ carry: inout UInt64
  ) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    let (s, first) = low.addingReportingOverflow(t)
    let (r, second) = s.addingReportingOverflow(carry)
    carry = high &+ bit(first) &+ bit(second)
    return r
  }

  /// 1 for an overflow, else 0.
  ///
  /// A condition (`? 1 : 0`) would say the same, but as a branch until the last stage of the
  /// compiler; so many of them keep it from inlining what calls this. A `Bool` is one byte, 0 or 1.
  @_transparent
  private static func bit(_ overflow: Bool) -> UInt64 {
    UInt64(unsafeBitCast(overflow, to: UInt8.self))
  }
}
