extension PayloadStream {
  /// Seals all of a source into a sink.
  ///
  /// While the threads seal one batch, the calling one writes the batch before and reads the batch
  /// after: so a sink that hashes works beside the cipher. Memory: five batches of 2 MiB.
  ///
  /// - Returns: the number of bytes.
  /// - Throws: `.source` or `.sink`.
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
}

extension ChunkBuffer {
  /// The bytes in the buffer.
  var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<count])
  }
}
