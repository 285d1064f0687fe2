/// The text of a property's value.
package enum ContentText {
  /// The characters that a backslash can stand before.
  package enum Escapes {
    /// vCard 2.1: `\;` and the like; `\n` is two characters, as in `C:\new`.
    case old
    /// vCard 3.0 and 4.0, and iCalendar: a line break too.
    case full
  }

  /// Decodes text by the name of its character set; without one, bytes that are not UTF-8 are
  /// Latin-1.
  ///
  /// Latin-1 is read as Windows does (code page 1252), which has quotes and dashes where ISO 8859-1
  /// has control characters.
  ///
  /// - Returns: `nil` when the character set is not known and the bytes are not UTF-8.
  static func decode(_ bytes: ArraySlice<UInt8>, charset: String?) -> String? {
    switch charset?.uppercased() {
    case nil, "", "UTF-8", "UTF8", "US-ASCII", "ASCII":
      return String(validating: bytes, as: UTF8.self) ?? latin1(bytes)
    case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "LATIN-1", "WINDOWS-1252", "CP1252":
      return latin1(bytes)
    case "ISO-8859-15", "ISO8859-15", "ISO_8859-15", "LATIN9", "LATIN-9":
      return latin1(bytes, latin9)
    case let name?:
      // Of seven bits: its text is none in UTF-8 although its bytes are.
      let escape = sevenBits.first { name.behind($0.name) != nil }?.escape
      if let escape, bytes.contains(escape) { return nil }
      return String(validating: bytes, as: UTF8.self)
    }
  }

  /// The character sets that say all characters in seven bits, and the byte at which one begins that is not ASCII.
  private static let sevenBits: [(name: StaticString, escape: UInt8)] = [
    ("UTF-7", UInt8(ascii: "+")), ("UNICODE-1-1-UTF-7", UInt8(ascii: "+")),
    ("HZ-GB-2312", UInt8(ascii: "~")), ("ISO-2022-", 0x1b), ("ISO2022", 0x1b), ("CSISO2022", 0x1b),
  ]

  /// The byte order mark in UTF-8.
  static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// Returns the bytes of a file; of one in UTF-16, which has a byte order mark or ASCII at its beginning, those of
  /// its text in UTF-8.
  static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 2 else { return bytes }
    let isBig: Bool
    switch (bytes[0], bytes[1]) {
    case (0xfe, 0xff): isBig = true
    case (0xff, 0xfe): isBig = false
    case (0, 1...0x7f): isBig = true
    case (1...0x7f, 0): isBig = false
    default: return bytes
    }
    let start = bytes[0] >= 0xfe ? 2 : 0
    let units = stride(from: start, to: bytes.count - 1, by: 2).map { place in
      let pair = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func latin1(
    _ bytes: ArraySlice<UInt8>, _ others: [UInt8: Unicode.Scalar] = [:]
  ) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      if let other = others[byte] {
        text.append(other)
      } else if (0x80..<0xa0).contains(byte) {
        text.append(windows[Int(byte) - 0x80])
      } else {
        text.append(Unicode.Scalar(byte))
      }
    }
    return String(text)
  }

  /// Code page 1252 from 0x80 to 0x9f; the five that it leaves open stay what they are.
  private static let windows = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ".unicodeScalars)

  /// The bytes that mean another character in ISO 8859-15 than in ISO 8859-1.
  private static let latin9: [UInt8: Unicode.Scalar] = [
    0xa4: "€", 0xa6: "Š", 0xa8: "š", 0xb4: "Ž", 0xb8: "ž", 0xbc: "Œ", 0xbd: "œ", 0xbe: "Ÿ",
  ]

  /// Removes the backslashes that escape a character; one before any other character stays.
  static func unescape(_ text: String, _ escapes: Escapes) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      guard isEscaped else {
        if scalar == "\\" { isEscaped = true } else { result.append(scalar) }
        continue
      }
      isEscaped = false
      switch (scalar, escapes) {
      case (";", _), (",", _), (":", _), ("\\", _), ("\"", _): result.append(scalar)
      case ("n", .full), ("N", .full): result.append("\n")
      default:
        result.append("\\")
        result.append(scalar)
      }
    }
    if isEscaped { result.append("\\") }
    return String(result)
  }

  /// Decodes quoted-printable (RFC 2045 §6.7) without soft breaks; an `=` that begins no `=XX` stays.
  static func decodeQuotedPrintable(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = bytes.startIndex
    while place < bytes.endIndex {
      if bytes[place] == UInt8(ascii: "="), place + 2 < bytes.endIndex,
        let high = hexDigit(bytes[place + 1]), let low = hexDigit(bytes[place + 2])
      {
        result.append(high << 4 | low)
        place += 3
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return result
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte.asciiUppercased {
    case let digit where digit.isASCIIDigit: digit - 0x30
    case let letter where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(letter): letter - 0x37
    default: nil
    }
  }
}
