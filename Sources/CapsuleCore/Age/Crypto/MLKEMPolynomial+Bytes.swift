// Polynomials from and to bytes. Sampling a matrix, whose seed is public, may branch; nothing else
// does.
extension MLKEMPolynomial {
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
