/// A post-quantum public key to seal to: `age1pq1…`.
package struct HybridRecipient: Hashable, Sendable, CustomStringConvertible {
  /// The public key, 1216 bytes.
  package let publicKey: HybridKEM.PublicKey

  private static let part = "age1pq"

  init(_ publicKey: HybridKEM.PublicKey) {
    self.publicKey = publicKey
  }

  /// Reads `age1pq1…`.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(_ text: String) throws(KeyFault) {
    guard let (part, bytes) = Bech32.decode(text), part == Self.part,
      let key = HybridKEM.PublicKey(bytes)
    else { throw KeyFault(recipient: text) }
    publicKey = key
  }

  /// The recipient as others write it: `age1pq1…`, 1959 characters.
  package var description: String {
    Bech32.encode(hrp: Self.part, publicKey.bytes)
  }
}

extension HybridRecipient: Recipient {
  package var label: RecipientLabel { .postQuantum }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    let drawn: SecretBytes
    do throws(RandomSource.Failure) {
      drawn = try SecretBytes(count: HybridKEM.randomByteCount) {
        buffer throws(RandomSource.Failure) in try random.fill(buffer)
      }
    } catch {
      throw .random(error)
    }
    guard let (encapsulation, shared) = publicKey.encapsulate(drawn) else {
      throw .recipients(.lowOrder)
    }
    return [
      Stanza(
        arguments: [HybridStanza.kind, Base64.encode(encapsulation, padded: false)],
        body: HybridStanza.seal(fileKey, shared: shared))
    ]
  }
}
