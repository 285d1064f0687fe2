/// A post-quantum secret key to open with: `AGE-SECRET-KEY-PQ-1…`.
package struct HybridIdentity: Sendable {
  private let key: HybridKEM.SecretKey
  /// The public key that belongs to it.
  package var recipient: HybridRecipient { HybridRecipient(key.publicKey) }

  private static let part = "AGE-SECRET-KEY-PQ-"
  /// The name under which `age-plugin-pq` writes the same seed for an age without these keys.
  private static let pluginPart = "AGE-PLUGIN-PQ-"

  /// A new identity.
  package init(random: RandomSource) throws(RandomSource.Failure) {
    let seed = try SecretBytes(count: HybridKEM.seedByteCount) {
      buffer throws(RandomSource.Failure) in try random.fill(buffer)
    }
    guard let key = HybridKEM.SecretKey(seed: seed) else {
      preconditionFailure("a seed of 32 bytes is a key")
    }
    self.key = key
  }

  /// The identity of a seed; `nil` unless that has 32 bytes.
  package init?(seed: SecretBytes) {
    guard let key = HybridKEM.SecretKey(seed: seed) else { return nil }
    self.key = key
  }

  /// The seed, 32 bytes.
  var seed: SecretBytes { key.seed }

  /// Reads `AGE-SECRET-KEY-PQ-1…`, and `AGE-PLUGIN-PQ-1…`, which is never written.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(characters: [UInt8]) throws(KeyFault) {
    guard case (let part, var bytes)? = Bech32.decode(characters) else {
      throw KeyFault(identity: characters)
    }
    defer { wipe(&bytes) }
    guard part == Self.part || part == Self.pluginPart,
      let key = HybridKEM.SecretKey(seed: SecretBytes(copying: bytes))
    else { throw KeyFault(identity: characters) }
    self.key = key
  }

  /// The secret key as an identity file holds it: `AGE-SECRET-KEY-PQ-1…`, 77 characters.
  var secretCharacters: SecretBytes {
    var bytes = key.seed.bytes
    defer { wipe(&bytes) }
    var characters = Bech32.encoded(hrp: Self.part, bytes)
    return SecretBytes(taking: &characters)
  }
}

extension HybridIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    for stanza in stanzas where stanza.kind == HybridStanza.kind {
      guard let encapsulation = HybridStanza.encapsulation(stanza) else {
        return .damaged(.stanza(kind: HybridStanza.kind))
      }
      guard stanza.body.count == WrappedFileKey.byteCount else {
        return .damaged(.fileKeyLength(kind: HybridStanza.kind))
      }
      guard let shared = key.decapsulate(encapsulation) else { return .damaged(.lowOrderShare) }
      if let fileKey = HybridStanza.open(stanza.body, shared: shared) { return .fileKey(fileKey) }
    }
    return .noMatch
  }
}
