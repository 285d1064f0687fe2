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

/// A point of E: y² = x³ + 4 over ``Fp``.
package typealias G1 = CurvePoint<Fp>

extension Fp: CurveField {
  package static var curveB: Fp { Fp.one.doubled().doubled() }

  @inline(__always)
  package static func timesB3(_ a: Fp) -> Fp {
    let four = a.doubled().doubled()
    return four.doubled() + four
  }
}

extension CurvePoint<Fp> {
  /// Whether the point lies in the subgroup of order r.
  ///
  /// It does exactly when (βx, y) = [−x²](x, y) for the curve's parameter x (Scott, eprint 2021/1130,
  /// section 6), since then [x⁴ − x² + 1] maps it to the identity, and that number is r.
  package var isInSubgroup: Bool {
    let squared = multiplied(byPublic: BLS12381.absoluteX).multiplied(byPublic: BLS12381.absoluteX)
    return -squared == G1(x: x * Fp.beta, y: y, z: z)
  }
}

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

/// The three bits at the top of an encoded point.
private enum PointFlags {
  static let compressed: UInt8 = 0x80
  static let infinity: UInt8 = 0x40
  static let largerY: UInt8 = 0x20

  /// Checks the length and the flags.
  ///
  /// - Returns: whether y is the larger one, and the bytes without the flags; `nil` for another length, a form
  ///   that is not compressed, or the identity, which no signature, key or ciphertext may be.
  static func strip(_ bytes: [UInt8], count: Int) -> (largerY: Bool, coordinate: [UInt8])? {
    guard bytes.count == count, bytes[0] & compressed != 0, bytes[0] & infinity == 0 else {
      return nil
    }
    var coordinate = bytes
    coordinate[0] &= 0x1f
    return (bytes[0] & largerY != 0, coordinate)
  }

  static func encode(_ coordinate: [UInt8], largerY: Bool) -> [UInt8] {
    var bytes = coordinate
    bytes[0] |= compressed | (largerY ? PointFlags.largerY : 0)
    return bytes
  }

  static func identity(count: Int) -> [UInt8] {
    [compressed | infinity] + [UInt8](repeating: 0, count: count - 1)
  }
}

extension CurvePoint<Fp> {
  /// The number of bytes of an encoded point.
  package static var byteCount: Int { 48 }

  /// The point as 48 bytes, compressed.
  package var encoded: [UInt8] {
    affine?.encoded ?? PointFlags.identity(count: G1.byteCount)
  }
}

extension CurvePoint.Affine where Field == Fp {
  /// Reads 48 bytes, compressed, with every check: length, flags, x below p, on the curve, in the
  /// subgroup; the identity is refused.
  package init?(encoded bytes: [UInt8]) {
    guard let (largerY, coordinate) = PointFlags.strip(bytes, count: G1.byteCount),
      let x = Fp(bigEndian: coordinate[...]),
      let y = (x.squared() * x + Fp.curveB).squareRoot()
    else { return nil }
    self.init(x: x, y: y.isLarger == largerY ? y : -y)
    guard G1(self).isInSubgroup else { return nil }
  }

  /// The point as 48 bytes, compressed.
  package var encoded: [UInt8] {
    PointFlags.encode(x.bigEndian, largerY: y.isLarger)
  }
}

extension CurvePoint<Fp2> {
  /// The number of bytes of an encoded point.
  package static var byteCount: Int { 96 }

  /// The point as 96 bytes, compressed.
  package var encoded: [UInt8] {
    affine?.encoded ?? PointFlags.identity(count: G2.byteCount)
  }
}

extension CurvePoint.Affine where Field == Fp2 {
  /// Reads 96 bytes, compressed (x as c1 and c0), with every check: length, flags, both halves below
  /// p, on the curve, in the subgroup; the identity is refused.
  package init?(encoded bytes: [UInt8]) {
    guard let (largerY, coordinate) = PointFlags.strip(bytes, count: G2.byteCount),
      let high = Fp(bigEndian: coordinate.prefix(Fp.byteCount)),
      let low = Fp(bigEndian: coordinate.suffix(Fp.byteCount))
    else { return nil }
    let x = Fp2(c0: low, c1: high)
    guard let y = (x.squared() * x + Fp2.curveB).squareRoot() else { return nil }
    self.init(x: x, y: y.isLarger == largerY ? y : -y)
    guard G2(self).isInSubgroup else { return nil }
  }

  /// The point as 96 bytes, compressed.
  package var encoded: [UInt8] {
    PointFlags.encode(x.c1.bigEndian + x.c0.bigEndian, largerY: y.isLarger)
  }
}

extension Fp2 {
  /// Whether the element is the larger of itself and its negative: by c1, then by c0.
  fileprivate var isLarger: Bool {
    c1.isZero ? c0.isLarger : c1.isLarger
  }
}
