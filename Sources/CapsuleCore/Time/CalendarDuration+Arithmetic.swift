extension CalendarDuration {
  /// The date this much later (earlier when negative), by the calendar units alone: years and months
  /// first, clamped to the month's end once, then weeks and days. `nil` outside the years 1 to 9999.
  package func added(to date: CivilDate) -> CivilDate? {
    date.adding(months: years * 12 + months)?.adding(days: weeks * 7 + days)
  }

  /// The instant this much later (earlier when negative): the calendar units on the wall clock of
  /// `zone`, then the exact ones. `nil` outside the years 1 to 9999.
  package func added(to anchor: Instant, in zone: ZoneRules) -> ResolvedTime? {
    let exact = Int64(hours * 3600 + minutes * 60 + seconds)
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
