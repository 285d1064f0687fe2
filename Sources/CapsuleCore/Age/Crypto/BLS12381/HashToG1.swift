/// Hashing to G1 (RFC 9380): the suite BLS12381G1_XMD:SHA-256_SSWU_RO_, for public messages.
package enum HashToG1 {
  /// Computes `hash_to_curve` (section 3): a point of the subgroup.
  package static func point(of message: [UInt8], domain: [UInt8]) -> G1 {
    let (first, second) = field(message, domain: domain)
    // h_eff = 1 − x (section 8.8.1) brings a point of the curve into the subgroup.
    return (curvePoint(first) + curvePoint(second)).multiplied(byPublic: BLS12381.absoluteX + 1)
  }

  /// Computes `hash_to_field` for two elements (section 5.2).
  package static func field(_ message: [UInt8], domain: [UInt8]) -> (Fp, Fp) {
    let uniform = expand(message, domain: domain, count: 128)
    return (Fp(reducing: uniform[..<64]), Fp(reducing: uniform[64...]))
  }

  /// Computes `expand_message_xmd` with SHA-256 (section 5.3.1): `count` bytes, at most 8160.
  package static func expand(_ message: [UInt8], domain: [UInt8], count: Int) -> [UInt8] {
    precondition(count <= 255 * SHA256.byteCount)
    // A longer tag is replaced by its hash (section 5.3.3).
    let tag = domain.count <= 255 ? domain : SHA256.hash(Array("H2C-OVERSIZE-DST-".utf8) + domain)
    let suffix = tag + [UInt8(tag.count)]
    let length = [UInt8(count >> 8), UInt8(count & 255)]
    let zeros = [UInt8](repeating: 0, count: SHA256.blockByteCount)
    let first = SHA256.hash(zeros + message + length + [0] + suffix)
    var block = [UInt8](repeating: 0, count: SHA256.byteCount)
    var result: [UInt8] = []
    var index: UInt8 = 0
    while result.count < count {
      index += 1
      block = SHA256.hash(zip(first, block).map { $0 ^ $1 } + [index] + suffix)
      result += block
    }
    return Array(result.prefix(count))
  }

  /// Computes `map_to_curve`: a point of the curve E for an element (sections 6.6.2 and 6.6.3).
  package static func curvePoint(_ u: Fp) -> G1 {
    let (numerator, denominator, y) = isogenousPoint(u)
    return G1Isogeny.image(numerator, denominator, y)
  }

  /// Computes the simplified SWU map to E′ without inversions (appendix F.2): x as a fraction, and
  /// y.
  private static func isogenousPoint(_ u: Fp) -> (numerator: Fp, denominator: Fp, y: Fp) {
    let zu2 = G1Isogeny.z * u.squared()
    let sum = zu2.squared() + zu2
    let numerator = G1Isogeny.b * (sum + .one)
    let denominator = G1Isogeny.a * (sum.isZero ? G1Isogeny.z : -sum)
    // g(x) = x³ + A′x + B′ as the fraction gu / gv.
    let square = denominator.squared()
    let gv = square * denominator
    let gu = (numerator.squared() + G1Isogeny.a * square) * numerator + G1Isogeny.b * gv
    let (isSquare, root) = squareRootOfRatio(gu, gv)
    let y = isSquare ? root : zu2 * u * root
    return (
      isSquare ? numerator : zu2 * numerator, denominator, u.isOdd == y.isOdd ? y : -y
    )
  }

  /// Computes `sqrt_ratio` for p ≡ 3 (mod 4) (appendix F.2.1.2): √(u/v), or else √(Z·u/v).
  private static func squareRootOfRatio(_ u: Fp, _ v: Fp) -> (isSquare: Bool, root: Fp) {
    let uv = u * v
    let root = (v.squared() * uv).power(Fp.rootExponent) * uv
    return root.squared() * v == u ? (true, root) : (false, root * G1Isogeny.rootOfMinusZ)
  }
}

extension G1Isogeny {
  /// Returns the image on E of the point of E′ with x = n/d and y. The rational maps are evaluated
  /// over a common denominator, so that nothing is inverted.
  static func image(_ n: Fp, _ d: Fp, _ y: Fp) -> G1 {
    let xNumerator = homogeneous(xNumerator, n, d)
    // One degree less than the numerator, hence one more factor d.
    let xDenominator = homogeneous(xDenominator, n, d) * d
    let yNumerator = homogeneous(yNumerator, n, d)
    let yDenominator = homogeneous(yDenominator, n, d)
    let z = xDenominator * yDenominator
    // The kernel of the isogeny goes to the identity.
    guard !z.isZero else { return .identity }
    return G1(x: xNumerator * yDenominator, y: y * yNumerator * xDenominator, z: z)
  }

  /// d^k times the polynomial's value at n/d, for its degree k (Horner).
  private static func homogeneous(_ polynomial: [Fp], _ n: Fp, _ d: Fp) -> Fp {
    var result = Fp.zero
    var power = Fp.one
    for coefficient in polynomial.reversed() {
      result = result * n + coefficient * power
      power = power * d
    }
    return result
  }
}
