/// The number of columns of a terminal that text takes.
package enum TextWidth {
  /// Returns the columns of a line without control characters.
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Returns the longest beginning that takes at most so many columns.
  package static func prefix(of text: String, columns: Int) -> String {
    var left = columns
    var end = text.startIndex
    for character in text {
      left -= of(character)
      if left < 0 { break }
      end = text.index(after: end)
    }
    return String(text[..<end])
  }

  /// Returns the columns of a character as readers see it (a grapheme cluster).
  package static func of(_ character: Character) -> Int {
    var columns = 0
    var scalars = 0
    for scalar in character.unicodeScalars {
      scalars += 1
      // Sequences of emoji and those with a skin, a zero-width joiner or the emoji form asked for
      // are drawn as one emoji; two letters for a region as one flag.
      if scalars > 1, isEmojiJoint(scalar) || scalar == "\u{200d}" && columns == 2 { return 2 }
      columns += of(scalar)
    }
    return columns
  }

  private static func isEmojiJoint(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xfe0f, 0x1f3fb...0x1f3ff, 0x1f1e6...0x1f1ff: true
    default: false
    }
  }

  /// Returns the columns of a scalar by itself: 0, 1 or 2.
  private static func of(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0 ? 0 : 1 }
    // The vowels and ends of Korean syllables written in parts.
    if (0x1160...0x11ff).contains(value) || (0xd7b0...0xd7fb).contains(value) { return 0 }
    if isPrependedMark(value) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(value) ? 2 : 1
    }
  }

  /// Whether it is a sign that is drawn around the digits behind it, or above them, unlike other format
  /// characters (Prepended_Concatenation_Mark of Unicode's PropList).
  private static func isPrependedMark(_ value: UInt32) -> Bool {
    switch value {
    case 0x600...0x605, 0x6dd, 0x70f, 0x890...0x891, 0x8e2, 0x110bd, 0x110cd: true
    default: false
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= wide[0] else { return false }
    var low = 0
    var high = wide.count / 2
    while low < high {
      let middle = (low + high) / 2
      if wide[2 * middle + 1] < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count / 2 && wide[2 * low] <= value
  }
}
