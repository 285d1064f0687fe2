/// A rule by which a thing comes again, as calendars write it: one `RRULE` of RFC 5545 §3.3.10, with
/// `SKIP` of RFC 7529.
///
/// Each list of numbers has each number once, those from the start in order and then those from the end;
/// an empty list stands for a part that the rule does not have.
package struct RecurrenceRule: Hashable, Sendable {
  /// The period that the rule is about, the shortest first.
  package enum Frequency: Int, CaseIterable, Comparable, Sendable {
    case secondly, minutely, hourly, daily, weekly, monthly, yearly

    package static func < (left: Frequency, right: Frequency) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// The last time at which the rule applies, inclusive.
  package enum Until: Hashable, Sendable {
    /// All of a day, on the clocks of the series.
    case date(CivilDate)
    case local(CivilDateTime)
    case utc(Instant)
  }

  /// What happens to a day that a month or year does not have (RFC 7529 §4.1).
  package enum Skip: Hashable, Sendable {
    /// It is left out.
    case omit
    /// It is the last day of the month or year.
    case backward
  }

  /// A day of the week, or one of those of a month or year.
  package struct WeekdayNumber: Hashable, Sendable {
    /// 1 for the first, -1 for the last; 0 for each one.
    package let number: Int
    package let weekday: Weekday

    package init(_ weekday: Weekday, number: Int = 0) {
      (self.number, self.weekday) = (number, weekday)
    }
  }

  package var frequency: Frequency
  /// Every so many periods: 1 or more.
  package var interval = 1
  /// The number of occurrences, 1 or more.
  package var count: Int?
  package var until: Until?
  /// 1 to 12.
  package var months: [Int] = []
  /// 1 to 53, and -1 to -53 from the end of the year.
  package var weeks: [Int] = []
  /// 1 to 366, and -1 to -366 from the end of the year.
  package var yearDays: [Int] = []
  /// 1 to 31, and -1 to -31 from the end of the month.
  package var monthDays: [Int] = []
  package var weekdays: [WeekdayNumber] = []
  package var hours: [Int] = []
  package var minutes: [Int] = []
  /// 0 to 59.
  package var seconds: [Int] = []
  /// Which occurrences of each period are kept: 1 to 366, and -1 to -366 from the period's end.
  package var positions: [Int] = []
  /// The day that weeks begin on.
  package var weekStart = Weekday.monday
  package var skip = Skip.omit

  package init(_ frequency: Frequency, every interval: Int = 1) {
    (self.frequency, self.interval) = (frequency, max(interval, 1))
  }

  /// The most occurrences that a day may have: one every quarter of an hour.
  package static let largestPerDay = 96

  /// The rule without its end.
  package var withoutEnd: RecurrenceRule {
    var rule = self
    (rule.count, rule.until) = (nil, nil)
    return rule
  }

  /// Whether occurrences are counted on clocks, in steps of hours, minutes or seconds.
  var isStepped: Bool { frequency < .daily }

  /// The seconds of a step on clocks; a day's where the rule counts days.
  var unit: Int {
    switch frequency {
    case .secondly: 1
    case .minutely: 60
    case .hourly: 3600
    default: 86_400
    }
  }

  /// The most occurrences that a day can have, wherever the rule begins and however soon it ends.
  package var occurrencesPerDay: Int {
    let bySecond = max(1, seconds.count)
    let byMinute = max(1, minutes.count) * bySecond
    return switch frequency {
    case .secondly: stepsPerDay
    case .minutely: stepsPerDay * kept(of: bySecond)
    case .hourly: stepsPerDay * kept(of: byMinute)
    default: kept(of: max(1, hours.count) * byMinute)
    }
  }

  /// The most steps on clocks that a day can have.
  private var stepsPerDay: Int {
    if let most = stepCounts.max() { return Int(most) }
    return (86_400 / unit + interval - 1) / interval
  }

  private func kept(of count: Int) -> Int {
    positions.isEmpty ? count : min(count, positions.count)
  }

  /// The number of a day's steps that the rule allows, by their remainder by the interval; empty where the
  /// interval leaves but a few steps a day.
  var stepCounts: [Int32] {
    guard interval < min(86_400 / unit, 1440) else { return [] }
    var counts = [Int32](repeating: 0, count: interval)
    for step in AllowedSteps(self).steps(atMost: .max) ?? [] { counts[Int(step) % interval] += 1 }
    return counts
  }
}

/// The steps of a day that a rule of hours, minutes or seconds allows.
struct AllowedSteps: Sendable {
  private let hours: UInt64
  private let minutes: UInt64
  private let seconds: UInt64
  private let unit: Int

  init(_ rule: RecurrenceRule) {
    unit = rule.unit
    hours = Self.bits(rule.hours, of: 24)
    minutes = Self.bits(rule.minutes, of: rule.frequency < .hourly ? 60 : 1)
    seconds = Self.bits(rule.seconds, of: rule.frequency < .minutely ? 60 : 1)
  }

  /// Numbers below a bound as bits, all where there are none; of a bound of 1 only 0, since the step has all.
  private static func bits(_ numbers: [Int], of bound: Int) -> UInt64 {
    guard bound > 1, !numbers.isEmpty else { return 1 << UInt64(bound) - 1 }
    return numbers.reduce(0) { $0 | 1 << UInt64($1) }
  }

  func contains(_ step: Int) -> Bool {
    let second = step * unit
    return hours >> UInt64(second / 3600) & minutes >> UInt64(second / 60 % 60)
      & seconds >> UInt64(second % 60) & 1 == 1
  }

  /// Returns all steps in order; `nil` where there are more than a limit.
  func steps(atMost limit: Int) -> [Int32]? {
    guard hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount <= limit else {
      return nil
    }
    var steps: [Int32] = []
    for hour in 0..<24 where hours >> UInt64(hour) & 1 == 1 {
      for minute in 0..<60 where minutes >> UInt64(minute) & 1 == 1 {
        for second in 0..<60 where seconds >> UInt64(second) & 1 == 1 {
          steps.append(Int32((hour * 3600 + minute * 60 + second) / unit))
        }
      }
    }
    return steps
  }
}

extension RecurrenceRule: CustomStringConvertible {
  /// The rule as RFC 5545 has it, each part at most once and in one order: two rules are equal if their
  /// texts are.
  package var description: String {
    // RFC 7529 §4.1: a rule that skips names its calendar.
    var parts = skip == .omit ? [] : ["RSCALE=GREGORIAN"]
    parts.append("FREQ=\(frequency.name)")
    if interval > 1 { parts.append("INTERVAL=\(interval)") }
    if let count { parts.append("COUNT=\(count)") }
    if let until { parts.append("UNTIL=\(until)") }
    for (name, numbers) in [
      ("BYMONTH", months), ("BYWEEKNO", weeks), ("BYYEARDAY", yearDays), ("BYMONTHDAY", monthDays),
    ] where !numbers.isEmpty {
      parts.append("\(name)=\(Self.list(numbers))")
    }
    if !weekdays.isEmpty {
      parts.append("BYDAY=" + weekdays.map(\.description).joined(separator: ","))
    }
    for (name, numbers) in [
      ("BYHOUR", hours), ("BYMINUTE", minutes), ("BYSECOND", seconds), ("BYSETPOS", positions),
    ] where !numbers.isEmpty {
      parts.append("\(name)=\(Self.list(numbers))")
    }
    if weekStart != .monday { parts.append("WKST=\(weekStart.ruleName)") }
    if skip == .backward { parts.append("SKIP=BACKWARD") }
    return parts.joined(separator: ";")
  }

  private static func list(_ numbers: [Int]) -> String {
    numbers.map { String($0) }.joined(separator: ",")
  }
}

extension RecurrenceRule.Frequency {
  /// The value of `FREQ`.
  package var name: String {
    switch self {
    case .secondly: "SECONDLY"
    case .minutely: "MINUTELY"
    case .hourly: "HOURLY"
    case .daily: "DAILY"
    case .weekly: "WEEKLY"
    case .monthly: "MONTHLY"
    case .yearly: "YEARLY"
    }
  }
}

extension RecurrenceRule.WeekdayNumber: CustomStringConvertible {
  /// The day as `BYDAY` has it: `MO`, `-1FR`.
  package var description: String {
    number == 0 ? weekday.ruleName : "\(number)\(weekday.ruleName)"
  }
}

extension RecurrenceRule.Until: CustomStringConvertible {
  /// The time as `UNTIL` has it: `20261224`, `20261224T090000`, `20261224T080000Z`.
  package var description: String {
    switch self {
    case .date(let date): Self.text(CivilDateTime(date: date, time: .midnight), count: 8)
    case .local(let local): Self.text(local, count: 15)
    case .utc(let instant): Self.text(CivilDateTime(secondsAsUTC: instant.seconds), count: 15) + "Z"
    }
  }

  private static func text(_ local: CivilDateTime, count: Int) -> String {
    let bytes = local.description.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}

extension Weekday {
  /// The two letters of a rule: `MO`.
  package var ruleName: String {
    switch self {
    case .monday: "MO"
    case .tuesday: "TU"
    case .wednesday: "WE"
    case .thursday: "TH"
    case .friday: "FR"
    case .saturday: "SA"
    case .sunday: "SU"
    }
  }
}
