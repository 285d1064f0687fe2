/// The AEAD ChaCha20-Poly1305 (RFC 8439 §2.8).
///
/// A value: several threads may seal and open different buffers with it at once. Nonces are 12
/// bytes and tags 16; no nonce may seal two messages under one key.
package struct ChaCha20Poly1305: Sendable {
  package static let keyByteCount = 32
  package static let nonceByteCount = 12
  package static let tagByteCount = 16
  /// The most bytes of a message: the stream's 32-bit block counter must not come round.
  package static let maximumCount = 64 * Int(UInt32.max)

  private let key: SecretBytes

  /// A cipher under a key of 32 bytes.
  package init(key: SecretBytes) {
    precondition(key.count == Self.keyByteCount)
    self.key = key
  }

  /// A cipher under a copy of a key of 32 bytes.
  package init(key: [UInt8]) {
    self.init(key: SecretBytes(copying: key))
  }

  /// Seals a buffer in place and writes its tag.
  package func seal(
    _ buffer: UnsafeMutableRawBufferPointer, nonce: [UInt8], associatedData: [UInt8] = [],
    tag: UnsafeMutableRawBufferPointer
  ) {
    seal(
      UnsafeRawBufferPointer(buffer), into: buffer, nonce: nonce, associatedData: associatedData,
      tag: tag)
  }

  /// Seals a message into a buffer of at least its size and writes its tag; the buffers are the same
  /// or apart.
  package func seal(
    _ plaintext: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawBufferPointer,
    nonce: [UInt8], associatedData: [UInt8] = [], tag: UnsafeMutableRawBufferPointer
  ) {
    precondition(tag.count >= Self.tagByteCount && ciphertext.count >= plaintext.count)
    precondition(plaintext.count <= Self.maximumCount)
    var (stream, authenticator) = start(nonce: nonce, associatedData: associatedData)
    if let source = plaintext.baseAddress, let target = ciphertext.baseAddress {
      Self.seal(source, target, count: plaintext.count, stream, &authenticator)
    }
    authenticator.update(lengths: associatedData.count, plaintext.count)
    tag.storeBytes(of: authenticator.tag().littleEndian, as: UInt128.self)
    wipe(value: &stream)
    wipe(value: &authenticator)
  }

  /// Opens a buffer in place.
  ///
  /// - Returns: `false` where the tag is wrong; the buffer then holds zeros.
  package func open(
    _ buffer: UnsafeMutableRawBufferPointer, nonce: [UInt8], associatedData: [UInt8] = [],
    tag: UnsafeRawBufferPointer
  ) -> Bool {
    open(
      UnsafeRawBufferPointer(buffer), into: buffer, nonce: nonce, associatedData: associatedData,
      tag: tag)
  }

  /// Opens a message into a buffer of at least its size. The buffers are the same or apart.
  ///
  /// - Returns: `false` where the tag is wrong; the buffer then holds zeros.
  package func open(
    _ ciphertext: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer,
    nonce: [UInt8], associatedData: [UInt8] = [], tag: UnsafeRawBufferPointer
  ) -> Bool {
    precondition(plaintext.count >= ciphertext.count && ciphertext.count <= Self.maximumCount)
    var (stream, authenticator) = start(nonce: nonce, associatedData: associatedData)
    if let source = ciphertext.baseAddress, let target = plaintext.baseAddress {
      Self.open(source, target, count: ciphertext.count, stream, &authenticator)
    }
    authenticator.update(lengths: associatedData.count, ciphertext.count)
    let expected = authenticator.tag()
    wipe(value: &stream)
    wipe(value: &authenticator)
    let valid = withUnsafeBytes(of: expected.littleEndian) { constantTimeEqual($0, tag) }
    if !valid { wipe(UnsafeMutableRawBufferPointer(rebasing: plaintext[..<ciphertext.count])) }
    return valid
  }

  /// Returns the sealed form of a message: as many bytes, and the tag.
  package func seal(
    _ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8] = []
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: plaintext.count + Self.tagByteCount) { output, count in
      let output = UnsafeMutableRawBufferPointer(output)
      plaintext.withUnsafeBytes { plaintext in
        seal(
          plaintext, into: UnsafeMutableRawBufferPointer(rebasing: output[..<plaintext.count]),
          nonce: nonce, associatedData: associatedData,
          tag: UnsafeMutableRawBufferPointer(
            rebasing: output[plaintext.count..<(plaintext.count + Self.tagByteCount)]))
      }
      count = plaintext.count + Self.tagByteCount
    }
  }

  /// Returns the message in a sealed form; `nil` where it is not authentic.
  package func open(
    _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8] = []
  ) -> [UInt8]? {
    let size = sealed.count - Self.tagByteCount
    guard size >= 0 else { return nil }
    var valid = false
    let plaintext = [UInt8](unsafeUninitializedCapacity: size) { output, count in
      let output = UnsafeMutableRawBufferPointer(output)
      valid = sealed.withUnsafeBytes { sealed in
        open(
          UnsafeRawBufferPointer(rebasing: sealed[..<size]), into: output, nonce: nonce,
          associatedData: associatedData, tag: UnsafeRawBufferPointer(rebasing: sealed[size...]))
      }
      count = valid ? size : 0
    }
    return valid ? plaintext : nil
  }

  /// Returns the stream, and the authenticator under the key in the stream's first block (§2.6)
  /// after the associated data.
  private func start(
    nonce: [UInt8], associatedData: [UInt8]
  ) -> (stream: ChaCha20, authenticator: Poly1305) {
    precondition(nonce.count == Self.nonceByteCount)
    return key.withUnsafeBytes { key in
      nonce.withUnsafeBytes { nonce in
        withUnsafeTemporaryAllocation(byteCount: ChaCha20.strideByteCount, alignment: 16) { block in
          guard let key = key.baseAddress, let nonce = nonce.baseAddress,
            let base = block.baseAddress
          else { preconditionFailure("a key and a nonce are not empty") }
          block.initializeMemory(as: UInt8.self, repeating: 0)
          let stream = ChaCha20(key: key, nonce: nonce)
          stream.xorStride(counter: 0, base, base)
          var authenticator = Poly1305(key: base)
          wipe(block)
          associatedData.withUnsafeBytes { authenticator.update(padded: $0) }
          return (stream, authenticator)
        }
      }
    }
  }
}
