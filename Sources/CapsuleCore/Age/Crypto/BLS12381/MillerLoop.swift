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
