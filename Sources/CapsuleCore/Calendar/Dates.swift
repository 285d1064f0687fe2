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

  // Dates of numbers alone, which mean different days in different countries.

  /// Takes a date of numbers between slashes, dots or hyphens that begins at `start`, where only one
  /// day can be meant. Four digits first are the year, and the month is second then.
  mutating func numericDate(start: Int) throws(WhenError) -> Phrase {
    scanner.index = start
    var numbers: [WhenNumber] = [scanner.takeNumber()]
    let separator = scanner.peek()
    while numbers.count < 3, scanner.peek() == separator, scanner.peek(1)?.isASCIIDigit ?? false {
      scanner.index += 1
      numbers.append(scanner.takeNumber())
    }
    // As German writes a day and a month: `15.6.`
    if numbers.count == 2, separator == UInt8(ascii: "."), scanner.next(is: ".") {
      scanner.index += 1
    }
    let range = start..<scanner.index
    let isOver = scanner.peek() != separator && numbers.dropFirst().allSatisfy { $0.count <= 4 }
    guard isOver, numbers.count > 1 else { throw scanner.error(.unexpected, in: range) }
    if numbers.count == 2 { return try monthAndYear(numbers, range: range) }
    let date: CivilDate
    if numbers[0].count == 4 {
      guard numbers[1].count <= 2, numbers[2].count <= 2 else {
        throw scanner.error(.unexpected, in: range)
      }
      date = try calendarDate(
        year: numbers[0], month: (numbers[1].value, numbers[1].range), day: numbers[2])
    } else if numbers[2].count == 4, numbers[0].count <= 2, numbers[1].count <= 2 {
      date = try dayMonthYear(numbers, range: range)
    } else {
      let readings = shortYearReadings(numbers)
      guard !readings.isEmpty else { throw scanner.error(.unexpected, in: range) }
      throw scanner.ambiguous(range, readings.map(\.description))
    }
    return Phrase(day: .date(date), dayRange: range)
  }

  /// Reads `08/2036` or `2036/08`; refuses a day and a month.
  private func monthAndYear(
    _ numbers: [WhenNumber], range: Range<Int>
  ) throws(WhenError) -> Phrase {
    let year = numbers.first { $0.count == 4 }
    let month = numbers.first { $0.count <= 2 }
    guard let year, let month else { throw yearlessError(numbers, range: range) }
    let date = try calendarDate(year: year, month: (month.value, month.range), day: nil)
    return Phrase(day: .date(date), dayRange: range, assumptions: [.firstOfMonth])
  }

  /// Returns the one date that day, month and year, or month, day and year, can be.
  private func dayMonthYear(
    _ numbers: [WhenNumber], range: Range<Int>
  ) throws(WhenError) -> CivilDate {
    let (first, second, year) = (numbers[0], numbers[1], numbers[2])
    let readings = [
      CivilDate(year: year.value, month: second.value, day: first.value),
      CivilDate(year: year.value, month: first.value, day: second.value),
    ].compactMap { $0 }.unique
    if readings.count > 1 { throw scanner.ambiguous(range, readings.map(\.description)) }
    if let date = readings.first { return date }
    // Neither: the reason is that of the reading whose month there is.
    let monthIsSecond = (1...12).contains(second.value)
    guard monthIsSecond || (1...12).contains(first.value) else {
      throw scanner.error(.unexpected, in: range)
    }
    let (month, day) = monthIsSecond ? (second, first) : (first, second)
    return try calendarDate(year: year, month: (month.value, month.range), day: day)
  }

  /// Returns the error about a day and a month without a year, with the next such days.
  private func yearlessError(_ numbers: [WhenNumber], range: Range<Int>) -> WhenError {
    let dates = [(numbers[0].value, numbers[1].value), (numbers[1].value, numbers[0].value)]
      .compactMap { day, month in nearestDate(month: month, day: day) }.unique.sorted()
    let texts = dates.map(\.description)
    return texts.count > 1
      ? scanner.ambiguous(range, texts)
      : scanner.error(
        texts.isEmpty ? .unexpected : .missingYear, in: range,
        suggestions: texts.map { scanner.replacing(range, with: $0) })
  }

  /// Finds the nearest such date on the preferred side of today.
  private func nearestDate(month: Int, day: Int) -> CivilDate? {
    let past = parser.preference == .past
    return (0...8).lazy.compactMap { distance in
      CivilDate(year: todayHere.year + (past ? -distance : distance), month: month, day: day)
    }.first { past ? $0 <= todayHere : $0 > todayHere }
  }

  /// Returns the dates that three numbers without a year of four digits may mean.
  private func shortYearReadings(_ numbers: [WhenNumber]) -> [CivilDate] {
    guard numbers.allSatisfy({ $0.count <= 2 }) else { return [] }
    let values = numbers.map(\.value)
    var dates: [CivilDate?] = []
    for year in centuries(of: values[2]) {
      dates.append(CivilDate(year: year, month: values[1], day: values[0]))
      dates.append(CivilDate(year: year, month: values[0], day: values[1]))
    }
    for year in centuries(of: values[0]) {
      dates.append(CivilDate(year: year, month: values[1], day: values[2]))
    }
    return dates.compactMap { $0 }.unique
  }
}
