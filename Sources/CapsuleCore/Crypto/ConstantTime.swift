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
