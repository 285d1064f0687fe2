/// A number below r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001, the order
/// of the groups.
///
/// It may be a secret: nothing here branches on it but the range check, which a number outside fails.
package struct Scalar: BitwiseCopyable, Sendable {
  /// Four limbs, the lowest first.
  private var l0, l1, l2, l3: UInt64

  /// Reads 32 bytes, big endian; `nil` for a number that is not below r, or another count.
  package init?(bigEndian bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    func limb(_ index: Int) -> UInt64 {
      var value: UInt64 = 0
      for position in (24 - 8 * index)..<(32 - 8 * index) {
        value = value << 8 | UInt64(bytes[position])
      }
      return value
    }
    (l0, l1, l2, l3) = (limb(0), limb(1), limb(2), limb(3))
    var borrow: UInt64 = 0
    _ = Limb.subtract(l0, 0xffff_ffff_0000_0001, &borrow)
    _ = Limb.subtract(l1, 0x53bd_a402_fffe_5bfe, &borrow)
    _ = Limb.subtract(l2, 0x3339_d808_09a1_d805, &borrow)
    _ = Limb.subtract(l3, 0x73ed_a753_299d_7d48, &borrow)
    guard borrow == 1 else { return nil }
  }

  /// A small public number.
  package init(_ value: UInt64) {
    (l0, l1, l2, l3) = (value, 0, 0, 0)
  }

  /// The number of base-16 digits of `digit(_:)`.
  static var digitCount: Int { 64 }

  /// Returns the base-16 digit at a public position, 0 the lowest.
  func digit(_ position: Int) -> UInt64 {
    let limb =
      switch position >> 4 {
      case 0: l0
      case 1: l1
      case 2: l2
      default: l3
      }
    return limb >> UInt64(4 * (position & 15)) & 15
  }

  /// Returns all ones when the two small numbers are equal, else zero, without a branch.
  @inline(__always)
  static func mask(_ digit: UInt64, is value: UInt64) -> UInt64 {
    let difference = digit ^ value
    return ((difference | (0 &- difference)) >> 63) &- 1
  }
}
