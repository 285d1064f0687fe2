/// A stream of bytes that is read once, from its start to its end.
package protocol ByteSource {
  /// Reads at least one byte into the buffer, unless the stream has ended.
  ///
  /// - Returns: the number of bytes read; 0 only at the end (or for an empty buffer).
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// A place that takes bytes in order.
package protocol ByteSink {
  /// Takes all of the bytes, or throws.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws
}

/// A source over bytes in memory.
package struct MemorySource: ByteSource {
  private var bytes: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count)
    buffer.copyBytes(from: bytes.prefix(count))
    bytes = bytes.dropFirst(count)
    return count
  }
}

/// A sink that keeps its bytes in memory.
package struct MemorySink: ByteSink {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ bytes: UnsafeRawBufferPointer) {
    self.bytes.append(contentsOf: bytes)
  }
}

/// A sink that keeps nothing.
package struct NullSink: ByteSink {
  package init() {}

  package mutating func write(_ bytes: UnsafeRawBufferPointer) {}
}

/// A sink that hands its bytes on, and hashes and counts them.
package struct DigestingSink<Target: ByteSink>: ByteSink {
  /// The sink that the bytes go to.
  package private(set) var target: Target
  /// The number of bytes so far.
  package private(set) var count: Int64 = 0
  private var hash = SHA256()

  package init(_ target: Target) {
    self.target = target
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    hash.update(bytes)
    try target.write(bytes)
    count += Int64(bytes.count)
  }

  /// Returns the SHA-256 of all that was written; the sink hashes anew afterwards.
  package mutating func digest() -> [UInt8] {
    hash.finalize()
  }
}
