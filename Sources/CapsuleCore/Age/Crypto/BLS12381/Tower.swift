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

/// An element c0 + c1·v + c2·v² of the cubic extension of ``Fp2``, where v³ = ξ = u + 1.
///
/// Constant time.
package struct Fp6: Equatable, Sendable {
  package var c0, c1, c2: Fp2

  package init(c0: Fp2, c1: Fp2, c2: Fp2) {
    self.c0 = c0
    self.c1 = c1
    self.c2 = c2
  }

  package static let zero = Fp6(c0: .zero, c1: .zero, c2: .zero)
  package static let one = Fp6(c0: .one, c1: .zero, c2: .zero)

  package static func + (a: Fp6, b: Fp6) -> Fp6 {
    Fp6(c0: a.c0 + b.c0, c1: a.c1 + b.c1, c2: a.c2 + b.c2)
  }

  package static func - (a: Fp6, b: Fp6) -> Fp6 {
    Fp6(c0: a.c0 - b.c0, c1: a.c1 - b.c1, c2: a.c2 - b.c2)
  }

  package static prefix func - (a: Fp6) -> Fp6 {
    Fp6(c0: -a.c0, c1: -a.c1, c2: -a.c2)
  }

  /// Karatsuba: six multiplications of ``Fp2`` (eprint 2006/471, section 4).
  package static func * (a: Fp6, b: Fp6) -> Fp6 {
    let v0 = a.c0 * b.c0
    let v1 = a.c1 * b.c1
    let v2 = a.c2 * b.c2
    let v12 = (a.c1 + a.c2) * (b.c1 + b.c2) - v1 - v2
    let v01 = (a.c0 + a.c1) * (b.c0 + b.c1) - v0 - v1
    let v02 = (a.c0 + a.c2) * (b.c0 + b.c2) - v0 - v2
    return Fp6(c0: v0 + v12.multipliedByXi(), c1: v01 + v2.multipliedByXi(), c2: v02 + v1)
  }

  /// Returns the product with b0 + b1·v.
  func multiplied(by b0: Fp2, _ b1: Fp2) -> Fp6 {
    let v0 = c0 * b0
    let v1 = c1 * b1
    let v01 = (c0 + c1) * (b0 + b1) - v0 - v1
    return Fp6(c0: v0 + (c2 * b1).multipliedByXi(), c1: v01, c2: c2 * b0 + v1)
  }

  /// Returns the product with b1·v.
  func multiplied(byV b1: Fp2) -> Fp6 {
    Fp6(c0: (c2 * b1).multipliedByXi(), c1: c0 * b1, c2: c1 * b1)
  }

  /// Chung and Hasan's second squaring (eprint 2006/471, section 4).
  package func squared() -> Fp6 {
    let s0 = c0.squared()
    let s1 = (c0 * c1).doubled()
    let s2 = (c0 - c1 + c2).squared()
    let s3 = (c1 * c2).doubled()
    let s4 = c2.squared()
    return Fp6(
      c0: s0 + s3.multipliedByXi(), c1: s1 + s4.multipliedByXi(), c2: s1 + s2 + s3 - s0 - s4)
  }

  /// Returns the product with v.
  package func multipliedByV() -> Fp6 {
    Fp6(c0: c2.multipliedByXi(), c1: c0, c2: c1)
  }

  /// Returns 1/self, or 0 for 0.
  package func inverse() -> Fp6 {
    let t0 = c0.squared() - (c1 * c2).multipliedByXi()
    let t1 = c2.squared().multipliedByXi() - c0 * c1
    let t2 = c1.squared() - c0 * c2
    let norm = c0 * t0 + (c2 * t1 + c1 * t2).multipliedByXi()
    let scale = norm.inverse()
    return Fp6(c0: t0 * scale, c1: t1 * scale, c2: t2 * scale)
  }

  package static func == (a: Fp6, b: Fp6) -> Bool {
    let (first, second, third) = (a.c0 == b.c0, a.c1 == b.c1, a.c2 == b.c2)
    return first && second && third
  }

  /// Takes `other` where `mask` is all ones, and stays as it is where it is zero.
  @inline(__always)
  mutating func replace(with other: Fp6, where mask: UInt64) {
    c0.replace(with: other.c0, where: mask)
    c1.replace(with: other.c1, where: mask)
    c2.replace(with: other.c2, where: mask)
  }
}

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
