/// A reader of durations: `1y6mo`, `1 year and 6 months`, `two weeks`, `90d`, `3h30min45s`, or
/// ISO 8601 `P1Y6M2DT3H`.
package enum DurationParser {
  /// Reads the duration that the whole text names, not negative.
  package static func parse(_ text: String) throws(WhenError) -> CalendarDuration {
    do {
      return try read(text)
    } catch {
      throw error.suggesting { expression in
        (try? read(expression)) == nil ? nil : WhenReading(expression: expression, instant: nil)
      }
    }
  }

  /// Reads the length of time that the whole text names in units that depend on no calendar: hours, minutes
  /// and seconds.
  ///
  /// - Returns: The seconds, at least 1; `nil` where other units stand there, or nothing but zeros.
  /// - Throws: ``WhenError``, which offers only texts that are read as such a length.
  package static func exactSeconds(_ text: String) throws(WhenError) -> Int64? {
    do {
      return exactSeconds(try read(text))
    } catch {
      let texts = error.suggestions.map(\.expression)
      let units = error.kind == .missingUnit ? ["h", "min"] : []
      let withUnits = units.map { error.text(text, withUnit: $0) }
      throw WhenError(
        kind: error.kind, position: error.position, word: error.word, suggesting: texts + withUnits
      ).suggesting { expression in
        (try? read(expression)).flatMap(exactSeconds) == nil
          ? nil : WhenReading(expression: expression, instant: nil)
      }
    }
  }

  private static func exactSeconds(_ duration: CalendarDuration) -> Int64? {
    duration.isExact && !duration.isZero ? duration.exactSeconds : nil
  }

  private static func read(_ text: String) throws(WhenError) -> CalendarDuration {
    var scanner = WhenScanner(text)
    guard !scanner.atEnd else { throw scanner.error(.empty) }
    if scanner.next(is: "-") { throw scanner.error(.negative) }
    guard scanner.nextIsCount || scanner.nextIsISODuration else {
      throw scanner.error(scanner.nextIsLetter ? .unknownWord : .unexpected)
    }
    let duration = try scanner.takeDuration()
    scanner.skipSpaces()
    guard scanner.atEnd else { throw scanner.error(.unexpected) }
    return duration
  }
}

extension WhenError {
  /// Returns the text with a unit behind the number that lacks one.
  fileprivate func text(_ text: String, withUnit unit: String) -> String {
    let end = position + word.utf8.count
    return String(decoding: text.utf8.prefix(end), as: UTF8.self) + unit
      + String(decoding: text.utf8.dropFirst(end), as: UTF8.self)
  }
}

extension WhenScanner {
  /// Whether an ISO 8601 duration may start here: `P1…` or `PT1…`.
  var nextIsISODuration: Bool {
    guard next(is: "p"), let second = peek(1) else { return false }
    if second.isASCIIDigit { return true }
    return second == UInt8(ascii: "t") && (peek(2)?.isASCIIDigit ?? false)
  }

  /// Whether a number stands here, in digits or as a word.
  var nextIsCount: Bool { nextIsDigit || nextIsNumberWord }

  /// Whether `half` or a number stands here as a word.
  var nextIsNumberWord: Bool { nextIsWholeNumberWord || nextIsLetter && peekWord() == "half" }

  /// Takes a duration of either kind, which starts here with a number or a `P`.
  mutating func takeDuration() throws(WhenError) -> CalendarDuration {
    if nextIsISODuration { return try takeISODuration() }
    var duration = CalendarDuration()
    var seen: Set<CountedUnit> = []
    while true {
      var count = try takeCount()
      let afterNumber = index
      skipSpaces()
      let unitStart = index
      let name = takeWord()
      guard let unit = CountedUnit(word: name) else {
        index = afterNumber
        throw unitError(
          number: count.range, word: name, range: unitStart..<(unitStart + name.utf8.count))
      }
      guard seen.insert(unit).inserted else {
        throw error(.repeatedUnit, in: count.range.lowerBound..<index)
      }
      if count.part == 0, takeAndAHalf() { (count.part, count.of) = (1, 2) }
      if let problem = duration.add(count, unit) { throw error(problem, in: count.range) }
      guard takeSeparatorOfCounts() else { return duration }
    }
  }

  /// Takes `and a half` behind a unit or, where one follows, behind a number.
  private mutating func takeAndAHalf(isBeforeUnit: Bool = false) -> Bool {
    var ahead = self
    guard ahead.skipSpaces(), ahead.next(is: "a"), ahead.take(word: "and"), ahead.skipSpaces(),
      ahead.take(word: "a"),
      ahead.skipSpaces(), ahead.take(word: "half"),
      (CountedUnit(word: ahead.wordBehindSpaces()) != nil) == isBeforeUnit
    else { return false }
    self = ahead
    return true
  }

  /// Takes what may stand between a unit and the next number: spaces, a comma, `and`.
  ///
  /// - Returns: whether a number follows that is no time of day; if not, nothing is taken.
  private mutating func takeSeparatorOfCounts() -> Bool {
    var ahead = self
    ahead.skipSpaces()
    let comma = ahead.take(",")
    ahead.skipSpaces()
    let and = ahead.take(word: "and")
    ahead.skipSpaces()
    let isCount: Bool
    if ahead.nextIsDigit {
      isCount = !ahead.nextIsClock && (!comma || and || ahead.nextIsCountWithUnit)
    } else {
      isCount = ahead.nextIsNumberWord && ahead.nextIsCountWithUnit
    }
    if isCount { self = ahead }
    return isCount
  }

  /// Whether a number with a unit behind it stands here.
  private var nextIsCountWithUnit: Bool {
    var ahead = self
    return (try? ahead.takeCount()) != nil && CountedUnit(word: ahead.wordBehindSpaces()) != nil
  }

  /// Whether a count of digits and the word for what it counts stand here.
  var nextIsDecimalWithUnit: Bool {
    var ahead = self
    _ = ahead.takeNumber()
    guard ahead.takeDecimals() != nil else { return false }
    let word = ahead.wordBehindSpaces()
    return CountedUnit(word: word) != nil || word == "m"
  }

  private mutating func takeCount() throws(WhenError) -> WhenCount {
    let start = index
    if let half = takeHalf() { return half }
    var count: WhenCount
    if let word = takeNumberWord() {
      count = WhenCount(range: word.range, whole: word.value)
    } else {
      let number = takeNumber()
      guard number.count <= 12 else { throw error(.numberTooLarge, in: number.range) }
      let decimals = takeDecimals()
      if decimals == nil { _ = try checkedCount(number) }
      count = WhenCount(range: start..<index, whole: number.value)
      if let decimals { (count.part, count.of) = decimals }
    }
    if count.part == 0, takeAndAHalf(isBeforeUnit: true) { (count.part, count.of) = (1, 2) }
    return count
  }

  /// Takes `half`, `half a` or `a half`.
  private mutating func takeHalf() -> WhenCount? {
    guard nextIsLetter else { return nil }
    var ahead = self
    let isCounted = ahead.take(word: "a") || ahead.take(word: "one")
    ahead.skipSpaces()
    guard ahead.take(word: "half") else { return nil }
    var end = ahead
    end.skipSpaces()
    if !isCounted, end.take(word: "a") || end.take(word: "an") { ahead = end }
    let range = index..<ahead.index
    self = ahead
    return WhenCount(range: range, whole: 0, part: 1, of: 2)
  }

  /// Takes a dot and at most nine digits behind a number.
  ///
  /// - Returns: the digits, and one more than the largest of so many.
  private mutating func takeDecimals() -> (part: Int, of: Int)? {
    var ahead = self
    guard ahead.take("."), ahead.nextIsDigit else { return nil }
    let digits = ahead.takeNumber()
    guard digits.count <= 9 else { return nil }
    self = ahead
    return (digits.value, (0..<digits.count).reduce(1) { power, _ in power * 10 })
  }

  private func unitError(number: Range<Int>, word: String, range: Range<Int>) -> WhenError {
    if word == "m" { return ambiguous(range, ["min", "mo"]) }
    if word.isEmpty {
      let digits = text(in: number)
      return error(
        .missingUnit, in: number,
        suggestions: clockWithLetter(minutes: number)
          + ["d", "y"].map { replacing(number, with: digits + $0) })
    }
    return error(
      .unknownUnit, in: range,
      suggestions: replacing(range, nearest: CountedUnit.words))
  }

  /// Returns the text with a colon in place of the letter, where a time is written as `15h30`.
  private func clockWithLetter(minutes: Range<Int>) -> [String] {
    let before = text(in: 0..<minutes.lowerBound)
    guard minutes.count == 2, before.utf8.last.map(\.asciiLowercased) == UInt8(ascii: "h") else {
      return []
    }
    return [replacing((minutes.lowerBound - 1)..<minutes.lowerBound, with: ":")]
  }

  /// Returns the value of a count, without a fraction behind it.
  private func checkedCount(_ number: WhenNumber) throws(WhenError) -> Int {
    if next(is: ".") || next(is: ","), peek(1)?.isASCIIDigit ?? false {
      let dotted = replacing(index..<(index + 1), with: ".")
      throw error(.fraction, at: number.range.lowerBound, suggestions: [dotted])
    }
    guard number.count <= 12 else { throw error(.numberTooLarge, in: number.range) }
    return number.value
  }

  private mutating func takeISODuration() throws(WhenError) -> CalendarDuration {
    let start = index
    index += 1
    var duration = CalendarDuration()
    var last = -1
    var inTime = false
    while true {
      if !inTime, take("t") {
        inTime = true
        guard nextIsDigit else { throw error(atEnd ? .incomplete : .unexpected) }
      }
      guard nextIsDigit else { break }
      let number = takeNumber()
      let count = try checkedCount(number)
      guard let letter = peek() else { throw error(.missingUnit, in: number.range) }
      let unit: DurationUnit
      switch (letter, inTime) {
      case (UInt8(ascii: "y"), false): unit = .year
      case (UInt8(ascii: "m"), false): unit = .month
      case (UInt8(ascii: "w"), false): unit = .week
      case (UInt8(ascii: "d"), false): unit = .day
      case (UInt8(ascii: "h"), true): unit = .hour
      case (UInt8(ascii: "m"), true): unit = .minute
      case (UInt8(ascii: "s"), true): unit = .second
      default: throw error(.unknownUnit)
      }
      guard unit.rawValue > last else {
        throw error(
          unit.rawValue == last ? .repeatedUnit : .unexpected,
          in: number.range.lowerBound..<(index + 1))
      }
      last = unit.rawValue
      index += 1
      duration[unit] = count
    }
    guard !nextIsLetter else { throw error(.unexpected) }
    guard last >= 0 else { throw error(.incomplete, at: start) }
    return duration
  }
}
