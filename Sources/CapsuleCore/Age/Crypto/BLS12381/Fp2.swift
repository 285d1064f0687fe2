/// An element c0 + c1·u of the quadratic extension of ``Fp``, where u² = −1.
///
/// Constant time, except `squareRoot()`.
package struct Fp2: Equatable, Sendable {
  package var c0, c1: Fp

  package init(c0: Fp, c1: Fp) {
    self.c0 = c0
    self.c1 = c1
  }

  package static let zero = Fp2(c0: .zero, c1: .zero)
  package static let one = Fp2(c0: .one, c1: .zero)

  @inline(__always)
  package static func + (a: Fp2, b: Fp2) -> Fp2 {
    Fp2(c0: a.c0 + b.c0, c1: a.c1 + b.c1)
  }

  @inline(__always)
  package static func - (a: Fp2, b: Fp2) -> Fp2 {
    Fp2(c0: a.c0 - b.c0, c1: a.c1 - b.c1)
  }

  package static prefix func - (a: Fp2) -> Fp2 {
    Fp2(c0: -a.c0, c1: -a.c1)
  }

  /// Karatsuba: three multiplications of ``Fp``.
  @inline(never)
  package static func * (a: Fp2, b: Fp2) -> Fp2 {
    let low = a.c0 * b.c0
    let high = a.c1 * b.c1
    let cross = (a.c0 + a.c1) * (b.c0 + b.c1)
    return Fp2(c0: low - high, c1: cross - low - high)
  }

  package static func * (a: Fp2, b: Fp) -> Fp2 {
    Fp2(c0: a.c0 * b, c1: a.c1 * b)
  }

  /// Returns (c0 + c1)(c0 − c1) + 2·c0·c1·u.
  @inline(never)
  package func squared() -> Fp2 {
    Fp2(c0: (c0 + c1) * (c0 - c1), c1: (c0 * c1).doubled())
  }

  @inline(__always)
  package func doubled() -> Fp2 {
    Fp2(c0: c0.doubled(), c1: c1.doubled())
  }

  @inline(__always)
  func tripled() -> Fp2 {
    doubled() + self
  }

  /// Returns the product with ξ = u + 1, the cube of v and the sixth power of w.
  @inline(__always)
  package func multipliedByXi() -> Fp2 {
    Fp2(c0: c0 - c1, c1: c0 + c1)
  }

  /// c0 − c1·u, which is also self^p.
  @inline(__always)
  package var conjugate: Fp2 {
    Fp2(c0: c0, c1: -c1)
  }

  /// Returns 1/self, or 0 for 0: the conjugate over c0² + c1².
  package func inverse() -> Fp2 {
    conjugate * (c0.squared() + c1.squared()).inverse()
  }

  package static func == (a: Fp2, b: Fp2) -> Bool {
    // Both halves are always compared.
    let low = a.c0 - b.c0
    let high = a.c1 - b.c1
    return low.l0 | low.l1 | low.l2 | low.l3 | low.l4 | low.l5
      | high.l0 | high.l1 | high.l2 | high.l3 | high.l4 | high.l5 == 0
  }

  package var isZero: Bool {
    self == .zero
  }

  /// Takes `other` where `mask` is all ones, and stays as it is where it is zero.
  @inline(__always)
  package mutating func replace(with other: Fp2, where mask: UInt64) {
    c0.replace(with: other.c0, where: mask)
    c1.replace(with: other.c1, where: mask)
  }

  /// Returns a root, when there is one. For public values.
  ///
  /// The complex method: for x² = a, the norm n of x is a root of a's norm, and the real part of x
  /// squares to (a0 + n)/2.
  package func squareRoot() -> Fp2? {
    guard !c1.isZero else {
      if let root = c0.squareRoot() { return Fp2(c0: root, c1: .zero) }
      return (-c0).squareRoot().map { Fp2(c0: .zero, c1: $0) }
    }
    guard let norm = (c0.squared() + c1.squared()).squareRoot() else { return nil }
    guard
      let real = ((c0 + norm) * .half).squareRoot() ?? ((c0 - norm) * .half).squareRoot()
    else { return nil }
    return Fp2(c0: real, c1: c1 * real.doubled().inverse())
  }
}
