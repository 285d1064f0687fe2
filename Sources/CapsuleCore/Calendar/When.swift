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
    do {
      return try read(text)
    } catch {
      throw error.suggesting { expression in
        guard let when = try? read(expression) else { return nil }
        return WhenReading(expression: expression, instant: when.instant)
      }
    }
  }

  private func read(_ text: String) throws(WhenError) -> When {
    let scanner = WhenScanner(text)
    var reader = WhenReader(parser: self, scanner: scanner)
    let when = try reader.whole()
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
    var timeOfDay: CivilTime? { time?.time ?? part?.time ?? impliedTime }
  }

  mutating func whole() throws(WhenError) -> When {
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
    return try finish(meaning, start: start)
  }

  /// The most durations that may follow one another, each with its sign.
  private static let shiftLimit = 8

  private func trailingError() -> WhenError {
    let word = scanner.peekWord()
    let range = scanner.index..<(scanner.index + word.utf8.count)
    return scanner.error(
      .unexpected,
      suggestions: word.isEmpty ? [] : scanner.replacing(range, nearest: WhenReader.tailWords))
  }

  private static let tailWords = ["ago", "from now", "after", "before", "noon", "midnight"]

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
    if let part = phrase.part, let time = phrase.time, !part.hours.contains(time.time.hour) {
      throw scanner.error(.unexpected, in: phrase.timeRange)
    }
    let given = phrase.timeOfDay
    let time = given ?? (parser.preference == .past ? .midnight : parser.defaultTime)
    if given == nil { assumptions.append(time == .midnight ? .startOfDay : .defaultTime(time)) }
    let asked = CivilDateTime(date: date, time: time)
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

  private func partError(_ phrase: Phrase, time: CivilTime) -> WhenError {
    let range = phrase.dayRange
    let day = parser.preference == .future ? "tomorrow" : "yesterday"
    let name = phrase.part?.rawValue ?? ""
    return scanner.error(
      .partOfDayOutOfReach(time, isOver: parser.preference == .future), in: range,
      suggestions: [scanner.replacing(range, with: "\(day) \(name)")])
  }

  /// Returns the date of the day that is named, or of the next or last such time of day.
  private func date(
    of phrase: Phrase, in zone: ZoneRules, assumptions: inout [WhenAssumption]
  ) throws(WhenError) -> CivilDate {
    let time = phrase.timeOfDay
    let future = parser.preference == .future
    let finder = DayFinder(
      today: zone.civil(at: parser.now).date, now: parser.now, preference: parser.preference,
      instant: { date in
        time.map { zone.resolve(CivilDateTime(date: date, time: $0)).instant }
      },
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
    let text = scanner.text(in: range)
    guard let this = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return [] }
    return [scanner.replacing(range, with: (future ? "next" : "last") + text[this...])]
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

/// The reason why a text is not a date, time or duration.
public struct WhenError: Error, Hashable, Sendable {
  package let kind: Kind
  /// The start of the offending word, in bytes of UTF-8 from the start of the text.
  public let position: Int
  /// The offending word as it was written; empty at the end of the text.
  public let word: String
  /// Texts to try instead, most likely first; often none. Of an ambiguous text they are its readings.
  ///
  /// A parser's error offers only texts that the same parser takes.
  package private(set) var suggestions: [WhenReading]

  package enum Kind: Hashable, Sendable {
    /// The text is empty.
    case empty
    /// The text ends where a part is still missing, such as the year of `15 June`.
    case incomplete
    /// Everything before the word was understood; the word has no place there.
    case unexpected
    /// A word of no meaning here.
    case unknownWord
    /// It could mean each of these, and a guess could seal until another time.
    case ambiguous
    /// A day and a month by numbers, without a year.
    case missingYear
    /// A month other than 1 to 12.
    case noSuchMonth
    /// The month ends on day `last`.
    case noSuchDay(last: Int)
    /// The month has no fifth such day of the week.
    case noSuchWeekdayOfMonth
    /// A year for which Easter is not known.
    case noEaster
    /// The year ends on day `last`.
    case noSuchDayOfYear(last: Int)
    /// The year ends with ISO week `last`.
    case noSuchWeek(last: Int)
    /// A day of the ISO week other than 1 to 7.
    case noSuchWeekday
    /// No clock shows it: 25:00, 09:60, 13pm.
    case noSuchTime
    /// A second 60: times are POSIX times, without leap seconds.
    case leapSecond
    /// An offset from UTC that is not `±HH`, `±HHMM` or `±HH:MM`.
    case badOffset
    /// The year is outside 0001 to 9999.
    case yearOutOfRange
    /// The machine has no zone of this name.
    case unknownZone
    /// The zone's file on this machine is damaged.
    case damagedZone(TZifProblem)
    /// The date named is another day of the week.
    case wrongWeekday(of: CivilDate)
    /// The zone in brackets has another offset (seconds east of UTC) at that time.
    case offsetMismatch(actual: Int)
    /// More digits than any use needs.
    case numberTooLarge
    /// A number that needs a unit behind it.
    case missingUnit
    /// A word behind a number that is no unit.
    case unknownUnit
    /// The unit stands there twice.
    case repeatedUnit
    /// A number with a fraction; units are counted whole.
    case fraction
    /// A duration with a minus; `ago` says that.
    case negative
    /// `this friday`, when that day is already over, or, where the past is meant, yet to come.
    case weekdayOutOfReach(CivilDate, isOver: Bool)
    /// `tonight` or `this morning`, when that time of today is over, or, where the past is meant, yet
    /// to come.
    case partOfDayOutOfReach(CivilTime, isOver: Bool)
    /// A time of day behind `in 3 hours`, which already is one.
    case timeAfterHours
    /// Understood, but not after now as it must be.
    case inThePast(Instant)
    /// Understood, but after now, where something that has happened is meant.
    case inTheFuture(Instant)
  }
}

extension WhenError {
  /// The most texts that an error offers.
  private static let suggestionLimit = 4

  package init(kind: Kind, position: Int, word: String, suggesting texts: [String]) {
    self.init(
      kind: kind, position: position, word: word,
      suggestions: texts.map { WhenReading(expression: $0, instant: nil) })
  }

  /// Returns the same error with those suggestions that are understood, as `reading` reads them; of
  /// several that mean one instant the first, but where all the readings of a text are shown.
  func suggesting(_ reading: (String) -> WhenReading?) -> WhenError {
    var copy = self
    copy.suggestions = []
    for text in suggestions.map(\.expression).unique
    where copy.suggestions.count < Self.suggestionLimit {
      guard let understood = reading(text) else { continue }
      let isSaid =
        kind != .ambiguous
        && copy.suggestions.contains { $0.instant != nil && $0.instant == understood.instant }
      if !isSaid { copy.suggestions.append(understood) }
    }
    return copy
  }
}

/// A text that can be written instead of one that was refused.
package struct WhenReading: Hashable, Sendable {
  /// The whole text.
  package let expression: String
  /// The instant that it means; `nil` for a duration or a time of day.
  package let instant: Instant?

  package init(expression: String, instant: Instant?) {
    self.expression = expression
    self.instant = instant
  }
}

extension WhenError: CustomStringConvertible {
  /// What is wrong, behind the text that was read.
  package var message: Fault.Message {
    let word = self.word.shortened
    return switch kind {
    case .empty: "the text is empty"
    case .incomplete: "the date is incomplete"
    case .unexpected: "unexpected '\(word)'"
    case .unknownWord: "unknown word '\(word)'"
    case .ambiguous: "the date is ambiguous"
    case .missingYear: "'\(word)' has no year"
    case .noSuchMonth: "there is no month '\(word)'"
    case .noSuchDay(let last): "the month ends on day \(last)"
    case .noSuchWeekdayOfMonth: "that month has no fifth '\(word)'"
    case .noEaster:
      "Easter is known for the years \(CivilDate.easterYears.lowerBound) to \(CivilDate.easterYears.upperBound)"
    case .noSuchDayOfYear(let last): "the days of that year are 1 to \(last)"
    case .noSuchWeek(let last): "the weeks of that year are 1 to \(last)"
    case .noSuchWeekday: "the days of a week are 1 to 7"
    case .noSuchTime:
      "invalid time '\(word)': hours go from 00 to 23, minutes and seconds to 59"
    case .leapSecond: "leap seconds are not supported"
    case .badOffset: "invalid UTC offset '\(word)'"
    case .yearOutOfRange: "the year must be from 0001 to 9999 (UTC)"
    case .unknownZone: "unknown time zone '\(word)'"
    case .damagedZone: "the system's file of the time zone '\(word)' is damaged"
    case .wrongWeekday(let date): "\(date.shortText) is a \(date.weekday.name)"
    case .offsetMismatch(let actual):
      "the offset of the time zone is \(ZoneRules.offsetText(actual)) on that date"
    case .numberTooLarge: "'\(word)' is too large"
    case .missingUnit: "'\(word)' has no unit"
    case .unknownUnit: "unknown unit '\(word)'"
    case .repeatedUnit: "the unit '\(word)' is repeated"
    case .fraction: "'\(word)' is not a whole number"
    case .negative: "'\(word)' is negative"
    case .weekdayOutOfReach(let date, let isOver):
      "\(date.longText) is in the \(isOver ? "past" : "future")"
    case .partOfDayOutOfReach(let time, let isOver):
      "\(time.shortText) today is in the \(isOver ? "past" : "future")"
    case .timeAfterHours: "a time of day cannot follow hours, minutes or seconds"
    case .inThePast(let instant): "that is in the past, \(instant)"
    case .inTheFuture(let instant): "that is in the future, \(instant)"
    }
  }

  public var description: String { "\(message)" }
}
