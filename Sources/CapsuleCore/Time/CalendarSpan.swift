/// The time from one instant or date to a later one, in calendar units counted from the first.
///
/// From 31 January to 1 March is one month (to the end of February) and one day: years and months
/// are clamped once, from the start, as `CalendarDuration` does.
package struct CalendarSpan: Hashable, Sendable {
  package let years: Int
  /// 0 to 11.
  package let months: Int
  /// 0 to 30.
  package let days: Int
  /// The exact rest: less than a day of the zone, which may have 25 hours. 0 between dates.
  package let seconds: Int

  /// The span from `start` to `end` on the wall clock of `zone`; no time when `end` is not later.
  package init(from start: Instant, to end: Instant, in zone: ZoneRules) {
    let (start, end) = (start.clamped, end.clamped)
    guard start < end else {
      self.init(months: 0, days: 0, seconds: 0)
      return
    }
    let ruler = CalendarRuler(start: start, zone: zone)
    let last = zone.civil(at: end).date
    let first = ruler.local.date
    var months = max(0, (last.year - first.year) * 12 + last.month - first.month)
    while months > 0, ruler.instant(months: months, days: 0).map({ $0 > end }) ?? true {
      months -= 1
    }
    let reached = first.adding(months: months) ?? first
    var days = max(0, last.days(since: reached))
    while days > 0, ruler.instant(months: months, days: days).map({ $0 > end }) ?? true {
      days -= 1
    }
    let from = ruler.instant(months: months, days: days) ?? start
    self.init(months: months, days: days, seconds: Int(end.seconds(since: from)))
  }

  /// The span from `start` to `end` in whole days; no time when `end` is not later.
  package init(from start: CivilDate, to end: CivilDate) {
    guard start < end else {
      self.init(months: 0, days: 0, seconds: 0)
      return
    }
    var months = (end.year - start.year) * 12 + end.month - start.month
    while months > 0, start.adding(months: months).map({ $0 > end }) ?? true { months -= 1 }
    let reached = start.adding(months: months) ?? start
    self.init(months: months, days: end.days(since: reached), seconds: 0)
  }

  private init(months: Int, days: Int, seconds: Int) {
    years = months / 12
    self.months = months % 12
    self.days = days
    self.seconds = seconds
  }

  /// The years and months together.
  package var totalMonths: Int { years * 12 + months }
}

/// A ruler that marks months and days off from an instant, on the wall clock of a zone.
struct CalendarRuler {
  let start: Instant
  let zone: ZoneRules
  let local: CivilDateTime

  init(start: Instant, zone: ZoneRules) {
    self.start = start
    self.zone = zone
    local = zone.civil(at: start)
  }

  /// Returns the instant so many months and then days after the start; `nil` past the year 9999.
  func instant(months: Int, days: Int) -> Instant? {
    // The start may be the second of two such local times; it is not moved to the first.
    if months == 0, days == 0 { return start }
    guard let date = local.date.adding(months: months)?.adding(days: days) else { return nil }
    return zone.resolve(CivilDateTime(date: date, time: local.time)).instant
  }
}
