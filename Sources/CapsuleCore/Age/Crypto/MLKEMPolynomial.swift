/// A polynomial of ML-KEM in memory that is lent: 256 coefficients, each below 3329 (FIPS 203 §2.4.4).
///
/// Constant time: no branch and no address depends on a coefficient, and nothing is divided.
/// Remainders are products and shifts.
package struct MLKEMPolynomial {
  /// The number of coefficients.
  static let count = 256
  /// The modulus q of the coefficients.
  static let modulus: UInt32 = 3329

  /// The coefficients, 256.
  let base: UnsafeMutablePointer<UInt16>

  /// 17 to the power of the 7 bits of the index in reverse, modulo q (FIPS 203, appendix A).
  private static let zetas: [UInt16] = [
    1, 1729, 2580, 3289, 2642, 630, 1897, 848, 1062, 1919, 193, 797, 2786, 3260, 569, 1746, 296,
    2447, 1339, 1476, 3046, 56, 2240, 1333, 1426, 2094, 535, 2882, 2393, 2879, 1974, 821, 289,
    331, 3253, 1756, 1197, 2304, 2277, 2055, 650, 1977, 2513, 632, 2865, 33, 1320, 1915, 2319,
    1435, 807, 452, 1438, 2868, 1534, 2402, 2647, 2617, 1481, 648, 2474, 3110, 1227, 910, 17,
    2761, 583, 2649, 1637, 723, 2288, 1100, 1409, 2662, 3281, 233, 756, 2156, 3015, 3050, 1703,
    1651, 2789, 1789, 1847, 952, 1461, 2687, 939, 2308, 2437, 2388, 733, 2337, 268, 641, 1584,
    2298, 2037, 3220, 375, 2549, 2090, 1645, 1063, 319, 2773, 757, 2099, 561, 2466, 2594, 2804,
    1092, 403, 1026, 1143, 2150, 2775, 886, 1722, 1212, 1874, 1029, 2110, 2935, 885, 2154,
  ]

  /// Returns the remainder modulo q of a value below 2 to the 25; for each of them the quotient is
  /// exact, since 20642679 · 3329 is more than 2 to the 36 by less than 2 to the 11.
  @inline(__always)
  package static func reduced(_ value: UInt32) -> UInt32 {
    let quotient = UInt32(truncatingIfNeeded: (UInt64(value) &* 20_642_679) &>> 36)
    return value &- quotient &* modulus
  }

  /// Returns the remainder modulo q of a value below 2q.
  @inline(__always)
  static func reducedOnce(_ value: UInt32) -> UInt32 {
    let difference = value &- modulus
    return difference &+ (modulus & (0 &- (difference &>> 31)))
  }

  @inline(__always)
  subscript(index: Int) -> UInt32 {
    get { UInt32(base[index]) }
    nonmutating set { base[index] = UInt16(truncatingIfNeeded: newValue) }
  }

  /// Adds another polynomial.
  func add(_ other: MLKEMPolynomial) {
    for index in 0..<Self.count { self[index] = Self.reducedOnce(self[index] &+ other[index]) }
  }

  /// Becomes another polynomial less this one.
  func subtract(from other: MLKEMPolynomial) {
    for index in 0..<Self.count {
      self[index] = Self.reducedOnce(other[index] &+ Self.modulus &- self[index])
    }
  }

  /// Becomes its number-theoretic transform (FIPS 203, algorithm 9).
  func transform() {
    Self.zetas.withUnsafeBufferPointer { zetas in
      var next = 1
      var length = 128
      while length >= 2 {
        var start = 0
        while start < Self.count {
          let zeta = UInt32(zetas[next])
          next &+= 1
          for index in start..<(start &+ length) {
            let product = Self.reduced(zeta &* self[index &+ length])
            let value = self[index]
            self[index &+ length] = Self.reducedOnce(value &+ Self.modulus &- product)
            self[index] = Self.reducedOnce(value &+ product)
          }
          start &+= 2 &* length
        }
        length &>>= 1
      }
    }
  }

  /// Becomes the polynomial whose transform it was (FIPS 203, algorithm 10).
  func transformBack() {
    Self.zetas.withUnsafeBufferPointer { zetas in
      var next = 127
      var length = 2
      while length <= 128 {
        var start = 0
        while start < Self.count {
          let zeta = UInt32(zetas[next])
          next &-= 1
          for index in start..<(start &+ length) {
            let (low, high) = (self[index], self[index &+ length])
            self[index] = Self.reducedOnce(low &+ high)
            // The difference is below 2q, and its product with a zeta below 2 to the 25.
            self[index &+ length] = Self.reduced(zeta &* (high &+ Self.modulus &- low))
          }
          start &+= 2 &* length
        }
        length &<<= 1
      }
    }
    // 3303 is the inverse of 128.
    for index in 0..<Self.count { self[index] = Self.reduced(self[index] &* 3303) }
  }

  /// Becomes the sum of the products of two vectors, all of them transforms (FIPS 203, algorithms 11
  /// and 12).
  func setProduct(_ left: MLKEMVector, _ right: MLKEMVector) {
    Self.zetas.withUnsafeBufferPointer { zetas in
      var index = 0
      while index < Self.count {
        let zeta = UInt32(zetas[64 &+ index &>> 2])
        setProduct(left, right, at: index, zeta)
        setProduct(left, right, at: index &+ 2, Self.modulus &- zeta)
        index &+= 4
      }
    }
  }

  /// Sets two coefficients: those of the product of two linear polynomials modulo X² − `gamma`. A sum
  /// of three products stays below 2 to the 25.
  @inline(__always)
  private func setProduct(
    _ left: MLKEMVector, _ right: MLKEMVector, at index: Int, _ gamma: UInt32
  ) {
    var (low, high, mixed, crossed): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    for part in 0..<MLKEMVector.count {
      let (a, b) = (left[part], right[part])
      low &+= a[index] &* b[index]
      high &+= a[index &+ 1] &* b[index &+ 1]
      mixed &+= a[index] &* b[index &+ 1]
      crossed &+= a[index &+ 1] &* b[index]
    }
    self[index] = Self.reduced(Self.reduced(low) &+ Self.reduced(high) &* gamma)
    self[index &+ 1] = Self.reducedOnce(Self.reduced(mixed) &+ Self.reduced(crossed))
  }

  // Polynomials from and to bytes. Sampling a matrix, whose seed is public, may branch; nothing else
  // does.

  /// The bytes of 256 coefficients of 12 bits.
  static let byteCount = 384

  /// Writes 12 bits a coefficient, 384 bytes (FIPS 203, algorithm 5, d = 12).
  func write(to bytes: UnsafeMutableRawPointer) {
    for pair in 0..<128 {
      let word = self[2 &* pair] | self[2 &* pair &+ 1] &<< 12
      for index in 0..<3 {
        bytes.storeBytes(
          of: UInt8(truncatingIfNeeded: word &>> UInt32(8 &* index)),
          toByteOffset: 3 &* pair &+ index, as: UInt8.self)
      }
    }
  }

  /// Reads 12 bits a coefficient, 384 bytes (FIPS 203, algorithm 6, d = 12).
  ///
  /// - Returns: whether each was below q; the others are reduced.
  @discardableResult
  func read(_ bytes: UnsafeRawPointer) -> Bool {
    // A bit above the 12 of a coefficient is set in what is left of it where it was too large.
    var excess: UInt32 = 0
    for pair in 0..<128 {
      let first = UInt32(bytes.load(fromByteOffset: 3 &* pair, as: UInt8.self))
      let second = UInt32(bytes.load(fromByteOffset: 3 &* pair &+ 1, as: UInt8.self))
      let third = UInt32(bytes.load(fromByteOffset: 3 &* pair &+ 2, as: UInt8.self))
      let low = first | (second & 15) &<< 8
      let high = second &>> 4 | third &<< 4
      excess |= (Self.modulus &- 1 &- low) | (Self.modulus &- 1 &- high)
      self[2 &* pair] = Self.reducedOnce(low)
      self[2 &* pair &+ 1] = Self.reducedOnce(high)
    }
    return excess &>> 31 == 0
  }

  /// Returns a coefficient in `bits` bits, 1, 4 or 10, rounded (FIPS 203 §4.2.1). The product is
  /// exact for every coefficient.
  @inline(__always)
  package static func compressed(_ value: UInt32, _ bits: UInt32) -> UInt32 {
    let scaled = (UInt64(value) &<< UInt64(bits) &+ 1664) &* 645_084
    return UInt32(truncatingIfNeeded: scaled &>> 31) & (1 &<< bits &- 1)
  }

  /// Returns the coefficient that stands for a value of `bits` bits, 4 or 10 (FIPS 203 §4.2.1).
  @inline(__always)
  package static func decompressed(_ value: UInt32, _ bits: UInt32) -> UInt32 {
    (value &* modulus &+ 1 &<< (bits &- 1)) &>> bits
  }

  /// Writes 10 bits a coefficient, 320 bytes.
  func writeCompressed10(to bytes: UnsafeMutableRawPointer) {
    for group in 0..<64 {
      var word: UInt64 = 0
      for index in 0..<4 {
        word |= UInt64(Self.compressed(self[4 &* group &+ index], 10)) &<< UInt64(10 &* index)
      }
      for index in 0..<5 {
        bytes.storeBytes(
          of: UInt8(truncatingIfNeeded: word &>> UInt64(8 &* index)),
          toByteOffset: 5 &* group &+ index, as: UInt8.self)
      }
    }
  }

  /// Reads 10 bits a coefficient, 320 bytes.
  func readCompressed10(_ bytes: UnsafeRawPointer) {
    for group in 0..<64 {
      var word: UInt64 = 0
      for index in 0..<5 {
        let byte = bytes.load(fromByteOffset: 5 &* group &+ index, as: UInt8.self)
        word |= UInt64(byte) &<< UInt64(8 &* index)
      }
      for index in 0..<4 {
        let value = UInt32(truncatingIfNeeded: word &>> UInt64(10 &* index)) & 1023
        self[4 &* group &+ index] = Self.decompressed(value, 10)
      }
    }
  }

  /// Writes 4 bits a coefficient, 128 bytes.
  func writeCompressed4(to bytes: UnsafeMutableRawPointer) {
    for pair in 0..<128 {
      let byte =
        Self.compressed(self[2 &* pair], 4) | Self.compressed(self[2 &* pair &+ 1], 4) &<< 4
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: byte), toByteOffset: pair, as: UInt8.self)
    }
  }

  /// Reads 4 bits a coefficient, 128 bytes.
  func readCompressed4(_ bytes: UnsafeRawPointer) {
    for pair in 0..<128 {
      let byte = UInt32(bytes.load(fromByteOffset: pair, as: UInt8.self))
      self[2 &* pair] = Self.decompressed(byte & 15, 4)
      self[2 &* pair &+ 1] = Self.decompressed(byte &>> 4, 4)
    }
  }

  /// Writes the message that it stands for, one bit a coefficient, 32 bytes.
  func writeMessage(to bytes: UnsafeMutableRawPointer) {
    for group in 0..<32 {
      var byte: UInt32 = 0
      for index in 0..<8 {
        byte |= Self.compressed(self[8 &* group &+ index], 1) &<< UInt32(index)
      }
      bytes.storeBytes(of: UInt8(truncatingIfNeeded: byte), toByteOffset: group, as: UInt8.self)
    }
  }

  /// Adds a message of 32 bytes: half of q for each bit that is set.
  func addMessage(_ bytes: UnsafeRawPointer) {
    for index in 0..<Self.count {
      let byte = UInt32(bytes.load(fromByteOffset: index &>> 3, as: UInt8.self))
      let bit = byte &>> UInt32(index & 7) & 1
      self[index] = Self.reducedOnce(self[index] &+ 1665 &* bit)
    }
  }

  /// Becomes an element of the matrix, the transform of a polynomial that a public seed of 32 bytes
  /// and two indices choose (FIPS 203, algorithm 7).
  func sampleUniform(_ seed: UnsafeRawBufferPointer, _ first: Int, _ second: Int) {
    var stream = SHA3(.shake128)
    stream.update(seed)
    withUnsafeBytes(of: (UInt8(truncatingIfNeeded: first), UInt8(truncatingIfNeeded: second))) {
      stream.update($0)
    }
    let rate = SHA3.Function.shake128.rate
    withUnsafeTemporaryAllocation(byteCount: rate, alignment: 8) { block in
      guard let bytes = block.baseAddress else { return }
      var found = 0
      // The stream has no end: how much of it is needed depends on the seed.
      while found < Self.count {
        stream.squeeze(into: block)
        var offset = 0
        while offset < rate, found < Self.count {
          let first = UInt32(bytes.load(fromByteOffset: offset, as: UInt8.self))
          let second = UInt32(bytes.load(fromByteOffset: offset &+ 1, as: UInt8.self))
          let third = UInt32(bytes.load(fromByteOffset: offset &+ 2, as: UInt8.self))
          offset &+= 3
          let (low, high) = (first | (second & 15) &<< 8, second &>> 4 | third &<< 4)
          if low < Self.modulus {
            self[found] = low
            found &+= 1
          }
          if high < Self.modulus, found < Self.count {
            self[found] = high
            found &+= 1
          }
        }
      }
    }
  }

  /// Becomes a polynomial of small coefficients that a secret seed of 32 bytes and an index choose:
  /// each the difference of two sums of two bits (FIPS 203, algorithm 8, with η = 2).
  func sampleSmall(_ seed: UnsafeRawBufferPointer, _ index: UInt8) {
    var stream = SHA3(.shake256)
    stream.update(seed)
    withUnsafeBytes(of: index) { stream.update($0) }
    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { block in
      stream.squeeze(into: block)
      if let bytes = UnsafeRawPointer(block.baseAddress) {
        for group in 0..<32 {
          let word = bytes.littleEndian(at: 4 &* group, as: UInt32.self)
          let sums = (word & 0x5555_5555) &+ (word &>> 1 & 0x5555_5555)
          for index in 0..<8 {
            let plus = sums &>> UInt32(4 &* index) & 3
            let minus = sums &>> UInt32(4 &* index &+ 2) & 3
            self[8 &* group &+ index] = Self.reducedOnce(plus &+ Self.modulus &- minus)
          }
        }
      }
      wipe(block)
    }
    wipe(value: &stream)
  }
}

/// A vector of the three polynomials of ML-KEM-768, one behind the other in memory that is lent.
struct MLKEMVector {
  /// The rank k of the module.
  static let count = 3

  let base: UnsafeMutablePointer<UInt16>

  @inline(__always)
  subscript(index: Int) -> MLKEMPolynomial {
    MLKEMPolynomial(base: base + index &* MLKEMPolynomial.count)
  }
}

/// Memory for polynomials, for the length of a call.
struct MLKEMScratch {
  fileprivate var next: UnsafeMutablePointer<UInt16>

  /// Lends room for `count` polynomials, all zeros, and overwrites it afterwards.
  static func lend(_ count: Int, _ body: (inout MLKEMScratch) -> Void) {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count * MLKEMPolynomial.count) {
      buffer in
      buffer.initialize(repeating: 0)
      guard let base = buffer.baseAddress else { return }
      var scratch = MLKEMScratch(next: base)
      body(&scratch)
      wipe(UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// The next polynomial of the room.
  mutating func polynomial() -> MLKEMPolynomial {
    defer { next += MLKEMPolynomial.count }
    return MLKEMPolynomial(base: next)
  }

  /// The next three polynomials of the room.
  mutating func vector() -> MLKEMVector {
    defer { next += MLKEMVector.count * MLKEMPolynomial.count }
    return MLKEMVector(base: next)
  }
}
