/// The payload of an age file: a variant of STREAM over ChaCha20-Poly1305 (C2SP age.md, "Payload").
///
/// Chunks of 64 KiB are sealed each for itself, under a nonce that holds the chunk's number and
/// whether it is the last. Several threads therefore seal and open them at once.
package struct PayloadStream: Sendable {
  /// The plaintext bytes of every chunk but the last.
  package static let chunkByteCount = 64 << 10
  /// The bytes of such a chunk when sealed.
  package static let sealedByteCount = chunkByteCount + ChaCha20Poly1305.tagByteCount
  /// The bytes of the nonce before the chunks, which the key is derived with.
  static let nonceByteCount = 16
  /// The chunks that are sealed or opened at a time.
  let batchCount: Int

  private let cipher: ChaCha20Poly1305

  /// The stream of one file, under the nonce that its payload starts with.
  ///
  /// The usual batch is 2 MiB: enough that the threads seldom wait for each other.
  package init(fileKey: FileKey, nonce: [UInt8], batchCount: Int = 32) {
    self.batchCount = max(batchCount, 1)
    var key = fileKey.derive(salt: nonce, info: "payload")
    cipher = ChaCha20Poly1305(key: SecretBytes(taking: &key))
  }

  /// Returns 11 bytes of the chunk's number, big endian, and 1 for the last chunk.
  private func nonce(_ number: UInt64, isLast: Bool) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceByteCount)
    for index in 0..<8 { nonce[10 - index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    nonce[11] = isLast ? 1 : 0
    return nonce
  }

  /// Seals a chunk; there must be room for the tag behind it.
  func seal(
    _ number: UInt64, isLast: Bool, _ plaintext: UnsafeRawBufferPointer,
    into sealed: UnsafeMutableRawBufferPointer
  ) {
    let text = UnsafeMutableRawBufferPointer(rebasing: sealed[..<plaintext.count])
    let tag = UnsafeMutableRawBufferPointer(rebasing: sealed[plaintext.count...])
    cipher.seal(plaintext, into: text, nonce: nonce(number, isLast: isLast), tag: tag)
  }

  /// The outcome of opening a chunk.
  enum Opened {
    case inner
    case last
    case damaged
  }

  /// Opens a chunk into another buffer. Whether a full one is the last shows only in trying; a short
  /// one can be nothing else.
  func open(
    _ number: UInt64, _ sealed: UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) -> Opened {
    let size = sealed.count - ChaCha20Poly1305.tagByteCount
    guard size >= 0 else { return .damaged }
    let text = UnsafeRawBufferPointer(rebasing: sealed[..<size])
    let tag = UnsafeRawBufferPointer(rebasing: sealed[size...])
    func opens(isLast: Bool) -> Bool {
      cipher.open(text, into: plaintext, nonce: nonce(number, isLast: isLast), tag: tag)
    }
    if size == Self.chunkByteCount, opens(isLast: false) { return .inner }
    return opens(isLast: true) ? .last : .damaged
  }
}

/// A buffer for a batch of chunks, which is overwritten with zeros when it goes.
final class ChunkBuffer {
  let bytes: UnsafeMutableRawBufferPointer
  /// The number of bytes in it.
  var count = 0
  private var used = 0

  init(capacity: Int) {
    bytes = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit {
    wipe(UnsafeMutableRawBufferPointer(rebasing: bytes[..<used]))
    bytes.deallocate()
  }

  /// Fills the buffer; after an error it holds the bytes that were read before.
  func fill(from source: inout some ByteSource) throws {
    count = 0
    while count < bytes.count {
      let read = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
      if read == 0 { return }
      count += read
      used = max(used, count)
    }
  }

  /// Notes that some bytes are written in it by other means.
  func claim(_ count: Int) {
    self.count = count
    used = max(used, count)
  }

  var isFull: Bool { count == bytes.count }

  /// Returns the part of the buffer that a chunk takes: `size` bytes, fewer where the content ends.
  func part(_ index: Int, size: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(
      rebasing: bytes[(index * size)..<min((index + 1) * size, count)])
  }
}
