/// A place in the text of an expression.
///
/// Everything is read as ASCII bytes, letters in lower case; a byte beyond ASCII has no place in any
/// expression and stops every scan.
struct WhenScanner {
  private let original: [UInt8]
  private let bytes: [UInt8]
  private let end: Int
  /// The present place, in bytes from the start of the text.
  var index: Int

  /// Spaces and line ends around the text are left out.
  init(_ text: String) {
    original = Array(text.utf8)
    bytes = original.map(\.asciiLowercased)
    index = bytes.firstIndex { !Self.isBlank($0) } ?? bytes.count
    end = (bytes.lastIndex { !Self.isBlank($0) } ?? -1) + 1
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte)
  }

  var atEnd: Bool { index >= end }

  /// Returns the byte `distance` further on, or `nil` behind the end.
  func peek(_ distance: Int = 0) -> UInt8? {
    index + distance < end ? bytes[index + distance] : nil
  }

  func next(is character: Unicode.Scalar) -> Bool {
    peek() == UInt8(ascii: character)
  }

  var nextIsDigit: Bool { peek()?.isASCIIDigit ?? false }

  var nextIsLetter: Bool { peek()?.isASCIILetter ?? false }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next(is: character) else { return false }
    index += 1
    return true
  }

  /// Skips spaces and tabs.
  ///
  /// - Returns: whether there were any.
  @discardableResult mutating func skipSpaces() -> Bool {
    let start = index
    while let byte = peek(), byte == 0x20 || byte == 0x09 { index += 1 }
    return index > start
  }

  /// Takes the letters from here on, in lower case; empty if there are none.
  mutating func takeWord() -> String {
    let start = index
    while nextIsLetter { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// Returns the letters from here on, left where they are.
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

  /// Returns the letters behind the spaces here.
  func wordBehindSpaces() -> String {
    var ahead = self
    ahead.skipSpaces()
    return ahead.peekWord()
  }

  /// Takes the digits from here on.
  mutating func takeNumber() -> WhenNumber {
    let start = index
    var value = 0
    while let byte = peek(), byte.isASCIIDigit {
      if index - start < 18 { value = value * 10 + Int(byte - UInt8(ascii: "0")) }
      index += 1
    }
    return WhenNumber(value: value, range: start..<index)
  }

  /// Takes everything from here to the next space, bracket or end, as it was written.
  mutating func takeToken() -> String {
    let start = index
    while let byte = peek(), byte > 0x20, byte != UInt8(ascii: "["), byte != UInt8(ascii: "]") {
      index += 1
    }
    return text(in: start..<index)
  }

  /// Returns a part of the text as it was written.
  func text(in range: Range<Int>) -> String {
    String(decoding: original[range], as: UTF8.self)
  }

  /// Returns the whole text with a part of it replaced, without the spaces around it.
  func replacing(_ range: Range<Int>, with replacement: String) -> String {
    let before = text(in: 0..<range.lowerBound)
    let whole = before + replacement + text(in: range.upperBound..<max(end, range.upperBound))
    return String(decoding: whole.utf8.drop(while: Self.isBlank), as: UTF8.self)
  }

  /// Returns the whole text with a word replaced by each that it may have been meant for, those of its
  /// length first.
  func replacing(_ range: Range<Int>, nearest vocabulary: [String]) -> [String] {
    let meant = EditDistance.meant(by: text(in: range).lowercased(), in: vocabulary)
    let alike = meant.filter { $0.utf8.count == range.count }
    let others = meant.filter { $0.utf8.count != range.count }
    return (alike + others).map { replacing(range, with: $0) }
  }

  /// Returns an error about the word at `position`, or here: up to the next space.
  func error(
    _ kind: WhenError.Kind, at position: Int? = nil, suggestions: [String] = []
  ) -> WhenError {
    let start = min(position ?? index, end)
    var stop = start
    while stop < end, bytes[stop] != 0x20, bytes[stop] != 0x09 { stop += 1 }
    return WhenError(
      kind: kind, position: start, word: text(in: start..<stop), suggesting: suggestions)
  }

  /// Returns an error about a part of the text.
  func error(
    _ kind: WhenError.Kind, in range: Range<Int>, suggestions: [String] = []
  ) -> WhenError {
    WhenError(
      kind: kind, position: range.lowerBound, word: text(in: range), suggesting: suggestions)
  }

  /// Returns an error that offers the whole text with a part replaced by each of `replacements`.
  func ambiguous(_ range: Range<Int>, _ replacements: [String]) -> WhenError {
    error(
      .ambiguous, in: range, suggestions: replacements.map { replacing(range, with: $0) })
  }
}

/// Digits in an expression.
struct WhenNumber {
  /// The number; of more than 18 digits, the first 18.
  let value: Int
  let range: Range<Int>

  /// The number of digits.
  var count: Int { range.count }
}
