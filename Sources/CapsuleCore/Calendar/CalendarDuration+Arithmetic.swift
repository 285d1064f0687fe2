extension CalendarDuration {
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
}
