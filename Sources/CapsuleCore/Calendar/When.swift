/// The meaning of a date expression.
public struct When: Hashable, Sendable {
  public let instant: Instant
  /// The date, where no time of day was given: an all-day thing stays that date in every zone.
  public let date: CivilDate?
  /// The zone in which it was read.
  package let zone: ZoneRules
  /// The fit of the local time with the zone's clocks; anything but `.unique` deserves a warning.
  package let fit: LocalTimeFit
  /// The local time asked for, before a gap moved it; `nil` where an instant was given.
  package let asked: CivilDateTime?
  /// The assumptions about the parts that the expression left open.
  package let assumptions: [WhenAssumption]
  /// The duration from now that was written, negative for one that counts back; `nil` where none was.
  package let duration: CalendarDuration?

  /// The whole day or the instant that is meant.
  public var moment: Moment { date.map { .day($0) } ?? .instant(instant) }

  /// The name of the zone in which it was read: an IANA name, `UTC`, or an offset as `+02:00`.
  public var zoneName: String { zone.identifier }
}

/// An assumption about a part that an expression left open.
package enum WhenAssumption: Hashable, Sendable {
  /// A date alone: midnight at its start.
  case startOfDay
  /// A date alone: the time of day from the settings.
  case defaultTime(CivilTime)
  /// A month alone: its first day.
  case firstOfMonth
  /// A year alone: its first day.
  case firstOfYear
  /// A time or month alone: its next occurrence.
  case nextOccurrence
  /// A time or month alone, where the past is meant: its last occurrence.
  case lastOccurrence
  /// A day that comes again, where today is such a day: not today.
  case notToday
  /// A fraction of a second: the next whole one, so that nothing is early.
  case roundedUp
  /// A fraction of a second, where the past is meant: dropped.
  case roundedDown
}

/// A reader of date expressions; the grammar stands in the reference ("Dates").
///
/// The whole text is understood or it is an error; nothing is guessed where two readings are
/// possible. A parser is a value: the same text, now and zone always give the same result.
package struct WhenParser: Sendable {
  /// Whether a thing to come or one that has happened is meant, where the text leaves it open.
  package enum Preference: Hashable, Sendable {
    /// `90d` is in 90 days, `friday` the next one.
    case future
    /// `90d` is 90 days ago, `friday` the last one; a date alone is always its midnight.
    case past
  }

  /// The side of now on which the result must lie.
  package enum Requirement: Hashable, Sendable {
    case none
    /// The result lies now or later: an unlock time.
    case notPast
    /// The result lies now or earlier: a history entry.
    case notFuture
  }

  package let now: Instant
  package let zone: ZoneRules
  package let zones: ZoneDatabase
  package let preference: Preference
  package let requirement: Requirement
  package let defaultTime: CivilTime

  /// A parser for the user's `zone`; `defaultTime` is the time of day of a date alone (a setting).
  package init(
    now: Instant, zone: ZoneRules, zones: ZoneDatabase, preferring preference: Preference = .future,
    requiring requirement: Requirement = .none, defaultTime: CivilTime = .midnight
  ) {
    self.now = now
    self.zone = zone
    self.zones = zones
    self.preference = preference
    self.requirement = requirement
    self.defaultTime = defaultTime
  }

  /// Reads a date expression.
  ///
  /// - Throws: the first word that is not understood, or the side of now on which the result must
  ///   not lie. This parser takes each text that the error suggests.
  package func parse(_ text: String) throws(WhenError) -> When {
    try parse(text, read)
  }

  /// Reads a date expression as the last day of something: a month, a year or a week that the text names is its
  /// last day, any other text is what ``parse(_:)`` makes of it.
  ///
  /// `june 2028` is 30 June 2028, `next week` its Sunday. A last day is past once it is over.
  ///
  /// - Throws: as ``parse(_:)`` does.
  package func end(of text: String) throws(WhenError) -> When {
    try parse(text, readEnd)
  }

  private func parse(
    _ text: String, _ read: (String) throws(WhenError) -> When
  ) throws(WhenError) -> When {
    do {
      return try read(text)
    } catch {
      throw error.suggesting { expression in
        guard let when = try? read(expression) else { return nil }
        return WhenReading(expression: expression, instant: when.instant)
      }
    }
  }

  private func readEnd(of text: String) throws(WhenError) -> When {
    let today = zone.civil(at: now).date
    let scanner = WhenScanner(text)
    var reader = WhenReader(parser: self, scanner: scanner)
    let period = DayPeriod(scanner.whole, today: today)
    let when =
      if let period { try reader.lastDay(of: period) } else { try reader.whole(isEnd: true) }
    // A day of that date is not over while it lasts.
    let isToday = when.date == when.zone.civil(at: now).date
    return isToday ? when : try required(when, scanner)
  }

  private func read(_ text: String) throws(WhenError) -> When {
    let scanner = WhenScanner(text)
    var reader = WhenReader(parser: self, scanner: scanner)
    return try required(reader.whole(), scanner)
  }

  private func required(_ when: When, _ scanner: WhenScanner) throws(WhenError) -> When {
    if requirement == .notPast, when.instant < now {
      throw wholeError(.inThePast(when.instant), scanner)
    }
    if requirement == .notFuture, when.instant > now {
      throw wholeError(.inTheFuture(when.instant), scanner)
    }
    return when
  }

  private func wholeError(_ kind: WhenError.Kind, _ scanner: WhenScanner) -> WhenError {
    var end = scanner
    while !end.atEnd { end.index += 1 }
    return scanner.error(kind, in: scanner.index..<end.index)
  }
}

/// One reading of one text: the recursive descent behind `WhenParser`.
struct WhenReader {
  let parser: WhenParser
  var scanner: WhenScanner

  /// The meaning of a part of the text.
  enum Meaning {
    case point(Point)
    case phrase(Phrase)
  }

  /// A point in time.
  struct Point {
    let instant: Instant
    var zone: ZoneRules
    /// The local time that was asked for, and how the clocks met it.
    var asked: CivilDateTime?
    var fit = LocalTimeFit.unique
    var assumptions: [WhenAssumption] = []
    /// The duration from now that was written.
    var duration: CalendarDuration?
  }

  /// A day, a time of day or both, before the parts that were left open are filled in.
  struct Phrase {
    /// `nil` for a time of day alone.
    var day: DayName?
    /// The place of the day in the text.
    var dayRange = 0..<0
    /// The place of the day of the week that was written with it.
    var weekdayRange = 0..<0
    var time: TimeOfDay?
    /// The place of the time in the text.
    var timeRange = 0..<0
    /// Whether the day was written as eight digits.
    var isCompact = false
    /// The part of the day that was named.
    var part: DayPart?
    /// Whether the part of the day must not be over, or yet to come: `tonight`, `this morning`.
    var isOfToday = false
    /// The time that the name of the day implies: that of `eod`.
    var impliedTime: CivilTime?
    /// `nil` for the user's own.
    var zone: ZoneRules?
    var assumptions: [WhenAssumption] = []

    /// The time of day; `nil` for a day alone.
    var timeOfDay: CivilTime? { time?.time(in: part) ?? part?.time ?? impliedTime }

    /// Returns the local time that is named, on a date; `nil` for a day alone, and past the last year.
    func local(on date: CivilDate) -> CivilDateTime? {
      if let time { return time.local(on: date, in: part) }
      return timeOfDay.map { CivilDateTime(date: date, time: $0) }
    }
  }

  /// Returns the last of some days.
  func lastDay(of period: DayPeriod) throws(WhenError) -> When {
    try finish(.phrase(Phrase(day: .date(period.last))), start: scanner.index)
  }

  /// Reads the whole text.
  ///
  /// - Parameter isEnd: whether a month or a year is its last day rather than its first.
  mutating func whole(isEnd: Bool = false) throws(WhenError) -> When {
    guard !scanner.atEnd else { throw scanner.error(.empty) }
    let start = scanner.index
    var meaning = try expression()
    var shifts = 0
    while shifts < WhenReader.shiftLimit, nextIsShift() {
      meaning = try shift(meaning, start: start)
      shifts += 1
    }
    scanner.skipSpaces()
    guard scanner.atEnd else { throw trailingError() }
    if isEnd, case .phrase(let phrase) = meaning { meaning = .phrase(phrase.throughEnd) }
    return try finish(meaning, start: start)
  }

  /// The most durations that may follow one another, each with its sign.
  private static let shiftLimit = 8

  private func trailingError() -> WhenError {
    let word = scanner.peekWord()
    let range = scanner.index..<(scanner.index + word.utf8.count)
    return scanner.error(
      .unexpected,
      suggestions: word.isEmpty ? [] : scanner.replacing(range, nearest: Self.tailWords))
  }

  private mutating func expression() throws(WhenError) -> Meaning {
    guard let first = scanner.peek() else { throw scanner.error(.incomplete) }
    switch first {
    case UInt8(ascii: "@"): return try epoch()
    case UInt8(ascii: "+"):
      scanner.index += 1
      scanner.skipSpaces()
      return try fromNow()
    case UInt8(ascii: "-"): throw negativeError()
    default: return try moment()
    }
  }

  /// Takes what begins with a digit or a letter.
  mutating func moment() throws(WhenError) -> Meaning {
    if let time = try digitsOfTime() { return time }
    if scanner.nextIsClock || scanner.nextIsNamedTime || nextIsAtTime { return try timeLed() }
    if let counted = try counted() { return counted }
    if let output = try outputOfDate() { return output }
    return try tail(try day())
  }

  private func negativeError() -> WhenError {
    var rest = scanner
    rest.index += 1
    let isDuration = rest.nextIsDigit && (try? rest.takeDuration()) != nil
    let duration = rest.text(in: (scanner.index + 1)..<rest.index)
    let suggestion =
      isDuration ? [scanner.replacing(scanner.index..<rest.index, with: duration + " ago")] : []
    return scanner.error(.negative, suggestions: suggestion)
  }

  /// Takes `@` and seconds since the epoch.
  private mutating func epoch() throws(WhenError) -> Meaning {
    let start = scanner.index
    scanner.index += 1
    let negative = scanner.take("-")
    guard scanner.nextIsDigit else {
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    }
    let number = scanner.takeNumber()
    if scanner.next(is: ".") { throw scanner.error(.fraction, at: start) }
    let instant = Instant(seconds: Int64(negative ? -number.value : number.value))
    guard number.count <= 15, instant.isRepresentable else {
      throw scanner.error(.yearOutOfRange, at: start)
    }
    return .point(Point(instant: instant, zone: parser.zone))
  }

  // From what was written to the instant that is meant.

  /// Fills in the parts that were left open, and checks that the result can be written.
  func finish(_ meaning: Meaning, start: Int) throws(WhenError) -> When {
    let when: When
    switch meaning {
    case .point(let point):
      when = When(
        instant: point.instant, date: nil, zone: point.zone, fit: point.fit, asked: point.asked,
        assumptions: point.assumptions, duration: point.duration)
    case .phrase(let phrase):
      when = try finish(phrase)
    }
    guard when.instant.isRepresentable else { throw scanner.error(.yearOutOfRange, at: start) }
    return when
  }

  private func finish(_ phrase: Phrase) throws(WhenError) -> When {
    let zone = phrase.zone ?? parser.zone
    var assumptions = phrase.assumptions
    let date = try date(of: phrase, in: zone, assumptions: &assumptions)
    let given = phrase.timeOfDay
    if let part = phrase.part, let given, !part.hours.contains(given.hour) {
      throw scanner.error(.unexpected, in: phrase.timeRange)
    }
    let time = given ?? (parser.preference == .past ? .midnight : parser.defaultTime)
    if given == nil { assumptions.append(time == .midnight ? .startOfDay : .defaultTime(time)) }
    let written = given == nil ? CivilDateTime(date: date, time: time) : phrase.local(on: date)
    guard let asked = written else { throw scanner.error(.yearOutOfRange, in: phrase.timeRange) }
    var resolved =
      given == nil && time == .midnight ? zone.startOfDay(date) : zone.resolve(asked)
    if phrase.time?.hasFraction ?? false {
      let up = parser.preference == .future
      assumptions.append(up ? .roundedUp : .roundedDown)
      if up {
        resolved = ResolvedTime(instant: resolved.instant.adding(seconds: 1), fit: resolved.fit)
      }
    }
    if phrase.isOfToday, isWrongSide(resolved.instant) {
      throw partError(phrase, time: time)
    }
    return When(
      instant: resolved.instant, date: given == nil ? date : nil, zone: zone, fit: resolved.fit,
      asked: asked, assumptions: assumptions, duration: nil)
  }

  private func isWrongSide(_ instant: Instant) -> Bool {
    parser.preference == .future ? instant < parser.now : instant > parser.now
  }

  /// Returns the error about a part of today that is over, with the next hour that is left of it and the same
  /// part of tomorrow.
  private func partError(_ phrase: Phrase, time: CivilTime) -> WhenError {
    let range = phrase.dayRange
    let future = parser.preference == .future
    let day = future ? "tomorrow" : "yesterday"
    let name = phrase.part?.rawValue ?? ""
    var texts = ["\(day) \(name)"]
    let next = (phrase.zone ?? parser.zone).civil(at: parser.now).time.hour + 1
    if future, phrase.time == nil, phrase.part?.hours.contains(next) ?? false {
      texts.insert("\(scanner.text(in: range)) at \(next):00", at: 0)
    }
    return scanner.error(
      .partOfDayOutOfReach(time, isOver: future), in: range,
      suggestions: texts.map { scanner.replacing(range, with: $0) })
  }

  /// Returns the date of the day that is named, or of the next or last such time of day.
  func date(
    of phrase: Phrase, in zone: ZoneRules, assumptions: inout [WhenAssumption]
  ) throws(WhenError) -> CivilDate {
    let future = parser.preference == .future
    let finder = DayFinder(
      today: zone.civil(at: parser.now).date, now: parser.now, preference: parser.preference,
      instant: { date in phrase.local(on: date).map { zone.resolve($0).instant } },
      error: { problem in
        switch problem {
        case .yearOutOfRange: scanner.error(.yearOutOfRange, in: phrase.dayRange)
        case .wrongWeekday(let date):
          scanner.error(.wrongWeekday(of: date), in: phrase.weekdayRange)
        case .outOfReach(let date):
          scanner.error(
            .weekdayOutOfReach(date, isOver: future), in: phrase.dayRange,
            suggestions: otherWeek(phrase.dayRange, future: future))
        }
      })
    guard let day = phrase.day else {
      assumptions.append(future ? .nextOccurrence : .lastOccurrence)
      guard let date = finder.dateOfTimeAlone() else {
        throw scanner.error(.yearOutOfRange, in: phrase.timeRange)
      }
      return date
    }
    let date = try finder.date(of: day)
    if day.isYearly { assumptions.append(future ? .nextOccurrence : .lastOccurrence) }
    if finder.passesToday(day, for: date) { assumptions.append(.notToday) }
    return date
  }

  /// Returns the text with `next` or `last` in the place of `this`.
  private func otherWeek(_ range: Range<Int>, future: Bool) -> [String] {
    let words = scanner.text(in: range).split(separator: " ").map { word in
      word.lowercased() == "this" ? (future ? "next" : "last") : String(word)
    }
    return [scanner.replacing(range, with: words.joined(separator: " "))]
  }
}

extension WhenReader.Phrase {
  /// The same with the last day of a month or a year alone in the place of its first.
  fileprivate var throughEnd: WhenReader.Phrase {
    var phrase = self
    switch day {
    case .date(let date) where assumptions.contains(.firstOfMonth):
      phrase.day = DayPeriod.month(of: date).map { .date($0.last) }
    case .date(let date) where assumptions.contains(.firstOfYear):
      phrase.day = DayPeriod.year(of: date).map { .date($0.last) }
    case .yearly(.ofMonth(.first, let month)) where assumptions.contains(.firstOfMonth):
      phrase.day = .yearly(.ofMonth(.last, month))
    default: return self
    }
    phrase.assumptions = []
    return phrase.timeOfDay == nil ? phrase : self
  }
}

extension DayName {
  /// Whether it names a day of every year.
  fileprivate var isYearly: Bool {
    switch self {
    case .yearly: true
    case .checked(let day, _), .shifted(let day, _): day.isYearly
    default: false
    }
  }
}

extension DayFinder {
  /// Returns the date of the next time of day after now, or of the last one up to now.
  fileprivate func dateOfTimeAlone() -> CivilDate? {
    guard let instant = instant(today) else { return nil }
    let future = preference == .future
    let isOver = future ? instant <= now : instant > now
    return isOver ? today.adding(days: future ? 1 : -1) : today
  }
}
