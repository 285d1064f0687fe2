/// Whether two byte strings are equal, in a time that depends on their lengths only.
///
/// Strings of different lengths are unequal at once: lengths are not secret.
package func constantTimeEqual(
  _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
) -> Bool {
  guard left.count == right.count else { return false }
  // No early exit and no branch on a byte: the differences are gathered and asked for once.
  var difference: UInt8 = 0
  for index in 0..<left.count { difference |= left[index] ^ right[index] }
  return difference == 0
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.withUnsafeBytes { left in right.withUnsafeBytes { right in constantTimeEqual(left, right) } }
}

/// Returns 0 where two byte strings of one length are equal, and else another number, in a time that
/// depends on their length only.
///
/// Never inlined, so that no caller's knowledge of the result can become a branch in here.
@inline(never)
package func constantTimeDifference(
  _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
) -> UInt8 {
  precondition(left.count == right.count)
  var difference: UInt8 = 0
  for index in 0..<left.count { difference |= left[index] ^ right[index] }
  return difference
}

/// Writes one byte string over another of its length where `difference` is not 0, by a mask: the
/// same steps are made either way.
///
/// Never inlined, so that the mask cannot become a branch on where it came from.
@inline(never)
package func constantTimeReplace(
  _ target: UnsafeMutableRawBufferPointer, with other: UnsafeRawBufferPointer,
  if difference: UInt8
) {
  precondition(target.count == other.count)
  // 0xFF where any bit is set, and else 0.
  let mask = UInt8(truncatingIfNeeded: (0 &- UInt32(difference)) &>> 8)
  for index in 0..<target.count { target[index] ^= mask & (target[index] ^ other[index]) }
}
