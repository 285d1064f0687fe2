/// Lines that each begin with two checks of the text behind them: 8 digits of the CRC-32 of the
/// rest of the line, a space, 16 digits of the SHA-256 of the text, and a space. Lines that are
/// written together end with a line `C`: lines behind the last of these were interrupted.
///
/// The first check finds the damage of a disk in all lines at the speed of reading them; the second proves a
/// line before what it says is used.
package enum CheckedLines {
  /// The digits and the spaces before the text of a line, in bytes.
  package static let prefixCount = 26

  /// A line of a text, without its end.
  package static func line(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let rest = proof(of: text) + [UInt8(ascii: " ")] + text
    return digits(CRC32.of(rest)) + [UInt8(ascii: " ")] + rest
  }

  private static func digits(_ check: UInt32) -> [UInt8] {
    (0..<8).map { place in
      let digit = UInt8(truncatingIfNeeded: check >> UInt32(28 - 4 * place) & 15)
      return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }
  }

  /// The number of 8 digits, as `digits` writes them; `nil` for anything else.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    var number: UInt32 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt32(digit - 48)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt32(digit - 87)
      default: return nil
      }
    }
    return number
  }

  private static func proof(of text: ArraySlice<UInt8>) -> [UInt8] {
    let digest = text.withUnsafeBytes { SHA256.hash($0) }
    return Array(Hex.encode(Array(digest.prefix(8))).utf8)
  }

  /// Whether a line, without its end, has the form and the first check of what was written.
  package static func isIntact(_ line: ArraySlice<UInt8>) -> Bool {
    let start = line.startIndex
    guard line.count > prefixCount, line[start + 8] == UInt8(ascii: " "),
      line[start + 25] == UInt8(ascii: " ")
    else { return false }
    return number(line.prefix(8)) == CRC32.of(line.dropFirst(9))
  }

  /// Whether a line, without its end, is what was written.
  package static func isWhole(_ line: ArraySlice<UInt8>) -> Bool {
    guard isIntact(line) else { return false }
    return line.dropFirst(9).prefix(16).elementsEqual(proof(of: line.dropFirst(prefixCount)))
  }

  /// The place of the next newline.
  package static func newline(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { buffer in
      var index = start
      // Eight bytes at once: a byte of zeros in `rest` is a newline.
      while index + 8 <= buffer.count {
        let word = buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let rest = word ^ 0x0a0a_0a0a_0a0a_0a0a
        if (rest &- 0x0101_0101_0101_0101) & ~rest & 0x8080_8080_8080_8080 != 0 { break }
        index &+= 8
      }
      while index < buffer.count {
        if buffer[index] == 0x0A { return index }
        index += 1
      }
      return nil
    }
  }

  /// Whether something ends after a place: a line before it that is not whole was damaged, not interrupted.
  package static func hasEnd(in bytes: [UInt8], after start: Int) -> Bool {
    let text: [UInt8] = [UInt8(ascii: "C")]
    let end = line(text[...])
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
