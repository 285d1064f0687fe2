extension Fp {
  /// Returns 1/self, or 0 for 0 (Fermat; the exponent is public, so this is constant time).
  package func inverse() -> Fp {
    power(Fp.inverseExponent)
  }

  /// Returns the element to the power of a public number, whose limbs begin with the lowest.
  func power(_ exponent: [UInt64]) -> Fp {
    var result = Fp.one
    for limb in exponent.reversed() {
      for bit in stride(from: UInt64(63), through: 0, by: -1) {
        result = result.squared()
        if limb >> bit & 1 == 1 { result = result * self }
      }
    }
    return result
  }

  /// Returns a root, when there is one. p ≡ 3 (mod 4), so self^((p + 1)/4) is it. For public
  /// values.
  package func squareRoot() -> Fp? {
    let root = power(Fp.rootExponent) * self
    return root.squared() == self ? root : nil
  }
}
