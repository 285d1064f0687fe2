extension Fp {
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
}
