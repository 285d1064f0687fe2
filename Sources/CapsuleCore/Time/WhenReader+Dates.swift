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
  mutating func hyphenDate(year: WhenNumber, start: Int) throws(WhenError) -> Local {
    scanner.index += 1
    if scanner.take("w") { return try weekDate(year: year, start: start) }
    let second = scanner.takeNumber()
    switch second.count {
    case 2 where !scanner.next(is: "-") || !isDigit(scanner.peek(1)):
      let date = try calendarDate(year: year, month: (second.value, second.range), day: nil)
      return Local(date: date, zone: parser.zone, assumptions: [.firstOfMonth])
    case 3:
      return Local(date: try ordinalDate(year: year, day: second), zone: parser.zone)
    case 1, 2:
      var day = WhenNumber(value: 1, range: scanner.index..<scanner.index)
      if scanner.next(is: "-"), isDigit(scanner.peek(1)) {
        scanner.index += 1
        day = scanner.takeNumber()
      }
      guard second.count == 2, day.count == 2 else {
        throw unpaddedError(year: year, month: second, day: day, start: start)
      }
      let date = try calendarDate(year: year, month: (second.value, second.range), day: day)
      return Local(date: date, zone: parser.zone)
    case 0:
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    default:
      throw scanner.error(.unexpected, in: second.range)
    }
  }

  private func isDigit(_ byte: UInt8?) -> Bool {
    byte?.isASCIIDigit ?? false
  }

  /// Refuses `2036-6-5`, with the date that it probably is.
  private func unpaddedError(
    year: WhenNumber, month: WhenNumber, day: WhenNumber, start: Int
  ) -> WhenError {
    var suggestions: [String] = []
    if month.count <= 2, day.count <= 2,
      let date = CivilDate(year: year.value, month: month.value, day: day.value)
    {
      let text = day.count == 0 ? String(date.description.prefix(7)) : date.description
      suggestions = [scanner.replacing(start..<scanner.index, with: text)]
    }
    return scanner.error(.unexpected, in: start..<scanner.index, suggestions: suggestions)
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

  private mutating func weekDate(year: WhenNumber, start: Int) throws(WhenError) -> Local {
    let week = scanner.takeNumber()
    guard week.count == 2 else {
      throw week.count == 0
        ? scanner.error(scanner.atEnd ? .incomplete : .unexpected)
        : scanner.error(.unexpected, in: week.range)
    }
    var weekday = Weekday.monday
    if scanner.next(is: "-"), isDigit(scanner.peek(1)) {
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
    return Local(date: date, zone: parser.zone)
  }
}
