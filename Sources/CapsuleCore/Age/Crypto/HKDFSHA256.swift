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
