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
}
