extension CivilDate {
  /// Returns the days from `earlier` to this date; negative when `earlier` is later.
  package func days(since earlier: CivilDate) -> Int {
    daysSinceEpoch - earlier.daysSinceEpoch
  }

  /// Returns the date `count` days later; `nil` outside the years 1 to 9999.
  package func adding(days count: Int) -> CivilDate? {
    guard count.magnitude <= 4_000_000 else { return nil }
    let date = CivilDate(daysSinceEpoch: daysSinceEpoch + count)
    return date.isRepresentable ? date : nil
  }

  /// Returns the date `count` months later, on the same day or the month's last; `nil` outside the
  /// years 1 to 9999.
  package func adding(months count: Int) -> CivilDate? {
    guard count.magnitude <= 200_000 else { return nil }
    let months = year * 12 + month - 1 + count
    let (newYear, newMonth) = (months / 12, months % 12 + 1)
    guard months > 0, CivilDate.years.contains(newYear) else { return nil }
    return CivilDate(
      year: newYear, month: newMonth,
      day: min(day, CivilDate.days(inMonth: newMonth, of: newYear)))
  }

  /// Returns the same day `count` years later, where 29 February falls in common years as `rule`
  /// says; `nil` outside the years 1 to 9999.
  package func anniversary(years count: Int, leapDay rule: LeapDayRule) -> CivilDate? {
    guard count.magnitude <= 10_000, let date = adding(months: count * 12) else { return nil }
    guard rule == .march1, month == 2, day == 29, date.day == 28 else { return date }
    return CivilDate(year: date.year, month: 3, day: 1)
  }
}

/// The day on which a yearly 29 February falls in a year that has none.
package enum LeapDayRule: String, CaseIterable, Hashable, Sendable {
  case february28 = "february-28"
  case march1 = "march-1"
}
