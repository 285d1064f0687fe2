// Dates of numbers alone, which mean different days in different countries.
extension WhenReader {
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
    if numbers.count == 2 { throw yearlessError(numbers, range: range) }
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
