// A day: what may stand before or behind a time of day.
extension WhenReader {
  /// Takes a day, without the time that may follow.
  mutating func day() throws(WhenError) -> Phrase {
    if scanner.take(word: "on") {
      scanner.skipSpaces()
      guard nextIsDay else { throw scanner.error(scanner.atEnd ? .incomplete : .unexpected) }
    }
    if scanner.take(word: "the") { scanner.skipSpaces() }
    let start = scanner.index
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    if let phrase = try ordinalDay() { return phrase }
    if scanner.nextIsDigit { return try dayOfDigits() }
    guard scanner.nextIsLetter else { throw scanner.error(.unexpected) }
    let word = scanner.takeWord()
    if let weekday = Weekday(word: word) { return try weekdayLed(weekday, start: start) }
    if let month = Month(word: word) { return try monthLed(month, start: start) }
    var phrase = Phrase(dayRange: start..<scanner.index)
    switch word {
    case "tonight":
      phrase.day = .fromToday(0)
      phrase.part = .night
      phrase.isOfToday = true
    case "day":
      guard let days = takeNeighbour() else { throw unknownDay(start: start) }
      phrase.day = .fromToday(days)
      phrase.dayRange = start..<scanner.index
    case "this", "next", "last": return try namedBySide(word, start: start)
    default:
      if let days = Self.nearDays[word] {
        phrase.day = .fromToday(days)
      } else if Self.edges.contains(word) {
        return try edgeOfPeriod(word, start: start)
      } else if Self.feastWords.contains(word) {
        return try feast(word, start: start)
      } else if let (day, time) = edge(word) {
        phrase.day = day
        phrase.impliedTime = time
        if case .fromToday = day { try dayBehindEdge(of: &phrase, start: start) }
      } else {
        throw unknownDay(start: start)
      }
    }
    return phrase
  }

  /// Takes the day behind `eod` or `end of day`: `end of day tomorrow`, `eod on friday`.
  mutating func dayBehindEdge(of phrase: inout Phrase, start: Int) throws(WhenError) {
    var ahead = self
    ahead.scanner.skipSpaces()
    var probe = ahead.scanner
    for word in ["on", "the"] where probe.take(word: word) { probe.skipSpaces() }
    let word = probe.peekWord()
    // An edge of the day has none behind it, however many there are.
    let isOther = word == "tonight" || Self.edges.contains(word) || edge(word) != nil
    guard ahead.nextIsDay, !isOther, !probe.nextIsClock, !ahead.nextIsCounted else { return }
    let other = try ahead.day()
    guard other.timeOfDay == nil else { throw scanner.error(.unexpected, in: other.dayRange) }
    self = ahead
    phrase.day = other.day
    phrase.dayRange = start..<scanner.index
    phrase.weekdayRange = other.weekdayRange
    phrase.assumptions = other.assumptions
  }

  private func unknownDay(start: Int) -> WhenError {
    let range = start..<scanner.index
    var suggestions = scanner.replacing(range, nearest: Self.words)
    if scanner.text(in: range).lowercased() == "weekend" {
      suggestions = ["this weekend", "next weekend"].map { scanner.replacing(range, with: $0) }
    }
    return scanner.error(.unknownWord, at: start, suggestions: suggestions)
  }

  /// Whether a day may begin here.
  var nextIsDay: Bool {
    if scanner.nextIsDigit { return true }
    let word = scanner.peekWord()
    return Self.dayWords.contains(word) || Weekday(word: word) != nil || Month(word: word) != nil
      || nextIsCounted
  }

  /// Whether `day after tomorrow` or its like stands here.
  var nextIsNeighbour: Bool {
    var ahead = self
    return ahead.scanner.take(word: "day") && ahead.takeNeighbour() != nil
  }

  /// Takes what follows `day` in `day after tomorrow` and `day before yesterday`.
  ///
  /// - Returns: the number of days after today; `nil` where something else follows.
  private mutating func takeNeighbour() -> Int? {
    var ahead = scanner
    ahead.skipSpaces()
    let side = ahead.takeWord()
    guard side == "after" || side == "before" else { return nil }
    ahead.skipSpaces()
    guard let anchor = Self.nearDays[ahead.takeWord()] else { return nil }
    scanner = ahead
    return anchor + (side == "after" ? 1 : -1)
  }

  /// Returns the day and the time that `sod` to `eoy` stand for.
  func edge(_ word: String) -> (DayName, CivilTime)? {
    guard word.utf8.count == 3, let unit = Period(letter: word.utf8.last) else { return nil }
    if word.hasPrefix("so") { return (unit.first(0), .midnight) }
    if word.hasPrefix("eo") { return (unit.last(0), .endOfDay) }
    return nil
  }

  /// Takes the rest of a feast's name, as much as there is, and the year that may follow it.
  private mutating func feast(_ word: String, start: Int) throws(WhenError) -> Phrase {
    var (name, found) = (word, Self.feasts[word])
    var ahead = scanner
    for _ in 0..<3 {
      if ahead.next(is: "'"), ahead.peek(1) == UInt8(ascii: "s") {
        ahead.index += 2
        name += "s"
      } else {
        ahead.skipSpaces()
        name += " " + ahead.takeWord()
      }
      if let feast = Self.feasts[name] { (found, scanner) = (feast, ahead) }
    }
    guard let day = found else {
      scanner.skipSpaces()
      _ = scanner.takeWord()
      throw unknownDay(start: start)
    }
    let end = scanner.index
    guard let year = try yearBehindDay() else {
      return Phrase(day: .yearly(day), dayRange: start..<end)
    }
    let range = start..<scanner.index
    guard CivilDate.years.contains(year.value) else {
      throw scanner.error(.yearOutOfRange, in: year.range)
    }
    guard let date = day.date(in: year.value) else {
      throw scanner.error(.noEaster, in: year.range)
    }
    return Phrase(day: .date(date), dayRange: range)
  }

  /// Takes what follows `this`, `next` or `last`.
  private mutating func namedBySide(_ side: String, start: Int) throws(WhenError) -> Phrase {
    scanner.skipSpaces()
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    let nameStart = scanner.index
    let name = scanner.takeWord()
    let range = start..<scanner.index
    let shift = side == "next" ? 1 : side == "last" ? -1 : 0
    if side == "last", let weekday = Weekday(word: name) {
      return Phrase(day: .lastBefore(weekday), dayRange: range)
    }
    if let weekday = name == "weekend" ? .saturday : Weekday(word: name) {
      return Phrase(
        day: .ofWeek(weekday, weeks: shift, strict: side == "this"), dayRange: range)
    }
    if name == "week", let weekday = takeWeekdayOfWeek() {
      return Phrase(
        day: .ofWeek(weekday, weeks: shift, strict: side == "this"),
        dayRange: start..<scanner.index)
    }
    if side == "next", name == "day" { return Phrase(day: .fromToday(1), dayRange: range) }
    if side == "this", let part = DayPart(rawValue: name) {
      return Phrase(day: .fromToday(0), dayRange: range, part: part, isOfToday: true)
    }
    if side == "last", name == "night" {
      return Phrase(day: .fromToday(-1), dayRange: range, part: .night)
    }
    guard let period = Period(word: name), period != .day else {
      throw scanner.error(
        .unknownWord, at: nameStart,
        suggestions: scanner.replacing(
          nameStart..<scanner.index,
          nearest: Weekday.allCases.map { $0.name.lowercased() } + ["weekend"]))
    }
    throw unclearPeriod(period, name: name, shift: shift, range: range)
  }

  /// Takes the day of the week behind `next week`.
  private mutating func takeWeekdayOfWeek() -> Weekday? {
    var ahead = scanner
    ahead.skipSpaces()
    if ahead.take(word: "on") { ahead.skipSpaces() }
    guard let weekday = Weekday(word: ahead.takeWord()) else { return nil }
    scanner = ahead
    return weekday
  }

  /// Takes `next week` or `of next week` behind a day of the week.
  ///
  /// - Returns: the number of the week after this one.
  private mutating func takeWeekOfWeekday() -> Int? {
    var ahead = scanner
    ahead.skipSpaces()
    if ahead.take(word: "of") { ahead.skipSpaces() }
    let (weeks, isNamed) = Self.takeSide(&ahead)
    guard isNamed, ahead.take(word: "week") else { return nil }
    scanner = ahead
    return weeks
  }

  /// Returns the error about `next month` and its kind, which may mean the same day of that month or
  /// its first.
  private func unclearPeriod(
    _ period: Period, name: String, shift: Int, range: Range<Int>
  ) -> WhenError {
    let finder = DayFinder(
      today: parser.zone.civil(at: parser.now).date, now: parser.now, preference: .future,
      instant: { _ in nil }, error: { _ in scanner.error(.yearOutOfRange, in: range) })
    var texts: [String] = []
    if let first = try? finder.date(of: period.first(shift)) { texts.append(first.description) }
    if shift == 0 {
      texts.append("eo\(name.prefix(1))")
    } else {
      texts.append(shift > 0 ? "in 1 \(name)" : "1 \(name) ago")
    }
    return scanner.ambiguous(range, texts)
  }

  /// Takes a day of the week, alone or before a date, which must then be that day.
  mutating func weekdayLed(_ weekday: Weekday, start: Int) throws(WhenError) -> Phrase {
    _ = scanner.take(".")
    let end = scanner.index
    if let weeks = takeWeekOfWeekday() {
      return Phrase(
        day: .ofWeek(weekday, weeks: weeks, strict: weeks == 0), dayRange: start..<scanner.index)
    }
    _ = scanner.take(",")
    scanner.skipSpaces()
    guard nextIsDate() else {
      // A time of day may follow, also behind a comma.
      scanner.index = end
      return Phrase(day: .weekday(weekday), dayRange: start..<end)
    }
    var phrase = try day()
    phrase.day = phrase.day.map { .checked($0, weekday) }
    phrase.weekdayRange = start..<end
    phrase.dayRange = start..<phrase.dayRange.upperBound
    return phrase
  }

  /// Whether a date rather than a time follows the day of the week.
  private func nextIsDate() -> Bool {
    if scanner.nextIsLetter { return Month(word: scanner.peekWord()) != nil }
    guard scanner.nextIsDigit, !scanner.nextIsClock else { return false }
    var ahead = scanner
    let number = ahead.takeNumber()
    ahead.skipSpaces()
    // A bare hour gets the error of a time, as it does behind any other day.
    return number.count > 2 || !ahead.atEnd
  }

  // Days that begin with the name of a month.

  /// Takes what follows a month by name: nothing, a year, or a day and perhaps a year.
  mutating func monthLed(_ month: Month, start: Int) throws(WhenError) -> Phrase {
    let monthRange = start..<scanner.index
    _ = scanner.take(".")
    var ahead = scanner
    let separated = ahead.next(is: "-") && ahead.peek(1)?.isASCIIDigit ?? false
    let comma = !separated && ahead.take(",")
    if separated { ahead.index += 1 } else { ahead.skipSpaces() }
    guard ahead.nextIsDigit, !ahead.nextIsClock else {
      return Phrase(
        day: .yearly(.ofMonth(.first, month)), dayRange: start..<scanner.index,
        assumptions: [.firstOfMonth])
    }
    let digits = ahead
    let number = ahead.takeNumber()
    if number.count == 4 {
      scanner = ahead
      let date = try calendarDate(year: number, month: (month.rawValue, monthRange), day: nil)
      return Phrase(
        day: .date(date), dayRange: start..<scanner.index, assumptions: [.firstOfMonth])
    }
    if comma {
      return Phrase(
        day: .yearly(.ofMonth(.first, month)), dayRange: start..<scanner.index,
        assumptions: [.firstOfMonth])
    }
    guard number.count <= 2, !separated else {
      throw digits.error(number.count > 4 ? .yearOutOfRange : .unexpected, in: number.range)
    }
    _ = ahead.takeOrdinalSuffix(of: number)
    if ahead.nextIsLetter { throw digits.error(.unexpected) }
    scanner = ahead
    return try named(day: number, month: month, monthRange: monthRange, start: start)
  }

  // Days that begin with a digit.

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
    case UInt8(ascii: ".") where nextIsDottedDate(behind: number):
      return try numericDate(start: start)
    case UInt8(ascii: ".") where scanner.peek(1)?.isASCIIDigit ?? false,
      UInt8(ascii: ",") where scanner.peek(1)?.isASCIIDigit ?? false:
      let dotted = scanner.replacing(scanner.index..<(scanner.index + 1), with: ".")
      throw scanner.error(.fraction, at: start, suggestions: [dotted])
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
      return Phrase(
        day: .date(try compactDate(number)), dayRange: number.range, isCompact: true)
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
  private func nextIsDottedDate(behind first: WhenNumber) -> Bool {
    var ahead = scanner
    ahead.index += 1
    guard ahead.nextIsDigit else { return false }
    let second = ahead.takeNumber()
    if ahead.next(is: ".") { return true }
    let isYear = second.count == 4 && first.count <= 2
    return (second.count <= 2 || isYear) && !ahead.nextIsLetter
      && CountedUnit(word: ahead.wordBehindSpaces()) == nil
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
