/// The key encapsulation ML-KEM-768 (FIPS 203, final), in constant time on everything secret.
package enum MLKEM768 {
  package static let encapsulationKeyByteCount = 1184
  /// The bytes of a decapsulation key in its expanded form.
  package static let decapsulationKeyByteCount = 2400
  package static let ciphertextByteCount = 1088
  /// The bytes of a shared secret, of a message, and of each half of a seed.
  package static let secretByteCount = 32

  /// A public key, to which secrets are encapsulated.
  package struct EncapsulationKey: Hashable, Sendable {
    /// The key's encoding, 1184 bytes.
    package let bytes: [UInt8]

    /// A key from its encoding; `nil` for another length, or for a coefficient that is not below the
    /// modulus (FIPS 203 §7.2).
    package init?(_ bytes: [UInt8]) {
      guard bytes.count == encapsulationKeyByteCount else { return nil }
      var isBelow = true
      bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        MLKEMScratch.lend(1) { scratch in
          let polynomial = scratch.polynomial()
          for index in 0..<MLKEMVector.count {
            if !polynomial.read(base + index * MLKEMPolynomial.byteCount) { isBelow = false }
          }
        }
      }
      guard isBelow else { return nil }
      self.bytes = bytes
    }

    fileprivate init(made bytes: [UInt8]) {
      self.bytes = bytes
    }

    /// Makes a shared secret and encapsulates it (FIPS 203, algorithm 17).
    ///
    /// - Parameter message: 32 bytes that are random and used once.
    /// - Returns: the ciphertext, 1088 bytes, and the shared secret, 32.
    package func encapsulate(_ message: SecretBytes) -> (ciphertext: [UInt8], shared: SecretBytes) {
      precondition(message.count == secretByteCount)
      let keyHash = SHA3.hash(.sha3x256, bytes, count: 32)
      var ciphertext = [UInt8](repeating: 0, count: ciphertextByteCount)
      let shared = SecretBytes(count: secretByteCount) { shared in
        message.withUnsafeBytes { message in
          bytes.withUnsafeBytes { key in
            keyHash.withUnsafeBytes { keyHash in
              ciphertext.withUnsafeMutableBytes { ciphertext in
                MLKEM768.encapsulate(
                  message, key: key, keyHash: keyHash, ciphertext: ciphertext, shared: shared)
              }
            }
          }
        }
      }
      return (ciphertext, shared)
    }
  }

  /// A secret key, which finds out what was encapsulated.
  package struct DecapsulationKey: Sendable {
    /// The public key that belongs to it.
    package let encapsulationKey: EncapsulationKey
    /// The expanded form: secret vector, encapsulation key, its hash, and z (FIPS 203, algorithm 16).
    package let expanded: SecretBytes

    /// The key of two seeds of 32 bytes (FIPS 203, algorithm 16).
    package init(d: UnsafeRawBufferPointer, z: UnsafeRawBufferPointer) {
      precondition(d.count == secretByteCount && z.count == secretByteCount)
      var publicKey = [UInt8](repeating: 0, count: encapsulationKeyByteCount)
      expanded = SecretBytes(count: decapsulationKeyByteCount) { key in
        publicKey.withUnsafeMutableBytes { publicKey in
          guard let base = key.baseAddress, let publicBase = publicKey.baseAddress else { return }
          MLKEM768.generate(d, secret: base, encryptionKey: publicBase)
          (base + Self.publicOffset).copyMemory(
            from: publicBase, byteCount: encapsulationKeyByteCount)
          var hash = SHA3(.sha3x256)
          hash.update(UnsafeRawBufferPointer(publicKey))
          hash.squeeze(into: UnsafeMutableRawBufferPointer(rebasing: key[Self.hashRange]))
          UnsafeMutableRawBufferPointer(rebasing: key[Self.zRange]).copyBytes(from: z)
        }
      }
      encapsulationKey = EncapsulationKey(made: publicKey)
    }

    /// A key from its expanded form; `nil` for another length, or where the public key in it is none
    /// or does not have the hash in it (FIPS 203 §7.3).
    package init?(expanded: SecretBytes) {
      guard expanded.count == decapsulationKeyByteCount else { return nil }
      let (publicBytes, hash) = expanded.withUnsafeBytes { key in
        ([UInt8](key[Self.publicOffset..<Self.hashRange.lowerBound]), [UInt8](key[Self.hashRange]))
      }
      guard let publicKey = EncapsulationKey(publicBytes),
        constantTimeEqual(hash, SHA3.hash(.sha3x256, publicBytes, count: 32))
      else { return nil }
      encapsulationKey = publicKey
      self.expanded = expanded
    }

    private static let publicOffset = secretVectorByteCount
    private static let hashRange = (publicOffset + encapsulationKeyByteCount)..<2368
    private static let zRange = 2368..<decapsulationKeyByteCount

    /// Returns the shared secret, 32 bytes, in a ciphertext; `nil` where that has another length than
    /// 1088 bytes (FIPS 203, algorithm 18).
    ///
    /// For a ciphertext that was not made for the key it is a secret that nobody knows.
    package func decapsulate(_ ciphertext: [UInt8]) -> SecretBytes? {
      guard ciphertext.count == ciphertextByteCount else { return nil }
      return SecretBytes(count: secretByteCount) { shared in
        expanded.withUnsafeBytes { key in
          ciphertext.withUnsafeBytes { ciphertext in
            Self.decapsulate(ciphertext, key: key, shared: shared)
          }
        }
      }
    }

    private static func decapsulate(
      _ ciphertext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
      shared: UnsafeMutableRawBufferPointer
    ) {
      // The message, the secret of a rejection, and the ciphertext made again.
      let room = 64 + ciphertextByteCount
      withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { room in
        guard let base = room.baseAddress, let key = key.baseAddress,
          let sent = ciphertext.baseAddress
        else { return }
        let message = UnsafeMutableRawBufferPointer(start: base, count: 32)
        let rejection = UnsafeMutableRawBufferPointer(start: base + 32, count: 32)
        let again = UnsafeMutableRawBufferPointer(start: base + 64, count: ciphertextByteCount)
        MLKEM768.decrypt(sent, secret: key, message: base)
        var hash = SHA3(.shake256)
        hash.update(UnsafeRawBufferPointer(start: key + zRange.lowerBound, count: 32))
        hash.update(ciphertext)
        hash.squeeze(into: rejection)
        wipe(value: &hash)
        MLKEM768.encapsulate(
          UnsafeRawBufferPointer(message),
          key: UnsafeRawBufferPointer(start: key + publicOffset, count: encapsulationKeyByteCount),
          keyHash: UnsafeRawBufferPointer(start: key + hashRange.lowerBound, count: 32),
          ciphertext: again, shared: shared)
        constantTimeReplace(
          shared, with: UnsafeRawBufferPointer(rejection),
          if: constantTimeDifference(ciphertext, UnsafeRawBufferPointer(again)))
        wipe(room)
      }
    }
  }

  /// Encapsulates a message of 32 bytes: with the public key's hash it gives the shared secret and
  /// the randomness of the encryption (FIPS 203, algorithm 17).
  private static func encapsulate(
    _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    keyHash: UnsafeRawBufferPointer, ciphertext: UnsafeMutableRawBufferPointer,
    shared: UnsafeMutableRawBufferPointer
  ) {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { secrets in
      var hash = SHA3(.sha3x512)
      hash.update(message)
      hash.update(keyHash)
      hash.squeeze(into: secrets)
      wipe(value: &hash)
      if let message = message.baseAddress, let key = key.baseAddress,
        let ciphertext = ciphertext.baseAddress
      {
        encrypt(
          message, encryptionKey: key, coins: UnsafeRawBufferPointer(rebasing: secrets[32...]),
          ciphertext: ciphertext)
      }
      shared.copyBytes(from: secrets[..<32])
      wipe(secrets)
    }
  }

  // K-PKE, the encryption beneath the key encapsulation (FIPS 203 §5). It is not safe by itself.

  /// The bytes of the secret vector of a decryption key.
  static let secretVectorByteCount = MLKEMVector.count * MLKEMPolynomial.byteCount
  /// The bytes of a vector of a ciphertext.
  private static let compressedVectorByteCount = MLKEMVector.count * 320

  /// Makes a pair of keys (FIPS 203, algorithm 13).
  ///
  /// - Parameters:
  ///   - d: the seed, 32 bytes.
  ///   - secret: receives the secret vector, 1152 bytes.
  ///   - encryptionKey: receives the public key, 1184 bytes.
  static func generate(
    _ d: UnsafeRawBufferPointer, secret: UnsafeMutableRawPointer,
    encryptionKey: UnsafeMutableRawPointer
  ) {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { seeds in
      var hash = SHA3(.sha3x512)
      hash.update(d)
      withUnsafeBytes(of: UInt8(MLKEMVector.count)) { hash.update($0) }
      hash.squeeze(into: seeds)
      wipe(value: &hash)
      let rho = UnsafeRawBufferPointer(rebasing: seeds[..<32])
      let sigma = UnsafeRawBufferPointer(rebasing: seeds[32...])
      MLKEMScratch.lend(8) { scratch in
        let (s, row) = (scratch.vector(), scratch.vector())
        let (noise, sum) = (scratch.polynomial(), scratch.polynomial())
        for index in 0..<MLKEMVector.count {
          s[index].sampleSmall(sigma, UInt8(index))
          s[index].transform()
          s[index].write(to: secret + index * MLKEMPolynomial.byteCount)
        }
        for index in 0..<MLKEMVector.count {
          for column in 0..<MLKEMVector.count { row[column].sampleUniform(rho, column, index) }
          noise.sampleSmall(sigma, UInt8(MLKEMVector.count + index))
          noise.transform()
          sum.setProduct(row, s)
          sum.add(noise)
          sum.write(to: encryptionKey + index * MLKEMPolynomial.byteCount)
        }
      }
      UnsafeMutableRawBufferPointer(start: encryptionKey + secretVectorByteCount, count: 32)
        .copyBytes(from: rho)
      wipe(seeds)
    }
  }

  /// Encrypts a message of 32 bytes (FIPS 203, algorithm 14).
  ///
  /// - Parameters:
  ///   - encryptionKey: the public key, 1184 bytes.
  ///   - coins: the randomness, 32 bytes.
  ///   - ciphertext: receives 1088 bytes.
  static func encrypt(
    _ message: UnsafeRawPointer, encryptionKey: UnsafeRawPointer, coins: UnsafeRawBufferPointer,
    ciphertext: UnsafeMutableRawPointer
  ) {
    let rho = UnsafeRawBufferPointer(start: encryptionKey + secretVectorByteCount, count: 32)
    MLKEMScratch.lend(8) { scratch in
      let (y, row) = (scratch.vector(), scratch.vector())
      let (noise, sum) = (scratch.polynomial(), scratch.polynomial())
      for index in 0..<MLKEMVector.count {
        y[index].sampleSmall(coins, UInt8(index))
        y[index].transform()
      }
      for index in 0..<MLKEMVector.count {
        // A row of the matrix turned over.
        for column in 0..<MLKEMVector.count { row[column].sampleUniform(rho, index, column) }
        noise.sampleSmall(coins, UInt8(MLKEMVector.count + index))
        sum.setProduct(row, y)
        sum.transformBack()
        sum.add(noise)
        sum.writeCompressed10(to: ciphertext + index * 320)
      }
      for index in 0..<MLKEMVector.count {
        row[index].read(encryptionKey + index * MLKEMPolynomial.byteCount)
      }
      noise.sampleSmall(coins, UInt8(2 * MLKEMVector.count))
      sum.setProduct(row, y)
      sum.transformBack()
      sum.add(noise)
      sum.addMessage(message)
      sum.writeCompressed4(to: ciphertext + compressedVectorByteCount)
    }
  }

  /// Decrypts a ciphertext of 1088 bytes (FIPS 203, algorithm 15).
  ///
  /// - Parameters:
  ///   - secret: the secret vector, 1152 bytes.
  ///   - message: receives 32 bytes.
  static func decrypt(
    _ ciphertext: UnsafeRawPointer, secret: UnsafeRawPointer, message: UnsafeMutableRawPointer
  ) {
    MLKEMScratch.lend(8) { scratch in
      let (u, s) = (scratch.vector(), scratch.vector())
      let (v, product) = (scratch.polynomial(), scratch.polynomial())
      for index in 0..<MLKEMVector.count {
        u[index].readCompressed10(ciphertext + index * 320)
        u[index].transform()
        s[index].read(secret + index * MLKEMPolynomial.byteCount)
      }
      v.readCompressed4(ciphertext + compressedVectorByteCount)
      product.setProduct(s, u)
      product.transformBack()
      product.subtract(from: v)
      product.writeMessage(to: message)
    }
  }
}
