/// A point of E′: y² = x³ + 4(u + 1) over ``Fp2``, the twist of E.
package typealias G2 = CurvePoint<Fp2>

extension Fp2: CurveField {
  package static var curveB: Fp2 { Fp2.one.doubled().doubled().multipliedByXi() }

  @inline(__always)
  package static func timesB3(_ a: Fp2) -> Fp2 {
    let four = a.doubled().doubled()
    return (four.doubled() + four).multipliedByXi()
  }
}

extension CurvePoint<Fp2> {
  /// Whether the point lies in the subgroup of order r.
  ///
  /// It does exactly when ψ(P) = [x]P for the curve's parameter x (Scott, eprint 2021/1130, section 4),
  /// where ψ untwists, raises to the power of p and twists again.
  package var isInSubgroup: Bool {
    // x is negative.
    let multiple = -multiplied(byPublic: BLS12381.absoluteX)
    return multiple
      == G2(x: x.conjugate * Fp2.psiX, y: y.conjugate * Fp2.psiY, z: z.conjugate)
  }
}
