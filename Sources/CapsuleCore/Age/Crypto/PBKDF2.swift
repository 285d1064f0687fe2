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
