/// The rule by which a thing comes again: every so many days, weeks, months or years.
///
/// Each occurrence is counted from the first, never from the one before, so that 31 January comes
/// back on the 31st wherever a month has one.
package struct Recurrence: Hashable, Sendable {
  /// 1 to ``largestCount``.
  package let count: Int
  /// Day, week, month or year.
  package let unit: DurationUnit

  package static let largestCount = 1000
  /// The units that a thing can be repeated by.
  package static let units: [DurationUnit] = [.day, .week, .month, .year]

  package init?(every count: Int, _ unit: DurationUnit) {
    guard (1...Self.largestCount).contains(count), Self.units.contains(unit) else { return nil }
    self.count = count
    self.unit = unit
  }

  /// Returns the date of an occurrence, 0 being the first; `nil` past the year 9999.
  package func date(
    _ number: Int, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> CivilDate? {
    let (steps, overflow) = number.multipliedReportingOverflow(by: count)
    guard !overflow else { return nil }
    switch unit {
    case .day: return anchor.adding(days: steps)
    case .week:
      guard steps.magnitude < 1_000_000 else { return nil }
      return anchor.adding(days: steps * 7)
    case .month: return anchor.adding(months: steps)
    default: return anchor.anniversary(years: steps, leapDay: leapDay)
    }
  }

  /// Returns the number of the first occurrence on a date or later; `nil` when there is none until
  /// 9999.
  package func number(
    onOrAfter date: CivilDate, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> Int? {
    guard date > anchor else { return 0 }
    let estimate: Int
    switch unit {
    case .day: estimate = date.days(since: anchor) / count
    case .week: estimate = date.days(since: anchor) / (7 * count)
    default:
      let months = (date.year - anchor.year) * 12 + date.month - anchor.month
      estimate = months / (unit == .month ? count : 12 * count)
    }
    var number = max(0, estimate - 1)
    while let candidate = self.date(number, from: anchor, leapDay: leapDay) {
      if candidate >= date { return number }
      number += 1
    }
    return nil
  }
}

extension Recurrence {
  /// The rule for people: `daily`, `weekly`, `monthly`, `yearly`, `every 2 weeks`.
  package var words: String {
    guard count == 1 else { return "every \(unit.text(count))" }
    switch unit {
    case .day: return "daily"
    case .week: return "weekly"
    case .month: return "monthly"
    default: return "yearly"
    }
  }

  /// Reads `daily`, `weekly`, `monthly`, `yearly`, or a span of one unit such as `2 weeks`, with or
  /// without `every` in front; `nil` for anything else.
  package init?(words: String) {
    let text = words.lowercased()
    switch text {
    case "daily": self.init(every: 1, .day)
    case "weekly": self.init(every: 1, .week)
    case "monthly": self.init(every: 1, .month)
    case "yearly", "annually": self.init(every: 1, .year)
    default:
      let text = text.behind("every ") ?? text
      if let unit = DurationUnit(word: text), text.utf8.count > 2 {
        self.init(every: 1, unit)
        return
      }
      guard let duration = try? DurationParser.parse(text) else { return nil }
      let units = DurationUnit.allCases.filter { duration[$0] != 0 }
      guard units.count == 1, let unit = units.first else { return nil }
      self.init(every: duration[unit], unit)
    }
  }

  /// The texts that ``init(words:)`` accepts, for messages.
  package static let accepted =
    "daily, weekly, monthly, yearly, or a number of days, weeks, months or years up to 1000, "
    + "such as '2 weeks'"
}
