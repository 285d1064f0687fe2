/// An element of the pairing's target group: of order r, in ``Fp12``.
package struct GT: Equatable, Sendable {
  package let value: Fp12

  /// Only values of the final exponentiation and their products may come here.
  private init(_ value: Fp12) {
    self.value = value
  }

  /// Returns the pairing of two points, with the exponent 3(p¹² − 1)/r: the cube of the textbook
  /// value.
  package static func pairing(_ p: G1.Affine, _ q: G2.Affine) -> GT {
    GT(MillerLoop.value(p, q).raisedToFinalExponent())
  }

  /// Whether e(a, b) = e(c, d), by one final exponentiation.
  package static func pairingsAreEqual(
    _ a: G1.Affine, _ b: G2.Affine, _ c: G1.Affine, _ d: G2.Affine
  ) -> Bool {
    let quotient = MillerLoop.value(a, b) * MillerLoop.value(-c, d)
    return quotient.raisedToFinalExponent() == .one
  }

  package static func * (a: GT, b: GT) -> GT {
    GT(a.value * b.value)
  }

  /// Returns the element to the power of a scalar, which may be secret: constant time, a fixed
  /// window of four bits, whose table is read as a whole for every digit.
  package func power(_ scalar: Scalar) -> GT {
    var table = [Fp12.one]
    for index in 1..<16 { table.append(table[index - 1] * value) }
    var result = Fp12.one
    for position in (0..<Scalar.digitCount).reversed() {
      for _ in 0..<4 { result = result.cyclotomicSquared() }
      let digit = scalar.digit(position)
      var factor = Fp12.one
      for index in 1..<16 {
        factor.replace(with: table[index], where: Scalar.mask(digit, is: UInt64(index)))
      }
      result = result * factor
    }
    return GT(result)
  }

  /// 576 bytes: coefficients of the highest degree first at every level of the tower.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(12 * Fp.byteCount)
    for half in [value.c1, value.c0] {
      for coefficient in [half.c2, half.c1, half.c0] {
        bytes += coefficient.c1.bigEndian
        bytes += coefficient.c0.bigEndian
      }
    }
    return bytes
  }
}
