/// The pairing-friendly curve BLS12-381: e: G1 × G2 → GT, groups of the prime order r.
///
/// The field is ``Fp``, the tower ``Fp2`` (u² = −1), ``Fp6`` (v³ = u + 1), ``Fp12`` (w² = v).
package enum BLS12381 {
  /// The absolute value of the curve's parameter x = −0xd201000000010000, of which everything
  /// else follows: r = x⁴ − x² + 1 and p = (x − 1)²r/3 + x.
  @inline(__always) static var absoluteX: UInt64 { 0xd201_0000_0001_0000 }
}

/// The Miller loop of the optimal ate pairing: the product, over the bits of x, of the lines through
/// multiples of a point of G2, evaluated at a point of G1.
///
/// Constant time: the only branches are on the bits of x.
struct MillerLoop {
  /// The point of G1.
  private let p: G1.Affine
  /// The point of G2.
  private let q: G2.Affine
  /// The running multiple of `q`, homogeneous: x = X/Z, y = Y/Z.
  private var r: G2
  /// The running product.
  private var f: Fp12

  private init(_ p: G1.Affine, _ q: G2.Affine) {
    self.p = p
    self.q = q
    r = G2(q)
    f = .one
  }

  /// f of the two points, up to a factor that the final exponentiation removes.
  static func value(_ p: G1.Affine, _ q: G2.Affine) -> Fp12 {
    var loop = MillerLoop(p, q)
    for shift in stride(from: UInt64(62), through: 0, by: -1) {
      if shift != 62 { loop.f = loop.f.squared() }
      loop.double()
      if BLS12381.absoluteX >> shift & 1 == 1 { loop.add() }
    }
    // x is negative; the conjugate is the inverse after the final exponentiation.
    return loop.f.conjugate
  }

  /// Doubles the running point and takes in its tangent (eprint 2012/408, section 3, formula 11, with
  /// all but the curve's constant as in eprint 2010/526, formula 3).
  private mutating func double() {
    let xy = r.x * r.y * Fp.half
    let yy = r.y.squared()
    let zz = r.z.squared()
    // 3b'Z² for b' = 4(u + 1).
    let e = zz.tripled().multipliedByXi().doubled().doubled()
    let g = (yy + e.tripled()) * Fp.half
    let h = (r.y + r.z).squared() - yy - zz
    let xx = r.x.squared()
    r = G2(
      x: xy * (yy - e.tripled()),
      y: g.squared() - e.squared().tripled(),
      z: yy * h)
    f = f.multiplied(byLine: e - yy, xx.tripled() * p.x, -h * p.y)
  }

  /// Adds `q` to the running point and takes in the line through both (eprint 2010/526, algorithm
  /// 12).
  private mutating func add() {
    let theta = r.y - q.y * r.z
    let lambda = r.x - q.x * r.z
    let lambda2 = lambda.squared()
    let lambda3 = lambda * lambda2
    let g = r.x * lambda2
    let e = lambda3 + r.z * theta.squared() - g.doubled()
    r = G2(x: lambda * e, y: theta * (g - e) - r.y * lambda3, z: r.z * lambda3)
    f = f.multiplied(byLine: theta * q.x - lambda * q.y, -theta * p.x, lambda * p.y)
  }
}

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
