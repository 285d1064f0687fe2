/// The reason why a text is no date, time or duration.
package struct WhenError: Error, Hashable, Sendable {
  package let kind: Kind
  /// The start of the offending word, in bytes of UTF-8 from the start of the text.
  package let position: Int
  /// The offending word as it was written; empty at the end of the text.
  package let word: String
  /// Whole texts to try instead, most likely first; often none.
  package let suggestions: [String]

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
    case ambiguous([WhenReading])
    /// A month other than 1 to 12.
    case noSuchMonth
    /// The month ends on day `last`.
    case noSuchDay(last: Int)
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
    /// An offset from UTC that is not `±HH` or `±HH:MM`.
    case badOffset
    /// Outside the years 0001 to 9999.
    case yearOutOfRange
    /// The machine has no zone of this name.
    case unknownZone
    /// The zone's file on this machine is damaged.
    case damagedZone(TZifError)
    /// The date named is another day of the week.
    case wrongWeekday(actual: Weekday)
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
    case weekdayOutOfReach(CivilDate)
    /// Understood, but not after now as it must be.
    case inThePast(Instant)
    /// Understood, but after now, where something that has happened is meant.
    case inTheFuture(Instant)
  }
}

/// One way to read an ambiguous text.
package struct WhenReading: Hashable, Sendable {
  /// The whole text, made unambiguous.
  package let expression: String
  /// The instant that it would mean; `nil` for a duration, and where it would still be an error.
  package let instant: Instant?
}
