// A day: what may stand before or behind a time of day.
extension WhenReader {
  /// Takes a day, without the time that may follow.
  mutating func day() throws(WhenError) -> Phrase {
    if scanner.take(word: "on") {
      scanner.skipSpaces()
      guard nextIsDay else { throw scanner.error(scanner.atEnd ? .incomplete : .unexpected) }
    }
    if scanner.take(word: "the") { scanner.skipSpaces() }
    let start = scanner.index
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    if let phrase = try ordinalDay() { return phrase }
    if scanner.nextIsDigit { return try dayOfDigits() }
    guard scanner.nextIsLetter else { throw scanner.error(.unexpected) }
    let word = scanner.takeWord()
    if let weekday = Weekday(word: word) { return try weekdayLed(weekday, start: start) }
    if let month = Month(word: word) { return try monthLed(month, start: start) }
    var phrase = Phrase(dayRange: start..<scanner.index)
    switch word {
    case "today": phrase.day = .fromToday(0)
    case "tomorrow": phrase.day = .fromToday(1)
    case "yesterday": phrase.day = .fromToday(-1)
    case "tonight":
      phrase.day = .fromToday(0)
      phrase.part = .night
      phrase.isOfToday = true
    case "day":
      guard let days = takeNeighbour() else { throw unknownDay(start: start) }
      phrase.day = .fromToday(days)
      phrase.dayRange = start..<scanner.index
    case "this", "next", "last": return try namedBySide(word, start: start)
    case "end", "start", "beginning": return try edgeOfPeriod(word, start: start)
    case "christmas", "easter", "new": return try feast(word, start: start)
    default:
      guard let (day, time) = edge(word) else { throw unknownDay(start: start) }
      phrase.day = day
      phrase.impliedTime = time
    }
    return phrase
  }

  private func unknownDay(start: Int) -> WhenError {
    let range = start..<scanner.index
    var suggestions = scanner.replacing(range, nearest: WhenReader.words)
    if scanner.text(in: range).lowercased() == "weekend" {
      suggestions = ["this weekend", "next weekend"].map { scanner.replacing(range, with: $0) }
    }
    return scanner.error(.unknownWord, at: start, suggestions: suggestions)
  }

  /// The words that a day may begin with, besides the names of weekdays and months.
  private static let dayWords: Set<String> = [
    "on", "the", "in", "today", "tomorrow", "yesterday", "tonight", "this", "next", "last", "end",
    "start", "beginning", "christmas", "easter", "new", "first", "second", "third", "fourth",
    "fifth", "sod", "sow", "som", "soy", "eod", "eow", "eom", "eoy",
  ]

  /// The words that are offered for one that is misspelt.
  private static let words: [String] =
    [
      "now", "today", "tomorrow", "yesterday", "tonight", "noon", "midnight", "next", "last",
      "this",
      "in", "sod", "sow", "som", "soy", "eod", "eow", "eom", "eoy", "christmas", "easter",
      "new year", "end of", "start of", "day after tomorrow", "this weekend", "morning",
      "afternoon", "evening",
    ]
    + Weekday.allCases.map { $0.name.lowercased() } + Month.allCases.map { $0.name.lowercased() }

  /// Whether a day may begin here.
  var nextIsDay: Bool {
    if scanner.nextIsDigit { return true }
    let word = scanner.peekWord()
    return Self.dayWords.contains(word) || Weekday(word: word) != nil || Month(word: word) != nil
      || nextIsCounted
  }

  /// Whether `day after tomorrow` or its like stands here.
  var nextIsNeighbour: Bool {
    var ahead = self
    return ahead.scanner.take(word: "day") && ahead.takeNeighbour() != nil
  }

  /// Takes what follows `day` in `day after tomorrow` and `day before yesterday`.
  ///
  /// - Returns: the number of days after today; `nil` where something else follows.
  private mutating func takeNeighbour() -> Int? {
    var ahead = scanner
    ahead.skipSpaces()
    let side = ahead.takeWord()
    guard side == "after" || side == "before" else { return nil }
    ahead.skipSpaces()
    let anchors = ["yesterday": -1, "today": 0, "tomorrow": 1]
    guard let anchor = anchors[ahead.takeWord()] else { return nil }
    scanner = ahead
    return anchor + (side == "after" ? 1 : -1)
  }

  /// Returns the day and the time that `sod` to `eoy` stand for.
  private func edge(_ word: String) -> (DayName, CivilTime)? {
    guard word.utf8.count == 3, let unit = Period(letter: word.utf8.last) else { return nil }
    if word.hasPrefix("so") { return (unit.first(0), .midnight) }
    if word.hasPrefix("eo") { return (unit.last(0), .endOfDay) }
    return nil
  }

  /// Takes a feast and the year that may follow it.
  private mutating func feast(_ word: String, start: Int) throws(WhenError) -> Phrase {
    let day: YearlyDay
    switch word {
    case "christmas":
      day = .ofMonth(.number(takeEve() ? 24 : 25), .december)
    case "easter": day = .easter
    default:
      scanner.skipSpaces()
      let name = scanner.takeWord()
      guard name == "year" || name == "years" else { throw unknownDay(start: start) }
      if name == "year", scanner.peek() == UInt8(ascii: "'"), scanner.peek(1) == UInt8(ascii: "s") {
        scanner.index += 2
      }
      day = takeEve() ? .ofMonth(.number(31), .december) : .ofMonth(.first, .january)
    }
    let end = scanner.index
    guard let year = try yearBehindDay() else {
      return Phrase(day: .yearly(day), dayRange: start..<end)
    }
    let range = start..<scanner.index
    guard CivilDate.years.contains(year.value) else {
      throw scanner.error(.yearOutOfRange, in: year.range)
    }
    guard let date = day.date(in: year.value) else {
      throw scanner.error(.noEaster, in: year.range)
    }
    return Phrase(day: .date(date), dayRange: range)
  }

  /// Takes `eve` or `day` behind a feast.
  ///
  /// - Returns: whether the day before it is meant.
  private mutating func takeEve() -> Bool {
    var ahead = scanner
    ahead.skipSpaces()
    let isEve = ahead.take(word: "eve")
    if isEve || ahead.take(word: "day") { scanner = ahead }
    return isEve
  }

  /// Takes what follows `this`, `next` or `last`.
  private mutating func namedBySide(_ side: String, start: Int) throws(WhenError) -> Phrase {
    scanner.skipSpaces()
    guard !scanner.atEnd else { throw scanner.error(.incomplete) }
    let nameStart = scanner.index
    let name = scanner.takeWord()
    let range = start..<scanner.index
    let shift = side == "next" ? 1 : side == "last" ? -1 : 0
    if let weekday = name == "weekend" ? .saturday : Weekday(word: name) {
      return Phrase(
        day: .ofWeek(weekday, weeks: shift, strict: side == "this"), dayRange: range)
    }
    if side == "this", let part = DayPart(rawValue: name) {
      return Phrase(day: .fromToday(0), dayRange: range, part: part, isOfToday: true)
    }
    if side == "last", name == "night" {
      return Phrase(day: .fromToday(-1), dayRange: range, part: .night)
    }
    guard let period = Period(word: name), period != .day else {
      throw scanner.error(
        .unknownWord, at: nameStart,
        suggestions: scanner.replacing(
          nameStart..<scanner.index,
          nearest: Weekday.allCases.map { $0.name.lowercased() } + ["weekend"]))
    }
    throw unclearPeriod(period, name: name, shift: shift, range: range)
  }

  /// Returns the error about `next month` and its kind, which may mean the same day of that month or
  /// its first.
  private func unclearPeriod(
    _ period: Period, name: String, shift: Int, range: Range<Int>
  ) -> WhenError {
    let finder = DayFinder(
      today: parser.zone.civil(at: parser.now).date, now: parser.now, preference: .future,
      instant: { _ in nil })
    var texts: [String] = []
    if let first = try? finder.date(of: period.first(shift)) { texts.append(first.description) }
    if shift == 0 {
      texts.append("eo\(name.prefix(1))")
    } else {
      texts.append(shift > 0 ? "in 1 \(name)" : "1 \(name) ago")
    }
    return scanner.ambiguous(range, texts)
  }
}
