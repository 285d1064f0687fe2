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
