/// The stanza `X25519`: an ephemeral share, and the file key sealed with a key on which the share and
/// the recipient agree (C2SP age.md, "The X25519 recipient type").
enum X25519Stanza {
  static let kind = "X25519"

  /// Checks every stanza of this kind: two arguments, the second 32 bytes in canonical base64, and
  /// a body of the length of a wrapped file key.
  static func check(_ stanzas: [Stanza]) throws(HeaderFault) {
    for stanza in stanzas where stanza.kind == kind {
      guard share(stanza) != nil else { throw .stanza(kind: kind) }
      guard stanza.body.count == WrappedFileKey.byteCount else { throw .fileKeyLength(kind: kind) }
    }
  }

  /// Reads the ephemeral share in a stanza.
  static func share(_ stanza: Stanza) -> [UInt8]? {
    guard stanza.arguments.count == 2,
      let share = Base64.decode(stanza.arguments[1], padded: false),
      share.count == X25519.byteCount
    else { return nil }
    return share
  }

  /// Derives the key that wraps the file key; `nil` where the shared secret is all zeros.
  static func wrapKey(
    secret: SecretBytes, theirs: [UInt8], share: [UInt8], recipient: [UInt8]
  ) -> SecretBytes? {
    var scalar = secret.bytes
    defer { wipe(&scalar) }
    guard var shared = X25519.sharedSecret(secret: scalar, publicKey: theirs) else { return nil }
    defer { wipe(&shared) }
    var key = HKDFSHA256.derive(
      secret: shared, salt: share + recipient,
      info: Array("age-encryption.org/v1/X25519".utf8), count: ChaCha20Poly1305.keyByteCount)
    return SecretBytes(taking: &key)
  }
}
