/// PBKDF2 with HMAC-SHA256 (RFC 8018 §5.2).
package enum PBKDF2 {
  /// Derives `count` bytes from a password.
  package static func derive(
    password: [UInt8], salt: [UInt8], iterations: Int, count: Int
  ) -> [UInt8] {
    precondition(iterations > 0 && count >= 0)
    let keyed = HMACSHA256(key: password)
    var derived: [UInt8] = []
    derived.reserveCapacity(count)
    var index: UInt32 = 0
    while derived.count < count {
      index += 1
      var first = keyed
      first.update(salt)
      first.update(withUnsafeBytes(of: index.bigEndian) { [UInt8]($0) })
      var round = first.finalize()
      var sum = round
      for _ in 1..<iterations {
        var code = keyed
        code.update(round)
        round = code.finalize()
        for index in 0..<SHA256.byteCount { sum[index] ^= round[index] }
      }
      derived.append(contentsOf: sum.prefix(count - derived.count))
      wipe(&round)
      wipe(&sum)
    }
    return derived
  }
}
