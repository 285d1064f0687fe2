extension WhenReader {
  /// Makes a date of checked parts; a month or day not given is the first.
  func calendarDate(
    year: WhenNumber, month: (value: Int, range: Range<Int>)?, day: WhenNumber?
  ) throws(WhenError) -> CivilDate {
    guard CivilDate.years.contains(year.value) else {
      throw scanner.error(.yearOutOfRange, in: year.range)
    }
    if let month, !(1...12).contains(month.value) {
      throw scanner.error(.noSuchMonth, in: month.range)
    }
    let last = CivilDate.days(inMonth: month?.value ?? 1, of: year.value)
    guard
      let date = CivilDate(year: year.value, month: month?.value ?? 1, day: day?.value ?? 1)
    else { throw scanner.error(.noSuchDay(last: last), in: day?.range ?? year.range) }
    return date
  }

  /// Reads `YYYYMMDD`.
  func compactDate(_ number: WhenNumber) throws(WhenError) -> CivilDate {
    let start = number.range.lowerBound
    let month = number.value / 100 % 100
    return try calendarDate(
      year: WhenNumber(value: number.value / 10_000, range: start..<(start + 4)),
      month: (month, (start + 4)..<(start + 6)),
      day: WhenNumber(value: number.value % 100, range: (start + 6)..<(start + 8)))
  }

  /// Takes the rest of a date behind the year and a hyphen: `MM`, `MM-DD`, `DDD`, `Www`, `Www-D`.
  mutating func hyphenDate(year: WhenNumber, start: Int) throws(WhenError) -> Phrase {
    scanner.index += 1
    if scanner.take("w") { return try weekDate(year: year, start: start) }
    let second = scanner.takeNumber()
    switch second.count {
    case 1...2 where nextIsHyphenAndDigit:
      scanner.index += 1
      let day = scanner.takeNumber()
      guard day.count <= 2 else { throw scanner.error(.unexpected, in: start..<scanner.index) }
      let date = try calendarDate(year: year, month: (second.value, second.range), day: day)
      return Phrase(day: .date(date), dayRange: start..<scanner.index)
    case 1: throw unpaddedError(year: year, month: second, start: start)
    case 2:
      let date = try calendarDate(year: year, month: (second.value, second.range), day: nil)
      return Phrase(
        day: .date(date), dayRange: start..<scanner.index, assumptions: [.firstOfMonth])
    case 3:
      return Phrase(
        day: .date(try ordinalDate(year: year, day: second)), dayRange: start..<scanner.index)
    case 0:
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    default:
      throw scanner.error(.unexpected, in: second.range)
    }
  }

  private var nextIsHyphenAndDigit: Bool {
    scanner.next(is: "-") && scanner.peek(1)?.isASCIIDigit ?? false
  }

  /// Refuses `2036-6`, with the month that it probably is.
  private func unpaddedError(year: WhenNumber, month: WhenNumber, start: Int) -> WhenError {
    let text = CivilDate(year: year.value, month: month.value, day: 1)?.description.prefix(7)
    return scanner.error(
      .unexpected, in: start..<scanner.index,
      suggestions: text.map { [scanner.replacing(start..<scanner.index, with: String($0))] } ?? [])
  }

  private func ordinalDate(year: WhenNumber, day: WhenNumber) throws(WhenError) -> CivilDate {
    guard CivilDate.years.contains(year.value) else {
      throw scanner.error(.yearOutOfRange, in: year.range)
    }
    guard let date = CivilDate(year: year.value, dayOfYear: day.value) else {
      let last = CivilDate.isLeap(year.value) ? 366 : 365
      throw scanner.error(.noSuchDayOfYear(last: last), in: day.range)
    }
    return date
  }

  private mutating func weekDate(year: WhenNumber, start: Int) throws(WhenError) -> Phrase {
    let week = scanner.takeNumber()
    guard week.count == 2 else {
      throw week.count == 0
        ? scanner.error(scanner.atEnd ? .incomplete : .unexpected)
        : scanner.error(.unexpected, in: week.range)
    }
    var weekday = Weekday.monday
    if nextIsHyphenAndDigit {
      scanner.index += 1
      let day = scanner.takeNumber()
      guard day.count == 1, let named = Weekday(rawValue: day.value) else {
        throw scanner.error(.noSuchWeekday, in: day.range)
      }
      weekday = named
    }
    guard CivilDate.years.contains(year.value) else {
      throw scanner.error(.yearOutOfRange, in: year.range)
    }
    let last = CivilDate.weeks(inYear: year.value)
    guard (1...last).contains(week.value) else {
      throw scanner.error(.noSuchWeek(last: last), in: week.range)
    }
    guard let date = CivilDate(isoYear: year.value, week: week.value, weekday: weekday) else {
      throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
    }
    return Phrase(day: .date(date), dayRange: start..<scanner.index)
  }
}
