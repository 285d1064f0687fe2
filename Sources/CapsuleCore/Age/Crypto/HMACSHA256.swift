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
