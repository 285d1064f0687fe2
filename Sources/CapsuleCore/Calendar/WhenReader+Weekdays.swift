extension WhenReader {
  /// Takes a day of the week, alone or before a date, which must then be that day.
  mutating func weekdayLed(_ weekday: Weekday, start: Int) throws(WhenError) -> Phrase {
    _ = scanner.take(".")
    let end = scanner.index
    _ = scanner.take(",")
    scanner.skipSpaces()
    guard nextIsDate() else {
      // A time of day may follow, also behind a comma.
      scanner.index = end
      return Phrase(day: .weekday(weekday), dayRange: start..<end)
    }
    var phrase = try day()
    phrase.day = phrase.day.map { .checked($0, weekday) }
    phrase.weekdayRange = start..<end
    phrase.dayRange = start..<phrase.dayRange.upperBound
    return phrase
  }

  /// Whether a date rather than a time follows the day of the week.
  private func nextIsDate() -> Bool {
    if scanner.nextIsLetter { return Month(word: scanner.peekWord()) != nil }
    guard scanner.nextIsDigit, !scanner.nextIsClock else { return false }
    var ahead = scanner
    let number = ahead.takeNumber()
    ahead.skipSpaces()
    // A bare hour gets the error of a time, as it does behind any other day.
    return number.count > 2 || !ahead.atEnd
  }
}
