/// Lines that each begin with 16 digits of the SHA-256 of what follows them behind a space. What is written
/// together ends with a line `C`: what follows the last of these was interrupted.
package enum CheckedLines {
  /// The digits and the space before the text of a line, in bytes.
  package static let prefixCount = 17

  /// The digits of a text.
  package static func check(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let digest = text.withUnsafeBytes { SHA256.hash($0) }
    return Array(Hex.encode(Array(digest.prefix(8))).utf8)
  }

  /// Whether a line, without its end, is what was written.
  package static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.count > prefixCount, line[line.startIndex + 16] == UInt8(ascii: " ") else {
      return false
    }
    return line.prefix(16).elementsEqual(check(line.dropFirst(prefixCount)))
  }

  /// The place of the next newline.
  package static func newline(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBufferPointer { buffer in
      var index = start
      while index < buffer.count {
        if buffer[index] == 0x0A { return index }
        index &+= 1
      }
      return nil
    }
  }

  /// Whether something ends after a place: a line before it that is not whole was damaged, not interrupted.
  package static func hasEnd(in bytes: [UInt8], after start: Int) -> Bool {
    let text: [UInt8] = [UInt8(ascii: "C")]
    let end = check(text[...]) + [UInt8(ascii: " ")] + text
    var start = start
    while let newline = newline(in: bytes, from: start) {
      if bytes[start..<newline].elementsEqual(end) { return true }
      start = newline + 1
    }
    return false
  }

  /// Whether a line before the last end is not what was written.
  static func areDamaged(_ bytes: [UInt8]) -> Bool {
    var start = 0
    while let newline = newline(in: bytes, from: start) {
      guard isWhole(bytes[start..<newline]) else { return hasEnd(in: bytes, after: start) }
      start = newline + 1
    }
    return false
  }
}
