extension WhenReader {
  /// Takes a duration from now, on the side of `sign`, with nothing behind it.
  mutating func fromNow(sign: Int) throws(WhenError) -> Meaning {
    guard scanner.nextIsDigit || scanner.nextIsISODuration else {
      throw scanner.error(
        scanner.atEnd ? .incomplete : scanner.nextIsLetter ? .unknownWord : .unexpected)
    }
    let start = scanner.index
    let duration = try scanner.takeDuration()
    return try shifted(duration, sign: sign, from: parser.now, in: parser.zone, start: start)
  }

  /// Takes a duration, and the direction and date from which it counts.
  mutating func relative() throws(WhenError) -> Meaning {
    let start = scanner.index
    let duration = try scanner.takeDuration()
    let end = scanner.index
    scanner.skipSpaces()
    var sign = parser.preference == .past ? -1 : 1
    switch scanner.peekWord() {
    case "ago":
      sign = -1
      _ = scanner.takeWord()
    case "from":
      let from = scanner.index
      _ = scanner.takeWord()
      scanner.skipSpaces()
      guard scanner.take(word: "now") else {
        throw scanner.error(
          scanner.atEnd ? .incomplete : .unexpected,
          suggestions: [scanner.replacing(from..<scanner.index, with: "from now")])
      }
      sign = 1
    case "after":
      _ = scanner.takeWord()
      return try relative(duration, sign: 1, start: start)
    case "before":
      _ = scanner.takeWord()
      return try relative(duration, sign: -1, start: start)
    default:
      scanner.index = end
    }
    return try shifted(duration, sign: sign, from: parser.now, in: parser.zone, start: start)
  }

  /// Takes the date that follows, and counts the duration after or before it.
  private mutating func relative(
    _ duration: CalendarDuration, sign: Int, start: Int
  ) throws(WhenError) -> Meaning {
    scanner.skipSpaces()
    let anchorStart = scanner.index
    switch try anchor() {
    case .local(var local) where local.time == nil && duration.isCalendarOnly:
      guard let date = duration.times(sign)?.added(to: local.date) else {
        throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
      }
      local.date = date
      return .local(local)
    case let meaning:
      let when = try finish(meaning, start: anchorStart)
      return try shifted(
        duration, sign: sign, from: when.instant, in: when.zone, start: start,
        assumptions: when.assumptions)
    }
  }

  /// Takes the time that a duration is counted from: a date, a day by name, or now.
  private mutating func anchor() throws(WhenError) -> Meaning {
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    if scanner.nextIsDigit { return try date() }
    guard scanner.nextIsLetter, scanner.peekWord() != "in", !scanner.nextIsISODuration else {
      throw scanner.error(.unexpected)
    }
    let start = scanner.index
    let word = scanner.peekWord()
    let meaning = try wordLed()
    if word == "noon" || word == "midnight" {
      throw scanner.error(.unexpected, at: start)
    }
    return meaning
  }

  private func shifted(
    _ duration: CalendarDuration, sign: Int, from anchor: Instant, in zone: ZoneRules, start: Int,
    assumptions: [WhenAssumption] = []
  ) throws(WhenError) -> Meaning {
    guard let resolved = duration.times(sign)?.added(to: anchor, in: zone) else {
      throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
    }
    let asked = duration.isExact ? nil : duration.times(sign)?.wallTime(from: anchor, in: zone)
    return .instant(
      resolved.instant, zone: zone, asked: asked, fit: resolved.fit, assumptions: assumptions)
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
