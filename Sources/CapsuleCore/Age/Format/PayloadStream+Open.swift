extension PayloadStream {
  /// Opens all of a payload, from behind its nonce, into a sink.
  ///
  /// Only plaintext of chunks that are as they were sealed is written, in order and whole; on damage
  /// everything before it was. While the threads open one batch, the calling one writes the batch
  /// before and reads the batch after. Memory: four batches of 2 MiB.
  ///
  /// - Returns: the number of bytes.
  /// - Throws: `.payload`, `.armor`, `.source` or `.sink`.
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
