/// SHA-256 (FIPS 180-4), whole or in pieces.
package struct SHA256: BitwiseCopyable, Sendable {
  /// The bytes of a digest.
  package static let byteCount = 32
  /// The bytes of a block.
  package static let blockByteCount = 64

  private var state = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  /// The bytes of a block that is not yet full.
  private var partial = SIMD64<UInt8>()
  private var partialCount = 0
  private var totalCount: UInt64 = 0

  package init() {}

  /// Takes the next bytes of the message.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard var next = bytes.baseAddress else { return }
    var left = bytes.count
    totalCount &+= UInt64(left)
    if partialCount > 0 {
      let taken = min(left, 64 - partialCount)
      append(next, count: taken)
      next += taken
      left -= taken
      guard partialCount == 64 else { return }
      compressPartial()
    }
    let blocks = left / 64
    if blocks > 0 {
      Self.compress(&state, next, count: blocks)
      next += blocks * 64
      left -= blocks * 64
    }
    append(next, count: left)
  }

  /// Takes the next bytes of the message.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Takes 32 bytes that are eight big-endian words.
  package mutating func update(words: SIMD8<UInt32>) {
    var bytes = SIMD32<UInt8>()
    withUnsafeMutableBytes(of: &bytes) { bytes in
      Self.write(words, to: bytes)
      update(UnsafeRawBufferPointer(bytes))
      wipe(bytes)
    }
  }

  /// Returns the digest of everything taken, 32 bytes; the hash is then as new, and its state
  /// overwritten.
  package mutating func finalize() -> [UInt8] {
    let digest = finalizeWords()
    return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
      Self.write(digest, to: UnsafeMutableRawBufferPointer(buffer))
      count = Self.byteCount
    }
  }

  /// Writes eight words, big endian.
  package static func write(_ words: SIMD8<UInt32>, to bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<8 {
      bytes.storeBytes(of: words[index].bigEndian, toByteOffset: 4 * index, as: UInt32.self)
    }
  }

  /// Returns the digest as its eight words; the hash is then as new, and its state overwritten.
  package mutating func finalizeWords() -> SIMD8<UInt32> {
    let bitCount = totalCount &* 8
    let used = partialCount
    withUnsafeMutableBytes(of: &partial) { block in
      block[used] = 0x80
      for index in (used + 1)..<64 { block[index] = 0 }
    }
    if used >= 56 {
      compressPartial()
      partial = SIMD64()
    }
    withUnsafeMutableBytes(of: &partial) { block in
      block.storeBytes(of: bitCount.bigEndian, toByteOffset: 56, as: UInt64.self)
    }
    compressPartial()
    let digest = state
    wipe(value: &self)
    self = SHA256()
    return digest
  }

  private mutating func append(_ bytes: UnsafeRawPointer, count: Int) {
    let used = partialCount
    withUnsafeMutableBytes(of: &partial) { block in
      block[used...].copyBytes(from: UnsafeRawBufferPointer(start: bytes, count: count))
    }
    partialCount += count
  }

  private mutating func compressPartial() {
    withUnsafeBytes(of: partial) { block in
      if let base = block.baseAddress { Self.compress(&state, base, count: 1) }
    }
    partialCount = 0
  }

  /// Returns the digest of one byte string.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// Returns the digest of one byte string.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }
}
