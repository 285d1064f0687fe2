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

  /// The months from the target to the mark that is nearest to now, where these are a year or more
  /// and the wall clock alone shows them; `nil` otherwise.
  ///
  /// From a time on the wall clock to another one the zone may let more or less pass, but by no more
  /// than its offsets differ.
  // Hot: so most dates of a list need no change of the clocks to be looked for.
  var nearestMonthsOfYears: Int? {
    let here = zone.civil(at: now)
    // Returns how long a mark is behind now, in seconds of the wall clock.
    func age(months: Int) -> Int64? {
      local.date.adding(months: months * direction).map { date in
        let mark = CivilDateTime(date: date, time: local.time)
        return (here.secondsAsUTC - mark.secondsAsUTC) * Int64(direction)
      }
    }
    let (from, to) = (local.date, here.date)
    var months = ((to.year - from.year) * 12 + to.month - from.month) * direction
    guard months >= 12, var last = age(months: months) else { return nil }
    if last < 0 {
      months -= 1
      guard months >= 12, let before = age(months: months) else { return nil }
      last = before
    }
    let doubt = Int64(zone.offsetSpread)
    guard let next = age(months: months + 1), last > doubt, next < -doubt else { return nil }
    if last + 2 * doubt < -next { return months }
    return last > 2 * doubt - next ? months + 1 : nil
  }
}
