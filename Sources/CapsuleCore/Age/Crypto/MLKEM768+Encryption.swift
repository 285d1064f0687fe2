// K-PKE, the encryption beneath the key encapsulation (FIPS 203 §5). It is not safe by itself.
extension MLKEM768 {
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
