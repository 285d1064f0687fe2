/// A point of E′: y² = x³ + 4(u + 1) over ``Fp2``, the twist of E, in homogeneous projective coordinates:
/// x = X/Z, y = Y/Z, and Z = 0 for the identity.
///
/// Addition and doubling are the complete formulas of Renes, Costello and Batina (eprint 2015/1060,
/// algorithms 7 and 9): one straight line for all points, equal, opposite and identity included,
/// because the curve's order is odd. They, and multiplication by a Scalar, are constant time.
package struct G2: Equatable, Sendable {
  var x, y, z: Fp2

  init(x: Fp2, y: Fp2, z: Fp2) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// A point from its affine coordinates.
  package init(_ point: Affine) {
    self.init(x: point.x, y: point.y, z: .one)
  }

  package static let identity = G2(x: .zero, y: .one, z: .zero)

  package static func + (a: G2, b: G2) -> G2 {
    let xx = a.x * b.x
    let yy = a.y * b.y
    let zz = timesB3(a.z * b.z)
    let xy = (a.x + a.y) * (b.x + b.y) - xx - yy
    let yz = (a.y + a.z) * (b.y + b.z) - yy - a.z * b.z
    let xz = timesB3((a.x + a.z) * (b.x + b.z) - xx - a.z * b.z)
    let sum = yy + zz
    let difference = yy - zz
    let triple = xx.doubled() + xx
    return G2(
      x: xy * difference - yz * xz,
      y: difference * sum + triple * xz,
      z: sum * yz + triple * xy)
  }

  package func doubled() -> G2 {
    let yy = y.squared()
    let zz = G2.timesB3(z.squared())
    let eight = yy.doubled().doubled().doubled()
    let difference = yy - (zz.doubled() + zz)
    return G2(
      x: (difference * (x * y)).doubled(),
      y: zz * eight + difference * (yy + zz),
      z: y * z * eight)
  }

  package static prefix func - (a: G2) -> G2 {
    G2(x: a.x, y: -a.y, z: a.z)
  }

  /// The scalar, which may be secret, times the point: a fixed window of four bits, whose table is
  /// read as a whole for every digit.
  package func multiplied(by scalar: Scalar) -> G2 {
    var table = [G2.identity]
    for index in 1..<16 { table.append(table[index - 1] + self) }
    var result = G2.identity
    for position in (0..<Scalar.digitCount).reversed() {
      result = result.doubled().doubled().doubled().doubled()
      let digit = scalar.digit(position)
      var term = G2.identity
      for index in 1..<16 {
        term.replace(with: table[index], where: Scalar.mask(digit, is: UInt64(index)))
      }
      result = result + term
    }
    return result
  }

  /// Takes `other` where `mask` is all ones, and stays as it is where it is zero.
  ///
  /// Never inlined: an optimizer that sees the mask come from a comparison branches on it.
  @inline(never)
  mutating func replace(with other: G2, where mask: UInt64) {
    x.replace(with: other.x, where: mask)
    y.replace(with: other.y, where: mask)
    z.replace(with: other.z, where: mask)
  }

  /// A public number times the point: fast where few of its bits are set.
  func multiplied(byPublic number: UInt64) -> G2 {
    var result = G2.identity
    for shift in (0..<(64 - UInt64(number.leadingZeroBitCount))).reversed() {
      result = result.doubled()
      if number >> shift & 1 == 1 { result = result + self }
    }
    return result
  }

  package static func == (a: G2, b: G2) -> Bool {
    let (x, y) = (a.x * b.z == b.x * a.z, a.y * b.z == b.y * a.z)
    return x && y && a.z.isZero == b.z.isZero
  }

  package var isIdentity: Bool {
    z.isZero
  }

  /// The affine coordinates; `nil` for the identity, which has none.
  package var affine: Affine? {
    guard !isIdentity else { return nil }
    let inverse = z.inverse()
    return Affine(x: x * inverse, y: y * inverse)
  }

  /// A point other than the identity, by its coordinates.
  package struct Affine: Equatable, Sendable {
    package let x, y: Fp2

    init(x: Fp2, y: Fp2) {
      self.x = x
      self.y = y
    }

    package static prefix func - (point: Affine) -> Affine {
      Affine(x: point.x, y: -point.y)
    }

    /// Whether the coordinates satisfy the curve's equation.
    var isOnCurve: Bool {
      y.squared() == x.squared() * x + G2.b
    }
  }

  /// The curve's constant, 4(u + 1).
  static let b = Fp2.one.doubled().doubled().multipliedByXi()

  /// 3b = 12(u + 1) times an element.
  @inline(__always)
  private static func timesB3(_ a: Fp2) -> Fp2 {
    let four = a.doubled().doubled()
    return (four.doubled() + four).multipliedByXi()
  }

  /// Whether the point lies in the subgroup of order r.
  ///
  /// It does exactly when ψ(P) = [x]P for the curve's parameter x (Scott, eprint 2021/1130, section 4),
  /// where ψ untwists, raises to the power of p and twists again.
  package var isInSubgroup: Bool {
    // x is negative.
    let multiple = -multiplied(byPublic: BLS12381.absoluteX)
    return multiple
      == G2(x: x.conjugate * G2.psiX, y: y.conjugate * G2.psiY, z: z.conjugate)
  }
}
