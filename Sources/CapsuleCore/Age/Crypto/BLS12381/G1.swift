/// A point of E: y² = x³ + 4 over ``Fp``.
package typealias G1 = CurvePoint<Fp>

extension Fp: CurveField {
  package static var curveB: Fp { Fp.one.doubled().doubled() }

  @inline(__always)
  package static func timesB3(_ a: Fp) -> Fp {
    let four = a.doubled().doubled()
    return four.doubled() + four
  }
}

extension CurvePoint<Fp> {
  /// Whether the point lies in the subgroup of order r.
  ///
  /// It does exactly when (βx, y) = [−x²](x, y) for the curve's parameter x (Scott, eprint 2021/1130,
  /// section 6), since then [x⁴ − x² + 1] maps it to the identity, and that number is r.
  package var isInSubgroup: Bool {
    let squared = multiplied(byPublic: BLS12381.absoluteX).multiplied(byPublic: BLS12381.absoluteX)
    return -squared == G1(x: x * Fp.beta, y: y, z: z)
  }
}
