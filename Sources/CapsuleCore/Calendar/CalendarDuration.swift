/// A span as people say it: calendar units, whose length depends on where they are counted from,
/// and exact ones.
///
/// All counts that are read have the same sign, and none is larger than 10^12.
package struct CalendarDuration: Hashable, Sendable {
  package var years = 0
  package var months = 0
  package var weeks = 0
  package var days = 0
  package var hours = 0
  package var minutes = 0
  package var seconds = 0

  package init(
    years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0, hours: Int = 0,
    minutes: Int = 0, seconds: Int = 0
  ) {
    self.years = years
    self.months = months
    self.weeks = weeks
    self.days = days
    self.hours = hours
    self.minutes = minutes
    self.seconds = seconds
  }

  /// Whether it has no years, months, weeks or days, so that it is as long everywhere.
  package var isExact: Bool {
    years == 0 && months == 0 && weeks == 0 && days == 0
  }

  /// Whether it has no hours, minutes or seconds, so that it may be counted in dates.
  package var isCalendarOnly: Bool {
    hours == 0 && minutes == 0 && seconds == 0
  }

  /// Whether it is no time at all.
  package var isZero: Bool {
    isExact && isCalendarOnly
  }

  /// Multiplies every count, for the nth repetition, which is always counted from the anchor; `nil`
  /// when a count would be too large.
  package func times(_ factor: Int) -> CalendarDuration? {
    var product = CalendarDuration()
    for unit in DurationUnit.allCases {
      let (count, overflow) = self[unit].multipliedReportingOverflow(by: factor)
      guard !overflow, count.magnitude <= CalendarDuration.largestCount else { return nil }
      product[unit] = count
    }
    return product
  }

  /// The span in the other direction.
  package static prefix func - (span: CalendarDuration) -> CalendarDuration {
    CalendarDuration(
      years: -span.years, months: -span.months, weeks: -span.weeks, days: -span.days,
      hours: -span.hours, minutes: -span.minutes, seconds: -span.seconds)
  }

  /// Whether a count of any unit is larger, in either direction.
  package func exceeds(_ count: UInt) -> Bool {
    years.magnitude > count || months.magnitude > count || weeks.magnitude > count
      || days.magnitude > count || hours.magnitude > count || minutes.magnitude > count
      || seconds.magnitude > count
  }

  static let largestCount: UInt = 1_000_000_000_000
}

/// A unit of a duration, largest first.
package enum DurationUnit: Int, CaseIterable, Hashable, Sendable {
  case year, month, week, day, hour, minute, second

  // Made once: a list that the compiler makes is made at each use.
  package static let allCases: [DurationUnit] = (0...6).compactMap { DurationUnit(rawValue: $0) }

  /// The English word: `year`.
  package var name: String {
    switch self {
    case .year: "year"
    case .month: "month"
    case .week: "week"
    case .day: "day"
    case .hour: "hour"
    case .minute: "minute"
    case .second: "second"
    }
  }

  /// Returns a count with its unit: `1 year`, `2 years`.
  package func text(_ count: Int) -> String {
    var bytes: [UInt8] = []
    append(count, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends ``text(_:)``.
  func append(_ count: Int, to bytes: inout [UInt8]) {
    DecimalDigits.append(count, width: 1, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    bytes += name.utf8
    if count != 1 { bytes.append(UInt8(ascii: "s")) }
  }

  /// Reads a lower-case word; a bare `m` is no unit, it could be two.
  package init?(word: String) {
    switch word {
    case "y", "yr", "yrs", "year", "years": self = .year
    case "mo", "mos", "month", "months": self = .month
    case "w", "wk", "wks", "week", "weeks": self = .week
    case "d", "day", "days": self = .day
    case "h", "hr", "hrs", "hour", "hours": self = .hour
    case "min", "mins", "minute", "minutes": self = .minute
    case "s", "sec", "secs", "second", "seconds": self = .second
    default: return nil
    }
  }

  /// Every word that `init(word:)` knows, for suggestions.
  static let words = [
    "y", "yr", "yrs", "year", "years", "mo", "mos", "month", "months", "w", "wk", "wks", "week",
    "weeks", "d", "day", "days", "h", "hr", "hrs", "hour", "hours", "min", "mins", "minute",
    "minutes", "s", "sec", "secs", "second", "seconds",
  ]
}

extension CalendarDuration {
  /// The count of one unit.
  package subscript(unit: DurationUnit) -> Int {
    get {
      switch unit {
      case .year: years
      case .month: months
      case .week: weeks
      case .day: days
      case .hour: hours
      case .minute: minutes
      case .second: seconds
      }
    }
    set {
      switch unit {
      case .year: years = newValue
      case .month: months = newValue
      case .week: weeks = newValue
      case .day: days = newValue
      case .hour: hours = newValue
      case .minute: minutes = newValue
      case .second: seconds = newValue
      }
    }
  }
}
