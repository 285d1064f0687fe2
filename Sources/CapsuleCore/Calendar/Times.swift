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
      guard scanner.atEnd, !found.hasFraction else { throw scanner.error(.unexpected) }
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
  /// Whether a fraction of a second was given.
  var hasFraction = false
  /// The part of the day that it was named by.
  var part: DayPart?
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
    _ = ahead.takeNumber()
    return ahead.next(is: ":") || ahead.takeHalfOfDay() != nil
  }

  /// Takes `HH:MM[:SS]`, `H[:MM]am`, `noon`, `midnight` or a part of the day.
  mutating func takeTimeOfDay() throws(WhenError) -> TimeOfDay {
    if nextIsNamedTime {
      let word = takeWord()
      if let part = DayPart(rawValue: word) { return TimeOfDay(time: part.time, part: part) }
      return TimeOfDay(time: word == "noon" ? .noon : .midnight)
    }
    let start = index
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
    let half = second == nil ? takeHalfOfDay() : nil
    guard minute != nil || half != nil else {
      let digits = text(in: hour.range)
      throw error(
        .unexpected, at: start, suggestions: [replacing(hour.range, with: "\(digits):00")])
    }
    if second?.value == 60 { throw error(.leapSecond, in: start..<index) }
    let time = CivilTime(
      hour: WhenScanner.hour(hour.value, half: half), minute: minute?.value ?? 0,
      second: second?.value ?? 0)
    guard let time else { throw error(.noSuchTime, in: start..<index) }
    return TimeOfDay(time: time, hasFraction: hasFraction)
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
    guard let time = CivilTime(hour: minutes / 100, minute: minutes % 100, second: second) else {
      throw error(.noSuchTime, in: number.range)
    }
    self = ahead
    return TimeOfDay(time: time, hasFraction: hasSeconds ? try takeFraction() : false)
  }

  /// Returns the hour of a day; 24, which no day has, for one that a half of a day has not.
  static func hour(_ hour: Int, half: Int?) -> Int {
    guard let half else { return hour }
    return (1...12).contains(hour) ? hour % 12 + half : 24
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

extension WhenReader {
  /// The offset between a time and a zone in brackets.
  private enum Given {
    case nothing
    /// `Z` or `-00:00`, which say nothing about local time (RFC 9557 §2.2).
    case utc
    case offset(Int)
  }

  /// Takes the zone that may follow a day, a time of day or both.
  mutating func zoneTail(_ named: Phrase) throws(WhenError) -> Meaning {
    var phrase = named
    let before = scanner
    let hasTime = phrase.time != nil
    if nextIsShift() { return .phrase(phrase) }
    let spaces = scanner.skipSpaces()
    let start = scanner.index
    guard let first = scanner.peek() else { return .phrase(phrase) }
    var given = Given.nothing
    switch first {
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard hasTime || spaces else { throw scanner.error(.unexpected) }
      let seconds = try offsetSeconds()
      given = seconds == 0 && first == UInt8(ascii: "-") ? .utc : .offset(seconds)
      phrase.zone = seconds == 0 ? .utc : ZoneRules(offset: seconds)
    case UInt8(ascii: "["):
      guard hasTime, !spaces else { throw scanner.error(.unexpected) }
    case let byte where byte.isASCIILetter && (spaces || hasTime):
      if nextIsDay {
        // The day of a time that stands first; behind a day there is no second one.
        guard phrase.day == nil else { throw scanner.error(.unexpected) }
        scanner = before
        return .phrase(phrase)
      }
      let token = scanner.takeToken()
      phrase.zone = try namedZone(token, start: start)
      guard token == "Z" || token == "z" else { return .phrase(phrase) }
      given = .utc
    default:
      if phrase.day == nil {
        scanner = before
        return .phrase(phrase)
      }
      throw scanner.error(.unexpected)
    }
    guard scanner.next(is: "["), hasTime else { return .phrase(phrase) }
    let bracket = scanner.index
    guard let zone = try brackets() else { return .phrase(phrase) }
    return try inBrackets(phrase, zone: zone, given: given, start: start, bracket: bracket)
  }

  /// Returns the meaning of a local time with a zone in brackets, and perhaps an offset before it
  /// (RFC 9557 §3).
  private func inBrackets(
    _ phrase: Phrase, zone: ZoneRules, given: Given, start: Int, bracket: Int
  ) throws(WhenError) -> Meaning {
    if case .nothing = given {
      var zoned = phrase
      zoned.zone = zone
      return .phrase(zoned)
    }
    let when = try finish(.phrase(phrase), start: start)
    let actual = zone.offset(at: when.instant).seconds
    if case .offset(let seconds) = given, seconds != actual {
      let range = start..<scanner.index
      throw scanner.error(
        .offsetMismatch(actual: actual), in: range,
        suggestions: [start..<bracket, bracket..<scanner.index].map {
          scanner.replacing(range, with: scanner.text(in: $0))
        })
    }
    return .point(Point(instant: when.instant, zone: zone, assumptions: when.assumptions))
  }

  /// Takes the suffixes in brackets: a zone, and tags, of which only the usual calendar is
  /// understood.
  private mutating func brackets() throws(WhenError) -> ZoneRules? {
    var zone: ZoneRules?
    while scanner.take("[") {
      _ = scanner.take("!")
      let start = scanner.index
      if scanner.next(is: "+") || scanner.next(is: "-") {
        guard zone == nil else { throw scanner.error(.unexpected) }
        zone = ZoneRules(offset: try offsetSeconds())
      } else {
        let token = scanner.takeToken()
        if token.utf8.contains(UInt8(ascii: "=")) {
          guard ["u-ca=gregory", "u-ca=iso8601"].contains(token.lowercased()) else {
            throw scanner.error(.unexpected, in: start..<scanner.index)
          }
        } else {
          guard zone == nil else { throw scanner.error(.unexpected, in: start..<scanner.index) }
          zone = try namedZone(token, start: start)
        }
      }
      guard scanner.take("]") else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
    }
    return zone
  }

  /// Takes `±HH`, `±HHMM` or `±HH:MM`, in seconds east of UTC.
  mutating func offsetSeconds() throws(WhenError) -> Int {
    let start = scanner.index
    let sign = scanner.next(is: "-") ? -1 : 1
    scanner.index += 1
    let number = scanner.takeNumber()
    let hours = number.count == 4 ? number.value / 100 : number.value
    var minutes = number.count == 4 ? number.value % 100 : 0
    if number.count == 2, scanner.take(":") {
      let rest = scanner.takeNumber()
      guard rest.count == 2 else { throw scanner.error(.badOffset, at: start) }
      minutes = rest.value
    }
    let isWhole = number.count == 2 || number.count == 4
    guard isWhole, hours < 24, minutes < 60, !scanner.next(is: ":") else {
      var suggestions: [String] = []
      if number.count == 1 || number.count == 3 {
        // Only so few digits can be multiplied.
        let (hours, minutes) =
          number.count == 3
          ? (number.value / 100, number.value % 100)
          : (number.value, 0)
        let text = ZoneRules.offsetText(sign * (hours * 3600 + minutes * 60))
        suggestions = [scanner.replacing(start..<scanner.index, with: text)]
      }
      throw scanner.error(.badOffset, at: start, suggestions: suggestions)
    }
    return sign * (hours * 3600 + minutes * 60)
  }

  func namedZone(_ token: String, start: Int) throws(WhenError) -> ZoneRules {
    let range = start..<(start + token.utf8.count)
    let upper = String(decoding: token.utf8.map(\.asciiUppercased), as: UTF8.self)
    if upper == "Z" || upper == "UTC" { return .utc }
    do {
      return try parser.zones.rules(typed: token)
    } catch {
      throw zoneError(error, token: token, range: range)
    }
  }

  /// Returns what `friday week` is where such a day is not called that: a week from friday.
  private func weekLater(_ token: String, _ range: Range<Int>) -> [String] {
    let before = scanner.text(in: 0..<range.lowerBound)
    guard token.lowercased() == "week", !before.isEmpty else { return [] }
    return ["1 week from " + scanner.replacing(0..<range.upperBound, with: before.trimmed)]
  }

  private func zoneError(_ error: ZoneError, token: String, range: Range<Int>) -> WhenError {
    switch error {
    case .damaged(let reason):
      return scanner.error(.damagedZone(reason), in: range)
    case .abbreviation(_, let readings):
      return scanner.ambiguous(range, readings)
    case .unknown(_, let similar):
      let later = weekLater(token, range)
      let isZone =
        token.utf8.contains(UInt8(ascii: "/")) || !similar.isEmpty || token == token.uppercased()
      return scanner.error(
        isZone && later.isEmpty ? .unknownZone : .unexpected, in: range,
        suggestions: later + similar.map { scanner.replacing(range, with: $0) }
          + scanner.replacing(range, nearest: ["ago", "from now", "noon", "midnight"]))
    case .badName:
      return scanner.error(.unexpected, in: range)
    }
  }
}
