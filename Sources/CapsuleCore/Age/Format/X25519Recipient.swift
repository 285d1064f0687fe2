/// A public key to seal to: `age1…`.
package struct X25519Recipient: Hashable, Sendable, CustomStringConvertible {
  /// The public key, 32 bytes.
  package let publicKey: [UInt8]

  /// A recipient from its public key; `nil` unless that has 32 bytes.
  package init?(publicKey: [UInt8]) {
    guard publicKey.count == X25519.byteCount else { return nil }
    self.publicKey = publicKey
  }

  /// The recipient of a secret key of 32 bytes.
  init(secret: [UInt8]) {
    publicKey = X25519.publicKey(secret: secret)
  }

  /// Reads `age1…`.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(_ text: String) throws(KeyFault) {
    guard let (part, bytes) = Bech32.decode(text), part == "age",
      let recipient = X25519Recipient(publicKey: bytes)
    else { throw KeyFault(recipient: text) }
    self = recipient
  }

  /// The recipient as others write it: `age1…`, 62 characters.
  package var description: String {
    Bech32.encode(hrp: "age", publicKey)
  }
}

extension X25519Recipient: Recipient {
  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    let ephemeral: X25519Identity
    do throws(RandomSource.Failure) {
      ephemeral = try X25519Identity(random: random)
    } catch {
      throw .random(error)
    }
    let share = ephemeral.recipient.publicKey
    guard
      let key = X25519Stanza.wrapKey(
        secret: ephemeral.secretKey, theirs: publicKey, share: share, recipient: publicKey)
    else { throw .recipients(.lowOrder) }
    return [
      Stanza(
        arguments: [X25519Stanza.kind, Base64.encode(share, padded: false)],
        body: WrappedFileKey.seal(fileKey, with: key))
    ]
  }
}
