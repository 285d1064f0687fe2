/// The reason why a text is not a rule by which a series can be repeated.
package enum RecurrenceRuleError: Error, Hashable, Sendable {
  /// A part is not `NAME=VALUE`.
  case malformed(String)
  case unknownPart(String)
  case repeatedPart(String)
  case missingFrequency
  case invalidValue(part: String, value: String)
  /// The years of another calendar than the Gregorian (RFC 7529).
  case unsupportedCalendar(String)
  case unsupportedSkip(String)
  case notAllowed(part: String, in: RecurrenceRule.Frequency)
  /// `1MO` where days of the week have no numbers.
  case numberedWeekday(String, in: RecurrenceRule.Frequency)
  /// `1MO` beside numbers of weeks.
  case numberedWeekdayOfWeek(String)
  /// `BYSETPOS` without another part that it selects from.
  case positionsAlone
  /// More occurrences a day than a series may have.
  case tooFrequent(perDay: Int)
}

extension RecurrenceRuleError: CustomStringConvertible {
  /// What is wrong, behind the text that was read.
  package var message: Fault.Message {
    switch self {
    case .malformed(let part): "invalid part '\(part.shortened)' of the rule"
    case .unknownPart(let name): "unknown part '\(name.shortened)' of the rule"
    case .repeatedPart(let name): "the rule repeats its part \(name)"
    case .missingFrequency: "the rule has no FREQ"
    case .invalidValue(let part, let value): "invalid \(part) '\(value.shortened)'"
    case .unsupportedCalendar(let name): "unsupported calendar '\(name.shortened)'"
    case .unsupportedSkip(let name): "unsupported SKIP '\(name.shortened)'"
    case .notAllowed(let part, let frequency): "a \(frequency.name) rule cannot have \(part)"
    case .numberedWeekday(let day, let frequency):
      "a \(frequency.name) rule cannot have the numbered day '\(day)'"
    case .numberedWeekdayOfWeek(let day):
      "a rule with BYWEEKNO cannot have the numbered day '\(day)'"
    case .positionsAlone: "BYSETPOS needs another BY part"
    case .tooFrequent(let count):
      "the rule occurs up to \(count) times a day, more than \(RecurrenceRule.largestPerDay)"
    }
  }

  package var description: String { "\(message)" }
}

extension RecurrenceRule {
  /// Reads the value of an `RRULE`.
  ///
  /// A separator at the end, an empty part, `X-` parts and `RSCALE=GREGORIAN` are passed over, and capitals
  /// do not matter. A second 60 is read as 59 (RFC 5545 §3.3.12).
  ///
  /// - Throws: the first fault of the rule.
  package init(_ text: String) throws(RecurrenceRuleError) {
    let values = try Self.values(of: text)
    guard let name = values["FREQ"] else { throw .missingFrequency }
    guard let frequency = Frequency.allCases.first(where: { $0.name == name }) else {
      throw .invalidValue(part: "FREQ", value: name)
    }
    self.init(frequency)
    if let text = values["RSCALE"], text != "GREGORIAN" { throw .unsupportedCalendar(text) }
    interval = try Self.number("INTERVAL", of: values) ?? 1
    count = try Self.number("COUNT", of: values)
    if let text = values["UNTIL"] {
      guard let until = Until(text) else { throw .invalidValue(part: "UNTIL", value: text) }
      self.until = until
    }
    months = try Self.numbers("BYMONTH", 1...12, of: values)
    weeks = try Self.numbers("BYWEEKNO", 1...53, isSigned: true, of: values)
    yearDays = try Self.numbers("BYYEARDAY", 1...366, isSigned: true, of: values)
    monthDays = try Self.numbers("BYMONTHDAY", 1...31, isSigned: true, of: values)
    weekdays = try Self.weekdays(of: values)
    hours = try Self.numbers("BYHOUR", 0...23, of: values)
    minutes = try Self.numbers("BYMINUTE", 0...59, of: values)
    seconds = try Self.numbers("BYSECOND", 0...60, of: values)
    if seconds.last == 60 { seconds = Self.ordered(seconds.map { min($0, 59) }) }
    positions = try Self.numbers("BYSETPOS", 1...366, isSigned: true, of: values)
    if let text = values["WKST"] {
      guard let day = Weekday(ruleName: text) else {
        throw .invalidValue(part: "WKST", value: text)
      }
      weekStart = day
    }
    switch values["SKIP"] {
    case nil, "OMIT": break
    case "BACKWARD": skip = .backward
    case let text?: throw .unsupportedSkip(text)
    }
    try check()
  }

  /// The names of all parts.
  private static let names: Set<String> = [
    "FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYWEEKNO", "BYYEARDAY", "BYMONTHDAY", "BYDAY",
    "BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS", "WKST", "RSCALE", "SKIP",
  ]

  private static func values(of text: String) throws(RecurrenceRuleError) -> [String: String] {
    var values: [String: String] = [:]
    for part in text.uppercased().parts(at: ";") {
      let part = part.trimmed
      if part.isEmpty { continue }
      let sides = part.parts(at: "=")
      let name = sides[0].trimmed
      if name.behind("X-") != nil { continue }
      guard sides.count == 2, !name.isEmpty else { throw .malformed(part) }
      guard names.contains(name) else { throw .unknownPart(name) }
      guard values.updateValue(sides[1].trimmed, forKey: name) == nil else {
        throw .repeatedPart(name)
      }
    }
    return values
  }

  /// Reads digits; `nil` for more of them than any number needs.
  private static func digits(_ text: Substring.UTF8View) -> Int? {
    guard (1...9).contains(text.count) else { return nil }
    var value = 0
    for byte in text {
      guard byte.isASCIIDigit else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  private static func number(
    _ name: String, of values: [String: String]
  ) throws(RecurrenceRuleError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = digits(Substring(text).utf8), number > 0 else {
      throw .invalidValue(part: name, value: text)
    }
    return number
  }

  /// Returns the texts between commas, without an empty one at the end.
  private static func items(
    _ name: String, of values: [String: String]
  ) throws(RecurrenceRuleError) -> [String] {
    guard let text = values[name] else { return [] }
    var items = text.parts(at: ",").map(\.trimmed)
    while items.last == "" { items.removeLast() }
    guard !items.isEmpty else { throw .invalidValue(part: name, value: text) }
    return items
  }

  private static func numbers(
    _ name: String, _ range: ClosedRange<Int>, isSigned: Bool = false, of values: [String: String]
  ) throws(RecurrenceRuleError) -> [Int] {
    var numbers: [Int] = []
    for item in try items(name, of: values) {
      guard let (number, hasSign, rest) = signed(item), rest.isEmpty,
        range.contains(number.magnitudeAsInt), isSigned || !hasSign
      else { throw .invalidValue(part: name, value: item) }
      numbers.append(number)
    }
    return ordered(numbers)
  }

  /// Returns numbers once each: those from the start, and then those from the end.
  private static func ordered(_ numbers: [Int]) -> [Int] {
    Set(numbers).sorted { one, other in
      (one < 0) != (other < 0) ? other < 0 : one.magnitude < other.magnitude
    }
  }

  /// Reads a number with a sign or none at the beginning of a text.
  private static func signed(
    _ text: String
  ) -> (number: Int, hasSign: Bool, rest: Substring.UTF8View)? {
    var rest = Substring(text).utf8
    let sign = rest.first
    let hasSign = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
    if hasSign { rest = rest.dropFirst() }
    let figures = rest.prefix { $0.isASCIIDigit }
    guard let number = digits(figures) else { return nil }
    return (sign == UInt8(ascii: "-") ? -number : number, hasSign, rest.dropFirst(figures.count))
  }

  private static func weekdays(
    of values: [String: String]
  ) throws(RecurrenceRuleError) -> [WeekdayNumber] {
    var found: Set<WeekdayNumber> = []
    for item in try items("BYDAY", of: values) {
      if let day = Weekday(ruleName: item) {
        found.insert(WeekdayNumber(day))
        continue
      }
      guard let (number, _, rest) = signed(item), (1...53).contains(number.magnitudeAsInt),
        let day = Weekday(ruleName: String(Substring(rest)))
      else { throw .invalidValue(part: "BYDAY", value: item) }
      found.insert(WeekdayNumber(day, number: number))
    }
    return found.sorted { one, other in
      if (one.number < 0) != (other.number < 0) { return other.number < 0 }
      return (one.number.magnitude, one.weekday.rawValue)
        < (other.number.magnitude, other.weekday.rawValue)
    }
  }

  /// Checks what RFC 5545 §3.3.10 says of parts beside each other, and how often the rule occurs.
  private func check() throws(RecurrenceRuleError) {
    if !weeks.isEmpty, frequency != .yearly { throw .notAllowed(part: "BYWEEKNO", in: frequency) }
    if !yearDays.isEmpty, frequency.isBetweenDayAndMonth {
      throw .notAllowed(part: "BYYEARDAY", in: frequency)
    }
    if !monthDays.isEmpty, frequency == .weekly {
      throw .notAllowed(part: "BYMONTHDAY", in: frequency)
    }
    if let day = weekdays.first(where: { $0.number != 0 }) {
      if frequency < .monthly { throw .numberedWeekday(day.description, in: frequency) }
      if !weeks.isEmpty { throw .numberedWeekdayOfWeek(day.description) }
    }
    let others = [months, weeks, yearDays, monthDays, hours, minutes, seconds]
    if !positions.isEmpty, weekdays.isEmpty, others.allSatisfy(\.isEmpty) { throw .positionsAlone }
    let perDay = occurrencesPerDay
    if perDay > Self.largestPerDay { throw .tooFrequent(perDay: perDay) }
  }
}

extension RecurrenceRule.Frequency {
  /// Whether a year's days have no numbers here.
  fileprivate var isBetweenDayAndMonth: Bool { self >= .daily && self < .yearly }
}

extension Int {
  /// The number without its sign.
  fileprivate var magnitudeAsInt: Int { Int(clamping: magnitude) }
}

extension RecurrenceRule.Until {
  /// Reads the value of an `UNTIL`; `nil` for what is no date or time.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard [8, 15, 16].contains(bytes.count) else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      bytes.withUnsafeBytes { DecimalDigits.value(of: $0, in: range) }
    }
    guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    guard bytes.count > 8 else {
      self = .date(date)
      return
    }
    guard bytes[8] == UInt8(ascii: "T"), let hour = number(9..<11), let minute = number(11..<13),
      let second = number(13..<15), second <= 60,
      let time = CivilTime(hour: hour, minute: minute, second: min(second, 59))
    else { return nil }
    let local = CivilDateTime(date: date, time: time)
    guard bytes.count == 16 else {
      self = .local(local)
      return
    }
    guard bytes[15] == UInt8(ascii: "Z") else { return nil }
    self = .utc(Instant(seconds: local.secondsAsUTC))
  }
}

extension Weekday {
  /// Reads the two letters of a rule.
  fileprivate init?(ruleName: String) {
    guard let day = Weekday.allCases.first(where: { $0.ruleName == ruleName }) else { return nil }
    self = day
  }
}
