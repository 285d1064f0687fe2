// Numbers as words: `a`, `an`, `two`, `twenty-five`, `a hundred`.
extension WhenScanner {
  private static let units: [String: Int] = [
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
  ]
  private static let tens: [String: Int] = [
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
  ]

  /// Whether a number stands here as a word.
  var nextIsNumberWord: Bool {
    guard nextIsLetter else { return false }
    let word = peekWord()
    return Self.units[word] != nil || Self.tens[word] != nil
  }

  /// Takes a number from 1 to 900 that stands here as words; `nil` where none does.
  mutating func takeNumberWord() -> WhenNumber? {
    guard nextIsNumberWord else { return nil }
    let start = index
    let word = takeWord()
    if let tens = Self.tens[word] {
      var ahead = self
      if !ahead.take("-") { ahead.skipSpaces() }
      let next = ahead.takeWord()
      guard let unit = Self.units[next], unit < 10, next != "a", next != "an" else {
        return WhenNumber(value: tens, range: start..<index)
      }
      self = ahead
      return WhenNumber(value: tens + unit, range: start..<index)
    }
    let unit = Self.units[word] ?? 0
    var ahead = self
    ahead.skipSpaces()
    guard unit < 10, word != "an", ahead.take(word: "hundred") else {
      return WhenNumber(value: unit, range: start..<index)
    }
    self = ahead
    return WhenNumber(value: unit * 100, range: start..<index)
  }
}
