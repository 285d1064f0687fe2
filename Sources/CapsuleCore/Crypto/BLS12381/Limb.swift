/// Arithmetic on 64-bit limbs with carries, in constant time: a carry is a number, not a condition.
enum Limb {
  /// `a + b + carry`; the carry becomes 0 or 1.
  @inline(__always)
  static func add(_ a: UInt64, _ b: UInt64, _ carry: inout UInt64) -> UInt64 {
    let (s, first) = a.addingReportingOverflow(b)
    let (t, second) = s.addingReportingOverflow(carry)
    carry = (first ? 1 : 0) | (second ? 1 : 0)
    return t
  }

  /// `a − b − borrow`; the borrow becomes 0 or 1.
  @inline(__always)
  static func subtract(_ a: UInt64, _ b: UInt64, _ borrow: inout UInt64) -> UInt64 {
    let (s, first) = a.subtractingReportingOverflow(b)
    let (t, second) = s.subtractingReportingOverflow(borrow)
    borrow = (first ? 1 : 0) | (second ? 1 : 0)
    return t
  }

  /// The low half of `t + a·b + carry`, which never exceeds 128 bits; the carry becomes the high half.
  @inline(__always)
  static func multiplyAdd(
    _ t: UInt64, _ a: UInt64, _ b: UInt64, _ carry: inout UInt64
  ) -> UInt64 {
    let (high, low) = a.multipliedFullWidth(by: b)
    let (s, first) = low.addingReportingOverflow(t)
    let (r, second) = s.addingReportingOverflow(carry)
    carry = high &+ (first ? 1 : 0) &+ (second ? 1 : 0)
    return r
  }
}
