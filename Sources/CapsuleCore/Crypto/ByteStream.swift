/// A stream of bytes that is read once, from its start to its end.
package protocol ByteSource {
  /// Reads at least one byte into the buffer, unless the stream has ended.
  ///
  /// - Returns: how many bytes were read; 0 only at the end (or for an empty buffer).
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

/// A sink that keeps what it is given.
package struct MemorySink: ByteSink {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ bytes: UnsafeRawBufferPointer) {
    self.bytes.append(contentsOf: bytes)
  }
}
