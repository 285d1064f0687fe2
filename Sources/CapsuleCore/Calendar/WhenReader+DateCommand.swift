// The output of `date`, which has the zone's abbreviation before the year.
extension WhenReader {
  /// Takes `Sun Jun 15 09:00:00 CEST 2044`, also with the day before the month and with `AM` or `PM`;
  /// `nil`, and nothing is taken, for a text of another shape.
  ///
  /// The abbreviation is taken where the user's own zone has it at that time; anything else there is a
  /// zone like everywhere.
  mutating func outputOfDate() throws(WhenError) -> Meaning? {
    var ahead = scanner
    let start = ahead.index
    guard let weekday = Weekday(word: ahead.takeWord()) else { return nil }
    let weekdayRange = start..<ahead.index
    guard ahead.skipSpaces(), let (month, day) = Self.takeMonthAndDay(&ahead), ahead.skipSpaces(),
      let time = Self.takeFullTime(&ahead), ahead.skipSpaces()
    else { return nil }
    let tokenStart = ahead.index
    let token = ahead.takeToken()
    let tokenRange = tokenStart..<ahead.index
    guard ahead.skipSpaces(), !token.isEmpty else { return nil }
    let year = ahead.takeNumber()
    guard year.count == 4, ahead.atEnd else { return nil }
    scanner = ahead
    let date = try calendarDate(
      year: year, month: (month.month.rawValue, month.range), day: day)
    guard date.weekday == weekday else {
      throw scanner.error(.wrongWeekday(of: date), in: weekdayRange)
    }
    let local = CivilDateTime(date: date, time: time)
    if let instant = parser.zone.instant(showing: local, as: token) {
      return .point(Point(instant: instant, zone: parser.zone, asked: local))
    }
    var phrase = Phrase(day: .date(date), dayRange: start..<scanner.index)
    phrase.time = TimeOfDay(time: time)
    if token.utf8.first == UInt8(ascii: "+") || token.utf8.first == UInt8(ascii: "-") {
      scanner.index = tokenStart
      let seconds = try offsetSeconds()
      guard scanner.index == tokenRange.upperBound else {
        throw scanner.error(.badOffset, in: tokenRange)
      }
      phrase.zone = ZoneRules(offset: seconds)
      scanner = ahead
    } else {
      phrase.zone = try zone(token, range: tokenRange, whole: start, date: date, time: time)
    }
    return .phrase(phrase)
  }

  private func zone(
    _ token: String, range: Range<Int>, whole start: Int, date: CivilDate, time: CivilTime
  ) throws(WhenError) -> ZoneRules {
    do throws(WhenError) {
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

  /// Takes `HH:MM:SS`, and `AM` or `PM`.
  private static func takeFullTime(_ scanner: inout WhenScanner) -> CivilTime? {
    var numbers: [Int] = []
    repeat {
      let number = scanner.takeNumber()
      guard number.count == 2 else { return nil }
      numbers.append(number.value)
    } while numbers.count < 3 && scanner.take(":")
    guard numbers.count == 3 else { return nil }
    let half = scanner.takeHalfOfDay()
    return CivilTime(
      hour: WhenScanner.hour(numbers[0], half: half), minute: numbers[1], second: numbers[2])
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
