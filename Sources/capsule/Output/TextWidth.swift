/// How many columns of a terminal text takes.
package enum TextWidth {
  /// The columns of a line without control characters.
  package static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The longest beginning that takes at most so many columns.
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

  /// The columns of what a reader takes for one character.
  static func of(_ character: Character) -> Int {
    1
  }
}
