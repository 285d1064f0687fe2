/// The stanza `mlkem768x25519`: an encapsulation, and the file key sealed as HPKE does it (C2SP age.md,
/// "The mlkem768x25519 recipient type").
package enum HybridStanza {
  package static let kind = "mlkem768x25519"

  private static let info = Array("age-encryption.org/mlkem768x25519".utf8)

  /// Checks every stanza of this kind: two arguments, the second an encapsulation of 1120 bytes in
  /// canonical base64, and a body of the length of a wrapped file key.
  static func check(_ stanzas: [Stanza]) throws(HeaderFault) {
    for stanza in stanzas where stanza.kind == kind {
      guard encapsulation(stanza) != nil else { throw .stanza(kind: kind) }
      guard stanza.body.count == WrappedFileKey.byteCount else { throw .fileKeyLength(kind: kind) }
    }
  }

  /// Reads the encapsulation in a stanza.
  static func encapsulation(_ stanza: Stanza) -> [UInt8]? {
    guard stanza.arguments.count == 2,
      let bytes = Base64.decode(stanza.arguments[1], padded: false),
      bytes.count == HybridKEM.encapsulationByteCount
    else { return nil }
    return bytes
  }

  /// Seals a file key with a shared secret.
  ///
  /// - Returns: the body of a stanza.
  static func seal(_ fileKey: FileKey, shared: SecretBytes) -> [UInt8] {
    var plaintext = fileKey.bytes.bytes
    defer { wipe(&plaintext) }
    let schedule = HPKE(shared: shared, info: info)
    return ChaCha20Poly1305(key: schedule.key).seal(plaintext, nonce: schedule.baseNonce)
  }

  /// Opens a body with a shared secret; `nil` where it was sealed with another.
  static func open(_ body: [UInt8], shared: SecretBytes) -> FileKey? {
    let schedule = HPKE(shared: shared, info: info)
    let cipher = ChaCha20Poly1305(key: schedule.key)
    guard var plaintext = cipher.open(body, nonce: schedule.baseNonce) else { return nil }
    return FileKey(SecretBytes(taking: &plaintext))
  }
}
