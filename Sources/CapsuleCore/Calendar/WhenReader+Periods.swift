/// A span of the calendar that has a first and a last day.
enum Period: Hashable, Sendable {
  case day, week, month, year

  init?(word: String) {
    switch word {
    case "day": self = .day
    case "week": self = .week
    case "month": self = .month
    case "year": self = .year
    default: return nil
    }
  }

  /// The period that ends `sod`, `sow`, `som` and `soy`.
  init?(letter: UInt8?) {
    switch letter {
    case UInt8(ascii: "d"): self = .day
    case UInt8(ascii: "w"): self = .week
    case UInt8(ascii: "m"): self = .month
    case UInt8(ascii: "y"): self = .year
    default: return nil
    }
  }

  /// Returns the first day of the period so many after this one.
  func first(_ shift: Int) -> DayName {
    switch self {
    case .day: .fromToday(shift)
    case .week: .ofWeek(.monday, weeks: shift, strict: false)
    case .month: .ofMonth(.first, months: shift)
    case .year: .ofYear(.first, years: shift)
    }
  }

  /// Returns the last day of the period so many after this one.
  func last(_ shift: Int) -> DayName {
    switch self {
    case .day: .fromToday(shift)
    case .week: .ofWeek(.sunday, weeks: shift, strict: false)
    case .month: .ofMonth(.last, months: shift)
    case .year: .ofYear(.last, years: shift)
    }
  }
}

// Days that are counted within a month or year: `end of the month`, `first monday of may 2030`.
extension WhenReader {
  private static let ordinals = ["first", "second", "third", "fourth", "fifth"]

  /// Takes `of` and a period behind `end`, `start` or `beginning`.
  mutating func edgeOfPeriod(_ word: String, start: Int) throws(WhenError) -> Phrase {
    scanner.skipSpaces()
    guard scanner.take(word: "of") else {
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    }
    let isEnd = word == "end"
    var phrase = Phrase(impliedTime: isEnd ? .endOfDay : .midnight)
    scanner.skipSpaces()
    var ahead = scanner
    let (shift, _) = Self.takeSide(&ahead)
    if let period = Period(word: ahead.takeWord()) {
      scanner = ahead
      phrase.day = isEnd ? period.last(shift) : period.first(shift)
    } else {
      phrase.day = try dayOfPeriod(isEnd ? .last : .first)
    }
    phrase.dayRange = start..<scanner.index
    return phrase
  }

  /// Takes `first` to `fifth`, `1st` to `5th` or `last`, a day of the week or `day`, `of` and a month
  /// or year; or `first of june`. `nil` where something else stands here.
  mutating func ordinalDay() throws(WhenError) -> Phrase? {
    let start = scanner.index
    var ahead = scanner
    guard let count = Self.takeOrdinal(&ahead) else { return nil }
    ahead.skipSpaces()
    let nameStart = ahead.index
    let name = ahead.takeWord()
    let day: MonthDay
    if let weekday = Weekday(word: name) {
      day = count == 0 ? .lastWeekday(weekday) : .nth(count, weekday)
      ahead.skipSpaces()
    } else if name == "day" {
      day = count == 0 ? .last : .number(count)
      ahead.skipSpaces()
    } else {
      guard count > 0, name == "of" else { return nil }
      day = .number(count)
      ahead.index = nameStart
    }
    guard ahead.take(word: "of") else { return nil }
    scanner = ahead
    scanner.skipSpaces()
    let found = try dayOfPeriod(day)
    return Phrase(day: found, dayRange: start..<scanner.index)
  }

  /// Takes `first` to `fifth` (1 to 5), also in digits, or `last` (0).
  private static func takeOrdinal(_ scanner: inout WhenScanner) -> Int? {
    if scanner.nextIsDigit {
      let number = scanner.takeNumber()
      guard (1...5).contains(number.value), scanner.takeOrdinalSuffix(of: number) else {
        return nil
      }
      return number.value
    }
    let word = scanner.takeWord()
    if word == "last" { return 0 }
    return Self.ordinals.firstIndex(of: word).map { $0 + 1 }
  }

  /// Takes `the`, `this`, `next` or `last`.
  ///
  /// - Returns: the number of the period after this one, and whether there was such a word.
  private static func takeSide(_ scanner: inout WhenScanner) -> (shift: Int, isNamed: Bool) {
    var ahead = scanner
    let shift: Int
    switch ahead.takeWord() {
    case "the", "this": shift = 0
    case "next": shift = 1
    case "last": shift = -1
    default: return (0, false)
    }
    ahead.skipSpaces()
    scanner = ahead
    return (shift, true)
  }

  /// Takes the month or year that a day is counted in: `may`, `may 2030`, `2030-05`, `2030`, `the
  /// month`, `next year`.
  private mutating func dayOfPeriod(_ day: MonthDay) throws(WhenError) -> DayName {
    let start = scanner.index
    if scanner.nextIsDigit { return try dayOfNumberedPeriod(day) }
    let (shift, isNamed) = Self.takeSide(&scanner)
    let wordStart = scanner.index
    let word = scanner.takeWord()
    if let month = Month(word: word), !isNamed {
      _ = scanner.take(".")
      return try dayOfNamedMonth(day, month, start: start)
    }
    switch word {
    case "month": return .ofMonth(day, months: shift)
    case "year":
      if case .nth(5, _) = day { throw scanner.error(.noSuchWeekdayOfMonth, at: start) }
      return .ofYear(day, years: shift)
    default:
      throw scanner.error(
        scanner.atEnd && word.isEmpty ? .incomplete : .unknownWord, at: wordStart,
        suggestions: scanner.replacing(
          wordStart..<scanner.index,
          nearest: Month.allCases.map { $0.name.lowercased() } + ["month", "year", "week", "day"]))
    }
  }

  private mutating func dayOfNamedMonth(
    _ day: MonthDay, _ month: Month, start: Int
  ) throws(WhenError) -> DayName {
    let end = scanner.index
    guard let year = try yearBehindDay() else {
      if case .number(let number) = day {
        // A leap year has all days that the month ever has.
        let last = CivilDate.days(inMonth: month.rawValue, of: 2000)
        guard number <= last else { throw scanner.error(.noSuchDay(last: last), in: start..<end) }
      }
      return .yearly(.ofMonth(day, month))
    }
    return .date(try date(of: day, month: month.rawValue, year: year, start: start))
  }

  /// Takes `2030` or `2030-05`.
  private mutating func dayOfNumberedPeriod(_ day: MonthDay) throws(WhenError) -> DayName {
    let start = scanner.index
    let year = scanner.takeNumber()
    guard year.count == 4 else { throw scanner.error(.unexpected, in: year.range) }
    guard scanner.next(is: "-"), scanner.peek(1)?.isASCIIDigit ?? false else {
      if case .nth(5, _) = day { throw scanner.error(.noSuchWeekdayOfMonth, at: start) }
      return .date(try date(of: day, month: day.isLast ? 12 : 1, year: year, start: start))
    }
    scanner.index += 1
    let month = scanner.takeNumber()
    guard month.count == 2, (1...12).contains(month.value) else {
      throw scanner.error(.noSuchMonth, in: month.range)
    }
    return .date(try date(of: day, month: month.value, year: year, start: start))
  }

  private func date(
    of day: MonthDay, month: Int, year: WhenNumber, start: Int
  ) throws(WhenError) -> CivilDate {
    guard CivilDate.years.contains(year.value) else {
      throw scanner.error(.yearOutOfRange, in: year.range)
    }
    guard let date = day.date(inMonth: month, of: year.value) else {
      throw scanner.error(.noSuchWeekdayOfMonth, in: start..<scanner.index)
    }
    return date
  }
}
