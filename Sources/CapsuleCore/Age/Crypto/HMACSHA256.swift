/// HMAC with SHA-256 (RFC 2104, RFC 6234), whole or in pieces.
package struct HMACSHA256: BitwiseCopyable, Sendable {
  // The states after the padded key: a copy of this value authenticates another message under the
  // same key without hashing the key again.
  private var inner = SHA256()
  private var outer = SHA256()

  /// A code under a key of any length.
  package init(key: [UInt8]) {
    self = key.withUnsafeBytes { HMACSHA256(key: $0) }
  }

  /// A code under a key of any length.
  package init(key: UnsafeRawBufferPointer) {
    var block = SIMD64<UInt8>()
    withUnsafeMutableBytes(of: &block) { block in
      if key.count <= 64 {
        block.copyBytes(from: key)
      } else {
        var digest = SHA256.hash(key)
        block.copyBytes(from: digest)
        wipe(&digest)
      }
      for index in 0..<64 { block[index] ^= 0x36 }
      inner.update(UnsafeRawBufferPointer(block))
      for index in 0..<64 { block[index] ^= 0x36 ^ 0x5c }
      outer.update(UnsafeRawBufferPointer(block))
      wipe(block)
    }
  }

  /// Takes the next bytes of the message.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    inner.update(bytes)
  }

  /// Takes the next bytes of the message.
  package mutating func update(_ bytes: [UInt8]) {
    inner.update(bytes)
  }

  /// Returns the code of everything taken, 32 bytes; the states that held the key are overwritten.
  ///
  /// Compare a code that came from elsewhere with `constantTimeEqual`.
  package mutating func finalize() -> [UInt8] {
    outer.update(words: inner.finalizeWords())
    return outer.finalize()
  }

  /// Takes 32 bytes that are eight big-endian words.
  mutating func update(words: SIMD8<UInt32>) {
    inner.update(words: words)
  }

  /// Returns the code as its eight words; the states that held the key are overwritten.
  mutating func finalizeWords() -> SIMD8<UInt32> {
    outer.update(words: inner.finalizeWords())
    return outer.finalizeWords()
  }

  /// Returns the code of one byte string, 32 bytes.
  package static func authenticationCode(key: [UInt8], data: [UInt8]) -> [UInt8] {
    var code = HMACSHA256(key: key)
    code.update(data)
    return code.finalize()
  }
}

/// HKDF with SHA-256 (RFC 5869): extract, then expand.
package enum HKDFSHA256 {
  /// The most bytes that can be derived at once: 255 digests.
  package static let maximumCount = 255 * SHA256.byteCount

  /// Derives `count` bytes (at most `maximumCount`) from a secret; an empty salt means no salt.
  package static func derive(
    secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int
  ) -> [UInt8] {
    var pseudorandomKey = extract(secret: secret, salt: salt)
    defer { wipe(&pseudorandomKey) }
    return expand(pseudorandomKey, info: info, count: count)
  }

  /// Returns the pseudorandom key of a secret, 32 bytes (§2.2); an empty salt means no salt.
  package static func extract(secret: [UInt8], salt: [UInt8]) -> [UInt8] {
    // No salt is 32 zero bytes, which HMAC pads to the same block as an empty key.
    HMACSHA256.authenticationCode(key: salt, data: secret)
  }

  /// Derives `count` bytes (at most `maximumCount`) from a pseudorandom key (§2.3).
  package static func expand(_ pseudorandomKey: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    precondition(count >= 0 && count <= maximumCount)
    var keyed = HMACSHA256(key: pseudorandomKey)
    defer { wipe(value: &keyed) }
    var derived: [UInt8] = []
    derived.reserveCapacity(count)
    var block: [UInt8] = []
    var counter: UInt8 = 1
    while derived.count < count {
      var code = keyed
      code.update(block)
      code.update(info)
      code.update([counter])
      wipe(&block)
      block = code.finalize()
      derived.append(contentsOf: block.prefix(count - derived.count))
      counter &+= 1
    }
    wipe(&block)
    return derived
  }
}

/// PBKDF2 with HMAC-SHA256 (RFC 8018 §5.2).
package enum PBKDF2 {
  /// Derives `count` bytes from a password.
  package static func derive(
    password: [UInt8], salt: [UInt8], iterations: Int, count: Int
  ) -> [UInt8] {
    precondition(iterations > 0 && count >= 0)
    var keyed = HMACSHA256(key: password)
    defer { wipe(value: &keyed) }
    return [UInt8](unsafeUninitializedCapacity: count) { output, written in
      let output = UnsafeMutableRawBufferPointer(output)
      var index: UInt32 = 0
      while written < count {
        index += 1
        var block = block(index, keyed, salt: salt, iterations: iterations)
        withUnsafeMutableBytes(of: &block) { bytes in
          let part = min(bytes.count, count - written)
          let rest = UnsafeMutableRawBufferPointer(rebasing: output[written...])
          rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<part]))
          written += part
          wipe(bytes)
        }
      }
    }
  }

  /// Returns a block of the output, as its bytes.
  private static func block(
    _ index: UInt32, _ keyed: HMACSHA256, salt: [UInt8], iterations: Int
  ) -> SIMD32<UInt8> {
    var first = keyed
    first.update(salt)
    withUnsafeBytes(of: index.bigEndian) { first.update($0) }
    var words = first.finalizeWords()
    var sum = words
    for _ in 1..<iterations {
      var code = keyed
      code.update(words: words)
      words = code.finalizeWords()
      sum ^= words
    }
    var bytes = SIMD32<UInt8>()
    withUnsafeMutableBytes(of: &bytes) { SHA256.write(sum, to: $0) }
    wipe(value: &words)
    wipe(value: &sum)
    return bytes
  }
}
