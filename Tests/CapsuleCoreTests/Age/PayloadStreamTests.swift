import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct PayloadStreamTests {
  /// Batches of two chunks, so that a few hundred kilobytes cross their borders.
  private func stream() throws -> PayloadStream {
    let key = try require(FileKey(SecretBytes(copying: [UInt8](repeating: 9, count: 16))))
    return PayloadStream(fileKey: key, nonce: [UInt8](repeating: 8, count: 16), batchCount: 2)
  }

  private static let chunk = PayloadStream.chunkByteCount
  private static let sealedChunk = PayloadStream.sealedByteCount

  static let sizes = [
    0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 4 * chunk,
    4 * chunk + 5, 6 * chunk,
  ]

  private func seal(_ plaintext: [UInt8], threads: Int) throws -> [UInt8] {
    var source = MemorySource(plaintext)
    var sink = MemorySink()
    let count = try stream().seal(from: &source, to: &sink, threads: threads)
    expect(count, is: UInt64(plaintext.count))
    return sink.bytes
  }

  private func open(
    _ source: any ByteSource, threads: Int
  ) throws -> (failure: String?, released: [UInt8]) {
    var source = source
    var sink = MemorySink()
    let stream = try stream()
    let failed = failure { _ = try stream.open(from: &source, to: &sink, threads: threads) }
    return (failed, sink.bytes)
  }

  @Test(arguments: sizes)
  func `any size comes back, whatever the threads`(size: Int) throws {
    let plaintext = testPattern(size)
    let sealed = try seal(plaintext, threads: 1)
    expect(sealed.count, is: size + max((size + Self.chunk - 1) / Self.chunk, 1) * 16)
    try expect(seal(plaintext, threads: 3), is: sealed)
    let whole = try open(MemorySource(sealed), threads: 3)
    expect(whole.failure == nil)
    expect(whole.released, is: plaintext)
    let (failed, released) = try open(TrickleSource(sealed, step: 10_007), threads: 1)
    expect(failed == nil)
    expect(released, is: plaintext)
  }

  @Test(arguments: 0..<5)
  func `damage to a chunk releases the chunks before it`(damaged: Int) throws {
    let plaintext = testPattern(4 * Self.chunk + 5)
    var sealed = try seal(plaintext, threads: 1)
    sealed[damaged * Self.sealedChunk + 3] ^= 0x10
    let (failed, released) = try open(MemorySource(sealed), threads: 2)
    expect(failed, is: "payload chunk(\(damaged))")
    expect(released, is: Array(plaintext.prefix(damaged * Self.chunk)))
  }

  @Test(arguments: [0, 1, 2, 3, 4])
  func `a payload cut between chunks releases them all and is truncated`(chunks: Int) throws {
    let plaintext = testPattern(4 * Self.chunk + 5)
    let sealed = try seal(plaintext, threads: 1).prefix(chunks * Self.sealedChunk)
    let (failed, released) = try open(MemorySource(Array(sealed)), threads: 2)
    expect(failed, is: "payload truncated")
    expect(released, is: Array(plaintext.prefix(chunks * Self.chunk)))
  }

  @Test(arguments: [1, 2, 3], [1, 16, 17, 70_000])
  func `bytes behind a full last chunk are noticed after it was released`(
    chunks: Int, extra: Int
  ) throws {
    let plaintext = testPattern(chunks * Self.chunk)
    let sealed = try seal(plaintext, threads: 1) + testPattern(extra)
    let (failed, released) = try open(MemorySource(sealed), threads: 2)
    expect(failed, is: "payload trailing")
    expect(released, is: plaintext)
  }

  @Test func `chunks that were exchanged, left out or doubled are damage`() throws {
    let plaintext = testPattern(3 * Self.chunk + 5)
    let sealed = try seal(plaintext, threads: 1)
    let parts = (0..<4).map { index in
      Array(sealed[(index * Self.sealedChunk)...].prefix(Self.sealedChunk))
    }
    for (order, good) in [([0, 2, 1, 3], 1), ([0, 1, 3], 2), ([0, 0, 1, 2, 3], 1), ([1, 0], 0)] {
      let (failed, released) = try open(
        MemorySource(order.flatMap { parts[$0] }), threads: 2)
      expect(failed, is: "payload chunk(\(good))")
      expect(released, is: Array(plaintext.prefix(good * Self.chunk)))
    }
  }

  @Test(arguments: [0, 1, sealedChunk, 2 * sealedChunk, 2 * sealedChunk + 1, 3 * sealedChunk + 7])
  func `a source that fails is told after the whole chunks before were released`(
    count: Int
  ) throws {
    let plaintext = testPattern(4 * Self.chunk + 5)
    let sealed = try seal(plaintext, threads: 1)
    let (failed, released) = try open(
      FailingSource(Array(sealed.prefix(count))), threads: 2)
    expect(failed, is: "source Broken()")
    expect(released, is: Array(plaintext.prefix(count / Self.sealedChunk * Self.chunk)))
    var source = FailingSource(Array(plaintext.prefix(count)))
    var sink = MemorySink()
    let stream = try stream()
    expect(
      failure { _ = try stream.seal(from: &source, to: &sink, threads: 2) }, is: "source Broken()")
  }

  @Test(arguments: [0, 1, 100_000, 300_000])
  func `a sink that fails stops the work and is told`(limit: Int) throws {
    let plaintext = testPattern(6 * Self.chunk)
    let sealed = try seal(plaintext, threads: 1)
    let stream = try stream()
    var plain = MemorySource(plaintext)
    var full = FullSink(left: limit)
    expect(
      failure { _ = try stream.seal(from: &plain, to: &full, threads: 2) }, is: "sink Broken()")
    var source = MemorySource(sealed)
    full = FullSink(left: limit)
    expect(
      failure { _ = try stream.open(from: &source, to: &full, threads: 2) }, is: "sink Broken()")
  }

  @Test func `a digesting sink hashes what was sealed`() throws {
    let plaintext = testPattern(5 * Self.chunk + 1)
    var source = MemorySource(plaintext)
    var sink = DigestingSink(MemorySink())
    _ = try stream().seal(from: &source, to: &sink, threads: 2)
    expect(sink.digest(), is: SHA256.hash(try seal(plaintext, threads: 1)))
    expect(sink.count, is: Int64(sink.target.bytes.count))
  }
}

private struct Broken: Error {}

/// A source that fails after its bytes.
private struct FailingSource: ByteSource {
  private var source: MemorySource

  init(_ bytes: [UInt8]) {
    source = MemorySource(bytes)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = source.read(into: buffer)
    if count == 0 { throw Broken() }
    return count
  }
}

/// A sink that has room for so many bytes.
private struct FullSink: ByteSink {
  var left: Int

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count <= left else { throw Broken() }
    left -= bytes.count
  }
}
