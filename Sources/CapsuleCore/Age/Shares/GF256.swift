/// The field of 256 elements modulo x⁸ + x⁴ + x³ + x + 1 (0x11b), in which SLIP-0039 shares secrets.
///
/// There are no tables: no memory is read at a place that a secret decides, and there is no branch on
/// one.
package enum GF256 {
  /// Returns the product of two elements.
  package static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (left, right, product) = (left, right, UInt8(0))
    for _ in 0..<8 {
      // 0xFF where the bit is set, and else 0: masks in the place of branches.
      product ^= left & (0 &- (right & 1))
      left = (left &<< 1) ^ (0x1b & (0 &- (left &>> 7)))
      right &>>= 1
    }
    return product
  }

  /// Returns the inverse of an element, which is its power of 254; 0 for 0.
  package static func inverse(_ element: UInt8) -> UInt8 {
    var (power, result) = (element, UInt8(1))
    for _ in 0..<7 {
      power = multiply(power, power)
      result = multiply(result, power)
    }
    return result
  }
}

/// A byte string as the values of polynomials over ``GF256``, one a byte, at one place.
package struct SharedPoint: Sendable {
  /// The place: the number of a share, or one of those of ``SharedPolynomial``.
  let x: UInt8
  /// The values, a byte a polynomial.
  package let y: SecretBytes
}

/// Polynomials through points, and the places of SLIP-0039 for what is not a share.
package enum SharedPolynomial {
  /// The place of the secret.
  static let secret: UInt8 = 255
  /// The place of the secret's digest.
  static let digest: UInt8 = 254
  /// The bytes of a digest.
  static let digestByteCount = 4

  /// Returns the values at `x` of the polynomials of lowest degree through points.
  ///
  /// - Parameter points: at least one; at different places, with values of one length.
  static func value(at x: UInt8, through points: [SharedPoint]) -> SecretBytes {
    let count = points.first?.y.count ?? 0
    precondition(count > 0 && points.allSatisfy { $0.y.count == count })
    return SecretBytes(count: count) { result in
      for point in points {
        // Lagrange's coefficient: of places only, which are no secrets.
        var coefficient: UInt8 = 1
        for other in points where other.x != point.x {
          coefficient = GF256.multiply(
            coefficient, GF256.multiply(x ^ other.x, GF256.inverse(point.x ^ other.x)))
        }
        point.y.withUnsafeBytes { values in
          for index in 0..<count { result[index] ^= GF256.multiply(coefficient, values[index]) }
        }
      }
    }
  }

  /// Splits a secret so that `threshold` of `count` points give it back (SLIP-0039, "Sharing a
  /// secret").
  ///
  /// - Parameter secret: 16 bytes or more.
  /// - Returns: the points at 0, 1, ….
  package static func split(
    _ secret: SecretBytes, threshold: Int, count: Int, random: RandomSource
  ) throws(Fault) -> [SharedPoint] {
    precondition((1...count).contains(threshold) && count <= 16 && secret.count >= 16)
    guard threshold > 1 else {
      return (0..<count).map { SharedPoint(x: UInt8($0), y: secret) }
    }
    var points: [SharedPoint] = []
    for x in 0..<(threshold - 2) {
      let value = try SecretBytes(count: secret.count) { buffer throws(Fault) in
        try random.fill(buffer)
      }
      points.append(SharedPoint(x: UInt8(x), y: value))
    }
    let key = try SecretBytes(count: secret.count - digestByteCount) {
      buffer throws(Fault) in try random.fill(buffer)
    }
    let code = SecretBytes(count: secret.count) { buffer in
      var digest = self.digest(of: secret, key: key)
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<digestByteCount]).copyBytes(from: digest)
      wipe(&digest)
      key.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: buffer[digestByteCount...]).copyMemory(from: $0)
      }
    }
    let base =
      points + [SharedPoint(x: digest, y: code), SharedPoint(x: Self.secret, y: secret)]
    for x in (threshold - 2)..<count {
      points.append(SharedPoint(x: UInt8(x), y: value(at: UInt8(x), through: base)))
    }
    return points
  }

  /// Joins as many points as the threshold asks for.
  ///
  /// - Returns: the secret; `nil` where the digest in the points is not the secret's.
  static func join(_ points: [SharedPoint]) -> SecretBytes? {
    if points.count == 1 { return points[0].y }
    let secret = value(at: Self.secret, through: points)
    let code = value(at: digest, through: points)
    let key = code.withUnsafeBytes {
      SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[digestByteCount...]))
    }
    var expected = digest(of: secret, key: key)
    defer { wipe(&expected) }
    let isEqual = code.withUnsafeBytes { code in
      expected.withUnsafeBytes {
        constantTimeEqual(UnsafeRawBufferPointer(rebasing: code[..<digestByteCount]), $0)
      }
    }
    return isEqual ? secret : nil
  }

  /// The first 4 bytes of the code of a secret under a random key.
  private static func digest(of secret: SecretBytes, key: SecretBytes) -> [UInt8] {
    var hash = key.withUnsafeBytes { HMACSHA256(key: $0) }
    secret.withUnsafeBytes { hash.update($0) }
    var code = hash.finalize()
    defer { wipe(&code) }
    return Array(code[..<digestByteCount])
  }
}
