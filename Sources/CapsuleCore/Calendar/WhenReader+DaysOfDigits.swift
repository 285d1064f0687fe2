// Days that begin with a digit.
extension WhenReader {
  /// Takes a date that begins with a digit, without the time that may follow.
  mutating func dayOfDigits() throws(WhenError) -> Phrase {
    let start = scanner.index
    let number = scanner.takeNumber()
    if let phrase = try dayAndMonth(day: number, start: start) { return phrase }
    switch scanner.peek() {
    case UInt8(ascii: ":"): throw scanner.error(.unexpected, at: start)
    case UInt8(ascii: "/"),
      UInt8(ascii: "-") where number.count != 4:
      if number.count > 4 { throw scanner.error(.yearOutOfRange, in: number.range) }
      return try numericDate(start: start)
    case UInt8(ascii: "-"):
      return try hyphenDate(year: number, start: start)
    case UInt8(ascii: ".") where nextIsDottedDate():
      return try numericDate(start: start)
    case UInt8(ascii: ".") where scanner.peek(1)?.isASCIIDigit ?? false,
      UInt8(ascii: ",") where scanner.peek(1)?.isASCIIDigit ?? false:
      throw scanner.error(.fraction, at: start)
    default: return try dayOfOneNumber(number)
    }
  }

  /// Reads a year or a date of digits alone.
  private func dayOfOneNumber(_ number: WhenNumber) throws(WhenError) -> Phrase {
    switch number.count {
    case 4:
      let date = try calendarDate(year: number, month: nil, day: nil)
      return Phrase(day: .date(date), dayRange: number.range, assumptions: [.firstOfYear])
    case 8:
      return Phrase(day: .date(try compactDate(number)), dayRange: number.range)
    case 5...7 where number.value >= 10_000:
      throw scanner.error(.yearOutOfRange, in: number.range)
    default:
      let digits = scanner.text(in: number.range)
      throw scanner.error(
        .missingUnit, in: number.range,
        suggestions: ["d", "y"].map { scanner.replacing(number.range, with: digits + $0) })
    }
  }

  /// Whether a dot and digits follow that are no fraction: nothing is counted with them.
  private func nextIsDottedDate() -> Bool {
    var ahead = scanner
    ahead.index += 1
    guard ahead.nextIsDigit else { return false }
    let second = ahead.takeNumber()
    if ahead.next(is: ".") { return true }
    return second.count <= 2 && !ahead.nextIsLetter
      && DurationUnit(word: ahead.wordBehindSpaces()) == nil
  }

  /// Takes the month by name behind a day, and the year that may follow; or, behind four digits, the
  /// month and the day. `nil` when no month follows.
  ///
  /// `15 June 2044`, `15th of June`, `15-Jun-2044`, `2044-Jun-15`.
  private mutating func dayAndMonth(
    day: WhenNumber, start: Int
  ) throws(WhenError) -> Phrase? {
    var ahead = scanner
    let hasSuffix = ahead.takeOrdinalSuffix(of: day)
    let separator = ahead.takeSeparator()
    if separator == nil { ahead.skipSpaces() }
    let hasOf = ahead.take(word: "of")
    if hasOf { ahead.skipSpaces() }
    let monthStart = ahead.index
    guard let month = Month(word: ahead.takeWord()) else {
      guard hasSuffix else { return nil }
      throw suffixError(day: day, end: ahead, start: start)
    }
    let monthRange = monthStart..<ahead.index
    if separator == nil { _ = ahead.take(".") }
    if day.count > 2 {
      return try monthBehindYear(
        day, month, range: monthRange, separator: separator, behind: ahead)
    }
    scanner = ahead
    if let separator {
      return try yearBehindSeparator(
        separator, day: day, month: month, range: monthRange, start: start)
    }
    return try named(day: day, month: month, monthRange: monthRange, start: start)
  }

  private func suffixError(day: WhenNumber, end: WhenScanner, start: Int) -> WhenError {
    var end = end
    end.index = day.range.upperBound
    _ = end.takeWord()
    let month = nearestDate(day: day.value)
    return scanner.error(
      .incomplete, in: start..<end.index,
      suggestions: month.map { [scanner.replacing(start..<end.index, with: $0.shortText)] } ?? [])
  }

  /// Takes the day behind `2044-Jun-`; refuses `2044 June`.
  private mutating func monthBehindYear(
    _ year: WhenNumber, _ month: Month, range: Range<Int>, separator: Unicode.Scalar?,
    behind: WhenScanner
  ) throws(WhenError) -> Phrase {
    scanner = behind
    if let separator, year.count == 4, scanner.take(separator) {
      let day = scanner.takeNumber()
      guard (1...2).contains(day.count) else { throw scanner.error(.unexpected, in: day.range) }
      let date = try calendarDate(year: year, month: (month.rawValue, range), day: day)
      return Phrase(day: .date(date), dayRange: year.range.lowerBound..<scanner.index)
    }
    let swapped = "\(scanner.text(in: range)) \(scanner.text(in: year.range))"
    throw scanner.error(
      .unexpected, in: range,
      suggestions: year.count == 4
        ? [scanner.replacing(year.range.lowerBound..<range.upperBound, with: swapped)] : [])
  }

  /// Takes the year of `15-Jun-2044`.
  private mutating func yearBehindSeparator(
    _ separator: Unicode.Scalar, day: WhenNumber, month: Month, range: Range<Int>, start: Int
  ) throws(WhenError) -> Phrase {
    guard scanner.next(is: separator), scanner.peek(1)?.isASCIIDigit ?? false else {
      return try named(day: day, month: month, monthRange: range, start: start)
    }
    scanner.index += 1
    let year = scanner.takeNumber()
    try checkYear(year)
    let date = try calendarDate(year: year, month: (month.rawValue, range), day: day)
    return Phrase(day: .date(date), dayRange: start..<scanner.index)
  }

  /// Makes the phrase of a day of a month by name, with the year that may follow.
  mutating func named(
    day: WhenNumber, month: Month, monthRange: Range<Int>, start: Int
  ) throws(WhenError) -> Phrase {
    let end = scanner.index
    guard let year = try yearBehindDay() else {
      // A leap year has all days that the month ever has.
      let last = CivilDate.days(inMonth: month.rawValue, of: 2000)
      guard (1...last).contains(day.value) else {
        let text = "\(month.name) \(centuries(of: day.value).first ?? 0)"
        throw scanner.error(
          .noSuchDay(last: last), in: day.range,
          suggestions: day.value > 31 ? [scanner.replacing(start..<end, with: text)] : [])
      }
      return Phrase(day: .yearly(.ofMonth(.number(day.value), month)), dayRange: start..<end)
    }
    let date = try calendarDate(year: year, month: (month.rawValue, monthRange), day: day)
    return Phrase(day: .date(date), dayRange: start..<scanner.index)
  }

  /// Takes the year of four digits that may follow a day, behind spaces or a comma; `nil`, and nothing
  /// is taken, where a time of day or something else follows.
  mutating func yearBehindDay() throws(WhenError) -> WhenNumber? {
    var ahead = scanner
    _ = ahead.take(",")
    ahead.skipSpaces()
    guard ahead.nextIsDigit, !ahead.nextIsClock else { return nil }
    let number = ahead.takeNumber()
    guard number.count > 1 else { return nil }
    try checkYear(number)
    scanner = ahead
    return number
  }

  /// Refuses a year of other than four digits.
  private func checkYear(_ year: WhenNumber) throws(WhenError) {
    switch year.count {
    case 4: return
    case 2: throw scanner.ambiguous(year.range, centuries(of: year.value).map { "\($0)" })
    case 0...3: throw scanner.error(.unexpected, in: year.range)
    default: throw scanner.error(.yearOutOfRange, in: year.range)
    }
  }

  /// Returns the years that two digits may stand for: of this century and of the last.
  func centuries(of twoDigits: Int) -> [Int] {
    let century = todayHere.year / 100 * 100
    return [century, century - 100].map { $0 + twoDigits }.filter { $0 >= 1000 && $0 <= 9999 }
  }

  /// The date on the user's clocks now.
  var todayHere: CivilDate { parser.zone.civil(at: parser.now).date }

  /// Returns the nearest day of that number on the preferred side of today.
  private func nearestDate(day: Int) -> CivilDate? {
    let first = CivilDate(year: todayHere.year, month: todayHere.month, day: 1)
    let past = parser.preference == .past
    return (0...2).lazy.compactMap { months -> CivilDate? in
      guard let month = first?.adding(months: past ? -months : months),
        let date = CivilDate(year: month.year, month: month.month, day: day)
      else { return nil }
      return (past ? date <= todayHere : date > todayHere) ? date : nil
    }.first
  }
}

extension WhenScanner {
  /// Takes `st`, `nd`, `rd` or `th` where it is the right one behind a number.
  mutating func takeOrdinalSuffix(of number: WhenNumber) -> Bool {
    guard (1...2).contains(number.count) else { return false }
    let isTeen = number.value / 10 == 1
    switch number.value % 10 {
    case 1 where !isTeen: return take(word: "st")
    case 2 where !isTeen: return take(word: "nd")
    case 3 where !isTeen: return take(word: "rd")
    default: return take(word: "th")
    }
  }

  /// Takes `-`, `/` or `.` before a letter.
  fileprivate mutating func takeSeparator() -> Unicode.Scalar? {
    guard peek(1)?.isASCIILetter ?? false else { return nil }
    let separators: [Unicode.Scalar] = ["-", "/", "."]
    return separators.first { next(is: $0) }.map { separator in
      index += 1
      return separator
    }
  }
}
