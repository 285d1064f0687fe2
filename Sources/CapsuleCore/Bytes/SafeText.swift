/// Text from outside, made harmless for a terminal and for lines: characters that would act are
/// shown as escapes.
package enum SafeText {
  /// Returns one line: control characters, line breaks and tabs are shown as escapes.
  package static func line(_ text: String) -> String {
    isHarmless(text) ? text : escape(text) { _ in false }
  }

  /// Returns several lines: line feeds and tabs stay.
  package static func block(_ text: String) -> String {
    isHarmless(text) ? text : escape(text) { $0 == "\n" || $0 == "\t" }
  }

  /// Returns a text in JSON in which characters that turn or hide what stands around them are
  /// escapes: they stand in strings only, where an escape means the same.
  package static func json(_ text: [UInt8]) -> [UInt8] {
    if text.allSatisfy({ $0 < 0x80 }) { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var previous: Unicode.Scalar?
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar.value >= 0x80, acts(scalar, after: previous) {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += Array(
            "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
        }
      } else {
        result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
      previous = scalar
    }
    return result
  }

  // Hot: every field of every row.
  @_optimize(speed)
  private static func isHarmless(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { isPrintable(UnsafeRawBufferPointer($0)) }
      ?? text.utf8.allSatisfy { printable.contains($0) }
  }

  private static let printable: ClosedRange<UInt8> = 0x20...0x7e

  /// Returns whether all bytes are printable ASCII; eight at a time are looked at.
  @_optimize(speed)
  private static func isPrintable(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let each: UInt64 = 0x0101_0101_0101_0101
    var place = 0
    while place + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      // The high bit of a byte is set by itself, by what is lower than a space, and by 0x7f, of which
      // nothing is left but 0. A borrow goes to the next byte from such a one only.
      let deleted = word ^ each &* 0x7f
      let isLower = (word &- each &* 0x20) & ~word
      let isDeleted = (deleted &- each) & ~deleted
      if (word | isLower | isDeleted) & (each &* 0x80) != 0 { return false }
      place += 8
    }
    while place < bytes.count {
      if !printable.contains(bytes[place]) { return false }
      place += 1
    }
    return true
  }

  private static func escape(_ text: String, keeping keep: (Unicode.Scalar) -> Bool) -> String {
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if keep(scalar) || !acts(scalar, after: previous) {
        result.append(scalar)
      } else {
        result.append(contentsOf: name(of: scalar).unicodeScalars)
      }
      previous = scalar
    }
    return String(result)
  }

  /// Whether the character does something to a terminal or hides in the text.
  private static func acts(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    switch scalar.value {
    case 0x00...0x1f, 0x7f...0x9f: true
    // Soft hyphen, Arabic letter mark, directional marks, embeddings, overrides, isolates.
    case 0xad, 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    // Zero-width space, line and paragraph separators, word joiner and its kin, byte order mark.
    case 0x200b, 0x2028, 0x2029, 0x2060...0x2065, 0x206a...0x206f, 0xfeff, 0xfff9...0xfffb: true
    // The joiners have work to do in emoji and in the scripts of Asia, none after ASCII.
    case 0x200c, 0x200d: previous.map { $0.value < 0x300 } ?? true
    // Tags, which spell the flags of regions, after a black flag only.
    case 0xe0000...0xe007f:
      !(previous.map { $0.value == 0x1f3f4 || (0xe0020...0xe007e).contains($0.value) } ?? false)
    default: false
    }
  }

  private static func name(of scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{" + String(scalar.value, radix: 16) + "}"
    }
  }
}

extension String {
  /// The text in quotes, on one line and harmless, as a message has it: the beginning of a long one.
  package var quoted: String {
    let limit = 200
    let start = unicodeScalars.prefix(limit + 1)
    let text =
      start.count <= limit ? self : String(String.UnicodeScalarView(start.dropLast())) + "…"
    return "'\(SafeText.line(text))'"
  }
}
