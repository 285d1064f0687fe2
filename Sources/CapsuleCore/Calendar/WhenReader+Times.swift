// A time of day, before or behind a day.
extension WhenReader {
  /// Takes the time and the zone that may follow a day.
  mutating func tail(_ day: Phrase) throws(WhenError) -> Meaning {
    var phrase = day
    if scanner.next(is: "t"), scanner.peek(1).map({ !$0.isASCIILetter }) ?? true {
      scanner.index += 1
      guard scanner.nextIsDigit else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
      let start = scanner.index
      phrase.time = try scanner.takeBasicTime()
      if phrase.time == nil { phrase.time = try scanner.takeTimeOfDay() }
      phrase.timeRange = start..<scanner.index
    } else {
      try optionalTime(into: &phrase)
    }
    return try zoneTail(phrase)
  }

  /// Takes a time after spaces, a comma or `at`, and a part of the day before it.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  mutating func optionalTime(into phrase: inout Phrase) throws(WhenError) -> Bool {
    let start = scanner.index
    let comma = scanner.take(",")
    let spaces = scanner.skipSpaces()
    if comma, scanner.atEnd { throw scanner.error(.incomplete) }
    guard spaces || comma else { return false }
    if nextIsAtTime {
      takeAt()
    } else if !scanner.nextIsDigit, !scanner.nextIsNamedTime {
      if comma { throw scanner.error(.unexpected) }
      if scanner.peekWord() == "at" {
        _ = scanner.takeWord()
        scanner.skipSpaces()
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
      scanner.index = start
      return false
    }
    let timeStart = scanner.index
    let time = try scanner.takeTimeOfDay()
    if let part = time.part, phrase.part == nil {
      phrase.part = part
      try optionalTime(into: &phrase)
      return true
    }
    phrase.time = time
    phrase.timeRange = timeStart..<scanner.index
    return true
  }

  /// Whether `at` stands here before a time of day.
  var nextIsAtTime: Bool {
    var ahead = scanner
    guard ahead.nextIsLetter, ahead.take(word: "at") else { return false }
    ahead.skipSpaces()
    return ahead.nextIsDigit || ahead.nextIsNamedTime
  }

  private mutating func takeAt() {
    _ = scanner.takeWord()
    scanner.skipSpaces()
  }

  /// Takes what begins with a time of day: alone, or before its day.
  mutating func timeLed() throws(WhenError) -> Meaning {
    if nextIsAtTime { takeAt() }
    let start = scanner.index
    var phrase = Phrase()
    let time = try scanner.takeTimeOfDay()
    phrase.time = time
    phrase.timeRange = start..<scanner.index
    guard case .phrase(var zoned) = try zoneTail(phrase) else {
      throw scanner.error(.unexpected, at: start)
    }
    var ahead = self
    _ = ahead.scanner.take(",")
    ahead.scanner.skipSpaces()
    guard ahead.nextIsDay else { return .phrase(zoned) }
    self = ahead
    let day = try dayBehindTime()
    guard day.time == nil, day.impliedTime == nil, time.part == nil || day.part == nil else {
      throw scanner.error(.unexpected, in: zoned.timeRange)
    }
    zoned.day = day.day
    zoned.dayRange = day.dayRange
    zoned.weekdayRange = day.weekdayRange
    zoned.part = day.part
    zoned.isOfToday = day.isOfToday
    zoned.assumptions = day.assumptions
    guard zoned.zone == nil else { return .phrase(zoned) }
    zoned.zone = day.zone
    return day.zone == nil ? try zoneTail(zoned) : .phrase(zoned)
  }

  /// Takes the day behind a time: also one that is counted, whose clock the time replaces.
  private mutating func dayBehindTime() throws(WhenError) -> Phrase {
    let start = scanner.index
    if scanner.nextIsClock { throw scanner.error(.unexpected) }
    guard let counted = try counted() else {
      var phrase = try day()
      let end = scanner
      scanner.skipSpaces()
      if phrase.part == nil, let part = DayPart(rawValue: scanner.peekWord()) {
        _ = scanner.takeWord()
        phrase.part = part
      } else {
        scanner = end
      }
      return phrase
    }
    switch counted {
    case .phrase(let phrase): return phrase
    case .point(let point):
      let range = start..<scanner.index
      guard let duration = point.duration else { throw scanner.error(.unexpected, in: range) }
      guard duration.isCalendarOnly else { throw scanner.error(.timeAfterHours, in: range) }
      return Phrase(day: .shifted(.fromToday(0), duration), dayRange: range)
    }
  }
}
