/// The hybrid key encapsulation of ML-KEM-768 and X25519: X-Wing (draft-connolly-cfrg-xwing-kem),
/// which HPKE calls MLKEM768-X25519 and numbers 0x647a (draft-ietf-hpke-pq).
///
/// Its secret stays secret as long as one of the two holds.
package enum HybridKEM {
  package static let seedByteCount = 32
  /// The bytes of a public key: an encapsulation key, and a public key of X25519.
  package static let publicKeyByteCount = MLKEM768.encapsulationKeyByteCount + X25519.byteCount
  /// The bytes of an encapsulation: a ciphertext, and a share of X25519.
  package static let encapsulationByteCount = MLKEM768.ciphertextByteCount + X25519.byteCount
  /// The bytes of randomness of an encapsulation.
  package static let randomByteCount = 64

  package struct PublicKey: Hashable, Sendable {
    package let encapsulationKey: MLKEM768.EncapsulationKey
    /// The public key of X25519, 32 bytes.
    package let share: [UInt8]

    fileprivate init(_ encapsulationKey: MLKEM768.EncapsulationKey, share: [UInt8]) {
      self.encapsulationKey = encapsulationKey
      self.share = share
    }

    /// A key from its encoding; `nil` for another length than 1216 bytes, or where the encapsulation
    /// key fails its check.
    package init?(_ bytes: [UInt8]) {
      guard bytes.count == publicKeyByteCount,
        let key = MLKEM768.EncapsulationKey(
          Array(bytes[..<MLKEM768.encapsulationKeyByteCount]))
      else { return nil }
      self.init(key, share: Array(bytes[MLKEM768.encapsulationKeyByteCount...]))
    }

    /// The encoding, 1216 bytes.
    package var bytes: [UInt8] { encapsulationKey.bytes + share }

    /// Makes a shared secret and encapsulates it.
    ///
    /// - Parameter random: 64 random bytes, used once: the message of ML-KEM, and the ephemeral
    ///   secret key of X25519.
    /// - Returns: the encapsulation, 1120 bytes, and the shared secret, 32; `nil` where the X25519
    ///   half of the key is a point of low order, and so nobody's.
    package func encapsulate(
      _ random: SecretBytes
    ) -> (encapsulation: [UInt8], shared: SecretBytes)? {
      precondition(random.count == randomByteCount)
      let message = random.withUnsafeBytes { SecretBytes(copying: $0[..<32]) }
      var ephemeral = random.withUnsafeBytes { [UInt8]($0[32...]) }
      defer { wipe(&ephemeral) }
      guard var agreed = X25519.sharedSecret(secret: ephemeral, publicKey: share) else {
        return nil
      }
      defer { wipe(&agreed) }
      let ephemeralShare = X25519.publicKey(secret: ephemeral)
      let (ciphertext, secret) = encapsulationKey.encapsulate(message)
      return (
        ciphertext + ephemeralShare,
        combined(secret, agreed, ephemeralShare: ephemeralShare, share: share)
      )
    }
  }

  package struct SecretKey: Sendable {
    /// The seed from which both halves are expanded, 32 bytes.
    package let seed: SecretBytes
    /// The public key that belongs to it.
    package let publicKey: PublicKey
    private let decapsulationKey: MLKEM768.DecapsulationKey
    private let scalar: SecretBytes

    /// The key of a seed; `nil` unless that has 32 bytes.
    package init?(seed: SecretBytes) {
      guard seed.count == seedByteCount else { return nil }
      let expanded = SecretBytes(count: 96) { expanded in
        var stream = SHA3(.shake256)
        seed.withUnsafeBytes { stream.update($0) }
        stream.squeeze(into: expanded)
        wipe(value: &stream)
      }
      decapsulationKey = expanded.withUnsafeBytes { expanded in
        MLKEM768.DecapsulationKey(
          d: UnsafeRawBufferPointer(rebasing: expanded[..<32]),
          z: UnsafeRawBufferPointer(rebasing: expanded[32..<64]))
      }
      var secret = expanded.withUnsafeBytes { [UInt8]($0[64...]) }
      publicKey = PublicKey(
        decapsulationKey.encapsulationKey, share: X25519.publicKey(secret: secret))
      scalar = SecretBytes(taking: &secret)
      self.seed = seed
    }

    /// Returns the shared secret, 32 bytes, in an encapsulation; `nil` where that has another length
    /// than 1120 bytes, or where the share in it is a point of low order.
    ///
    /// For an encapsulation that was not made for the key it is a secret that nobody knows.
    package func decapsulate(_ encapsulation: [UInt8]) -> SecretBytes? {
      guard encapsulation.count == encapsulationByteCount else { return nil }
      let theirs = Array(encapsulation[MLKEM768.ciphertextByteCount...])
      var secret = scalar.bytes
      defer { wipe(&secret) }
      guard var agreed = X25519.sharedSecret(secret: secret, publicKey: theirs) else { return nil }
      defer { wipe(&agreed) }
      let ciphertext = Array(encapsulation[..<MLKEM768.ciphertextByteCount])
      return decapsulationKey.decapsulate(ciphertext).map {
        combined($0, agreed, ephemeralShare: theirs, share: publicKey.share)
      }
    }
  }

  /// Returns the secret made of both halves' secrets and of what X25519 does not bind by itself.
  private static func combined(
    _ secret: SecretBytes, _ agreed: [UInt8], ephemeralShare: [UInt8], share: [UInt8]
  ) -> SecretBytes {
    SecretBytes(count: 32) { combined in
      var hash = SHA3(.sha3x256)
      secret.withUnsafeBytes { hash.update($0) }
      hash.update(agreed)
      hash.update(ephemeralShare)
      hash.update(share)
      // The label of X-Wing: a picture of its wings.
      hash.update(Array(#"\.//^\"#.utf8))
      hash.squeeze(into: combined)
      wipe(value: &hash)
    }
  }
}

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
