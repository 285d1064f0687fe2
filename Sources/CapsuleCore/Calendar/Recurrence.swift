/// The rule by which a thing comes again: every so many days, weeks, months or years, and in weeks
/// and months on days of the week where these are named.
///
/// Each occurrence is counted from the first, never from the one before, so that 31 January comes
/// back on the 31st wherever a month has one.
public struct Recurrence: Hashable, Sendable {
  /// The days of the week on which a thing comes again.
  package enum Days: Hashable, Sendable {
    /// A repetition on each of these days of a week, in the order of the week from Monday.
    case weekdays([Weekday])
    /// A repetition on one day of a month: the 1st to 4th of these weekdays, or the last (-1).
    case nth(Int, Weekday)
  }

  /// 1 to ``largestCount``.
  package let count: Int
  /// Day, week, month or year.
  package let unit: DurationUnit
  /// `nil` where the first time gives the day.
  package let days: Days?

  package static let largestCount = 1000
  /// The units that a thing can be repeated by.
  package static let units: [DurationUnit] = [.day, .week, .month, .year]

  package init?(every count: Int, _ unit: DurationUnit) {
    guard (1...Self.largestCount).contains(count), Self.units.contains(unit) else { return nil }
    (self.count, self.unit, days) = (count, unit, nil)
  }

  /// The rule of so many weeks, on some of their days; `nil` without a day.
  package init?(everyWeeks count: Int, on weekdays: some Sequence<Weekday>) {
    let named = Set(weekdays)
    guard (1...Self.largestCount).contains(count), !named.isEmpty else { return nil }
    let days = Days.weekdays(Weekday.allCases.filter { named.contains($0) })
    (self.count, unit, self.days) = (count, .week, days)
  }

  /// The rule of so many months, on the `number`th of their weekdays: 1 to 4, or -1 for the last.
  package init?(everyMonths count: Int, onThe number: Int, _ weekday: Weekday) {
    guard (1...Self.largestCount).contains(count), (1...4).contains(number) || number == -1 else {
      return nil
    }
    (self.count, unit, days) = (count, .month, .nth(number, weekday))
  }

  /// Returns the first date of the rule from a date on; `nil` where there is none until 9999.
  ///
  /// It is the date itself unless the rule names other days of the week.
  package func first(from date: CivilDate) -> CivilDate? {
    switch days {
    case nil: return date
    case .weekdays(let weekdays):
      let ahead = weekdays.map { ($0.rawValue - date.weekday.rawValue + 7) % 7 }.min()
      return ahead.flatMap { date.adding(days: $0) }
    case .nth(let number, let weekday):
      guard let inMonth = date.adding(days: 1 - date.day),
        let found = inMonth.nth(number, weekday)
      else { return nil }
      return found >= date ? found : inMonth.adding(months: 1)?.nth(number, weekday)
    }
  }

  /// Returns the date of an occurrence, 0 being the first from the anchor on; `nil` past the year
  /// 9999.
  package func date(
    _ number: Int, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> CivilDate? {
    switch days {
    case nil: return date(number, after: anchor, leapDay)
    case .weekdays(let weekdays):
      guard let first = first(from: anchor),
        let offset = weekdays.firstIndex(of: first.weekday)
      else { return nil }
      // The first day's place in its week counts with the rest.
      let (place, overflow) = number.addingReportingOverflow(offset)
      guard !overflow, place >= 0, place / weekdays.count < 1_000_000 else { return nil }
      return first.startOfWeek.adding(
        days: place / weekdays.count * count * 7 + weekdays[place % weekdays.count].rawValue - 1)
    case .nth(let nth, let weekday):
      guard let first = first(from: anchor), let month = first.adding(days: 1 - first.day) else {
        return nil
      }
      return date(number, after: month, leapDay)?.nth(nth, weekday)
    }
  }

  /// Returns the date so many steps behind an anchor, whatever the weekday.
  private func date(
    _ number: Int, after anchor: CivilDate, _ leapDay: LeapDayRule
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

  /// Returns the first occurrence on a date or later, and its number; `nil` when there is none until
  /// 9999.
  package func next(
    onOrAfter date: CivilDate, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> (number: Int, date: CivilDate)? {
    guard date > anchor else {
      return self.date(0, from: anchor, leapDay: leapDay).map { (0, $0) }
    }
    let estimate: Int
    switch unit {
    case .day: estimate = date.days(since: anchor) / count
    case .week:
      let weeks = date.days(since: anchor) / (7 * count)
      if case .weekdays(let weekdays) = days {
        // The first is up to six days behind the anchor, and may be the last of its week.
        estimate = max(0, weeks - 2) * weekdays.count
      } else {
        estimate = weeks
      }
    default:
      let months = (date.year - anchor.year) * 12 + date.month - anchor.month
      // The first may be in the month behind the anchor's.
      estimate = months / (unit == .month ? count : 12 * count) - (days == nil ? 0 : 1)
    }
    var number = max(0, estimate - 1)
    while let candidate = self.date(number, from: anchor, leapDay: leapDay) {
      if candidate >= date { return (number, candidate) }
      number += 1
    }
    return nil
  }
}

extension CivilDate {
  /// Returns the `number`th such weekday of the date's month, from 1, or the last for -1; `nil` where
  /// the month has no such day.
  fileprivate func nth(_ number: Int, _ weekday: Weekday) -> CivilDate? {
    let length = CivilDate.days(inMonth: month, of: year)
    guard let first = adding(days: 1 - day) else { return nil }
    let ahead = (weekday.rawValue - first.weekday.rawValue + 7) % 7
    let day = number == -1 ? ahead + (length - 1 - ahead) / 7 * 7 : ahead + (number - 1) * 7
    return (0..<length).contains(day) ? first.adding(days: day) : nil
  }
}
