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
    /// There is no such zone, because the machine has none.
    case noZones
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
    case .noZones: "unknown time zone '\(word)': this machine has no time zones"
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
