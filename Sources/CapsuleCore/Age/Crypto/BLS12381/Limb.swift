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
