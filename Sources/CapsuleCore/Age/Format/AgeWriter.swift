/// A maker of one age file.
package struct AgeWriter: Sendable {
  /// The key of the file, for whoever proves that it opens.
  package let fileKey: FileKey
  private let nonce: [UInt8]
  /// The header that the file will have.
  package let header: AgeHeader

  /// Makes the key of one file and wraps it for every recipient.
  package init(to recipients: [any Recipient], random: RandomSource) throws(AgeFailure) {
    try Self.check(recipients)
    do {
      fileKey = try FileKey(random: random)
      nonce = try random.bytes(PayloadStream.nonceByteCount)
    } catch {
      throw .random(error)
    }
    var stanzas: [Stanza] = []
    for recipient in recipients { stanzas += try recipient.wrap(fileKey, random: random) }
    header = AgeHeader(stanzas: stanzas, fileKey: fileKey)
    guard stanzas.count <= AgeHeader.maximumStanzaCount,
      header.encoded.count <= AgeHeader.maximumByteCount
    else { throw .recipients(.tooMany) }
  }

  /// Seals all of a source into a sink.
  ///
  /// It uses the writer up: one key and nonce seal one file.
  ///
  /// - Returns: the number of bytes.
  package consuming func seal(
    from source: inout some ByteSource, to sink: inout some ByteSink,
    threads: Int = Workers.processorCount
  ) throws(AgeFailure) -> UInt64 {
    do { try (header.encoded + nonce).withUnsafeBytes { try sink.write($0) } } catch {
      throw .sink(error)
    }
    return try PayloadStream(fileKey: fileKey, nonce: nonce)
      .seal(from: &source, to: &sink, threads: threads)
  }

  /// Makes a sink that seals the bytes written to it into another.
  ///
  /// It uses the writer up: one key and nonce seal one file.
  ///
  /// - Throws: the failure of the target to take the header.
  package consuming func sealing<Target: ByteSink>(
    into target: Target, threads: Int = Workers.processorCount
  ) throws -> AgeSealingSink<Target> {
    try AgeSealingSink(
      target, header: header.encoded + nonce, stream: PayloadStream(fileKey: fileKey, nonce: nonce),
      threads: threads)
  }

  /// Returns the size of the file that so many bytes become, in bytes.
  package func sealedSize(of count: Int64) -> Int64 {
    let chunk = Int64(PayloadStream.chunkByteCount)
    let chunks = max(1, count / chunk + (count % chunk == 0 ? 0 : 1))
    let tags = chunks * Int64(ChaCha20Poly1305.tagByteCount)
    return Int64(header.encoded.count + PayloadStream.nonceByteCount).addingClamped(count)
      .addingClamped(tags)
  }

  /// Seals bytes in memory, as armor or binary.
  package consuming func seal(_ plaintext: [UInt8], armor: Bool) throws(AgeFailure) -> [UInt8] {
    var source = MemorySource(plaintext)
    guard armor else {
      var sink = MemorySink()
      _ = try seal(from: &source, to: &sink)
      return sink.bytes
    }
    do {
      var sink = try ArmorSink(MemorySink())
      _ = try seal(from: &source, to: &sink)
      try sink.finish()
      return sink.target.bytes
    } catch let failure as AgeFailure {
      throw failure
    } catch {
      throw .sink(error)
    }
  }
}

/// A sink that seals the bytes written to it into an age file: for bytes that are made piece by piece
/// and can be read from nowhere, such as an archive.
///
///     let sink = try AgeWriter(to: recipients, random: random).sealing(into: file)
///     try sink.write(bytes)
///     let file = try sink.finish()
///
/// A full batch of chunks is sealed by several threads. Memory: two batches of 2 MiB.
package final class AgeSealingSink<Target: ByteSink>: ByteSink {
  private var target: Target
  private let stream: PayloadStream
  private let workers: Workers
  private let plain: ChunkBuffer
  private let sealed: ChunkBuffer
  /// The number of the batch's first chunk.
  private var number: UInt64 = 0

  /// A sink that has written the header.
  ///
  /// - Throws: the failure of the target to take the header.
  init(_ target: consuming Target, header: [UInt8], stream: PayloadStream, threads: Int) throws {
    self.target = target
    self.stream = stream
    workers = Workers(count: threads)
    plain = ChunkBuffer(capacity: stream.batchCount * PayloadStream.chunkByteCount)
    sealed = ChunkBuffer(capacity: stream.batchCount * PayloadStream.sealedByteCount)
    try header.withUnsafeBytes { try self.target.write($0) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      // A full batch is sealed when something follows it: the last chunk says that it is the last.
      if plain.isFull { try seal(isLast: false) }
      let free = UnsafeMutableRawBufferPointer(rebasing: plain.bytes[plain.count...])
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(free.count))
      free.copyMemory(from: part)
      plain.claim(plain.count + part.count)
      rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
    }
  }

  /// Seals the last bytes; without it the file is no whole one. Nothing can be written after it.
  ///
  /// - Throws: the failure of the target.
  /// - Returns: the target, with the whole file in it.
  package func finish() throws -> Target {
    try seal(isLast: true)
    return target
  }

  private func seal(isLast: Bool) throws {
    stream.seal(plain, number, isLast: isLast, into: sealed, workers) {}
    number += UInt64(stream.batchCount)
    plain.claim(0)
    try target.write(sealed.content)
  }
}
