/// A secret key to open with: `AGE-SECRET-KEY-1…`.
package struct X25519Identity: Sendable {
  /// The secret key, 32 bytes.
  package let secretKey: SecretBytes
  /// The public key that belongs to it.
  package let recipient: X25519Recipient

  private static let part = "AGE-SECRET-KEY-"

  /// An identity from its secret key; `nil` unless that has 32 bytes.
  package init?(secretKey: SecretBytes) {
    guard secretKey.count == X25519.byteCount else { return nil }
    self.init(checked: secretKey)
  }

  private init(checked secretKey: SecretBytes) {
    self.secretKey = secretKey
    var scalar = secretKey.bytes
    recipient = X25519Recipient(secret: scalar)
    wipe(&scalar)
  }

  /// A new identity.
  package init(random: RandomSource) throws(RandomSource.Failure) {
    self.init(
      checked: try SecretBytes(count: X25519.byteCount) { buffer throws(RandomSource.Failure) in
        try random.fill(buffer)
      })
  }

  /// Reads `AGE-SECRET-KEY-1…`.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(characters: [UInt8]) throws(KeyFault) {
    guard case (let part, var bytes)? = Bech32.decode(characters) else {
      throw KeyFault(identity: characters)
    }
    defer { wipe(&bytes) }
    guard part == Self.part, bytes.count == X25519.byteCount else {
      throw KeyFault(identity: characters)
    }
    self.init(checked: SecretBytes(copying: bytes))
  }

  /// The secret key as an identity file holds it: `AGE-SECRET-KEY-1…`, 74 characters.
  var secretCharacters: SecretBytes {
    var bytes = secretKey.bytes
    defer { wipe(&bytes) }
    var characters = Bech32.encoded(hrp: Self.part, bytes)
    return SecretBytes(taking: &characters)
  }
}

extension X25519Identity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    for stanza in stanzas where stanza.kind == X25519Stanza.kind {
      guard let share = X25519Stanza.share(stanza) else {
        return .damaged(.stanza(kind: X25519Stanza.kind))
      }
      guard stanza.body.count == WrappedFileKey.byteCount else {
        return .damaged(.fileKeyLength(kind: X25519Stanza.kind))
      }
      guard
        let key = X25519Stanza.wrapKey(
          secret: secretKey, theirs: share, share: share, recipient: recipient.publicKey)
      else { return .damaged(.lowOrderShare) }
      if let fileKey = WrappedFileKey.open(stanza.body, with: key) { return .fileKey(fileKey) }
    }
    return .noMatch
  }
}
