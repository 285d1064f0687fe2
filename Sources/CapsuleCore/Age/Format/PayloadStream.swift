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

  /// Seals all of a source into a sink.
  ///
  /// While the threads seal one batch, the calling one writes the batch before and reads the batch
  /// after: so a sink that hashes works beside the cipher. Memory: five batches of 2 MiB.
  ///
  /// - Returns: the number of bytes.
  package func seal(
    from source: inout some ByteSource, to sink: inout some ByteSink, threads: Int
  ) throws(AgeFailure) -> UInt64 {
    var current = ChunkBuffer(capacity: batchCount * Self.chunkByteCount)
    do { try current.fill(from: &source) } catch { throw AgeFailure(reading: error) }
    guard current.isFull else { return try sealOnly(current, to: &sink, threads: threads) }

    let workers = Workers(count: threads)
    var following = ChunkBuffer(capacity: current.bytes.count)
    var spare = ChunkBuffer(capacity: current.bytes.count)
    var sealed = ChunkBuffer(capacity: batchCount * Self.sealedByteCount)
    var written = ChunkBuffer(capacity: sealed.bytes.count)
    do { try following.fill(from: &source) } catch { throw AgeFailure(reading: error) }
    var number: UInt64 = 0
    var total: UInt64 = 0
    while current.count > 0 {
      // A batch is sealed when the one after it is known, because that says which chunk is last.
      var failure: AgeFailure?
      seal(current, number, isLast: following.count == 0, into: sealed, workers) {
        do { try sink.write(written.content) } catch {
          failure = .sink(error)
          return
        }
        spare.count = 0
        guard following.isFull else { return }
        do { try spare.fill(from: &source) } catch { failure = AgeFailure(reading: error) }
      }
      if let failure { throw failure }
      number += UInt64(Self.chunks(in: current.count, of: Self.chunkByteCount))
      total += UInt64(current.count)
      (current, following, spare) = (following, spare, current)
      swap(&sealed, &written)
    }
    do { try sink.write(written.content) } catch { throw .sink(error) }
    return total
  }

  /// Seals a source that fits in one batch, with threads only where there are several chunks.
  private func sealOnly(
    _ batch: ChunkBuffer, to sink: inout some ByteSink, threads: Int
  ) throws(AgeFailure) -> UInt64 {
    let chunks = max(Self.chunks(in: batch.count, of: Self.chunkByteCount), 1)
    let workers = Workers(count: chunks < 4 ? 1 : threads)
    let sealed = ChunkBuffer(capacity: batch.count + chunks * ChaCha20Poly1305.tagByteCount)
    seal(batch, 0, isLast: true, into: sealed, workers) {}
    do { try sink.write(sealed.content) } catch { throw .sink(error) }
    return UInt64(batch.count)
  }

  /// Seals a batch of chunks by threads, of which the first has the number.
  func seal(
    _ batch: ChunkBuffer, _ number: UInt64, isLast: Bool, into sealed: ChunkBuffer,
    _ workers: borrowing Workers, while other: () -> Void
  ) {
    // An empty payload is one empty chunk.
    let chunks = max(Self.chunks(in: batch.count, of: Self.chunkByteCount), 1)
    sealed.claim(batch.count + chunks * ChaCha20Poly1305.tagByteCount)
    workers.share(chunks) { index in
      seal(
        number + UInt64(index), isLast: isLast && index == chunks - 1,
        UnsafeRawBufferPointer(batch.part(index, size: Self.chunkByteCount)),
        into: sealed.part(index, size: Self.sealedByteCount))
    } while: {
      other()
    }
  }

  /// Returns the number of chunks that some bytes are, the last short one included.
  static func chunks(in count: Int, of size: Int) -> Int {
    (count + size - 1) / size
  }

  /// Opens all of a payload, from behind its nonce, into a sink.
  ///
  /// Only plaintext of chunks that are as they were sealed is written, in order and whole; on damage
  /// everything before it was. While the threads open one batch, the calling one writes the batch
  /// before and reads the batch after. Memory: four batches of 2 MiB.
  ///
  /// - Returns: the number of bytes.
  package func open(
    from source: inout some ByteSource, to sink: inout some ByteSink, threads: Int
  ) throws(AgeFailure) -> UInt64 {
    var release = Release()
    var current = ChunkBuffer(capacity: batchCount * Self.sealedByteCount)
    // A failure to read is thrown when everything before it was opened and written.
    var readFailure: AgeFailure?
    do { try current.fill(from: &source) } catch { readFailure = AgeFailure(reading: error) }
    let isLong = current.isFull
    let workers = Workers(
      count: current.count < 4 * Self.sealedByteCount ? 1 : threads)
    var following = ChunkBuffer(capacity: isLong ? current.bytes.count : 0)
    let capacity =
      isLong ? batchCount * Self.chunkByteCount : current.count
    var opened = ChunkBuffer(capacity: capacity)
    var written = ChunkBuffer(capacity: isLong ? capacity : 0)
    while current.count > 0 {
      let hadFailed = readFailure != nil
      let wasFull = current.isFull
      var writeFailure: AgeFailure?
      let outcomes = open(current, release.chunks, cut: hadFailed, into: opened, workers) {
        do { try sink.write(written.content) } catch {
          writeFailure = .sink(error)
          return
        }
        following.count = 0
        guard wasFull, !hadFailed else { return }
        do { try following.fill(from: &source) } catch {
          readFailure = AgeFailure(reading: error)
        }
      }
      if let writeFailure { throw writeFailure }
      let fault = release.take(outcomes, of: current.count)
      opened.count = min(release.pending, opened.count)
      swap(&opened, &written)
      if let fault {
        do { try sink.write(written.content) } catch { throw .sink(error) }
        throw .payload(fault)
      }
      swap(&current, &following)
    }
    do { try sink.write(written.content) } catch { throw .sink(error) }
    if let readFailure { throw readFailure }
    guard release.isComplete else { throw .payload(.truncated) }
    return release.bytes
  }

  /// Opens the chunks of a batch.
  ///
  /// If reading was cut short by a failure, a short chunk at the end is only a part of one and left
  /// out.
  private func open(
    _ batch: ChunkBuffer, _ number: UInt64, cut: Bool, into opened: ChunkBuffer,
    _ workers: borrowing Workers, while other: () -> Void
  ) -> [Opened] {
    let whole = batch.count / Self.sealedByteCount
    let count = cut ? whole : Self.chunks(in: batch.count, of: Self.sealedByteCount)
    let rest = batch.count - whole * Self.sealedByteCount
    opened.claim(
      whole * Self.chunkByteCount
        + (count > whole ? max(rest - ChaCha20Poly1305.tagByteCount, 0) : 0))
    return [Opened](unsafeUninitializedCapacity: count) { outcomes, initialized in
      outcomes.initialize(repeating: .damaged)
      let outcomes = UnsafeMutableBufferPointer(rebasing: outcomes[..<count])
      workers.share(count) { index in
        outcomes[index] = open(
          number + UInt64(index),
          UnsafeRawBufferPointer(batch.part(index, size: Self.sealedByteCount)),
          into: opened.part(index, size: Self.chunkByteCount))
      } while: {
        other()
      }
      initialized = count
    }
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

  /// The bytes in the buffer.
  var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}

/// The decision how much of the opened bytes may be released, chunk after chunk.
private struct Release {
  /// The chunks that were released.
  private(set) var chunks: UInt64 = 0
  /// The plaintext bytes that were released.
  private(set) var bytes: UInt64 = 0
  /// The bytes of the last batch that may be released.
  private(set) var pending = 0
  /// Whether the last chunk was seen.
  private(set) var isComplete = false

  /// Takes the outcomes of a batch of `byteCount` sealed bytes.
  ///
  /// - Returns: the first fault, if there is one.
  mutating func take(_ outcomes: [PayloadStream.Opened], of byteCount: Int) -> PayloadFault? {
    pending = 0
    for (index, outcome) in outcomes.enumerated() {
      guard !isComplete else { return .trailing }
      let sealed = min(
        byteCount - index * PayloadStream.sealedByteCount, PayloadStream.sealedByteCount)
      let size = sealed - ChaCha20Poly1305.tagByteCount
      // The chunk is too short for a tag: its end is missing.
      guard size >= 0 else { return .truncated }
      guard outcome != .damaged else { return .chunk(chunks) }
      guard size > 0 || chunks == 0 else { return .emptyLastChunk }
      pending += size
      bytes += UInt64(size)
      chunks += 1
      isComplete = outcome == .last
    }
    return nil
  }
}
