extension CivilDate {
  /// The day of the week.
  package var weekday: Weekday {
    let index = (daysSinceEpoch + 3) % 7  // 1970-01-01 was a Thursday
    return Weekday(rawValue: (index < 0 ? index + 7 : index) + 1) ?? .monday
  }

  /// The day of the year: 1 to 365, or 366.
  package var dayOfYear: Int {
    daysSinceEpoch - CivilDate.firstDay(of: year) + 1
  }

  /// The ISO 8601 week that the date is in, and the year that this week belongs to.
  package var isoWeek: (year: Int, week: Int) {
    // A week belongs to the year that its Thursday is in.
    let thursday = CivilDate(daysSinceEpoch: daysSinceEpoch + 4 - weekday.rawValue)
    return (thursday.year, (thursday.dayOfYear - 1) / 7 + 1)
  }

  /// The Monday of the date's ISO week.
  package var startOfWeek: CivilDate {
    CivilDate(daysSinceEpoch: daysSinceEpoch + 1 - weekday.rawValue)
  }

  /// The `dayOfYear`th day of `year`, counted from 1; `nil` when the year has no such day.
  package init?(year: Int, dayOfYear: Int) {
    guard CivilDate.years.contains(year), dayOfYear >= 1,
      dayOfYear <= (CivilDate.isLeap(year) ? 366 : 365)
    else { return nil }
    self.init(daysSinceEpoch: CivilDate.firstDay(of: year) + dayOfYear - 1)
  }

  /// The `weekday` of ISO week `week` of `isoYear`; `nil` when there is no such week, or the day
  /// is outside the years 1 to 9999.
  package init?(isoYear: Int, week: Int, weekday: Weekday) {
    guard CivilDate.years.contains(isoYear), week >= 1, week <= CivilDate.weeks(inYear: isoYear)
    else { return nil }
    let fourth = CivilDate(daysSinceEpoch: CivilDate.firstDay(of: isoYear) + 3)  // in week 1
    self.init(
      daysSinceEpoch: fourth.daysSinceEpoch - fourth.weekday.rawValue + (week - 1) * 7
        + weekday.rawValue)
    guard isRepresentable else { return nil }
  }

  /// Returns the number of ISO weeks that belong to `year` (of the years 1 to 9999 the nearest): 52
  /// or 53.
  package static func weeks(inYear year: Int) -> Int {
    let year = min(max(year, years.lowerBound), years.upperBound)
    return CivilDate(daysSinceEpoch: firstDay(of: year) + (isLeap(year) ? 365 : 364) - 3)
      .isoWeek.week
  }

  private static func firstDay(of year: Int) -> Int {
    let before = year - 1
    let leaps = floorDivide(before, 4) - floorDivide(before, 100) + floorDivide(before, 400)
    return before * 365 + leaps - 719_162
  }

  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }
}
