extension String {
  /// The text without white space at both ends.
  package var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }

  /// The text on one line: every stretch of white space is one space, with none at the ends.
  package var onOneLine: String {
    unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init)
      .joined(separator: " ")
  }

  /// Returns the parts between the places of an ASCII character, the empty ones with them.
  ///
  /// Bytes are compared: a combining mark behind the character stays with the next part.
  package func parts(at separator: Unicode.Scalar) -> [String] {
    guard let byte = UInt8(exactly: separator.value), byte < 0x80 else { return [self] }
    return utf8.split(separator: byte, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}

extension String {
  /// Returns the text; of one with more Unicode scalars than `limit` its beginning and an ellipsis.
  package func shortened(to limit: Int) -> String {
    let scalars = unicodeScalars.prefix(limit + 1)
    guard scalars.count > limit else { return self }
    return String(String.UnicodeScalarView(scalars.prefix(limit - 1))) + "…"
  }
}

extension [String] {
  /// Returns the elements in a sentence: `a`, `a and b`, `a, b and c`.
  package func listed(_ word: String = "and") -> String {
    guard let last, count > 1 else { return joined() }
    return "\(dropLast().joined(separator: ", ")) \(word) \(last)"
  }
}

extension Array<String> {
  /// Returns the texts, one behind the other, with a separator between them.
  ///
  /// The standard library's own is not compiled for arrays: it asks the runtime what an array conforms to,
  /// for which that looks through every conformance of the program.
  package func joined(separator: String = "") -> String {
    var text = first ?? ""
    for part in dropFirst() {
      text += separator
      text += part
    }
    return text
  }
}

extension BinaryInteger {
  /// The decimal number with a zero before one of a single digit, as clocks show it.
  package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }

  /// A length in seconds as players show it: `2:03`, `1:02:03`.
  package var clockText: String {
    let (minutes, seconds) = quotientAndRemainder(dividingBy: 60)
    guard minutes >= 60 else { return "\(minutes):\(seconds.twoDigits)" }
    return "\(minutes / 60):\((minutes % 60).twoDigits):\(seconds.twoDigits)"
  }
}

extension StringProtocol {
  /// Whether a text of ASCII characters stands in this one. The standard library's `contains` links its
  /// engine for regular expressions, a sixteenth of the program.
  package func has(_ part: StaticString) -> Bool {
    let count = part.utf8CodeUnitCount
    return part.withUTF8Buffer { part in
      var rest = utf8[...]
      while rest.count >= count {
        if rest.starts(with: part) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }

  /// Returns the text behind a prefix of ASCII characters, whose case does not matter; `nil` where
  /// the text begins otherwise.
  ///
  /// Bytes are compared: a combining mark behind the prefix stays with the rest.
  package func behind(_ prefix: StaticString) -> String? {
    let count = prefix.utf8CodeUnitCount
    let matches = prefix.withUTF8Buffer { prefix in
      utf8.prefix(count).elementsEqual(prefix) { $0.asciiLowercased == $1.asciiLowercased }
    }
    return matches ? String(self[utf8.index(startIndex, offsetBy: count)...]) : nil
  }
}

extension UInt8 {
  /// Whether it is a decimal digit of ASCII.
  package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether it is a letter of ASCII.
  package var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// The byte, and for a capital letter of ASCII its small one.
  package var asciiLowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  /// The byte, and for a small letter of ASCII its capital.
  package var asciiUppercased: UInt8 { self &- UInt8(ascii: "a") < 26 ? self & ~0x20 : self }
}

extension Array {
  /// Makes room for so many more elements, and for as many again as there are: to do so before each of many
  /// appends takes no longer than the appends.
  package mutating func makeRoom(for more: Int) {
    let needed = count + more
    if needed > capacity { reserveCapacity(Swift.max(needed, 2 * capacity)) }
  }
}

extension Array where Element: Hashable {
  /// The elements without repetitions, in the order of the first ones.
  package var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
