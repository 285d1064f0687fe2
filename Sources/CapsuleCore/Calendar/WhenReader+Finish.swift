// From what was written to the instant that is meant.
extension WhenReader {
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
    let finder = DayFinder(
      today: zone.civil(at: parser.now).date, now: parser.now, preference: parser.preference,
      instant: { date in
        time.map { zone.resolve(CivilDateTime(date: date, time: $0)).instant }
      })
    let future = parser.preference == .future
    guard let day = phrase.day else {
      assumptions.append(future ? .nextOccurrence : .lastOccurrence)
      guard let date = finder.dateOfTimeAlone() else {
        throw scanner.error(.yearOutOfRange, in: phrase.timeRange)
      }
      return date
    }
    do throws(DayFinder.Failure) {
      let date = try finder.date(of: day)
      if day.isYearly { assumptions.append(future ? .nextOccurrence : .lastOccurrence) }
      if finder.passesToday(day, for: date) { assumptions.append(.notToday) }
      return date
    } catch {
      switch error {
      case .yearOutOfRange: throw scanner.error(.yearOutOfRange, in: phrase.dayRange)
      case .wrongWeekday(let date):
        throw scanner.error(.wrongWeekday(of: date), in: phrase.weekdayRange)
      case .outOfReach(let date):
        throw scanner.error(
          .weekdayOutOfReach(date, isOver: future), in: phrase.dayRange,
          suggestions: otherWeek(phrase.dayRange, future: future))
      }
    }
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
