/// The key schedule of HPKE's base mode (RFC 9180 §5.1) for the one suite that age uses: the hybrid
/// encapsulation 0x647a, HKDF-SHA256 (0x0001), ChaCha20-Poly1305 (0x0003).
package struct HPKE: Sendable {
  /// `HPKE`, and the numbers of the suite.
  package static let suite: [UInt8] = Array("HPKE".utf8) + [0x64, 0x7a, 0x00, 0x01, 0x00, 0x03]

  private let secret: SecretBytes
  private let context: [UInt8]

  /// The schedule of the secret that an encapsulation gave.
  package init(shared: SecretBytes, info: [UInt8]) {
    // Mode 0 has no pre-shared key.
    context =
      [0] + Self.extract(salt: [], label: "psk_id_hash", [])
      + Self.extract(salt: [], label: "info_hash", info)
    var salt = shared.bytes
    var extracted = Self.extract(salt: salt, label: "secret", [])
    wipe(&salt)
    secret = SecretBytes(taking: &extracted)
  }

  /// The key, 32 bytes.
  package var key: SecretBytes {
    var key = expand("key", count: ChaCha20Poly1305.keyByteCount)
    return SecretBytes(taking: &key)
  }

  /// The nonce of the first message, 12 bytes.
  package var baseNonce: [UInt8] {
    expand("base_nonce", count: ChaCha20Poly1305.nonceByteCount)
  }

  /// Derives bytes under a label (`LabeledExpand`, §4), for the context of the schedule.
  package func expand(_ label: String, count: Int) -> [UInt8] {
    var bytes = secret.bytes
    defer { wipe(&bytes) }
    let length = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    return HKDFSHA256.expand(
      bytes, info: length + Self.prefix + Array(label.utf8) + context, count: count)
  }

  private static let prefix = Array("HPKE-v1".utf8) + suite

  /// `LabeledExtract` (§4).
  private static func extract(salt: [UInt8], label: String, _ input: [UInt8]) -> [UInt8] {
    HKDFSHA256.extract(secret: prefix + Array(label.utf8) + input, salt: salt)
  }
}
