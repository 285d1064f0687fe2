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

  /// The years and months together, in months; the nearest that 64 bits can hold.
  private var allMonths: Int { years.multipliedClamped(by: 12).addingClamped(months) }

  /// The weeks and days together, in days; the nearest that 64 bits can hold.
  private var allDays: Int { weeks.multipliedClamped(by: 7).addingClamped(days) }

  /// The hours, minutes and seconds together, in seconds; the nearest that 64 bits can hold.
  package var exactSeconds: Int64 {
    Int64(
      hours.multipliedClamped(by: 3600).addingClamped(minutes.multipliedClamped(by: 60))
        .addingClamped(seconds))
  }

  /// Returns the date this much later (earlier when negative), by the calendar units alone: years and
  /// months first, clamped to the month's end once, then weeks and days. `nil` outside the years 1 to
  /// 9999.
  package func added(to date: CivilDate) -> CivilDate? {
    date.adding(months: allMonths)?.adding(days: allDays)
  }

  /// Returns the instant this much later (earlier when negative): the calendar units on the wall
  /// clock of `zone`, then the exact ones. `nil` outside the years 1 to 9999.
  package func added(to anchor: Instant, in zone: ZoneRules) -> ResolvedTime? {
    let exact = exactSeconds
    if isExact {
      let instant = anchor.adding(seconds: exact)
      return instant.isRepresentable ? ResolvedTime(instant: instant, fit: .unique) : nil
    }
    let start = zone.civil(at: anchor)
    guard let date = added(to: start.date) else { return nil }
    let wall = zone.resolve(CivilDateTime(date: date, time: start.time))
    let instant = wall.instant.adding(seconds: exact)
    return instant.isRepresentable ? ResolvedTime(instant: instant, fit: wall.fit) : nil
  }

  /// The duration in ISO 8601, for records: `P1Y6M2DT3H`; `PT0S` for none, a `-` in front of a
  /// negative one.
  package var iso8601: String {
    var text = DurationUnit.allCases.contains { self[$0] < 0 } ? "-P" : "P"
    var timeStarted = false
    for unit in DurationUnit.allCases where self[unit] != 0 {
      if unit.rawValue >= DurationUnit.hour.rawValue, !timeStarted {
        text += "T"
        timeStarted = true
      }
      text += "\(self[unit].magnitude)\(String(unit.name.prefix(1)).uppercased())"
    }
    return isZero ? "PT0S" : text
  }

  /// The same duration with its weeks as days, which are as long everywhere on the calendar.
  var inDays: CalendarDuration {
    var copy = self
    copy.weeks = 0
    copy.days = days.addingClamped(weeks.multipliedClamped(by: 7))
    return copy
  }

  /// The duration for people: `1 year 6 months`; `0 seconds` for none.
  package var words: String {
    var words = ""
    for unit in DurationUnit.allCases where self[unit] != 0 {
      if !words.isEmpty { words += " " }
      words += unit.text(self[unit])
    }
    return words.isEmpty ? "0 seconds" : words
  }
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

/// The time between now and a target, in calendar units counted from the target: back from one to
/// come, on from one that is past.
///
/// A target does not move while now does, so a span that counts down never goes up. To 31 March from
/// 1 March are one month (back to the end of February, clamped once, as `CalendarDuration` does) less
/// what is left: 30 days.
package struct CalendarSpan: Hashable, Sendable {
  package let years: Int
  /// 0 to 11.
  package let months: Int
  /// 0 to 30.
  package let days: Int
  /// The exact rest: less than a day of the zone, which may have 25 hours. 0 between dates.
  package let seconds: Int

  /// The span between `now` and `target`, whichever is earlier, on the wall clock of `zone`.
  package init(from now: Instant, to target: Instant, in zone: ZoneRules) {
    let ruler = CalendarRuler(target: target.clamped, now: now.clamped, zone: zone)
    self.init(to: ruler.lastMark, of: ruler)
  }

  /// The span between now and the target of a ruler, of which `mark` is the last.
  package init(to mark: CalendarRuler.Mark, of ruler: CalendarRuler) {
    let rest = mark.instant.seconds(since: ruler.now)
    self.init(
      months: mark.months, days: mark.days,
      seconds: Int(max(0, ruler.direction > 0 ? -rest : rest)))
  }

  /// The span between `today` and `target`, whichever is earlier, in whole days.
  package init(from today: CivilDate, to target: CivilDate) {
    let direction = target < today ? 1 : -1
    var months = max(
      0, ((today.year - target.year) * 12 + today.month - target.month) * direction)
    func left(_ months: Int) -> Int? {
      target.adding(months: months * direction).map { today.days(since: $0) * direction }
    }
    while months > 0, (left(months) ?? -1) < 0 { months -= 1 }
    self.init(months: months, days: max(0, left(months) ?? 0), seconds: 0)
  }

  init(months: Int, days: Int, seconds: Int) {
    years = months / 12
    self.months = months % 12
    self.days = days
    self.seconds = seconds
  }

  /// The years and months together.
  package var totalMonths: Int { years * 12 + months }
}

/// A ruler that marks months and days off from a target towards now, on the wall clock of a zone.
package struct CalendarRuler {
  package let target: Instant
  let now: Instant
  let zone: ZoneRules
  let local: CivilDateTime
  /// 1 from a target that is past, -1 from one to come.
  package let direction: Int

  package init(target: Instant, now: Instant, zone: ZoneRules) {
    self.target = target
    self.now = now
    self.zone = zone
    local = zone.civil(at: target)
    direction = target < now ? 1 : -1
  }

  /// Returns the instant so many months and then days from the target; `nil` outside the years 1 to
  /// 9999.
  package func mark(months: Int, days: Int) -> Instant? {
    // The target may be the second of two such local times; it is not moved to the first.
    if months == 0, days == 0 { return target }
    guard
      let date = local.date.adding(months: months * direction)?.adding(days: days * direction)
    else { return nil }
    return zone.resolve(CivilDateTime(date: date, time: local.time)).instant
  }

  /// A mark so many months and then days from the target.
  package struct Mark {
    let months: Int
    let days: Int
    let instant: Instant
  }

  /// The last mark between the target and now, or at now: as many months as there are, and then as many
  /// days.
  package var lastMark: Mark {
    let here = zone.civil(at: now).date
    let there = local.date
    var instant = target
    func isReached(months: Int, days: Int) -> Bool {
      guard let mark = mark(months: months, days: days),
        direction > 0 ? mark <= now : mark >= now
      else { return false }
      instant = mark
      return true
    }
    var months = max(0, ((here.year - there.year) * 12 + here.month - there.month) * direction)
    while months > 0, !isReached(months: months, days: 0) { months -= 1 }
    let reached = there.adding(months: months * direction) ?? there
    var days = max(0, here.days(since: reached) * direction)
    while days > 0, !isReached(months: months, days: days) { days -= 1 }
    return Mark(months: months, days: days, instant: instant)
  }
}
