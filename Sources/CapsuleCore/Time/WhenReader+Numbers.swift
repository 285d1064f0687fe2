extension WhenReader {
  /// Takes a text that starts with a digit: a date, a time or a duration.
  mutating func numberLed() throws(WhenError) -> Meaning {
    var ahead = scanner
    let number = ahead.takeNumber()
    if ahead.next(is: ":") { return try bareTime() }
    let adjacent = ahead.index
    ahead.skipSpaces()
    guard ahead.nextIsLetter, !ahead.nextIsDateTime(after: number, at: adjacent) else {
      return try date()
    }
    let word = ahead.peekWord()
    if word == "am" || word == "pm" { return try bareTime() }
    if Month(word: word) != nil { return try date() }
    if DurationUnit(word: word) != nil || word == "m" { return try relative() }
    // A year or a compact date may have a time or a zone behind it; any other number must be
    // counting something.
    if number.count == 4 || number.count == 8 { return try date() }
    return try relative()
  }

  /// Takes a date that starts with a digit, and the time and zone that may follow.
  mutating func date() throws(WhenError) -> Meaning {
    let start = scanner.index
    let number = scanner.takeNumber()
    let next = scanner.peek()
    if next == UInt8(ascii: "/") || (next == UInt8(ascii: ".") && nextIsDottedDate()) {
      throw separatedDateError(start: start)
    }
    if next == UInt8(ascii: "-") {
      guard number.count == 4 else { throw hyphenError(number, start: start) }
      return try tail(try hyphenDate(year: number, start: start))
    }
    if next == UInt8(ascii: ".") || next == UInt8(ascii: ",") {
      throw scanner.error(.fraction, at: start)
    }
    if let local = try dayMonthYear(day: number) { return try tail(local) }
    switch number.count {
    case 4:
      let date = try calendarDate(year: number, month: nil, day: nil)
      return try tail(
        Local(date: date, zone: parser.zone, assumptions: [.firstOfYear]))
    case 8:
      return try tail(Local(date: try compactDate(number), zone: parser.zone))
    case 5...7 where number.value >= 10_000:
      throw scanner.error(.yearOutOfRange, in: number.range)
    default:
      let digits = scanner.text(in: number.range)
      throw scanner.error(
        .missingUnit, in: number.range,
        suggestions: ["d", "y"].map { scanner.replacing(number.range, with: digits + $0) })
    }
  }

  private func nextIsDottedDate() -> Bool {
    var ahead = scanner
    ahead.index += 1
    guard ahead.nextIsDigit else { return false }
    _ = ahead.takeNumber()
    return ahead.next(is: ".")
  }

  /// Takes `D Month YYYY`, whose day is already taken; `nil` when no month follows.
  private mutating func dayMonthYear(day: WhenNumber) throws(WhenError) -> Local? {
    let afterDay = scanner.index
    scanner.skipSpaces()
    let monthStart = scanner.index
    let word = scanner.takeWord()
    guard let month = Month(word: word) else {
      scanner.index = afterDay
      return nil
    }
    let monthEnd = scanner.index
    guard day.count <= 2 else {
      let swapped = "\(scanner.text(in: monthStart..<monthEnd)) \(scanner.text(in: day.range))"
      throw scanner.error(
        .unexpected, in: monthStart..<monthEnd,
        suggestions: day.count == 4
          ? [scanner.replacing(day.range.lowerBound..<monthEnd, with: swapped)] : [])
    }
    scanner.skipSpaces()
    let year = try yearOfNamedMonth(month, day: day, dateStart: day.range.lowerBound, end: monthEnd)
    return Local(
      date: try calendarDate(year: year, month: (month.rawValue, monthStart..<monthEnd), day: day),
      zone: parser.zone)
  }

  /// Takes the four-digit year behind a day and a month by name; anything else is an error that
  /// offers the years that may be meant.
  mutating func yearOfNamedMonth(
    _ month: Month, day: WhenNumber, dateStart: Int, end: Int
  ) throws(WhenError) -> WhenNumber {
    var ahead = scanner
    let number = ahead.takeNumber()
    if number.count == 4, !ahead.next(is: ":") {
      scanner = ahead
      return number
    }
    if number.count == 0 || ahead.next(is: ":") || number.count == 1 || number.count == 3 {
      let next = nearestDate(month: month.rawValue, day: day.value)
      throw scanner.error(
        .incomplete, in: dateStart..<end,
        suggestions: next.map { [scanner.replacing(dateStart..<end, with: $0.shortText)] } ?? [])
    }
    guard number.count == 2 else { throw scanner.error(.yearOutOfRange, in: number.range) }
    throw scanner.ambiguous(number.range, centuries(of: number.value).map { "\($0)" })
  }

  /// Finds the nearest such date on the preferred side of today.
  func nearestDate(month: Int, day: Int) -> CivilDate? {
    let years = today.year...(today.year + 8)
    let dates = years.map { parser.preference == .past ? 2 * today.year - $0 : $0 }
      .compactMap { CivilDate(year: $0, month: month, day: day) }
    return dates.first { parser.preference == .past ? $0 <= today : $0 > today }
  }

  /// Returns the years that two digits may stand for: of this century and of the last.
  func centuries(of twoDigits: Int) -> [Int] {
    let century = today.year / 100 * 100
    return [century, century - 100].map { $0 + twoDigits }.filter { $0 >= 1000 && $0 <= 9999 }
  }
}

extension WhenScanner {
  /// Whether the letter here is the `T` between a date of digits alone and a time.
  fileprivate func nextIsDateTime(after number: WhenNumber, at adjacent: Int) -> Bool {
    index == adjacent && next(is: "t") && (number.count == 4 || number.count == 8)
      && (peek(1)?.isASCIIDigit ?? false)
  }
}
