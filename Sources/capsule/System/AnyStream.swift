import CapsuleCore

/// A source of whatever kind.
struct AnySource: ByteSource {
  private var source: any ByteSource

  init(_ source: any ByteSource) {
    self.source = source
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try source.read(into: buffer)
  }

  /// Reads all of it into a sink.
  mutating func copy(to sink: inout some ByteSink, limit: Int) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var total = 0
    while true {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { return }
      total += count
      guard total <= limit else {
        throw Fault(.refused, "the input is longer than \(ByteSize.text(Int64(limit)))")
      }
      try buffer.prefix(count).withUnsafeBytes { try sink.write($0) }
    }
  }
}

/// A sink of whatever kind.
struct AnySink: ByteSink {
  private var sink: any ByteSink

  init(_ sink: any ByteSink) {
    self.sink = sink
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try sink.write(bytes)
  }
}
