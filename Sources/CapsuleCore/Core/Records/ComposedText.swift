/// Text with letters and their marks composed, as far as names of files need it: some programs that
/// unpack an archive compose them (UAX #15, form C), and a link to the name has to find it then.
enum ComposedText {
  /// The letters of Latin, Greek and Cyrillic with marks, kana with marks, and the syllables of Hangul.
  ///
  /// Equal characters are those that are canonically equivalent, so a set gives back the composed form
  /// of whatever is equal to it. The earlier scalar of two equal ones is that of form C.
  private static let letters: Set<Character> = {
    var letters: Set<Character> = []
    let ranges: [ClosedRange<UInt32>] = [
      0xc0...0x24f, 0x386...0x3ce, 0x400...0x4f9, 0x1e00...0x1eff, 0x1f00...0x1ffc, 0x304c...0x30fa,
      0xac00...0xd7a3,
    ]
    for value in ranges.joined() {
      if let scalar = Unicode.Scalar(value) { letters.insert(Character(scalar)) }
    }
    return letters
  }()

  /// Returns the text, composed.
  static func of(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy({ $0.value < 0x300 }) { return text }
    return String(text.map(composed))
  }

  /// Returns a character whose longest beginning for which there is one scalar is that scalar.
  private static func composed(_ character: Character) -> Character {
    let scalars = Array(character.unicodeScalars)
    for count in stride(from: min(scalars.count, 4), to: 1, by: -1) {
      let beginning = String(String.UnicodeScalarView(scalars[..<count]))
      guard beginning.count == 1, let first = beginning.first,
        let place = letters.firstIndex(of: first)
      else { continue }
      var result = String.UnicodeScalarView(letters[place].unicodeScalars)
      result.append(contentsOf: scalars[count...])
      let text = String(result)
      return text.count == 1 ? Character(text) : character
    }
    return character
  }
}
