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
