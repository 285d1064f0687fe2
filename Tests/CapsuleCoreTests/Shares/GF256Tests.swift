import CapsuleAge
import TestSupport
import Testing

/// The field of 256 elements.
@Suite struct GF256Tests {
  /// Multiplication of polynomials over the field of two elements, as one learns it.
  private func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var result: UInt16 = 0
    for bit in 0..<8 where right >> bit & 1 == 1 { result ^= UInt16(left) << bit }
    for bit in (8..<16).reversed() where result >> bit & 1 == 1 { result ^= 0x11b << (bit - 8) }
    return UInt8(result)
  }

  @Test func `products are those of polynomials modulo 0x11b`() {
    let rights = TestScale.isFull ? Array(UInt8.min...UInt8.max) : [0, 1, 2, 0x53, 0x80, 0xff]
    for right in rights {
      for left in UInt8.min...UInt8.max {
        expect(GF256.multiply(left, right), is: product(left, right))
      }
    }
  }

  @Test func `every element but 0 times its inverse is 1`() {
    for element in 1...UInt8.max {
      expect(GF256.multiply(element, GF256.inverse(element)), is: 1)
    }
  }
}
