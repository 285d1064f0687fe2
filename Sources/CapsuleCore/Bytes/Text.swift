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

/// The distance between two short words, for suggestions.
package enum EditDistance {
  /// Counts the scalars to insert, delete, replace or swap with a neighbour (optimal string
  /// alignment).
  ///
  /// - Returns: at most `limit + 1`, which also stands for a word of more than 64 scalars.
  package static func between(_ left: String, _ right: String, limit: Int) -> Int {
    let (a, b) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
    guard abs(a.count - b.count) <= limit, a.count <= 64, b.count <= 64 else { return limit + 1 }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in 0..<b.count {
        var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return min(last[b.count], limit + 1)
  }

  /// Finds the words of `vocabulary` nearest to `word`, if any is near enough to be meant.
  package static func nearest(to word: String, in vocabulary: [String]) -> [String] {
    let limit = word.utf8.count <= 3 ? 1 : 2
    let distances = vocabulary.map { (between(word, $0, limit: limit), $0) }
    guard let best = distances.map(\.0).min(), best <= limit else { return [] }
    return distances.filter { $0.0 == best }.prefix(3).map(\.1)
  }

  /// Finds the words of a small vocabulary that may have been meant: they begin as `word` does, or are one
  /// edit away. To a letter alone everything is near, and nothing is meant.
  package static func meant(by word: String, in vocabulary: [String]) -> [String] {
    guard word.utf8.count > 1 else { return [] }
    let likely = vocabulary.filter {
      $0.utf8.first == word.utf8.first || between(word, $0, limit: 1) <= 1
    }
    return nearest(to: word, in: likely)
  }
}

extension [UInt8] {
  /// Returns whether the bytes of a text stand somewhere in these, side by side: without the cost of generic elements,
  /// which other modules pay.
  package func contains(run text: String.UTF8View) -> Bool {
    guard let first = text.first else { return true }
    return indices.contains { self[$0] == first && self[$0...].starts(with: text) }
  }
}

extension Collection where Element: Equatable {
  /// Returns whether the elements of another collection stand somewhere in this one, side by side.
  package func contains(run: some Collection<Element>) -> Bool {
    guard let first = run.first else { return true }
    return indices.contains { self[$0] == first && self[$0...].starts(with: run) }
  }
}

extension StringProtocol {
  /// Returns what stands before and behind the first place of an ASCII text, if it is there.
  package func halves(at separator: StaticString) -> (before: String, behind: String)? {
    separator.withUTF8Buffer { separator in
      let place = utf8.indices.first { utf8[$0...].starts(with: separator) }
      guard let place else { return nil }
      let rest = utf8.index(place, offsetBy: separator.count)
      return (String(self[..<place]), String(self[rest...]))
    }
  }
}

extension String {
  /// The text as it stands between single quotes of a POSIX shell.
  package var quotedForShell: String {
    parts(at: "'").joined(separator: "'\\''")
  }

  /// The text as the last word of a POSIX shell's line; behind `--` where it would be an option.
  package var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "/"):
        true
      default: false
      }
    }
    if isPlain, !isEmpty { return self }
    let quoted = "'\(quotedForShell)'"
    return utf8.first == UInt8(ascii: "-") ? "-- \(quoted)" : quoted
  }
}

extension String {
  /// Returns a count with its noun: `1 record`, `2 records`.
  ///
  /// - Parameter others: the noun of any other count than 1, where it is not made by an `s`.
  package static func counting(
    _ count: some BinaryInteger, _ noun: String, _ others: String? = nil
  ) -> String {
    "\(count) \(count == 1 ? noun : others ?? noun + "s")"
  }
}

/// Sizes for people.
package enum ByteSize {
  /// Returns at most three digits and a unit of 1024: `812 B`, `1.4 KiB`, `20 MiB`.
  package static func text(_ bytes: Int64) -> String {
    if bytes.magnitude < 1_024 { return "\(bytes) B" }
    let sign = bytes < 0 ? "-" : ""
    // In tenths of a KiB, without 10 times what may be the largest number.
    var tenths = bytes.magnitude / 1_024 * 10 + bytes.magnitude % 1_024 * 10 / 1_024
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
      if tenths < 100 { return "\(sign)\(tenths / 10).\(tenths % 10) \(unit)" }
      if tenths < 10_240 { return "\(sign)\(tenths / 10) \(unit)" }
      tenths /= 1_024
    }
    return "\(sign)\(tenths / 10) PiB"
  }
}

extension String {
  /// The text as a message quotes it: the beginning of a long one.
  package var shortened: String { shortened(to: 201) }
}
