// Expressions that are counted: from now, or from another time.
extension WhenReader {
  /// Whether a count with a unit, `in`, or a unit that counts once (`day after`) stands here.
  var nextIsCounted: Bool {
    if scanner.nextIsISODuration || scanner.nextIsLetter && scanner.peekWord() == "in" {
      return true
    }
    return nextIsDuration || nextIsBareUnit
  }

  /// Takes `now` or something that is counted; `nil` where something else stands here.
  mutating func counted() throws(WhenError) -> Meaning? {
    var ahead = scanner
    if ahead.take(word: "the"), ahead.skipSpaces() {
      let here = scanner
      scanner = ahead
      if nextIsBareUnit { return try relative() }
      scanner = here
    }
    if takeNow() { return .point(Point(instant: parser.now, zone: parser.zone)) }
    if scanner.nextIsLetter, Self.openings.contains(scanner.peekWord()) {
      _ = scanner.takeWord()
      guard scanner.skipSpaces() else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
      return try fromNow()
    }
    if scanner.nextIsISODuration || nextIsDuration || nextIsBareUnit { return try relative() }
    return nil
  }

  /// Takes `now` or `right now`.
  private mutating func takeNow() -> Bool {
    guard scanner.next(is: "n") || scanner.next(is: "r") else { return false }
    var ahead = scanner
    if ahead.take(word: "right") { ahead.skipSpaces() }
    guard ahead.take(word: "now") else { return false }
    scanner = ahead
    return true
  }

  /// Whether a number and what it counts stand here, rather than a date.
  private var nextIsDuration: Bool {
    if scanner.nextIsNumberWord { return true }
    guard scanner.nextIsDigit else { return false }
    if scanner.nextIsDecimalWithUnit { return true }
    var ahead = scanner
    let number = ahead.takeNumber()
    let adjacent = ahead
    if ahead.takeOrdinalSuffix(of: number) { return false }
    ahead.skipSpaces()
    guard ahead.nextIsLetter else { return false }
    if ahead.index == adjacent.index, ahead.nextIsDateTime(after: number) { return false }
    let word = ahead.peekWord()
    if Month(word: word) != nil || word == "of" { return false }
    if CountedUnit(word: word) != nil || word == "m" { return true }
    // A year or a compact date may have a time or a zone behind it; any other number must be
    // counting something.
    return number.count != 4 && number.count != 8
  }

  /// Whether `day`, `week`, `month` or `year` stands here before `after`, `before` or `from`.
  private var nextIsBareUnit: Bool {
    guard scanner.nextIsLetter else { return false }
    var ahead = scanner
    guard Period(word: ahead.takeWord()) != nil else { return false }
    return ["after", "before", "from"].contains(ahead.wordBehindSpaces())
  }

  /// Takes a duration from now, behind `in` or `+`, and the time of day that may follow.
  mutating func fromNow() throws(WhenError) -> Meaning {
    guard scanner.nextIsCount || scanner.nextIsISODuration else {
      if scanner.next(is: "-"), scanner.peek(1)?.isASCIIDigit ?? false { throw negative() }
      throw scanner.error(
        scanner.atEnd ? .incomplete : scanner.nextIsLetter ? .unknownWord : .unexpected)
    }
    let start = scanner.index
    let duration = try scanner.takeDuration()
    return try fromNow(duration, start: start)
  }

  /// Returns the error about `in -3 days`, which is `3 days ago`.
  private func negative() -> WhenError {
    var ahead = scanner
    ahead.index += 1
    let start = ahead.index
    let texts = (try? ahead.takeDuration()).map { _ in
      ["\(ahead.text(in: start..<ahead.index)) ago"]
    }
    return scanner.error(.negative, suggestions: texts ?? [])
  }

  /// Takes a duration, and the direction and date from which it counts.
  private mutating func relative() throws(WhenError) -> Meaning {
    let start = scanner.index
    let duration: CalendarDuration
    if nextIsBareUnit, let unit = DurationUnit(word: scanner.takeWord()) {
      var one = CalendarDuration()
      one[unit] = 1
      duration = one
    } else {
      duration = try scanner.takeDuration()
    }
    let end = scanner.index
    scanner.skipSpaces()
    var sign = parser.preference == .past ? -1 : 1
    let word = scanner.peekWord()
    switch word {
    case "from":
      _ = scanner.takeWord()
      sign = 1
      var ahead = scanner
      ahead.skipSpaces()
      guard !ahead.atEnd else {
        throw ahead.error(
          .incomplete, suggestions: [ahead.replacing(ahead.index..<ahead.index, with: " now")])
      }
      guard ahead.take(word: "now") else {
        return try relative(duration, sign: 1, start: start)
      }
      scanner = ahead
    case "after":
      _ = scanner.takeWord()
      return try relative(duration, sign: 1, start: start)
    case "before":
      _ = scanner.takeWord()
      return try relative(duration, sign: -1, start: start)
    default:
      if let direction = Self.directions[word] {
        sign = direction
        _ = scanner.takeWord()
      } else {
        scanner.index = end
      }
    }
    guard let signed = duration.times(sign) else {
      throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
    }
    return try fromNow(signed, start: start)
  }

  /// Counts from now, and takes the time of day that may follow: it replaces the time on the clock.
  private mutating func fromNow(
    _ duration: CalendarDuration, start: Int
  ) throws(WhenError) -> Meaning {
    let range = start..<scanner.index
    var phrase = Phrase(day: .shifted(.fromToday(0), duration), dayRange: range)
    let timeStart = scanner.index
    if try optionalTime(into: &phrase) {
      guard duration.isCalendarOnly else {
        let kept = scanner.text(in: range)
        throw scanner.error(
          .timeAfterHours, in: timeStart..<scanner.index,
          suggestions: [scanner.replacing(start..<scanner.index, with: kept)])
      }
      return try zoneTail(phrase)
    }
    return .point(
      try shifted(duration, from: parser.now, in: parser.zone, start: start, isFromNow: true))
  }

  /// Takes the date that follows, and counts the duration after or before it.
  private mutating func relative(
    _ duration: CalendarDuration, sign: Int, start: Int
  ) throws(WhenError) -> Meaning {
    scanner.skipSpaces()
    let anchorStart = scanner.index
    let isOfDay = duration.isExact && duration.exactSeconds < 86_400
    guard isOfDay, scanner.nextIsClock || scanner.nextIsNamedTime else {
      let anchor = try anchor()
      return try counting(duration.times(sign), from: anchor, at: anchorStart, start: start)
    }
    let anchor = try timeLed(isAnchor: true)
    if case .phrase(let phrase) = anchor, phrase.day == nil, phrase.part == nil {
      return try time(duration.exactSeconds * Int64(sign), behind: phrase)
    }
    return try counting(duration.times(sign), from: anchor, at: anchorStart, start: start)
  }

  /// Returns the next or last time that is so many seconds after a time of day: `5 hours after noon`.
  private func time(_ seconds: Int64, behind phrase: Phrase) throws(WhenError) -> Meaning {
    let zone = phrase.zone ?? parser.zone
    let today = zone.civil(at: parser.now).date
    let future = parser.preference == .future
    let found = (-2...2).lazy.compactMap { day -> ResolvedTime? in
      guard let date = today.adding(days: future ? day : -day), let local = phrase.local(on: date)
      else { return nil }
      let time = zone.resolve(local)
      let instant = time.instant.adding(seconds: seconds)
      guard future ? instant > parser.now : instant <= parser.now else { return nil }
      return ResolvedTime(instant: instant, fit: time.fit)
    }.first
    guard let found, let time = phrase.time, time.part == nil, !time.hasFraction else {
      throw scanner.error(.unexpected, in: phrase.timeRange)
    }
    return .point(
      Point(
        instant: found.instant, zone: zone, fit: found.fit,
        assumptions: [future ? .nextOccurrence : .lastOccurrence]))
  }

  /// Returns the time a duration after another: a day after a day, where neither has hours.
  private func counting(
    _ duration: CalendarDuration?, from anchor: Meaning, at anchorStart: Int, start: Int
  ) throws(WhenError) -> Meaning {
    guard let duration else {
      throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
    }
    if case .phrase(var phrase) = anchor, phrase.timeOfDay == nil, let day = phrase.day,
      duration.isCalendarOnly
    {
      phrase.day = .shifted(day, duration)
      phrase.dayRange = start..<scanner.index
      return .phrase(phrase)
    }
    let isNow = if case .point(let point) = anchor { point.isNow(parser.now) } else { false }
    let when = try finish(anchor, start: anchorStart)
    var point = try shifted(
      duration, from: when.instant, in: when.zone, start: start, isFromNow: isNow)
    point.assumptions = when.assumptions
    return .point(point)
  }

  /// Takes the time that a duration is counted from: a date, a day by name, or now.
  private mutating func anchor() throws(WhenError) -> Meaning {
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    if takeNow() { return .point(Point(instant: parser.now, zone: parser.zone)) }
    guard scanner.nextIsDigit || scanner.nextIsLetter, !scanner.nextIsNamedTime,
      !nextIsCounted || nextIsNeighbour
    else { throw scanner.error(.unexpected) }
    return try tail(try day())
  }

  private func shifted(
    _ duration: CalendarDuration, from anchor: Instant, in zone: ZoneRules, start: Int,
    isFromNow: Bool
  ) throws(WhenError) -> Point {
    guard let resolved = duration.added(to: anchor, in: zone) else {
      throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
    }
    return Point(
      instant: resolved.instant, zone: zone,
      asked: duration.isExact ? nil : duration.wallTime(from: anchor, in: zone), fit: resolved.fit,
      duration: isFromNow ? duration : nil)
  }

  /// Whether a sign, a number and a unit follow: a sign before digits alone is that of a zone.
  func nextIsShift() -> Bool {
    var ahead = scanner
    ahead.skipSpaces()
    guard ahead.take("+") || ahead.take("-") else { return false }
    let hasSpaces = ahead.skipSpaces()
    if ahead.nextIsISODuration || ahead.nextIsNumberWord { return true }
    guard ahead.nextIsDigit else { return false }
    if hasSpaces || ahead.nextIsDecimalWithUnit { return true }
    _ = ahead.takeNumber()
    let word = ahead.wordBehindSpaces()
    return CountedUnit(word: word) != nil || word == "m"
  }

  /// Takes a sign and a duration, and counts it from what stands before.
  mutating func shift(_ meaning: Meaning, start: Int) throws(WhenError) -> Meaning {
    scanner.skipSpaces()
    let signStart = scanner.index
    let sign = scanner.take("-") ? -1 : 1
    if sign == 1 { _ = scanner.take("+") }
    scanner.skipSpaces()
    let durationStart = scanner.index
    let duration = try scanner.takeDuration()
    if case .phrase(let phrase) = meaning, phrase.day == nil {
      throw shiftOfTimeError(
        signStart..<scanner.index, phrase: phrase, start: start, sign: sign,
        duration: scanner.text(in: durationStart..<scanner.index))
    }
    return try counting(duration.times(sign), from: meaning, at: start, start: start)
  }

  /// Refuses `09:00 +3 days`, which may be counted from the next 09:00 or from now.
  private func shiftOfTimeError(
    _ range: Range<Int>, phrase: Phrase, start: Int, sign: Int, duration: String
  ) -> WhenError {
    let time = scanner.text(in: phrase.timeRange)
    let text = sign > 0 ? "in \(duration) at \(time)" : "\(duration) ago at \(time)"
    return scanner.error(
      .unexpected, in: range,
      suggestions: [scanner.replacing(start..<range.upperBound, with: text)])
  }
}

extension WhenReader.Point {
  fileprivate func isNow(_ now: Instant) -> Bool {
    instant == now && asked == nil && duration == nil
  }
}

extension CalendarDuration {
  /// Returns the time that the clocks of `zone` were asked to show, the calendar units after
  /// `anchor`.
  fileprivate func wallTime(from anchor: Instant, in zone: ZoneRules) -> CivilDateTime? {
    let start = zone.civil(at: anchor)
    return added(to: start.date).map { CivilDateTime(date: $0, time: start.time) }
  }
}

extension WhenScanner {
  /// Whether the letter here is the `T` between a date of digits alone and a time.
  fileprivate func nextIsDateTime(after number: WhenNumber) -> Bool {
    next(is: "t") && (number.count == 4 || number.count == 8) && (peek(1)?.isASCIIDigit ?? false)
  }
}

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
    let name = ahead.takeWord()
    if let period = Period(word: name) {
      scanner = ahead
      phrase.day = isEnd ? period.last(shift) : period.first(shift)
      if period == .day, shift == 0 { try dayBehindEdge(of: &phrase, start: start) }
    } else if Self.nearDays[name] != nil || Weekday(word: name) != nil {
      try dayBehindEdge(of: &phrase, start: start)
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
  static func takeSide(_ scanner: inout WhenScanner) -> (shift: Int, isNamed: Bool) {
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
