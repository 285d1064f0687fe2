extension WhenReader {
  /// Takes a text that starts with a letter.
  mutating func wordLed() throws(WhenError) -> Meaning {
    if scanner.nextIsISODuration { return try relative() }
    let start = scanner.index
    let word = scanner.takeWord()
    if let weekday = Weekday(word: word) { return try weekdayLed(weekday, start: start) }
    if let month = Month(word: word) { return try monthLed(month, start: start) }
    switch word {
    case "in":
      guard scanner.skipSpaces() else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
      return try fromNow(sign: 1)
    case "now":
      return .instant(parser.now, zone: parser.zone, asked: nil, fit: .unique)
    case "today": return try day(today, start: start)
    case "tomorrow": return try day(today.adding(days: 1), start: start)
    case "yesterday": return try day(today.adding(days: -1), start: start)
    case "noon", "midnight":
      scanner.index = start
      return try bareTime()
    case "this", "next", "last":
      return try weekdayOfWeek(word, start: start)
    default:
      if let edge = edge(word) { return try edgeLed(edge) }
      throw scanner.error(
        .unknownWord, at: start,
        suggestions: scanner.replacing(start..<scanner.index, nearest: WhenReader.words))
    }
  }

  private static let words: [String] =
    [
      "now", "today", "tomorrow", "yesterday", "noon", "midnight", "next", "last", "this", "in",
      "sod", "sow", "som", "soy", "eod", "eow", "eom", "eoy",
    ]
    + Weekday.allCases.map { $0.name.lowercased() } + Month.allCases.map { $0.name.lowercased() }

  /// Takes the time that may follow a day by name.
  private mutating func day(_ date: CivilDate?, start: Int) throws(WhenError) -> Meaning {
    guard let date else { throw scanner.error(.yearOutOfRange, at: start) }
    var local = Local(date: date, zone: parser.zone)
    try optionalTime(into: &local)
    return .local(local)
  }

  /// Returns the start or end of the running day, week, month or year.
  private func edge(_ word: String) -> (date: CivilDate, time: CivilTime)? {
    let year = today.year
    switch word {
    case "sod": return (today, .midnight)
    case "sow": return (today.startOfWeek, .midnight)
    case "som": return CivilDate(year: year, month: today.month, day: 1).map { ($0, .midnight) }
    case "soy": return CivilDate(year: year, month: 1, day: 1).map { ($0, .midnight) }
    case "eod": return (today, .endOfDay)
    case "eow": return (CivilDate(daysSinceEpoch: today.startOfWeek.daysSinceEpoch + 6), .endOfDay)
    case "eom":
      let last = CivilDate.days(inMonth: today.month, of: year)
      return CivilDate(year: year, month: today.month, day: last).map { ($0, .endOfDay) }
    case "eoy": return CivilDate(year: year, month: 12, day: 31).map { ($0, .endOfDay) }
    default: return nil
    }
  }

  private mutating func edgeLed(
    _ edge: (date: CivilDate, time: CivilTime)
  ) throws(WhenError) -> Meaning {
    var local = Local(date: edge.date, time: edge.time, zone: parser.zone)
    try optionalTime(into: &local)
    return .local(local)
  }

  /// Takes a month by name: alone, with a year, or `Month D[,] YYYY`.
  private mutating func monthLed(_ month: Month, start: Int) throws(WhenError) -> Meaning {
    let monthRange = start..<scanner.index
    var ahead = scanner
    ahead.skipSpaces()
    let digits = ahead
    let number = ahead.takeNumber()
    let isTime = ahead.next(is: ":") || ["am", "pm"].contains(wordBehind(ahead))
    if number.count == 0 || isTime { return try monthAlone(month, start: start) }
    if number.count == 4 {
      scanner = ahead
      let date = try calendarDate(year: number, month: (month.rawValue, monthRange), day: nil)
      return try tail(Local(date: date, zone: parser.zone, assumptions: [.firstOfMonth]))
    }
    guard number.count <= 2 else {
      throw digits.error(number.count > 4 ? .yearOutOfRange : .unexpected, in: number.range)
    }
    scanner = ahead
    let end = scanner.index
    let comma = scanner.take(",")
    if !scanner.skipSpaces(), !comma, !scanner.atEnd { throw scanner.error(.unexpected) }
    let year = try yearOfDay(number, month: month, start: start, end: end)
    let date = try calendarDate(year: year, month: (month.rawValue, monthRange), day: number)
    return try tail(Local(date: date, zone: parser.zone))
  }

  private func wordBehind(_ scanner: WhenScanner) -> String {
    var ahead = scanner
    ahead.skipSpaces()
    return ahead.peekWord()
  }

  /// Takes the year behind `Month D`. Without one, `June 15` may be a day or a month of a year.
  private mutating func yearOfDay(
    _ day: WhenNumber, month: Month, start: Int, end: Int
  ) throws(WhenError) -> WhenNumber {
    guard scanner.atEnd, day.count == 2 else {
      return try yearOfNamedMonth(month, day: day, dateStart: start, end: end)
    }
    let name = scanner.text(in: start..<(start + scanner.wordCount(at: start)))
    var texts = centuries(of: day.value).prefix(1).map { "\(name) \($0)" }
    do throws(WhenError) {
      _ = try yearOfNamedMonth(month, day: day, dateStart: start, end: end)
    } catch {
      texts = error.suggestions.prefix(1) + texts
    }
    throw scanner.ambiguous(start..<end, texts)
  }

  /// Returns the first of the month on the preferred side of today.
  private mutating func monthAlone(_ month: Month, start: Int) throws(WhenError) -> Meaning {
    let future = parser.preference == .future
    let thisYear = CivilDate(year: today.year, month: month.rawValue, day: 1)
    let isOver = thisYear.map { future ? $0 <= today : $0 > today } ?? true
    let year = today.year + (isOver ? (future ? 1 : -1) : 0)
    guard let date = CivilDate(year: year, month: month.rawValue, day: 1) else {
      throw scanner.error(.yearOutOfRange, at: start)
    }
    var local = Local(
      date: date, zone: parser.zone,
      assumptions: [.firstOfMonth, future ? .nextOccurrence : .lastOccurrence])
    try optionalTime(into: &local)
    return .local(local)
  }
}

extension WhenScanner {
  /// Returns the number of letters at `position`.
  fileprivate func wordCount(at position: Int) -> Int {
    var copy = self
    copy.index = position
    return copy.takeWord().utf8.count
  }
}
