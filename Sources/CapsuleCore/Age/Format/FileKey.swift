/// The key that one age file is sealed with: 16 random bytes, used for that file only.
package struct FileKey: Sendable {
  package static let byteCount = 16

  /// The 16 bytes.
  package let bytes: SecretBytes

  /// A new key.
  package init(random: RandomSource) throws(RandomSource.Failure) {
    bytes = try SecretBytes(count: Self.byteCount) { buffer throws(RandomSource.Failure) in
      try random.fill(buffer)
    }
  }

  /// A key that was unwrapped; `nil` unless it is 16 bytes.
  package init?(_ bytes: SecretBytes) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Derives 32 bytes for one use, which the caller wipes.
  func derive(salt: [UInt8], info: String) -> [UInt8] {
    var secret = bytes.bytes
    defer { wipe(&secret) }
    return HKDFSHA256.derive(secret: secret, salt: salt, info: Array(info.utf8), count: 32)
  }
}
