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
