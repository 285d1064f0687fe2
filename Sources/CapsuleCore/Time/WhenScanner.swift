/// A place in the text of an expression.
///
/// Everything is read as ASCII bytes, letters in lower case; a byte beyond ASCII has no place in any
/// expression and stops every scan.
struct WhenScanner {
  private let original: [UInt8]
  private let bytes: [UInt8]
  private let end: Int
  /// In bytes from the start of the text.
  var index: Int

  /// Spaces and line ends around the text are left out.
  init(_ text: String) {
    original = Array(text.utf8)
    bytes = original.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
    index = bytes.firstIndex { !isBlank($0) } ?? bytes.count
    end = (bytes.lastIndex { !isBlank($0) } ?? -1) + 1
  }

  var atEnd: Bool { index >= end }

  /// The byte `distance` further on, or `nil` behind the end.
  func peek(_ distance: Int = 0) -> UInt8? {
    index + distance < end ? bytes[index + distance] : nil
  }

  func next(is character: Unicode.Scalar) -> Bool {
    peek() == UInt8(ascii: character)
  }

  var nextIsDigit: Bool { peek().map(WhenScanner.isDigit) ?? false }

  var nextIsLetter: Bool { peek().map(WhenScanner.isLetter) ?? false }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next(is: character) else { return false }
    index += 1
    return true
  }

  /// Skips spaces and tabs, and says whether there were any.
  @discardableResult mutating func skipSpaces() -> Bool {
    let start = index
    while let byte = peek(), byte == 0x20 || byte == 0x09 { index += 1 }
    return index > start
  }

  /// The letters from here on, in lower case; empty if there are none.
  mutating func takeWord() -> String {
    let start = index
    while nextIsLetter { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// The letters from here on, left where they are.
  func peekWord() -> String {
    var copy = self
    return copy.takeWord()
  }

  /// Takes `word` if it stands here as a whole word.
  mutating func take(word: String) -> Bool {
    var copy = self
    guard copy.takeWord() == word else { return false }
    self = copy
    return true
  }

  /// The digits from here on.
  mutating func takeNumber() -> WhenNumber {
    let start = index
    var value = 0
    while let byte = peek(), WhenScanner.isDigit(byte) {
      if index - start < 18 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
      index += 1
    }
    return WhenNumber(value: value, range: start..<index)
  }

  /// Everything from here to the next space, bracket or end, as it was written.
  mutating func takeToken() -> String {
    let start = index
    while let byte = peek(), byte > 0x20, byte != UInt8(ascii: "["), byte != UInt8(ascii: "]") {
      index += 1
    }
    return text(in: start..<index)
  }

  /// The text as it was written.
  func text(in range: Range<Int>) -> String {
    String(decoding: original[range], as: UTF8.self)
  }

  /// The whole text with a part of it replaced, and the spaces around it gone.
  func replacing(_ range: Range<Int>, with replacement: String) -> String {
    let before = text(in: 0..<range.lowerBound)
    let whole = before + replacement + text(in: range.upperBound..<max(end, range.upperBound))
    return String(whole.drop { $0.isWhitespace })
  }

  /// The whole text with a word replaced by each that it may have been meant for.
  func replacing(_ range: Range<Int>, nearest vocabulary: [String]) -> [String] {
    EditDistance.nearest(to: text(in: range).lowercased(), in: vocabulary)
      .map { replacing(range, with: $0) }
  }

  /// An error about the word at `position`, or here: up to the next space.
  func error(
    _ kind: WhenError.Kind, at position: Int? = nil, suggestions: [String] = []
  ) -> WhenError {
    let start = min(position ?? index, end)
    var stop = start
    while stop < end, bytes[stop] != 0x20, bytes[stop] != 0x09 { stop += 1 }
    return WhenError(
      kind: kind, position: start, word: text(in: start..<stop), suggestions: suggestions)
  }

  /// An error about a part of the text.
  func error(
    _ kind: WhenError.Kind, in range: Range<Int>, suggestions: [String] = []
  ) -> WhenError {
    WhenError(
      kind: kind, position: range.lowerBound, word: text(in: range), suggestions: suggestions)
  }

  /// An error that offers the whole text with a part replaced by each of `replacements`.
  func ambiguous(_ range: Range<Int>, _ replacements: [String]) -> WhenError {
    let readings = replacements.map {
      WhenReading(expression: replacing(range, with: $0), instant: nil)
    }
    return error(.ambiguous(readings), in: range, suggestions: readings.map(\.expression))
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}

/// Digits in an expression.
struct WhenNumber {
  /// Of more than 18 digits, the first 18.
  let value: Int
  let range: Range<Int>

  /// How many digits there are.
  var count: Int { range.count }
}
