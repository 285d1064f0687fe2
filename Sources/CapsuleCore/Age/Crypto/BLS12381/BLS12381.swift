/// The pairing-friendly curve BLS12-381: e: G1 × G2 → GT, groups of the prime order r.
///
/// The field is ``Fp``, the tower ``Fp2`` (u² = −1), ``Fp6`` (v³ = u + 1), ``Fp12`` (w² = v).
package enum BLS12381 {
  /// The absolute value of the curve's parameter x = −0xd201000000010000, of which everything
  /// else follows: r = x⁴ − x² + 1 and p = (x − 1)²r/3 + x.
  @inline(__always) static var absoluteX: UInt64 { 0xd201_0000_0001_0000 }
}
