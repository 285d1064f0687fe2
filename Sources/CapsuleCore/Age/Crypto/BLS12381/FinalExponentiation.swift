extension Fp12 {
  /// Returns self^(3(p¹² − 1)/r): three times the textbook exponent, as every library that computes
  /// this chain has it, and as the bytes of a tlock file need it.
  ///
  /// The hard part is (x − 1)²(x + p)(x² + p² − 1) + 3 = 3(p⁴ − p² + 1)/r (Hayashida, Hayasaka and
  /// Teruya, eprint 2020/875). Constant time.
  func raisedToFinalExponent() -> Fp12 {
    // The easy part, (p⁶ − 1)(p² + 1), leaves an element whose conjugate is its inverse.
    let unitary = conjugate * inverse()
    let f = unitary.frobenius().frobenius() * unitary

    let a = f.cyclotomicPowerOfX() * f.conjugate
    let b = a.cyclotomicPowerOfX() * a.conjugate
    let c = b.cyclotomicPowerOfX() * b.frobenius()
    let d =
      c.cyclotomicPowerOfX().cyclotomicPowerOfX() * c.frobenius().frobenius() * c.conjugate
    return d * f.cyclotomicSquared() * f
  }

  /// Returns the square of an element of the cyclotomic subgroup (Granger and Scott, eprint
  /// 2009/565, section 3.2), for half the price.
  func cyclotomicSquared() -> Fp12 {
    let (a0, a1) = Fp12.squaredQuartic(c0.c0, c1.c1)
    let (b0, b1) = Fp12.squaredQuartic(c1.c0, c0.c2)
    let (d0, d1) = Fp12.squaredQuartic(c0.c1, c1.c2)
    let twisted = d1.multipliedByXi()
    return Fp12(
      c0: Fp6(
        c0: (a0 - c0.c0).doubled() + a0,
        c1: (b0 - c0.c1).doubled() + b0,
        c2: (d0 - c0.c2).doubled() + d0),
      c1: Fp6(
        c0: (twisted + c1.c0).doubled() + twisted,
        c1: (a1 + c1.c1).doubled() + a1,
        c2: (b1 + c1.c2).doubled() + b1))
  }

  /// Returns (a + b·s)² for s² = ξ.
  @inline(__always)
  private static func squaredQuartic(_ a: Fp2, _ b: Fp2) -> (Fp2, Fp2) {
    let aa = a.squared()
    let bb = b.squared()
    return (aa + bb.multipliedByXi(), (a + b).squared() - aa - bb)
  }

  /// Returns self^x for an element of the cyclotomic subgroup and the curve's negative parameter x.
  private func cyclotomicPowerOfX() -> Fp12 {
    var result = self
    for shift in stride(from: UInt64(62), through: 0, by: -1) {
      result = result.cyclotomicSquared()
      if BLS12381.absoluteX >> shift & 1 == 1 { result = result * self }
    }
    return result.conjugate
  }
}
