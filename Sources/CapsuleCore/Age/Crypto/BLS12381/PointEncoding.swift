/// The reason why bytes are not a point.
package enum PointFault: Error, Hashable, Sendable {
  /// Not 48 bytes (G1) or 96 (G2).
  case length
  /// Not the compressed form, or bits set beside the infinity flag.
  case flags
  /// The identity, which no signature, key or ciphertext may be.
  case infinity
  /// A coordinate that is not below p.
  case coordinateTooLarge
  /// No point of the curve has this x.
  case offCurve
  /// A point of the curve outside the group of order r.
  case outsideSubgroup
}

/// The three bits at the top of an encoded point.
private enum PointFlags {
  static let compressed: UInt8 = 0x80
  static let infinity: UInt8 = 0x40
  static let largerY: UInt8 = 0x20

  /// Checks the length and the flags.
  ///
  /// - Returns: whether y is the larger one, and the bytes without the flags.
  static func strip(
    _ bytes: [UInt8], count: Int
  ) throws(PointFault) -> (largerY: Bool, coordinate: [UInt8]) {
    guard bytes.count == count else { throw .length }
    guard bytes[0] & compressed != 0 else { throw .flags }
    var coordinate = bytes
    coordinate[0] &= 0x1f
    if bytes[0] & infinity != 0 {
      let isClean = bytes[0] & largerY == 0 && coordinate.allSatisfy { $0 == 0 }
      throw isClean ? .infinity : .flags
    }
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
  package init(encoded bytes: [UInt8]) throws(PointFault) {
    let (largerY, coordinate) = try PointFlags.strip(bytes, count: G1.byteCount)
    guard let x = Fp(bigEndian: coordinate[...]) else { throw .coordinateTooLarge }
    guard let y = (x.squared() * x + Fp.curveB).squareRoot() else { throw .offCurve }
    self.init(x: x, y: y.isLarger == largerY ? y : -y)
    guard G1(self).isInSubgroup else { throw .outsideSubgroup }
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
  package init(encoded bytes: [UInt8]) throws(PointFault) {
    let (largerY, coordinate) = try PointFlags.strip(bytes, count: G2.byteCount)
    guard
      let high = Fp(bigEndian: coordinate.prefix(Fp.byteCount)),
      let low = Fp(bigEndian: coordinate.suffix(Fp.byteCount))
    else { throw .coordinateTooLarge }
    let x = Fp2(c0: low, c1: high)
    guard let y = (x.squared() * x + Fp2.curveB).squareRoot() else { throw .offCurve }
    self.init(x: x, y: y.isLarger == largerY ? y : -y)
    guard G2(self).isInSubgroup else { throw .outsideSubgroup }
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
