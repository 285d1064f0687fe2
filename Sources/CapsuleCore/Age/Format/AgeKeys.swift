/// A public key to seal to, of either kind: `age1…` or `age1pq1…`.
package enum AgeRecipient: Hashable, Sendable, CustomStringConvertible {
  case x25519(X25519Recipient)
  case hybrid(HybridRecipient)

  /// Reads a recipient.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(_ text: String) throws(KeyFault) {
    if text.utf8.starts(with: "age1pq1".utf8) {
      self = .hybrid(try HybridRecipient(text))
    } else {
      self = .x25519(try X25519Recipient(text))
    }
  }

  /// Whether files that are sealed to it stay closed to quantum computers.
  package var isPostQuantum: Bool { label == .postQuantum }

  package var description: String {
    switch self {
    case .x25519(let recipient): recipient.description
    case .hybrid(let recipient): recipient.description
    }
  }
}

extension AgeRecipient: Recipient {
  package var label: RecipientLabel {
    switch self {
    case .x25519(let recipient): recipient.label
    case .hybrid(let recipient): recipient.label
    }
  }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    switch self {
    case .x25519(let recipient): try recipient.wrap(fileKey, random: random)
    case .hybrid(let recipient): try recipient.wrap(fileKey, random: random)
    }
  }
}

/// A secret key to open with, of either kind.
package enum AgeIdentity: Sendable {
  case x25519(X25519Identity)
  case hybrid(HybridIdentity)

  /// A new identity.
  package init(isPostQuantum: Bool, random: RandomSource) throws(RandomSource.Failure) {
    self =
      isPostQuantum
      ? .hybrid(try HybridIdentity(random: random)) : .x25519(try X25519Identity(random: random))
  }

  /// Reads an identity.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(_ text: String) throws(KeyFault) {
    var characters = Array(text.utf8)
    defer { wipe(&characters) }
    try self.init(characters: characters)
  }

  /// Reads an identity from its characters, which the caller wipes.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(characters: [UInt8]) throws(KeyFault) {
    if ["AGE-SECRET-KEY-PQ-1", "AGE-PLUGIN-PQ-1"].contains(where: {
      characters.starts(with: $0.utf8)
    }) {
      self = .hybrid(try HybridIdentity(characters: characters))
    } else {
      self = .x25519(try X25519Identity(characters: characters))
    }
  }

  /// The public key that belongs to it.
  package var recipient: AgeRecipient {
    switch self {
    case .x25519(let identity): .x25519(identity.recipient)
    case .hybrid(let identity): .hybrid(identity.recipient)
    }
  }

  /// The secret key as an identity file holds it.
  package var secretCharacters: SecretBytes {
    switch self {
    case .x25519(let identity): identity.secretCharacters
    case .hybrid(let identity): identity.secretCharacters
    }
  }

  /// The secret key as a text. Nothing wipes a text: it is for what is written or shown at once, never kept.
  package var secretText: String {
    secretCharacters.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension AgeIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    switch self {
    case .x25519(let identity): identity.unwrap(stanzas)
    case .hybrid(let identity): identity.unwrap(stanzas)
    }
  }
}

extension AgeIdentity {
  /// The bytes of the seed that an identity of either kind is.
  package static let seedByteCount = 32

  /// The identity of a seed; `nil` unless that has 32 bytes.
  package init?(seed: SecretBytes, isPostQuantum: Bool) {
    if isPostQuantum {
      guard let identity = HybridIdentity(seed: seed) else { return nil }
      self = .hybrid(identity)
    } else {
      guard let identity = X25519Identity(secretKey: seed) else { return nil }
      self = .x25519(identity)
    }
  }

  /// The 32 bytes that the identity is.
  package var seed: SecretBytes {
    switch self {
    case .x25519(let identity): identity.secretKey
    case .hybrid(let identity): identity.seed
    }
  }
}
