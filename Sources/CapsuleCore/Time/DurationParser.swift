/// A reader of durations: `1y6mo`, `1 year 6 months`, `90d`, `3h30min45s`, or ISO 8601 `P1Y6M2DT3H`.
package enum DurationParser {
  /// Reads the duration that the whole text names, not negative.
  package static func parse(_ text: String) throws(WhenError) -> CalendarDuration {
    var scanner = WhenScanner(text)
    guard !scanner.atEnd else { throw scanner.error(.empty) }
    if scanner.next(is: "-") { throw scanner.error(.negative) }
    guard scanner.nextIsDigit || scanner.nextIsISODuration else {
      throw scanner.error(scanner.nextIsLetter ? .unknownWord : .unexpected)
    }
    let duration = try scanner.takeDuration()
    scanner.skipSpaces()
    guard scanner.atEnd else { throw scanner.error(.unexpected) }
    return duration
  }
}

extension WhenScanner {
  /// Whether an ISO 8601 duration may start here: `P1…` or `PT1…`.
  var nextIsISODuration: Bool {
    guard next(is: "p"), let second = peek(1) else { return false }
    if second.isASCIIDigit { return true }
    return second == UInt8(ascii: "t") && (peek(2)?.isASCIIDigit ?? false)
  }

  /// Takes a duration of either kind, which starts here with a digit or a `P`.
  mutating func takeDuration() throws(WhenError) -> CalendarDuration {
    if next(is: "p") { return try takeISODuration() }
    var duration = CalendarDuration()
    var seen: Set<DurationUnit> = []
    while true {
      let number = takeNumber()
      let count = try checkedCount(number)
      let afterNumber = index
      skipSpaces()
      let unitStart = index
      let word = takeWord()
      guard let unit = DurationUnit(word: word) else {
        index = afterNumber
        throw unitError(
          number: number, word: word, range: unitStart..<(unitStart + word.utf8.count))
      }
      guard seen.insert(unit).inserted else {
        throw error(.repeatedUnit, in: number.range.lowerBound..<index)
      }
      duration[unit] = count
      let afterUnit = index
      skipSpaces()
      var ahead = self
      let following = ahead.takeNumber()
      if following.count == 0 || ahead.next(is: ":") {
        index = afterUnit
        return duration
      }
    }
  }

  private func unitError(number: WhenNumber, word: String, range: Range<Int>) -> WhenError {
    if word == "m" { return ambiguous(range, ["min", "mo"]) }
    if word.isEmpty {
      let digits = text(in: number.range)
      return error(
        .missingUnit, in: number.range,
        suggestions: ["d", "y"].map { replacing(number.range, with: digits + $0) })
    }
    return error(
      .unknownUnit, in: range,
      suggestions: replacing(range, nearest: DurationUnit.words))
  }

  /// Returns the value of a count, without a fraction behind it.
  private func checkedCount(_ number: WhenNumber) throws(WhenError) -> Int {
    if next(is: ".") || next(is: ","), peek(1)?.isASCIIDigit ?? false {
      throw error(.fraction, at: number.range.lowerBound)
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
