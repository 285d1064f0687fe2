/// A place in the text of an expression.
///
/// Everything is read as ASCII bytes, letters in lower case, and the dashes, quotes and spaces of web pages
/// as their kin in ASCII; any other byte beyond ASCII has no place in any expression and stops every scan.
struct WhenScanner {
  // Hot: a scanner is copied for every look ahead, so it has one reference.
  private let source: WhenText
  /// The present place, in bytes from the start of the text in ASCII.
  var index: Int

  /// Spaces, line ends and a pair of quotes around the text are left out.
  init(_ text: String) {
    source = WhenText(text)
    index = source.start
  }

  private var start: Int { source.start }
  private var end: Int { source.end }
  private var bytes: [UInt8] { source.bytes }
  private var plain: PlainText { source.plain }

  /// Whether a dash stands here that joins the ends of a range, as `9:00–17:00` has it.
  var nextIsLongDash: Bool { !atEnd && plain.isLongDash(at: index) }

  var atEnd: Bool { index >= end }

  /// The text, without what is left out around it.
  var whole: String { text(in: start..<end) }

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
    String(decoding: plain.bytes[range], as: UTF8.self)
  }

  /// Returns what stands before a place, without the spaces around it.
  func text(before place: Int) -> String { text(in: start..<max(start, place)).trimmed }

  /// Returns the whole text with a part of it replaced, without what is left out around it.
  func replacing(_ range: Range<Int>, with replacement: String) -> String {
    text(in: min(start, range.lowerBound)..<range.lowerBound) + replacement
      + text(in: range.upperBound..<max(end, range.upperBound))
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
    return error(kind, in: start..<stop, suggestions: suggestions)
  }

  /// Returns an error about a part of the text.
  func error(
    _ kind: WhenError.Kind, in range: Range<Int>, suggestions: [String] = []
  ) -> WhenError {
    let (position, word) = plain.original(range)
    return WhenError(kind: kind, position: position, word: word, suggesting: suggestions)
  }

  /// Returns an error that offers the whole text with a part replaced by each of `replacements`.
  func ambiguous(_ range: Range<Int>, _ replacements: [String]) -> WhenError {
    error(
      .ambiguous, in: range, suggestions: replacements.map { replacing(range, with: $0) })
  }

  // Numbers as words: `a`, `an`, `two`, `twenty-five`, `a hundred`.

  private static let units: [String: Int] = [
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
  ]
  private static let tens: [String: Int] = [
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
  ]

  /// Whether a whole number stands here as a word.
  var nextIsWholeNumberWord: Bool {
    guard nextIsLetter else { return false }
    let word = peekWord()
    return Self.units[word] != nil || Self.tens[word] != nil
  }

  /// Takes a number from 1 to 900 that stands here as words; `nil` where none does.
  mutating func takeNumberWord() -> WhenNumber? {
    guard nextIsWholeNumberWord else { return nil }
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

/// The text of an expression, as a scanner reads it.
private final class WhenText: Sendable {
  let plain: PlainText
  /// The text in ASCII and in lower case.
  let bytes: [UInt8]
  /// The part without spaces, line ends and a pair of quotes around it.
  let start, end: Int

  init(_ text: String) {
    plain = PlainText(text)
    bytes = plain.bytes.map(\.asciiLowercased)
    var range = Self.trimmed(bytes, 0..<bytes.count)
    if range.count > 1, let quote = bytes[range].first, quote == bytes[range].last,
      quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    {
      range = Self.trimmed(bytes, (range.lowerBound + 1)..<(range.upperBound - 1))
    }
    (start, end) = (range.lowerBound, range.upperBound)
  }

  private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isBlank(bytes[start]) { start += 1 }
    while end > start, isBlank(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte)
  }
}

/// A text with the punctuation of web pages in ASCII.
private struct PlainText {
  /// The text in ASCII, as far as it can be.
  let bytes: [UInt8]
  private let written: [UInt8]
  /// The place of each byte, and of the end, in the text as it was written; empty where that is the same.
  private let places: [Int]

  /// What stands for `-`, `'`, `"` and a space, by the last two of its three bytes of UTF-8.
  private static let kin: [UInt16: UInt8] = [
    0x8089: UInt8(ascii: " "),  // thin space
    0x80af: UInt8(ascii: " "),  // narrow no-break space, as before AM and PM
    0x8090: UInt8(ascii: "-"),  // hyphen
    0x8091: UInt8(ascii: "-"),  // no-break hyphen
    0x8093: UInt8(ascii: "-"),  // en dash
    0x8094: UInt8(ascii: "-"),  // em dash
    0x8892: UInt8(ascii: "-"),  // minus
    0x8098: UInt8(ascii: "'"), 0x8099: UInt8(ascii: "'"),
    0x809c: UInt8(ascii: "\""), 0x809d: UInt8(ascii: "\""),
  ]

  init(_ text: String) {
    written = Array(text.utf8)
    guard written.contains(where: { $0 >= 0x80 }) else {
      (bytes, places) = (written, [])
      return
    }
    var (bytes, places, index) = ([UInt8](), [Int](), 0)
    while index < written.count {
      places.append(index)
      let (byte, length) = Self.ascii(written[index...])
      bytes.append(byte)
      index += length
    }
    places.append(written.count)
    (self.bytes, self.places) = (bytes, places)
  }

  /// Returns the byte to read in place of the first ones, and their number.
  private static func ascii(_ bytes: ArraySlice<UInt8>) -> (byte: UInt8, length: Int) {
    guard let first = bytes.first, first >= 0x80 else { return (bytes.first ?? 0, 1) }
    let head = Array(bytes.prefix(3))
    if head.starts(with: [0xc2, 0xa0]) { return (UInt8(ascii: " "), 2) }
    guard head.count == 3, head[0] == 0xe2,
      let byte = kin[UInt16(head[1]) << 8 | UInt16(head[2])]
    else { return (first, 1) }
    return (byte, 3)
  }

  /// Whether the byte stands for an en dash or an em dash.
  func isLongDash(at index: Int) -> Bool {
    guard !places.isEmpty else { return false }
    let dash = written[places[index]..<places[index + 1]]
    return dash.elementsEqual("\u{2013}".utf8) || dash.elementsEqual("\u{2014}".utf8)
  }

  /// Returns the place of a part in the text as it was written, and the part.
  func original(_ range: Range<Int>) -> (position: Int, text: String) {
    let written =
      places.isEmpty ? range : places[range.lowerBound]..<places[range.upperBound]
    return (written.lowerBound, String(decoding: self.written[written], as: UTF8.self))
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

/// A text of at most 15 bytes of ASCII while it is written.
struct ShortText {
  fileprivate static let limit = 15

  private let bytes: UnsafeMutableBufferPointer<UInt8>
  fileprivate private(set) var count = 0

  fileprivate init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  mutating func append(_ byte: UInt8) {
    precondition(count < Self.limit)
    bytes[count] = byte
    count += 1
  }

  /// Appends a number that is not negative, with at least two or four digits.
  @_optimize(speed)
  mutating func append(_ value: Int, width: Int) {
    if value >= 10_000 { append(UInt8(ascii: "0") + UInt8(value / 10_000 % 10)) }
    if width == 4 {
      append(UInt8(ascii: "0") + UInt8(value / 1000 % 10))
      append(UInt8(ascii: "0") + UInt8(value / 100 % 10))
    }
    append(UInt8(ascii: "0") + UInt8(value / 10 % 10))
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}

/// Decimal numbers in ASCII, for the texts of dates and times.
package enum DecimalDigits {
  /// Appends `value` with at least `width` digits, filled with zeros; a negative one after a `-`.
  @_optimize(speed)
  static func append(_ value: Int, width: Int, to bytes: inout [UInt8]) {
    let zero = UInt8(ascii: "0")
    if width <= 2, value >= 0, value < 100 {
      if value >= 10 || width == 2 { bytes.append(zero + UInt8(truncatingIfNeeded: value / 10)) }
      return bytes.append(zero + UInt8(truncatingIfNeeded: value % 10))
    }
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    var first = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(zero + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0 || bytes.count - first < width
    var last = bytes.count - 1
    while first < last {
      bytes.swapAt(first, last)
      first += 1
      last -= 1
    }
  }

  /// Returns a text of at most 15 bytes, which needs no memory of its own.
  @_optimize(speed)
  static func text(_ body: (inout ShortText) -> Void) -> String {
    String(unsafeUninitializedCapacity: ShortText.limit) { bytes in
      var text = ShortText(bytes)
      body(&text)
      return text.count
    }
  }

  /// Reads the number in `bytes[range]`; `nil` unless all are digits and there are 1 to 18.
  package static func value(of bytes: UnsafeRawBufferPointer, in range: Range<Int>) -> Int? {
    guard !range.isEmpty, range.count <= 18, range.upperBound <= bytes.count else { return nil }
    var value = 0
    for index in range {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }
}
