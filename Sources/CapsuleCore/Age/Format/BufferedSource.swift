/// A source of which the next byte can be peeked at and which can be read by lines, over one that can
/// only be read.
package struct BufferedSource {
  private var source: any ByteSource
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0

  package init(_ source: any ByteSource, capacity: Int = 16 << 10) {
    self.source = source
    buffer = [UInt8](repeating: 0, count: capacity)
  }

  /// A line as it was found.
  enum Line {
    /// The line's bytes, without the line feed that ends it.
    case line([UInt8])
    /// The stream ended before a line feed, after these bytes.
    case end([UInt8])
    /// The line is longer than was allowed.
    case tooLong
  }

  /// Returns the next byte, which stays unread; `nil` at the end.
  package mutating func peek() throws -> UInt8? {
    if start == end { try fill() }
    return start == end ? nil : buffer[start]
  }

  /// Returns the next bytes, which stay unread: fewer than `count` only at the end.
  package mutating func peek(_ count: Int) throws -> ArraySlice<UInt8> {
    precondition(count <= buffer.count)
    while end - start < count {
      buffer.replaceSubrange(0..<(end - start), with: buffer[start..<end])
      (start, end) = (0, end - start)
      let from = end
      var reading = source
      let read = try buffer.withUnsafeMutableBytes {
        try reading.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[from...]))
      }
      source = reading
      if read == 0 { break }
      end += read
    }
    return buffer[start..<min(start + count, end)]
  }

  /// Passes over the next byte, which must have been peeked at.
  mutating func skip() {
    precondition(start < end)
    start += 1
  }

  /// Lends the buffered bytes, and passes over as many as `body` took.
  mutating func consume(_ body: (UnsafeRawBufferPointer) -> Int) {
    let taken = buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    precondition(taken <= end - start)
    start += taken
  }

  /// Reads up to and with the next line feed, which must come within `limit` bytes.
  mutating func line(limit: Int) throws -> Line {
    var line: [UInt8] = []
    while true {
      if start == end {
        try fill()
        if start == end { return .end(line) }
      }
      let rest = buffer[start..<end]
      let feed = rest.firstIndex(of: UInt8(ascii: "\n"))
      let stop = feed ?? end
      guard line.count + (stop - start) <= limit else { return .tooLong }
      line.append(contentsOf: buffer[start..<stop])
      start = feed == nil ? stop : stop + 1
      if feed != nil { return .line(line) }
    }
  }

  private mutating func fill() throws {
    start = 0
    end = 0
    end = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
  }
}

extension BufferedSource: ByteSource {
  /// Reads the buffered bytes first, then past the buffer.
  package mutating func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    guard start < end else { return try source.read(into: target) }
    let count = min(target.count, end - start)
    target.copyBytes(from: buffer[start..<(start + count)])
    start += count
    return count
  }
}

extension ByteSource {
  /// Reads until the buffer is full or the stream has ended.
  ///
  /// - Returns: the number of bytes read.
  mutating func readFully(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var count = 0
    while count < buffer.count {
      let read = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if read == 0 { break }
      count += read
    }
    return count
  }
}
