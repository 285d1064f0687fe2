/// The text form of an age file: strict PEM (RFC 7468 §3, figure 3; C2SP age.md, "ASCII armor").
package enum Armor {
  /// The line before the text.
  package static let begin = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
  /// The line behind the text.
  static let end = Array("-----END AGE ENCRYPTED FILE-----".utf8)
  /// The columns of every line but the last.
  static let columns = 64
  /// The bytes that a full line stands for.
  static let bytesPerLine = 48

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte)
  }

  /// Whether a line is the end line; white space may follow it, as it is outside.
  static func isEnd(_ line: [UInt8]) -> Bool {
    line.starts(with: end) && line[end.count...].allSatisfy(isSpace)
  }

  /// Whether a stream that starts with this byte is to be read as armor: an age file that is not
  /// starts with neither white space nor a hyphen.
  package static func isExpected(firstByte: UInt8) -> Bool {
    isSpace(firstByte) || firstByte == begin[0]
  }
}

/// A source that reads the bytes in an armor, and throws an `ArmorFault` where it is damaged.
///
/// The stream ends only when the end line was read and nothing but white space follows it.
struct ArmorSource: ByteSource {
  private var source: BufferedSource
  private var lineNumber = 0
  private var state = State.before
  /// Decoded bytes that were not asked for yet.
  private var decoded = [UInt8](repeating: 0, count: Armor.bytesPerLine)
  private var start = 0
  private var end = 0
  /// The failure of a line after others were decoded in the same call; the next call throws it.
  private var failure: (any Error)?

  private enum State {
    case before
    case inside
    /// A line was read that can only be the last.
    case lastLine
    case after
  }

  /// The longest line that is looked at whole; a longer one is damaged whatever it holds.
  private static let lineLimit = 1 << 10

  init(_ source: BufferedSource) {
    self.source = source
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var count = 0
    while count < buffer.count {
      if start == end, failure == nil, state == .inside {
        count += decodeFullLines(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      }
      if start == end, count < buffer.count {
        if let failure { throw failure }
        do { try decodeLine() } catch {
          guard count > 0 else { throw error }
          failure = error
        }
      }
      if start == end { break }
      let taken = min(end - start, buffer.count - count)
      UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        .copyBytes(from: decoded[start..<(start + taken)])
      start += taken
      count += taken
    }
    return count
  }

  /// Decodes as many full lines as are buffered and have room; any other line is left to
  /// `decodeLine`.
  private mutating func decodeFullLines(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    var lines = 0
    source.consume { text in
      var read = 0
      while text.count - read > Armor.columns, buffer.count - written >= Armor.bytesPerLine,
        text[read + Armor.columns] == UInt8(ascii: "\n")
      {
        let line = UnsafeRawBufferPointer(rebasing: text[read..<(read + Armor.columns)])
        let target = UnsafeMutableRawBufferPointer(
          rebasing: buffer[written..<(written + Armor.bytesPerLine)])
        // A padded line, which is the last, decodes to less.
        guard line[Armor.columns - 1] != UInt8(ascii: "="),
          Base64.decode(line, into: target, padded: true) == Armor.bytesPerLine
        else { break }
        read += Armor.columns + 1
        written += Armor.bytesPerLine
        lines += 1
      }
      return read
    }
    lineNumber += lines
    return written
  }

  /// Decodes the next line; leaves nothing decoded at the end of the armor.
  private mutating func decodeLine() throws {
    if state == .before { try readBegin() }
    guard state != .after else { return }
    let line = try nextLine()
    if Armor.isEnd(line) { return try readTrailing() }
    guard state == .inside else { throw AgeFailure.armor(.end(line: lineNumber)) }
    if line.first == UInt8(ascii: "-") { throw AgeFailure.armor(.end(line: lineNumber)) }
    guard !line.isEmpty, line.count <= Armor.columns else {
      throw AgeFailure.armor(.line(lineNumber))
    }
    let count = line.withUnsafeBytes { line in
      decoded.withUnsafeMutableBytes { Base64.decode(line, into: $0, padded: true) }
    }
    guard let count else { throw AgeFailure.armor(.line(lineNumber)) }
    start = 0
    end = count
    if count < Armor.bytesPerLine { state = .lastLine }
  }

  /// Passes over white space and reads the begin line.
  private mutating func readBegin() throws {
    lineNumber = 1
    while let byte = try source.peek(), Armor.isSpace(byte) {
      if byte == UInt8(ascii: "\n") { lineNumber += 1 }
      source.skip()
    }
    lineNumber -= 1
    guard try nextLine() == Armor.begin else { throw AgeFailure.armor(.begin(line: lineNumber)) }
    state = .inside
  }

  private mutating func readTrailing() throws {
    state = .after
    while let byte = try source.peek() {
      guard Armor.isSpace(byte) else { throw AgeFailure.armor(.trailing) }
      source.skip()
    }
  }

  /// Reads the next line without its end, which is LF or CRLF; the end line may be ended by the end
  /// of the stream.
  private mutating func nextLine() throws -> [UInt8] {
    lineNumber += 1
    var line: [UInt8]
    switch try source.line(limit: Self.lineLimit) {
    case .line(let found): line = found
    case .end(let found):
      guard state == .before || found.starts(with: Armor.end) else {
        throw AgeFailure.armor(.truncated)
      }
      line = found
    case .tooLong:
      throw AgeFailure.armor(
        state == .before ? .begin(line: lineNumber) : .line(lineNumber))
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}

/// A sink that writes its bytes as armor to another one.
package struct ArmorSink<Target: ByteSink>: ByteSink {
  /// The sink that the armor goes to.
  package private(set) var target: Target
  /// The bytes that do not fill a line yet.
  private var rest: [UInt8] = []
  private var text: [UInt8] = []
  /// Room for the digits of a line.
  private var line = [UInt8](
    repeating: 0, count: Base64.encodedCount(Armor.bytesPerLine, padded: true))

  /// A sink that has written the begin line.
  ///
  /// - Throws: the failure of the target.
  package init(_ target: Target) throws {
    self.target = target
    text = Armor.begin + [UInt8(ascii: "\n")]
    try flush()
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    var bytes = bytes[...]
    if !rest.isEmpty {
      let taken = bytes.prefix(Armor.bytesPerLine - rest.count)
      rest.append(contentsOf: taken)
      bytes = bytes.dropFirst(taken.count)
      guard rest.count == Armor.bytesPerLine else { return }
      rest.withUnsafeBytes { writeLine($0) }
      rest.removeAll(keepingCapacity: true)
    }
    while bytes.count >= Armor.bytesPerLine {
      writeLine(UnsafeRawBufferPointer(rebasing: bytes.prefix(Armor.bytesPerLine)))
      bytes = bytes.dropFirst(Armor.bytesPerLine)
      if text.count >= 64 << 10 { try flush() }
    }
    rest.append(contentsOf: bytes)
    try flush()
  }

  /// Writes the last line, if there is one, and the end line; nothing may be written afterwards.
  ///
  /// - Throws: the failure of the target.
  package mutating func finish() throws {
    if !rest.isEmpty { rest.withUnsafeBytes { writeLine($0) } }
    rest = []
    text.append(contentsOf: Armor.end)
    text.append(UInt8(ascii: "\n"))
    try flush()
  }

  private mutating func writeLine(_ bytes: UnsafeRawBufferPointer) {
    let count = line.withUnsafeMutableBytes { Base64.encode(bytes, into: $0, padded: true) }
    text.append(contentsOf: line[..<count])
    text.append(UInt8(ascii: "\n"))
  }

  private mutating func flush() throws {
    try text.withUnsafeBytes { try target.write($0) }
    text.removeAll(keepingCapacity: true)
  }
}
