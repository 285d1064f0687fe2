/// The kinds of keys: one of X25519 alone, and one of ML-KEM-768 and X25519, which stays closed to quantum
/// computers. Both wrap a file key in a stanza of a share and a body (C2SP age.md, "The X25519 recipient
/// type" and "The mlkem768x25519 recipient type").
package enum KeyKind: CaseIterable, Sendable {
  case x25519, hybrid

  /// The first word of its stanzas.
  package var stanza: String { self == .x25519 ? "X25519" : "mlkem768x25519" }

  /// The beginning of a recipient: `age1…`, 62 characters, or `age1pq1…`, 1959.
  fileprivate var recipientPart: String { self == .x25519 ? "age" : "age1pq" }

  /// The beginning of an identity: `AGE-SECRET-KEY-1…`, 74 characters, or `AGE-SECRET-KEY-PQ-1…`, 77.
  fileprivate var identityPart: String {
    self == .x25519 ? "AGE-SECRET-KEY-" : "AGE-SECRET-KEY-PQ-"
  }

  /// The bytes of a share: an ephemeral public key, or an encapsulation.
  private var shareByteCount: Int {
    self == .x25519 ? X25519.byteCount : HybridKEM.encapsulationByteCount
  }

  /// Checks every stanza of this kind.
  func check(_ stanzas: [Stanza]) throws(AgeFailure) {
    for stanza in stanzas where stanza.kind == self.stanza { _ = try share(in: stanza) }
  }

  /// Reads the share in a stanza: it has two arguments, the second the share in canonical base64, and a body
  /// of the length of a wrapped file key.
  fileprivate func share(in stanza: Stanza) throws(AgeFailure) -> [UInt8] {
    guard stanza.arguments.count == 2,
      let share = Base64.decode(stanza.arguments[1], padded: false),
      share.count == shareByteCount
    else { throw .header(.stanza(kind: self.stanza)) }
    guard stanza.body.count == WrappedFileKey.byteCount else {
      throw .header(.fileKeyLength(kind: self.stanza))
    }
    return share
  }
}

/// A key on which a share and a recipient agree, to wrap one file key with.
private struct WrapKey {
  let key: SecretBytes
  let nonce: [UInt8]

  /// The key of X25519; `nil` where the shared secret is all zeros.
  init?(secret scalar: [UInt8], theirs: [UInt8], share: [UInt8], recipient: [UInt8]) {
    guard var shared = X25519.sharedSecret(secret: scalar, publicKey: theirs) else { return nil }
    defer { wipe(&shared) }
    var derived = HKDFSHA256.derive(
      secret: shared, salt: share + recipient,
      info: Array("age-encryption.org/v1/X25519".utf8), count: ChaCha20Poly1305.keyByteCount)
    key = SecretBytes(taking: &derived)
    nonce = WrappedFileKey.nonce
  }

  /// The key of a hybrid's secret, as HPKE derives it.
  init(hybrid shared: SecretBytes) {
    let schedule = HPKE(
      shared: shared, info: Array("age-encryption.org/mlkem768x25519".utf8))
    (key, nonce) = (schedule.key, schedule.baseNonce)
  }
}

/// A public key to seal to: `age1…` or `age1pq1…`.
package struct AgeRecipient: Hashable, Sendable, CustomStringConvertible {
  package let kind: KeyKind
  /// The public key: 32 bytes, or 1216.
  package let bytes: [UInt8]

  fileprivate init(_ kind: KeyKind, made bytes: [UInt8]) {
    (self.kind, self.bytes) = (kind, bytes)
  }

  /// The recipient of a public key; `nil` for bytes that are none of that kind.
  package init?(_ kind: KeyKind, publicKey bytes: [UInt8]) {
    switch kind {
    case .x25519: guard bytes.count == X25519.byteCount else { return nil }
    case .hybrid: guard HybridKEM.PublicKey(bytes) != nil else { return nil }
    }
    self.init(kind, made: bytes)
  }

  /// Reads a recipient of any kind, or of one alone.
  ///
  /// - Throws: the fault, which names a key of another kind.
  package init(_ text: String, kinds: [KeyKind] = KeyKind.allCases) throws(KeyFault) {
    guard let (part, bytes) = Bech32.decode(text),
      let kind = kinds.first(where: { $0.recipientPart == part }),
      let recipient = AgeRecipient(kind, publicKey: bytes)
    else { throw KeyFault(recipient: text) }
    self = recipient
  }

  /// Whether files that are sealed to it stay closed to quantum computers.
  package var isPostQuantum: Bool { kind == .hybrid }

  /// The recipient as others write it.
  package var description: String { Bech32.encode(hrp: kind.recipientPart, bytes) }
}

extension AgeRecipient: Recipient {
  package var label: RecipientLabel { isPostQuantum ? .postQuantum : .none }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    let drawn: SecretBytes
    let count = kind == .x25519 ? X25519.byteCount : HybridKEM.randomByteCount
    do {
      drawn = try SecretBytes(count: count) { buffer throws(Fault) in
        try random.fill(buffer)
      }
    } catch {
      throw .random(error)
    }
    guard let (share, wrapKey) = agreement(by: drawn) else { throw .recipients(.lowOrder) }
    return [
      Stanza(
        arguments: [kind.stanza, Base64.encode(share, padded: false)],
        body: WrappedFileKey.seal(fileKey, with: wrapKey.key, nonce: wrapKey.nonce))
    ]
  }

  /// Makes a share, and the key on which its maker and the recipient agree; `nil` where the recipient is a
  /// point of low order, and so nobody's.
  private func agreement(by drawn: SecretBytes) -> (share: [UInt8], key: WrapKey)? {
    switch kind {
    case .x25519:
      var scalar = drawn.bytes
      defer { wipe(&scalar) }
      let share = X25519.publicKey(secret: scalar)
      return WrapKey(secret: scalar, theirs: bytes, share: share, recipient: bytes)
        .map { (share, $0) }
    case .hybrid:
      return HybridKEM.PublicKey(bytes)?.encapsulate(drawn)
        .map { ($0.encapsulation, WrapKey(hybrid: $0.shared)) }
    }
  }
}

/// A secret key to open with: `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…`.
package struct AgeIdentity: Sendable {
  /// The bytes of the seed that an identity of either kind is.
  package static let seedByteCount = 32

  /// The name under which `age-plugin-pq` writes the seed of a hybrid key for an age without these keys. It is
  /// read, and never written.
  private static let pluginPart = "AGE-PLUGIN-PQ-"

  package let kind: KeyKind
  /// The 32 bytes that the identity is.
  package let seed: SecretBytes
  /// The public key that belongs to it.
  package let recipient: AgeRecipient
  /// What the seed of a hybrid key expands to.
  private let hybrid: HybridKEM.SecretKey?

  /// The identity of a seed; `nil` unless that has 32 bytes.
  private init?(_ kind: KeyKind, seed: SecretBytes) {
    guard seed.count == Self.seedByteCount else { return nil }
    (self.kind, self.seed) = (kind, seed)
    switch kind {
    case .x25519:
      hybrid = nil
      var scalar = seed.bytes
      defer { wipe(&scalar) }
      recipient = AgeRecipient(kind, made: X25519.publicKey(secret: scalar))
    case .hybrid:
      guard let key = HybridKEM.SecretKey(seed: seed) else { return nil }
      hybrid = key
      recipient = AgeRecipient(kind, made: key.publicKey.bytes)
    }
  }

  /// The identity of a seed; `nil` unless that has 32 bytes.
  package init?(seed: SecretBytes, isPostQuantum: Bool) {
    self.init(isPostQuantum ? .hybrid : .x25519, seed: seed)
  }

  /// A new identity.
  package init(isPostQuantum: Bool, random: RandomSource) throws(Fault) {
    let seed = try SecretBytes(count: Self.seedByteCount) {
      buffer throws(Fault) in try random.fill(buffer)
    }
    guard let identity = AgeIdentity(seed: seed, isPostQuantum: isPostQuantum) else {
      preconditionFailure("a seed of 32 bytes is a key")
    }
    self = identity
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
    guard case (let part, var bytes)? = Bech32.decode(characters) else {
      throw KeyFault(identity: characters)
    }
    defer { wipe(&bytes) }
    let kind =
      part == Self.pluginPart ? .hybrid : KeyKind.allCases.first { $0.identityPart == part }
    guard let kind, let identity = AgeIdentity(kind, seed: SecretBytes(copying: bytes)) else {
      throw KeyFault(identity: characters)
    }
    self = identity
  }

  /// The secret key as an identity file holds it.
  package var secretCharacters: SecretBytes {
    var bytes = seed.bytes
    defer { wipe(&bytes) }
    var characters = Bech32.encoded(hrp: kind.identityPart, bytes)
    return SecretBytes(taking: &characters)
  }

  /// The secret key as a text. Nothing wipes a text: it is for what is written or shown at once, never kept.
  package var secretText: String {
    secretCharacters.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension AgeIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    for stanza in stanzas where stanza.kind == kind.stanza {
      let share: [UInt8]
      do { share = try kind.share(in: stanza) } catch { return .failed(error) }
      guard let wrapKey = wrapKey(for: share) else { return .failed(.header(.lowOrderShare)) }
      if let fileKey = WrappedFileKey.open(stanza.body, with: wrapKey.key, nonce: wrapKey.nonce) {
        return .fileKey(fileKey)
      }
    }
    return .noMatch
  }

  /// The key on which a share and the identity agree; `nil` for a share of low order.
  private func wrapKey(for share: [UInt8]) -> WrapKey? {
    if let hybrid { return hybrid.decapsulate(share).map { WrapKey(hybrid: $0) } }
    var scalar = seed.bytes
    defer { wipe(&scalar) }
    return WrapKey(secret: scalar, theirs: share, share: share, recipient: recipient.bytes)
  }
}
