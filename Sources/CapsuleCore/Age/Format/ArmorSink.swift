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
