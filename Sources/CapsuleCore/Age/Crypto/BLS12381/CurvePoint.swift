/// A field over which a curve y² = x³ + b of odd order is taken.
package protocol CurveField: Equatable, Sendable {
  static var zero: Self { get }
  static var one: Self { get }
  static func + (a: Self, b: Self) -> Self
  static func - (a: Self, b: Self) -> Self
  static func * (a: Self, b: Self) -> Self
  static prefix func - (a: Self) -> Self
  func squared() -> Self
  func doubled() -> Self
  /// Returns 1/self, or 0 for 0.
  func inverse() -> Self
  var isZero: Bool { get }
  /// Takes `other` where `mask` is all ones, and stays as it is where it is zero.
  mutating func replace(with other: Self, where mask: UInt64)

  /// The curve's constant b.
  static var curveB: Self { get }
  /// x of the generator that every user of the curve shares.
  static var generatorX: Self { get }
  /// y of it.
  static var generatorY: Self { get }
  /// 3b times an element.
  static func timesB3(_ a: Self) -> Self
}

/// A point of a curve y² = x³ + b in homogeneous projective coordinates: x = X/Z, y = Y/Z, and Z = 0 for
/// the identity.
///
/// Addition and doubling are the complete formulas of Renes, Costello and Batina (eprint 2015/1060,
/// algorithms 7 and 9): one straight line for all points, equal, opposite and identity included,
/// because the curve's order is odd. They, and multiplication by a Scalar, are constant time.
package struct CurvePoint<Field: CurveField>: Equatable, Sendable {
  var x, y, z: Field

  init(x: Field, y: Field, z: Field) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// A point from its affine coordinates.
  package init(_ point: Affine) {
    self.init(x: point.x, y: point.y, z: .one)
  }

  /// The generator that every user of the curve shares.
  package static var generator: Self { Self(.generator) }

  package static var identity: Self { Self(x: .zero, y: .one, z: .zero) }

  package static func + (a: Self, b: Self) -> Self {
    let xx = a.x * b.x
    let yy = a.y * b.y
    let zz = Field.timesB3(a.z * b.z)
    let xy = (a.x + a.y) * (b.x + b.y) - xx - yy
    let yz = (a.y + a.z) * (b.y + b.z) - yy - a.z * b.z
    let xz = Field.timesB3((a.x + a.z) * (b.x + b.z) - xx - a.z * b.z)
    let sum = yy + zz
    let difference = yy - zz
    let triple = xx.doubled() + xx
    return Self(
      x: xy * difference - yz * xz,
      y: difference * sum + triple * xz,
      z: sum * yz + triple * xy)
  }

  package func doubled() -> Self {
    let yy = y.squared()
    let zz = Field.timesB3(z.squared())
    let eight = yy.doubled().doubled().doubled()
    let difference = yy - (zz.doubled() + zz)
    return Self(
      x: (difference * (x * y)).doubled(),
      y: zz * eight + difference * (yy + zz),
      z: y * z * eight)
  }

  package static prefix func - (a: Self) -> Self {
    Self(x: a.x, y: -a.y, z: a.z)
  }

  /// Returns the scalar, which may be secret, times the point: a fixed window of four bits, whose
  /// table is read as a whole for every digit.
  package func multiplied(by scalar: Scalar) -> Self {
    var table = [Self.identity]
    for index in 1..<16 { table.append(table[index - 1] + self) }
    var result = Self.identity
    for position in (0..<Scalar.digitCount).reversed() {
      result = result.doubled().doubled().doubled().doubled()
      let digit = scalar.digit(position)
      var term = Self.identity
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
  mutating func replace(with other: Self, where mask: UInt64) {
    x.replace(with: other.x, where: mask)
    y.replace(with: other.y, where: mask)
    z.replace(with: other.z, where: mask)
  }

  /// Returns a public number times the point: fast where few of its bits are set.
  func multiplied(byPublic number: UInt64) -> Self {
    var result = Self.identity
    for shift in (0..<(64 - UInt64(number.leadingZeroBitCount))).reversed() {
      result = result.doubled()
      if number >> shift & 1 == 1 { result = result + self }
    }
    return result
  }

  package static func == (a: Self, b: Self) -> Bool {
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
    package let x, y: Field

    init(x: Field, y: Field) {
      self.x = x
      self.y = y
    }

    package static var generator: Affine {
      Affine(x: Field.generatorX, y: Field.generatorY)
    }

    package static prefix func - (point: Affine) -> Affine {
      Affine(x: point.x, y: -point.y)
    }
  }
}
