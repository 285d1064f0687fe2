extension WhenReader {
  /// Takes a weekday, alone or before a date, which must then be that day.
  mutating func weekdayLed(_ weekday: Weekday, start: Int) throws(WhenError) -> Meaning {
    let end = scanner.index
    let comma = scanner.take(",")
    scanner.skipSpaces()
    if try nextIsDate() {
      let meaning = scanner.nextIsDigit ? try date() : try wordLed()
      let found = date(of: meaning)
      guard found.weekday == weekday else {
        throw scanner.error(.wrongWeekday(actual: found.weekday), in: start..<end)
      }
      return meaning
    }
    if comma { throw scanner.error(scanner.atEnd ? .incomplete : .unexpected) }
    scanner.index = end
    let future = parser.preference == .future
    let ahead = (weekday.rawValue - today.weekday.rawValue + 7) % 7
    let days = future ? (ahead == 0 ? 7 : ahead) : ahead - 7
    guard let date = today.adding(days: days) else {
      throw scanner.error(.yearOutOfRange, in: start..<end)
    }
    var local = Local(date: date, zone: parser.zone)
    try optionalTime(into: &local)
    return .local(local)
  }

  /// Whether a date rather than a time follows the weekday.
  private func nextIsDate() throws(WhenError) -> Bool {
    if scanner.nextIsLetter { return Month(word: scanner.peekWord()) != nil }
    guard scanner.nextIsDigit else { return false }
    var ahead = scanner
    let number = ahead.takeNumber()
    if ahead.next(is: ":") { return false }
    ahead.skipSpaces()
    let word = ahead.peekWord()
    if number.count <= 2, word == "am" || word == "pm" { return false }
    // A bare hour gets the error of a time, as it does behind any other day.
    return number.count > 2 || !ahead.atEnd
  }

  /// Returns the date of a meaning in the zone in which it was written.
  private func date(of meaning: Meaning) -> CivilDate {
    switch meaning {
    case .local(let local): local.date
    case .instant(let instant, let zone, let asked, _, _):
      asked?.date ?? zone.civil(at: instant).date
    }
  }

  /// Takes `this`, `next` or `last` and a weekday: that day of this, the next or the last ISO week.
  mutating func weekdayOfWeek(_ word: String, start: Int) throws(WhenError) -> Meaning {
    scanner.skipSpaces()
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    let nameStart = scanner.index
    let name = scanner.takeWord()
    guard let weekday = Weekday(word: name) else {
      throw notAWeekdayError(word, name: name, start: start, nameStart: nameStart)
    }
    let weeks = word == "next" ? 1 : word == "last" ? -1 : 0
    let date = CivilDate(
      daysSinceEpoch: today.startOfWeek.daysSinceEpoch + weeks * 7 + weekday.rawValue - 1)
    guard date.isRepresentable else {
      throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
    }
    let end = scanner.index
    var local = Local(date: date, zone: parser.zone)
    try optionalTime(into: &local)
    if word == "this", isOutOfReach(local) {
      throw scanner.error(.weekdayOutOfReach(date), in: start..<end)
    }
    return .local(local)
  }

  private func isOutOfReach(_ local: Local) -> Bool {
    let future = parser.preference == .future
    guard let time = local.time, local.date == today else {
      return future ? local.date < today : local.date > today
    }
    let instant = parser.zone.resolve(CivilDateTime(date: local.date, time: time)).instant
    return future ? instant < parser.now : instant > parser.now
  }

  /// Returns the error about `next month` and its kind, which may mean the same day of that month or
  /// its first.
  private func notAWeekdayError(
    _ word: String, name: String, start: Int, nameStart: Int
  ) -> WhenError {
    let range = start..<scanner.index
    let first: CivilDate?
    let shift = word == "next" ? 1 : word == "last" ? -1 : 0
    switch name {
    case "week": first = today.startOfWeek.adding(days: shift * 7)
    case "month":
      first = CivilDate(year: today.year, month: today.month, day: 1)?.adding(months: shift)
    case "year": first = CivilDate(year: today.year + shift, month: 1, day: 1)
    default:
      return scanner.error(
        .unknownWord, at: nameStart,
        suggestions: scanner.replacing(
          nameStart..<scanner.index, nearest: Weekday.allCases.map { $0.name.lowercased() }))
    }
    var texts = first.map { [$0.description] } ?? []
    if shift != 0 { texts.append(shift > 0 ? "in 1 \(name)" : "1 \(name) ago") }
    if shift == 0 { texts.append("eo\(name.prefix(1))") }
    return scanner.ambiguous(range, texts)
  }
}
