/// Identity-based encryption of a file key to a round of a drand chain, as `tle` and tlock-js do it
/// (Boneh and Franklin's scheme with the transform of Fujisaki and Okamoto).
///
/// The identity is the round's message, the private key its signature, which nobody can know before
/// the network publishes it. Sealing runs in constant time in sigma, the file key and r, but for
/// the number of tries in `scalar(sigma:message:)`.
package enum TlockIBE {
  /// The bytes of a file key, and of sigma.
  package static let keyByteCount = 16
  /// The bytes of a ciphertext: U ‖ V ‖ W.
  package static let byteCount = G2.byteCount + 2 * keyByteCount
  /// The domain of the beacon's signatures.
  static let domain = Array("BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_".utf8)

  /// Returns the message that the network signs in a round: SHA-256 of the round, 8 bytes, big
  /// endian.
  package static func message(round: UInt64) -> [UInt8] {
    SHA256.hash(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: round >> $0) })
  }

  /// Returns the point of G1 that belongs to a round.
  package static func point(round: UInt64) -> G1.Affine {
    let point = HashToG1.point(of: message(round: round), domain: domain)
    // No message is known that hashes to the identity; a random one does with chance 2⁻²⁵⁵.
    guard let affine = point.affine else { preconditionFailure("a round hashed to the identity") }
    return affine
  }

  /// Seals a file key to a round.
  ///
  /// - Parameters:
  ///   - fileKey: 16 bytes.
  ///   - sigma: 16 random bytes, never used twice.
  ///   - publicKey: the chain's.
  /// - Returns: U ‖ V ‖ W, 128 bytes; `nil` when sigma yields no scalar (chance 2⁻²⁰⁰⁰⁰⁰): take another.
  package static func seal(
    _ fileKey: [UInt8], sigma: [UInt8], round: UInt64, publicKey: G2.Affine
  ) -> [UInt8]? {
    precondition(fileKey.count == keyByteCount && sigma.count == keyByteCount)
    guard var r = scalar(sigma: sigma, message: fileKey) else { return nil }
    defer { wipe(value: &r) }
    let u = G2.generator.multiplied(by: r)
    let shared = GT.pairing(point(round: round), publicKey).power(r)
    return u.encoded + masked(sigma, by: mask(shared)) + masked(fileKey, by: mask(sigma: sigma))
  }

  /// Opens a ciphertext with the round's signature, and checks that it was made as it claims.
  ///
  /// - Returns: the file key, 16 bytes, for the caller to wipe.
  package static func open(
    _ ciphertext: [UInt8], signature: G1.Affine
  ) throws(TlockError) -> [UInt8] {
    guard ciphertext.count == byteCount else { throw .damaged(.length) }
    guard let u = G2.Affine(encoded: Array(ciphertext.prefix(G2.byteCount))) else {
      throw .damaged(.point)
    }
    let v = ciphertext.dropFirst(G2.byteCount).prefix(keyByteCount)
    let w = ciphertext.suffix(keyByteCount)

    var sigma = masked(v, by: mask(GT.pairing(signature, u)))
    defer { wipe(&sigma) }
    var fileKey = masked(w, by: mask(sigma: sigma))
    guard
      var r = scalar(sigma: sigma, message: fileKey),
      G2.generator.multiplied(by: r) == G2(u)
    else {
      wipe(&fileKey)
      throw .damaged(.ciphertext)
    }
    wipe(value: &r)
    return fileKey
  }

  /// Computes H3: a scalar below r, found by trying, not by reducing: SHA-256(i as 2 bytes, little endian ‖ b)
  /// for i = 1, 2, … with its top bit cleared, where b = SHA-256("IBE-H3" ‖ sigma ‖ message).
  package static func scalar(sigma: [UInt8], message: [UInt8]) -> Scalar? {
    var seed = hash("IBE-H3", sigma, message)
    defer { wipe(&seed) }
    for index in UInt16(1)..<UInt16.max {
      var hash = SHA256()
      hash.update([UInt8(index & 255), UInt8(index >> 8)])
      hash.update(seed)
      var candidate = hash.finalize()
      defer { wipe(&candidate) }
      candidate[0] >>= 1
      if let scalar = Scalar(bigEndian: candidate) { return scalar }
    }
    return nil
  }

  /// Computes H2: the mask of sigma.
  private static func mask(_ shared: GT) -> [UInt8] {
    var bytes = shared.bytes
    defer { wipe(&bytes) }
    return hash("IBE-H2", bytes)
  }

  /// Computes H4: the mask of the file key.
  private static func mask(sigma: [UInt8]) -> [UInt8] {
    hash("IBE-H4", sigma)
  }

  private static func hash(_ label: StaticString, _ parts: [UInt8]...) -> [UInt8] {
    var hash = SHA256()
    hash.update(UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
    for part in parts { hash.update(part) }
    return hash.finalize()
  }

  /// Returns 16 bytes, each the exclusive or with one of the mask's first 16.
  private static func masked(_ bytes: some Sequence<UInt8>, by mask: [UInt8]) -> [UInt8] {
    zip(bytes, mask).map { $0 ^ $1 }
  }
}
