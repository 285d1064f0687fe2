/// A property's text is in a character set that is not known.
package struct UnknownCharset: Error, Hashable, Sendable {
  package let name: String
  /// The physical line of the property.
  package let line: Int
}

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
    default: return String(validating: bytes, as: UTF8.self)
    }
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

extension ContentProperty {
  /// Decodes the whole value as one text, with `\n` between its lines.
  package func text(_ escapes: ContentText.Escapes) throws(UnknownCharset) -> String {
    try decode(value[...], escapes)
  }

  /// Decodes the parts of a structured value, such as a name or an address (RFC 6350 §6.2.2).
  ///
  /// - Parameter joint: put between the elements of a part that is a list itself.
  package func components(
    _ escapes: ContentText.Escapes, joint: String
  ) throws(UnknownCharset) -> [String] {
    var components: [String] = []
    for part in Self.split(value[...], at: UInt8(ascii: ";")) {
      var elements: [String] = []
      let list = escapes == .full ? Self.split(part, at: UInt8(ascii: ",")) : [part]
      for element in list {
        let text = try decode(element, escapes).trimmed
        if !text.isEmpty { elements.append(text) }
      }
      components.append(elements.joined(separator: joint))
    }
    return components
  }

  private func decode(
    _ bytes: ArraySlice<UInt8>, _ escapes: ContentText.Escapes
  ) throws(UnknownCharset) -> String {
    let charset = parameters["CHARSET"]?.last
    let plain: [UInt8]
    switch encoding {
    case .plain: plain = Array(bytes)
    case .quotedPrintable: plain = ContentText.decodeQuotedPrintable(bytes)
    case .base64:
      let digits = bytes.filter { $0 > 0x20 }
      plain = Base64.decode(digits, padded: true) ?? Base64.decode(digits, padded: false) ?? []
    }
    guard let text = ContentText.decode(plain[...], charset: charset) else {
      throw UnknownCharset(name: charset ?? "", line: line)
    }
    return ContentText.unescape(text, escapes).withPlainLineBreaks
  }

  private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>]
  {
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var isEscaped = false
    for place in bytes.indices {
      if isEscaped {
        isEscaped = false
      } else if bytes[place] == UInt8(ascii: "\\") {
        isEscaped = true
      } else if bytes[place] == separator {
        parts.append(bytes[start..<place])
        start = place + 1
      }
    }
    parts.append(bytes[start...])
    return parts
  }
}

extension String {
  /// The text with `\n` for every kind of line break that a value can hold.
  fileprivate var withPlainLineBreaks: String {
    guard utf8.contains(0x0d) else { return self }
    return split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
      .split(separator: "\r", omittingEmptySubsequences: false).joined(separator: "\n")
  }
}
