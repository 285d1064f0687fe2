/// One line of a file of vCards or of a calendar as its writer meant it: unfolded.
package struct ContentLine: Hashable, Sendable {
  /// The physical line on which it begins, from 1.
  package let number: Int
  /// The bytes without the end of the line; at most ``ContentLines/lineLimit`` bytes.
  package let bytes: [UInt8]
  /// Whether there was more than can be kept.
  let isCut: Bool

  package init(number: Int, bytes: [UInt8], isCut: Bool) {
    self.number = number
    self.bytes = bytes
    self.isCut = isCut
  }
}

/// Takes a file of vCards or a calendar apart into its lines (RFC 6350 §3.2, RFC 5545 §3.1, RFC 2425
/// §5.8.1: one grammar).
///
/// Lines end with CR LF, LF or CR, in any mixture. A line that begins with a space or a tab goes on
/// the one before, without that character, wherever the fold fell: in the middle of a character
/// too. Empty lines mean nothing. A quoted-printable value goes on after a soft break (`=` at the
/// end of a line), whose `=` is taken away. Every byte is looked at a fixed number of times.
package struct ContentLines {
  /// The most bytes of a line that are kept: a name, an address, a note; not a photo.
  static let lineLimit = 1 << 20

  private let bytes: [UInt8]
  private var position = 0
  /// The number of the physical line that was read last.
  private var number = 0

  /// Begins behind a byte order mark; a file in UTF-16 is made one in UTF-8.
  package init(_ bytes: [UInt8]) {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
      self.bytes = bytes
      position = 3
    } else if bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe]) {
      let isBig = bytes[0] == 0xfe
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
        let pair = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
        return isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
      }
      self.bytes = Array(String(decoding: units, as: UTF16.self).utf8)
    } else {
      self.bytes = bytes
    }
  }

  /// Takes the next line that is not empty.
  package mutating func next() -> ContentLine? {
    skipEmptyLines()
    guard position < bytes.count else { return nil }
    var line = Unfolding()
    line.append(physicalLine())
    let start = number
    while true {
      if line.isSoftBroken, position < bytes.count {
        line.dropSoftBreak()
        if isEndOfComponent { break }
        let following = physicalLine()
        if following.isEmpty { break }
        line.append(following)
        continue
      }
      skipEmptyLines()
      guard position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 else {
        break
      }
      line.append(physicalLine().dropFirst())
    }
    if line.isSoftBroken { line.dropSoftBreak() }
    return ContentLine(number: start, bytes: line.bytes, isCut: line.isCut)
  }

  /// Takes one physical line, without its end.
  private mutating func physicalLine() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, bytes[position] != 0x0a, bytes[position] != 0x0d { position += 1 }
    let line = bytes[start..<position]
    endLine()
    return line
  }

  private mutating func endLine() {
    number += 1
    guard position < bytes.count else { return }
    if bytes[position] == 0x0d, position + 1 < bytes.count, bytes[position + 1] == 0x0a {
      position += 1
    }
    position += 1
  }

  private mutating func skipEmptyLines() {
    while position < bytes.count, bytes[position] == 0x0a || bytes[position] == 0x0d { endLine() }
  }

  /// Whether the next line is the end of a component, as `END:VCARD`, which no soft break may swallow.
  private var isEndOfComponent: Bool {
    let end = "END:V".utf8
    return bytes[position...].prefix(end.count).map(\.asciiUppercased).elementsEqual(end)
  }
}

/// A line while it is put together.
private struct Unfolding {
  private(set) var bytes: [UInt8] = []
  private(set) var isCut = false
  /// Whether the physical line that was appended last ends with `=`, white space behind it not
  /// counted.
  private var endsWithEquals = false
  private var isQuoted = false
  /// Whether the parameters are over, and if so, whether the value is quoted-printable.
  private var isQuotedPrintable: Bool?

  mutating func append(_ part: ArraySlice<UInt8>) {
    let room = ContentLines.lineLimit - bytes.count
    if part.count > room { isCut = true }
    let start = bytes.count
    bytes += part.prefix(room)
    endsWithEquals = part.last { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "=")
    guard isQuotedPrintable == nil else { return }
    for place in start..<bytes.count {
      if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard bytes[place] == UInt8(ascii: ":"), !isQuoted else { continue }
      let head = bytes[..<place].map(\.asciiUppercased)
      isQuotedPrintable = head.split(separator: UInt8(ascii: ";")).dropFirst().contains { word in
        ["QUOTED-PRINTABLE", "ENCODING=QUOTED-PRINTABLE", "ENCODING=Q"].contains {
          word.elementsEqual($0.utf8)
        }
      }
      return
    }
  }

  /// Whether it is quoted-printable and goes on with the next physical line, whatever that is.
  var isSoftBroken: Bool { isQuotedPrintable == true && !isCut && endsWithEquals }

  mutating func dropSoftBreak() {
    while bytes.last == 0x20 || bytes.last == 0x09 { bytes.removeLast() }
    bytes.removeLast()
    endsWithEquals = false
  }
}
