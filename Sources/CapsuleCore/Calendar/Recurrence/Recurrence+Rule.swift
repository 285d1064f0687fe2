extension Recurrence {
  /// Returns the rule of RFC 5545 that says the same, and the date that it is counted from; `nil` where there
  /// is no first date until 9999.
  package func rule(
    from anchor: CivilDate, leapDay: LeapDayRule
  ) -> (rule: RecurrenceRule, start: CivilDate)? {
    guard let start = first(from: anchor) else { return nil }
    var rule: RecurrenceRule
    switch (unit, days) {
    case (_, .weekdays(let weekdays)):
      rule = RecurrenceRule(.weekly, every: count)
      rule.weekdays = weekdays.map { RecurrenceRule.WeekdayNumber($0) }
    case (_, .nth(let number, let weekday)):
      rule = RecurrenceRule(.monthly, every: count)
      rule.weekdays = [RecurrenceRule.WeekdayNumber(weekday, number: number)]
    case (.day, nil): rule = RecurrenceRule(.daily, every: count)
    case (.week, nil): rule = RecurrenceRule(.weekly, every: count)
    case (.month, nil):
      rule = RecurrenceRule(.monthly, every: count)
      if start.day > 28 { rule.skip = .backward }
    default:
      rule = RecurrenceRule(.yearly, every: count)
      if start.month == 2, start.day == 29 {
        switch leapDay {
        case .february28: rule.skip = .backward
        case .march1: rule.yearDays = [60]
        }
      }
    }
    return (rule, start)
  }

  /// The recurrence that has exactly the dates of a rule until 9999, whatever the parts by which the rule says
  /// it; `nil` where there is none, or where the rule does not begin with the first time. The end of the rule
  /// does not count.
  package init?(
    _ rule: RecurrenceRule, from anchor: CivilDateTime, isAllDay: Bool, leapDay: LeapDayRule
  ) {
    let plan = RecurrencePlan(rule.withoutEnd, from: anchor, isAllDay: isAllDay)
    let date = anchor.date
    let second = Int32(plan.anchor - Int64(plan.anchorDay) * 86_400)
    guard !plan.rule.isStepped, plan.times == [second] else { return nil }
    var walk = RecurrenceWalk(plan)
    walk.seek(.min)
    guard walk.value == plan.anchor else { return nil }
    for candidate in Self.candidates(for: walk) {
      guard let (other, start) = candidate.rule(from: date, leapDay: leapDay), start == date else {
        continue
      }
      if walk.hasSameDays(as: RecurrencePlan(other, from: anchor, isAllDay: isAllDay)) {
        self = candidate
        return
      }
    }
    return nil
  }

  /// Returns what the first dates of a rule look like, what is most like the rule first.
  private static func candidates(for walk: RecurrenceWalk) -> [Recurrence] {
    var walk = walk
    var dates: [CivilDate] = []
    while dates.count < 15, let time = walk.value {
      dates.append(CivilDateTime(secondsAsUTC: time).date)
      walk.advance()
    }
    guard dates.count > 1 else { return [] }
    let (first, second) = (dates[0], dates[1])
    let gap = second.days(since: first)
    let months = (second.year - first.year) * 12 + second.month - first.month
    let daily = Recurrence(every: gap, .day)
    let weekly = gap.isMultiple(of: 7) ? Recurrence(every: gap / 7, .week) : nil
    let monthly = Recurrence(every: months, .month)
    let yearly = Recurrence(every: second.year - first.year, .year)
    let week = first.startOfWeek
    var onWeekdays: Recurrence?
    if let next = dates.first(where: { $0.startOfWeek != week })?.startOfWeek {
      let inBoth = dates.filter { $0.startOfWeek == week || $0.startOfWeek == next }
      onWeekdays = Recurrence(everyWeeks: next.days(since: week) / 7, on: inBoth.map(\.weekday))
    }
    let nth = Recurrence(everyMonths: months, onThe: (first.day + 6) / 7, first.weekday)
    let last = Recurrence(everyMonths: months, onThe: -1, first.weekday)
    let rule = walk.plan.rule
    let plain: [Recurrence?] =
      switch rule.frequency {
      case .weekly: [weekly, daily, monthly, yearly]
      case .monthly: [monthly, yearly, daily, weekly]
      case .yearly: [yearly, monthly, daily, weekly]
      default: [daily, weekly, monthly, yearly]
      }
    let named = [onWeekdays, nth, last]
    return (rule.weekdays.isEmpty ? plain + named : named + plain).compactMap { $0 }
  }
}

extension RecurrenceWalk {
  /// Whether the rule has the days of another from the same anchor until 9999.
  fileprivate func hasSameDays(as other: RecurrencePlan) -> Bool {
    var (one, other) = (self, RecurrenceWalk(other))
    let (cycles, others) = (plan.cycles, other.plan.cycles)
    // Years of the same kind come again after 400 years, with the same days of an interval after so many
    // times 400.
    let common = cycles / cycles.commonDivisor(others)
    let (span, overflow) = (400 * common).multipliedReportingOverflow(by: others)
    let last =
      overflow || span > CivilDate.years.upperBound
      ? CivilDate.years.upperBound
      : min(plan.anchorYear + span, CivilDate.years.upperBound)
    for year in plan.anchorYear...last where one.days(ofYear: year) != other.days(ofYear: year) {
      return false
    }
    return true
  }
}
