/// The Diffie-Hellman function X25519 (RFC 7748 §5), in constant time.
package enum X25519 {
  package static let byteCount = 32

  /// Returns the public key of a secret key of 32 bytes.
  package static func publicKey(secret: [UInt8]) -> [UInt8] {
    multiply(secret, [9] + [UInt8](repeating: 0, count: 31))
  }

  /// Returns the secret shared with the owner of a public key of 32 bytes; `nil` where it is all
  /// zeros, because the public key is a point of low order.
  package static func sharedSecret(secret: [UInt8], publicKey: [UInt8]) -> [UInt8]? {
    let shared = multiply(secret, publicKey)
    let isZero = constantTimeEqual(shared, [UInt8](repeating: 0, count: byteCount))
    return isZero ? nil : shared
  }

  /// Multiplies a point by a scalar with the Montgomery ladder: every bit of the scalar costs the
  /// same steps, and chooses by a mask.
  private static func multiply(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
    precondition(scalar.count == byteCount && point.count == byteCount)
    var k = SIMD4<UInt64>()
    var x1 = Curve25519Field.zero
    scalar.withUnsafeBytes { scalar in
      point.withUnsafeBytes { point in
        guard let scalar = scalar.baseAddress, let point = point.baseAddress else { return }
        for index in 0..<4 { k[index] = scalar.littleEndian(at: 8 * index, as: UInt64.self) }
        x1 = Curve25519Field(point)
      }
    }
    k[0] &= ~7
    k[3] = k[3] & (1 << 63 - 1) | 1 << 62
    var x2 = Curve25519Field.one
    var z2 = Curve25519Field.zero
    var x3 = x1
    var z3 = Curve25519Field.one
    var swap: UInt64 = 0
    for position in stride(from: 254, through: 0, by: -1) {
      let bit = k[position &>> 6] &>> UInt64(position & 63) & 1
      Curve25519Field.swap(&x2, &x3, if: swap ^ bit)
      Curve25519Field.swap(&z2, &z3, if: swap ^ bit)
      swap = bit
      let a = x2 + z2
      let b = x2 - z2
      let aa = a.squared()
      let bb = b.squared()
      let e = aa - bb
      let da = (x3 - z3) * a
      let cb = (x3 + z3) * b
      x3 = (da + cb).squared()
      z3 = x1 * (da - cb).squared()
      x2 = aa * bb
      z2 = e * (aa + e.times121665())
    }
    Curve25519Field.swap(&x2, &x3, if: swap)
    Curve25519Field.swap(&z2, &z3, if: swap)
    var result = x2 * z2.inverted()
    defer {
      wipe(value: &k)
      wipe(value: &x2)
      wipe(value: &z2)
      wipe(value: &x3)
      wipe(value: &z3)
      wipe(value: &result)
    }
    return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
      result.write(to: UnsafeMutableRawBufferPointer(output))
      count = byteCount
    }
  }
}
