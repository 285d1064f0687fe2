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
    } else if try !compactTime(into: &phrase), !takeEdge(into: &phrase) {
      try optionalTime(into: &phrase)
    }
    return try zoneTail(phrase)
  }

  /// Takes `130000` or `1300` behind a date of eight digits.
  ///
  /// - Returns: whether there was one.
  private mutating func compactTime(into phrase: inout Phrase) throws(WhenError) -> Bool {
    var ahead = scanner
    guard phrase.isCompact, ahead.skipSpaces() else { return false }
    let start = ahead.index
    guard let time = try ahead.takeBasicTime() else { return false }
    scanner = ahead
    phrase.time = time
    phrase.timeRange = start..<scanner.index
    return true
  }

  /// Takes `eod` or `end of day` behind a day, or what says the same of its start.
  ///
  /// - Returns: whether there was one.
  private mutating func takeEdge(into phrase: inout Phrase) -> Bool {
    var ahead = scanner
    guard phrase.timeOfDay == nil, ahead.skipSpaces() else { return false }
    let word = ahead.takeWord()
    if let (day, time) = edge(word), case .fromToday = day {
      phrase.impliedTime = time
    } else if Self.edges.contains(word) {
      guard ahead.skipSpaces(), ahead.take(word: "of") else { return false }
      ahead.skipSpaces()
      if ahead.take(word: "the") { ahead.skipSpaces() }
      guard ahead.take(word: "day") else { return false }
      phrase.impliedTime = word == "end" ? .endOfDay : .midnight
    } else {
      return false
    }
    scanner = ahead
    return true
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
    let hasAt = nextIsAtTime
    if hasAt {
      takeAt()
    } else if !scanner.nextIsTime {
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
    let time = try takeTime(behindAt: hasAt, isBareTaken: phrase.part != nil)
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
    return ahead.nextIsTime
  }

  private mutating func takeAt() {
    _ = scanner.takeWord()
    scanner.skipSpaces()
  }

  /// Takes a time of day: behind `at` four digits are one too.
  ///
  /// - Parameter isBareTaken: whether an hour alone is one: `tonight at 8`.
  private mutating func takeTime(
    behindAt: Bool, isBareTaken: Bool
  ) throws(WhenError) -> TimeOfDay {
    var ahead = scanner
    if behindAt, scanner.nextIsDigit, ahead.takeNumber().count == 4,
      let time = try scanner.takeBasicTime()
    {
      return time
    }
    return try scanner.takeTimeOfDay(isBareTaken: isBareTaken)
  }

  /// Takes four digits that are all of the text, and are a time rather than a year: `1730`.
  ///
  /// The years from 1900 to 2999 are years. Of those more than a lifetime away that are a time too, either may
  /// be meant.
  ///
  /// - Returns: `nil` where something else stands here.
  mutating func digitsOfTime() throws(WhenError) -> Meaning? {
    var ahead = scanner
    let number = ahead.takeNumber()
    guard number.count == 4, ahead.atEnd,
      let time = TimeOfDay(hour: number.value / 100, minute: number.value % 100, second: 0)
    else { return nil }
    if (1900...2999).contains(number.value) {
      guard number.value > todayHere.year + 100 else { return nil }
      let digits = scanner.text(in: number.range)
      throw scanner.ambiguous(
        number.range, ["\(digits.prefix(2)):\(digits.suffix(2))", "\(digits)-01-01"])
    }
    scanner = ahead
    return .phrase(Phrase(time: time, timeRange: number.range))
  }

  /// Takes what begins with a time of day: alone, or before its day.
  ///
  /// - Parameter isAnchor: whether something is counted from it, so that its day is not counted too.
  mutating func timeLed(isAnchor: Bool = false) throws(WhenError) -> Meaning {
    let hasAt = nextIsAtTime
    if hasAt { takeAt() }
    let start = scanner.index
    var phrase = Phrase()
    let time = try takeTime(behindAt: hasAt, isBareTaken: hasAt)
    phrase.time = time
    phrase.timeRange = start..<scanner.index
    guard case .phrase(var zoned) = try zoneTail(phrase) else {
      throw scanner.error(.unexpected, at: start)
    }
    var ahead = self
    _ = ahead.scanner.take(",")
    ahead.scanner.skipSpaces()
    guard ahead.nextIsDay else {
      if time.isBare { throw scanner.bareHour(zoned.timeRange) }
      return .phrase(zoned)
    }
    if isAnchor, ahead.nextIsCounted { throw ahead.scanner.error(.unexpected) }
    self = ahead
    let day = try dayBehindTime()
    if time.isBare, day.part == nil { throw scanner.bareHour(zoned.timeRange) }
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

/// A reader of times of day: `09:00`, `9am`, `9:30 p.m.`, `noon`, `midnight`, `evening`.
package enum TimeOfDayParser {
  /// Reads a time of day in whole minutes, as records keep it; `nil` for another text.
  package static func minute(_ text: String) -> CivilTime? {
    guard let time = try? parse(text), time.second == 0 else { return nil }
    return time
  }

  /// The texts that are accepted, for messages.
  package static let accepted = "a time such as 09:00, 9am, 6:30pm, noon or midnight"

  /// Reads the time of day that the whole text names.
  package static func parse(_ text: String) throws(WhenError) -> CivilTime {
    do throws(WhenError) {
      var scanner = WhenScanner(text)
      guard !scanner.atEnd else { throw scanner.error(.empty) }
      guard scanner.nextIsDigit || scanner.nextIsNamedTime else {
        throw scanner.error(scanner.nextIsLetter ? .unknownWord : .unexpected)
      }
      let found = try scanner.takeTimeOfDay()
      scanner.skipSpaces()
      guard scanner.atEnd, !found.hasFraction, !found.isEndOfDay else {
        throw scanner.error(found.isEndOfDay ? .noSuchTime : .unexpected)
      }
      return found.time
    } catch {
      throw error.suggesting { expression in
        (try? parse(expression)) == nil ? nil : WhenReading(expression: expression, instant: nil)
      }
    }
  }
}

/// A time of day in an expression.
struct TimeOfDay {
  let time: CivilTime
  /// Whether it is 24:00, the midnight behind its day.
  var isEndOfDay = false
  var hasSeconds = false
  /// Whether a fraction of a second was given.
  var hasFraction = false
  /// Whether nothing says in which half of the day it is: `8`, `8:30`.
  var isOpen = false
  /// Whether it is an hour alone.
  var isBare = false
  /// The part of the day that it was named by.
  var part: DayPart?

  init(_ time: CivilTime, part: DayPart? = nil) {
    self.time = time
    self.part = part
  }

  /// The time on a clock, which may show 24:00 at the end of a day.
  init?(hour: Int, minute: Int, second: Int) {
    isEndOfDay = hour == 24 && minute == 0 && second == 0
    guard let time = CivilTime(hour: isEndOfDay ? 0 : hour, minute: minute, second: second) else {
      return nil
    }
    self.time = time
  }

  /// Returns the time in the half of the day that a part of it leaves: 20:00 for `tonight at 8`.
  func time(in part: DayPart?) -> CivilTime {
    guard let part, isOpen, !part.hours.contains(time.hour), part.hours.contains(time.hour + 12)
    else { return time }
    return CivilTime(secondsSinceMidnight: time.secondsSinceMidnight + 43_200)
  }

  /// Returns the local time on a date; `nil` past the last year.
  func local(on date: CivilDate, in part: DayPart? = nil) -> CivilDateTime? {
    let day = isEndOfDay ? date.adding(days: 1) : date
    return day.map { CivilDateTime(date: $0, time: time(in: part)) }
  }
}

extension WhenScanner {
  /// Whether a time of day by name stands here.
  var nextIsNamedTime: Bool {
    let word = peekWord()
    return word == "noon" || word == "midnight" || DayPart(rawValue: word) != nil
  }

  /// Whether a time of day of digits stands here: a number with a colon, or with `am` or `pm`.
  var nextIsClock: Bool {
    guard nextIsDigit else { return false }
    var ahead = self
    let number = ahead.takeNumber()
    return ahead.next(is: ":") || number.count <= 2 && ahead.takeHalfOfDay() != nil
  }

  /// Whether a time of day may stand here.
  var nextIsTime: Bool {
    if nextIsDigit || nextIsNamedTime { return true }
    var ahead = self
    return ahead.takeHalfBeforeClock() != nil
  }

  /// Takes `am` or `pm` before digits, as `date` prints it in Hong Kong: `PM09:00:00`.
  ///
  /// - Returns: the hours to add.
  private mutating func takeHalfBeforeClock() -> Int? {
    var ahead = self
    guard ahead.nextIsLetter, let half = ahead.takeHalfOfDay(), ahead.nextIsDigit else {
      return nil
    }
    self = ahead
    return half
  }

  /// Takes `HH:MM[:SS]`, `H[:MM[:SS]]am`, `noon`, `midnight` or a part of the day.
  ///
  /// - Parameter isBareTaken: whether an hour alone is a time.
  mutating func takeTimeOfDay(isBareTaken: Bool = false) throws(WhenError) -> TimeOfDay {
    if nextIsNamedTime {
      let word = takeWord()
      if let part = DayPart(rawValue: word) { return TimeOfDay(part.time, part: part) }
      return TimeOfDay(word == "noon" ? .noon : .midnight)
    }
    let start = index
    var half = takeHalfBeforeClock()
    let hour = takeNumber()
    guard hour.count <= 2 else { throw error(.unexpected, at: start) }
    var minute: WhenNumber?
    var second: WhenNumber?
    var hasFraction = false
    if take(":") {
      minute = try takeSixtieth()
      if take(":") {
        second = try takeSixtieth()
        hasFraction = try takeFraction()
      }
    }
    half = half ?? takeHalfOfDay()
    let isBare = minute == nil && half == nil
    if isBare, !isBareTaken { throw bareHour(hour.range) }
    if second?.value == 60 { throw error(.leapSecond, in: start..<index) }
    let found = TimeOfDay(
      hour: WhenScanner.hour(hour.value, half: half), minute: minute?.value ?? 0,
      second: second?.value ?? 0)
    guard var time = found, !(time.isEndOfDay && hasFraction) else {
      throw error(.noSuchTime, in: start..<index)
    }
    time.hasSeconds = second != nil
    time.hasFraction = hasFraction
    time.isBare = isBare
    // As a day of 24 hours has it, an hour before noon begins with a zero.
    let hasZero = text(in: hour.range).utf8.first == UInt8(ascii: "0")
    time.isOpen = half == nil && !hasZero && (1...11).contains(hour.value)
    return time
  }

  /// Returns the error about an hour alone.
  func bareHour(_ range: Range<Int>) -> WhenError {
    error(
      .unexpected, at: range.lowerBound,
      suggestions: [replacing(range, with: "\(text(in: range)):00")])
  }

  /// Takes `HHMM` or `HHMMSS`, as it stands behind the `T` of ISO 8601's basic form.
  mutating func takeBasicTime() throws(WhenError) -> TimeOfDay? {
    var ahead = self
    let number = ahead.takeNumber()
    guard number.count == 4 || number.count == 6, !ahead.next(is: ":") else { return nil }
    let hasSeconds = number.count == 6
    let minutes = hasSeconds ? number.value / 100 : number.value
    let second = hasSeconds ? number.value % 100 : 0
    if second == 60 { throw error(.leapSecond, in: number.range) }
    guard var time = TimeOfDay(hour: minutes / 100, minute: minutes % 100, second: second) else {
      throw error(.noSuchTime, in: number.range)
    }
    self = ahead
    time.hasFraction = hasSeconds ? try takeFraction() : false
    time.hasSeconds = hasSeconds
    if time.isEndOfDay, time.hasFraction { throw error(.noSuchTime, in: number.range) }
    return time
  }

  /// Returns the hour of a day; 99, which no day has, for one that a half of a day has not.
  private static func hour(_ hour: Int, half: Int?) -> Int {
    guard let half else { return hour }
    return (1...12).contains(hour) ? hour % 12 + half : 99
  }

  /// Takes exactly two digits behind a colon.
  private mutating func takeSixtieth() throws(WhenError) -> WhenNumber {
    guard nextIsDigit else { throw error(atEnd ? .incomplete : .unexpected) }
    let number = takeNumber()
    guard number.count == 2 else { throw error(.noSuchTime, in: number.range) }
    return number
  }

  /// Takes a fraction of a second, behind a dot or, as ISO 8601 has it too, a comma.
  ///
  /// - Returns: whether it is more than zero.
  private mutating func takeFraction() throws(WhenError) -> Bool {
    if next(is: ","), !(peek(1)?.isASCIIDigit ?? false) { return false }
    guard take(".") || take(",") else { return false }
    guard nextIsDigit else { throw error(atEnd ? .incomplete : .unexpected) }
    var isZero = true
    while let digit = peek(), digit.isASCIIDigit {
      if digit != UInt8(ascii: "0") { isZero = false }
      index += 1
    }
    return !isZero
  }

  /// Takes `am`, `pm`, `a.m.` or `p.m.`, if one stands here.
  ///
  /// - Returns: the hours to add.
  mutating func takeHalfOfDay() -> Int? {
    var ahead = self
    ahead.skipSpaces()
    let word = ahead.takeWord()
    switch word {
    case "am", "pm": break
    case "a", "p":
      guard ahead.take("."), ahead.take(word: "m"), ahead.take(".") else { return nil }
    default: return nil
    }
    self = ahead
    return word.utf8.first == UInt8(ascii: "a") ? 0 : 12
  }
}
