/// An element c0 + c1·w of the quadratic extension of ``Fp6``, where w² = v.
///
/// Constant time.
package struct Fp12: Equatable, Sendable {
  package var c0, c1: Fp6

  package init(c0: Fp6, c1: Fp6) {
    self.c0 = c0
    self.c1 = c1
  }

  package static let one = Fp12(c0: .one, c1: .zero)

  /// Karatsuba: three multiplications of ``Fp6``.
  package static func * (a: Fp12, b: Fp12) -> Fp12 {
    let low = a.c0 * b.c0
    let high = a.c1 * b.c1
    let cross = (a.c0 + a.c1) * (b.c0 + b.c1)
    return Fp12(c0: low + high.multipliedByV(), c1: cross - low - high)
  }

  /// Returns (c0 + c1)(c0 + v·c1) − c0·c1 − v·c0·c1 + 2·c0·c1·w.
  package func squared() -> Fp12 {
    let product = c0 * c1
    let sum = (c0 + c1) * (c0 + c1.multipliedByV())
    return Fp12(c0: sum - product - product.multipliedByV(), c1: product + product)
  }

  /// Returns the product with b0 + b1·v + b4·v·w, the shape of a line of the Miller loop.
  func multiplied(byLine b0: Fp2, _ b1: Fp2, _ b4: Fp2) -> Fp12 {
    let low = c0.multiplied(by: b0, b1)
    let high = c1.multiplied(byV: b4)
    let cross = (c0 + c1).multiplied(by: b0, b1 + b4)
    return Fp12(c0: low + high.multipliedByV(), c1: cross - low - high)
  }

  /// c0 − c1·w, which is also self^(p⁶), and the inverse of an element whose norm over ``Fp6`` is 1.
  package var conjugate: Fp12 {
    Fp12(c0: c0, c1: -c1)
  }

  /// Returns 1/self, or 0 for 0: the conjugate over c0² − v·c1².
  package func inverse() -> Fp12 {
    let scale = (c0.squared() - c1.squared().multipliedByV()).inverse()
    return Fp12(c0: c0 * scale, c1: -(c1 * scale))
  }

  /// Returns self^p: the conjugate of each coefficient of wᵏ, times ξ^(k(p − 1)/6).
  package func frobenius() -> Fp12 {
    Fp12(
      c0: Fp6(
        c0: c0.c0.conjugate,
        c1: c0.c1.conjugate * .frobenius2,
        c2: c0.c2.conjugate * .frobenius4),
      c1: Fp6(
        c0: c1.c0.conjugate * .frobenius1,
        c1: c1.c1.conjugate * .frobenius3,
        c2: c1.c2.conjugate * .frobenius5))
  }

  package static func == (a: Fp12, b: Fp12) -> Bool {
    let (low, high) = (a.c0 == b.c0, a.c1 == b.c1)
    return low && high
  }

  /// Takes `other` where `mask` is all ones, and stays as it is where it is zero.
  ///
  /// Never inlined: an optimizer that sees the mask come from a comparison branches on it.
  @inline(never)
  mutating func replace(with other: Fp12, where mask: UInt64) {
    c0.replace(with: other.c0, where: mask)
    c1.replace(with: other.c1, where: mask)
  }
}
