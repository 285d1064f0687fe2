// What `date` and ctime print: a time to the second, with the zone's abbreviation, perhaps before the year.
extension WhenReader {
  /// Takes `Sun Jun 15 09:00:00 CEST 2044`, also with the day before the month, with `AM` or `PM`, and without
  /// the zone; `nil`, and nothing is taken, for a text of another shape.
  ///
  /// The abbreviation is taken where the user's own zone has it at that time; anything else there is a
  /// zone like everywhere.
  mutating func outputOfDate() throws(WhenError) -> Meaning? {
    var ahead = scanner
    let start = ahead.index
    guard let weekday = Weekday(word: ahead.takeWord()) else { return nil }
    let weekdayRange = start..<ahead.index
    guard ahead.skipSpaces(), let (month, day) = Self.takeMonthAndDay(&ahead), ahead.skipSpaces(),
      ahead.nextIsClock
    else { return nil }
    let timeStart = ahead.index
    guard let time = try? ahead.takeTimeOfDay(), time.hasSeconds else { return nil }
    let timeRange = timeStart..<ahead.index
    guard ahead.skipSpaces() else { return nil }
    let token = ahead.nextIsDigit ? nil : Self.takeToken(&ahead)
    let year = ahead.takeNumber()
    guard year.count == 4, ahead.atEnd else { return nil }
    scanner = ahead
    let date = try calendarDate(
      year: year, month: (month.month.rawValue, month.range), day: day)
    var phrase = Phrase(
      day: .checked(.date(date), weekday), dayRange: start..<scanner.index,
      weekdayRange: weekdayRange, time: time, timeRange: timeRange)
    guard let token else { return .phrase(phrase) }
    if let shown = try shownHere(phrase, as: token.text) { return .point(shown) }
    if token.text.utf8.first == UInt8(ascii: "+") || token.text.utf8.first == UInt8(ascii: "-") {
      scanner.index = token.range.lowerBound
      let seconds = try offsetSeconds()
      guard scanner.index == token.range.upperBound else {
        throw scanner.error(.badOffset, in: token.range)
      }
      phrase.zone = ZoneRules(offset: seconds)
      scanner = ahead
    } else {
      phrase.zone = try zone(
        token.text, range: token.range, whole: start, date: date, time: time.time)
    }
    return .phrase(phrase)
  }

  /// Takes the zone's abbreviation or offset, and the spaces behind it.
  private static func takeToken(
    _ scanner: inout WhenScanner
  ) -> (text: String, range: Range<Int>) {
    let start = scanner.index
    let text = scanner.takeToken()
    let range = start..<scanner.index
    scanner.skipSpaces()
    return (text, range)
  }

  /// Returns the point of a date with a time to the second, as `date` prints them, where the user's own zone
  /// has that abbreviation then; `nil` otherwise.
  func shownHere(_ phrase: Phrase, as abbreviation: String) throws(WhenError) -> Point? {
    guard let time = phrase.time, time.hasSeconds, !time.hasFraction, let day = phrase.day,
      day.isFixed, ZoneAbbreviation.isOne(abbreviation)
    else { return nil }
    var assumptions: [WhenAssumption] = []
    let date = try date(of: phrase, in: parser.zone, assumptions: &assumptions)
    guard let local = phrase.local(on: date),
      let instant = parser.zone.instant(showing: local, as: abbreviation)
    else { return nil }
    return Point(instant: instant, zone: parser.zone, asked: local)
  }

  private func zone(
    _ token: String, range: Range<Int>, whole start: Int, date: CivilDate, time: CivilTime
  ) throws(WhenError) -> ZoneRules {
    do {
      return try namedZone(token, start: range.lowerBound)
    } catch {
      // The texts that are offered have their zone at the end, where every zone may stand.
      let readings = ZoneAbbreviation.readings[token.uppercased()] ?? []
      throw scanner.error(
        error.kind, in: range,
        suggestions: readings.map {
          scanner.replacing(
            start..<scanner.index, with: "\(date.shortText) \(time.shortText) \($0)")
        })
    }
  }

  /// Takes `Jun 15` or `15 Jun`.
  private static func takeMonthAndDay(
    _ scanner: inout WhenScanner
  ) -> (month: (month: Month, range: Range<Int>), day: WhenNumber)? {
    func month() -> (month: Month, range: Range<Int>)? {
      let start = scanner.index
      return Month(word: scanner.takeWord()).map { ($0, start..<scanner.index) }
    }
    let isDayFirst = scanner.nextIsDigit
    var day = scanner.takeNumber()
    if isDayFirst { scanner.skipSpaces() }
    guard let month = month() else { return nil }
    if !isDayFirst {
      scanner.skipSpaces()
      day = scanner.takeNumber()
    }
    return (1...2).contains(day.count) ? (month, day) : nil
  }
}

extension DayName {
  /// Whether it is a date, whatever today is.
  fileprivate var isFixed: Bool {
    switch self {
    case .date: true
    case .checked(let day, _): day.isFixed
    default: false
    }
  }
}

extension ZoneRules {
  /// Returns the instant at which the zone's clocks show a local time under an abbreviation, whatever
  /// its case; `nil` where they never do.
  fileprivate func instant(showing local: CivilDateTime, as abbreviation: String) -> Instant? {
    let wanted = abbreviation.uppercased()
    let first = resolve(local).instant
    // A time that comes twice comes the second time under the offset of the next day.
    let later = offset(at: first.adding(seconds: 86_400)).seconds
    let second = Instant(seconds: local.secondsAsUTC - Int64(later))
    return [first, second].first { instant in
      civil(at: instant) == local && offset(at: instant).abbreviation.uppercased() == wanted
    }
  }
}
