/// A reader of one age file: first of its header, then with a key of its payload.
package struct AgeReader {
  /// The form in which a file is written down.
  package enum Encoding: Hashable, Sendable {
    /// Armor where the first byte is a hyphen or white space, else binary.
    case automatic
    case binary
    case armor
  }

  /// The header; its form is in order, but only `unlock` proves that nobody changed it.
  package let header: AgeHeader
  private var source: any ByteSource

  /// Reads the header.
  package init(
    _ source: any ByteSource, encoding: Encoding = .automatic
  ) throws(AgeFailure) {
    var source = BufferedSource(source, capacity: 64 << 10)
    let isArmor: Bool
    switch encoding {
    case .binary: isArmor = false
    case .armor: isArmor = true
    case .automatic:
      do {
        try source.passOverMark()
        isArmor = try source.peek().map { Armor.isExpected(firstByte: $0) } ?? false
      } catch {
        throw AgeFailure(reading: error)
      }
    }
    if isArmor { source = BufferedSource(ArmorSource(source)) }
    header = try AgeHeader(reading: &source)
    self.source = source
  }

  /// Finds the file key with the first identity that fits, and checks the header with it.
  ///
  /// Nothing is read, so it can be asked again with other identities.
  package func unlock(with identities: [any Identity]) throws(AgeFailure) -> FileKey {
    // The reason of an identity that has to wait is worth more than that of one that does not fit.
    var reason = AgeFailure.noMatch
    for identity in identities {
      switch identity.unwrap(header.stanzas) {
      case .fileKey(let key):
        guard header.isAuthentic(fileKey: key) else { throw .headerMAC }
        return key
      case .noMatch: continue
      case .failed(let failure): throw failure
      case .tooEarly(let instant): reason = .tooEarly(until: instant)
      case .unproven(let why):
        if case .noMatch = reason { reason = .unproven(why) }
      }
    }
    throw reason
  }

  /// Opens the payload into a sink, once.
  ///
  /// Only plaintext that is as it was sealed reaches the sink; on damage, all of it that precedes.
  ///
  /// - Returns: the number of bytes.
  /// - Throws: `.payload`, `.header` for a missing nonce, `.armor`, `.source` or `.sink`.
  package mutating func open(
    with fileKey: FileKey, to sink: inout some ByteSink, threads: Int = Workers.processorCount
  ) throws(AgeFailure) -> UInt64 {
    var nonce = [UInt8](repeating: 0, count: PayloadStream.nonceByteCount)
    do {
      let count = try nonce.withUnsafeMutableBytes { try source.readFully(into: $0) }
      guard count == nonce.count else { throw AgeFailure.header(.nonce) }
    } catch {
      throw AgeFailure(reading: error)
    }
    return try PayloadStream(fileKey: fileKey, nonce: nonce)
      .open(from: &source, to: &sink, threads: threads)
  }
}

extension AgeFailure {
  /// The failure that reading ended with: damage to the header or the armor, or a failure of the source.
  init(reading error: any Error) {
    self = error as? AgeFailure ?? .source(error)
  }
}

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

/// A sink in memory that takes no more than so many bytes.
package struct LimitedSink: ByteSink {
  private let limit: Int
  private let full: Fault
  private var bytes: [UInt8] = []

  /// - Parameter full: thrown when more bytes come.
  package init(limit: Int, full: Fault = Fault(.sourceTooLarge, "the data is too large")) {
    self.limit = limit
    self.full = full
  }

  package mutating func write(_ more: UnsafeRawBufferPointer) throws {
    guard more.count <= limit - bytes.count else { throw full }
    // Grown by hand, so that no copy of a secret stays where the array was.
    if bytes.capacity < bytes.count + more.count {
      var grown: [UInt8] = []
      grown.reserveCapacity(min(limit, max(bytes.count + more.count, 2 * bytes.capacity)))
      grown.append(contentsOf: bytes)
      wipe(&bytes)
      bytes = grown
    }
    bytes.append(contentsOf: more)
  }

  /// Takes the bytes, which are then the caller's to wipe.
  package mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

extension BufferedSource {
  /// Passes over the byte order mark that editors of Windows put before an armor; one in UTF-16 is narrowed to ASCII.
  fileprivate mutating func passOverMark() throws {
    let head = Array(try peek(3))
    if head == [0xef, 0xbb, 0xbf] {
      for _ in head { skip() }
    } else if head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) {
      for _ in 0..<2 { skip() }
      self = BufferedSource(NarrowSource(source: self, isBig: head[0] == 0xfe))
    }
  }
}

/// The ASCII of a text in UTF-16, as an armor is; a `?` stands for all else, which no armor has.
private struct NarrowSource: ByteSource {
  var source: BufferedSource
  /// Whether the high byte of each unit comes first.
  let isBig: Bool

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var count = 0
    while count < buffer.count {
      let unit = Array(try source.peek(2))
      guard unit.count == 2 else { break }
      for _ in unit { source.skip() }
      let (high, low) = isBig ? (unit[0], unit[1]) : (unit[1], unit[0])
      buffer[count] = high == 0 && low < 0x80 ? low : UInt8(ascii: "?")
      count += 1
    }
    return count
  }
}
