/// A zone as a calendar describes it (RFC 5545, 3.6.5): every change of its clocks from before its first
/// use on, and for all years to come.
package struct CalendarZone {
  private let rules: ZoneRules
  /// The earliest instant that it is named for.
  private var start: Instant

  package init(_ rules: ZoneRules, from start: Instant) {
    self.rules = rules
    self.start = start
  }

  /// Takes note of another use.
  package mutating func extend(to instant: Instant) {
    start = min(start, instant)
  }

  package var label: String { CalendarText.label(rules.identifier) }

  /// The years for which changes are written one by one, where no rule of a calendar can say them.
  private static let years: Int64 = 100

  /// The content lines of it.
  ///
  /// - Parameter now: the time from which those years are counted.
  package func lines(now: Instant) -> [String] {
    let begin = start.adding(seconds: -366 * 86_400).clamped
    let first = rules.offset(at: begin)
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(label)"]
    lines += Self.observance(from: first, to: first, at: [rules.civil(at: begin)])
    let listEnd: Int64
    var yearly: [String] = []
    if let (last, daylight) = rules.yearlyChanges {
      listEnd = max(begin.seconds, last ?? .min)
      yearly = self.yearly(daylight, after: listEnd)
    } else {
      listEnd = .max
    }
    // If a rule describes the rest, the list ends with the table.
    let end =
      yearly.isEmpty
      ? max(start, now).adding(seconds: Self.years * 366 * 86_400).clamped.seconds : listEnd
    // Changes of one kind stand together, each with its own time on the clocks before it.
    var groups: [(before: LocalTimeType, after: LocalTimeType, at: [CivilDateTime])] = []
    for change in rules.transitions(after: begin.seconds, through: end) {
      let group = groups.firstIndex { $0.before == change.before && $0.after == change.after }
      if let group {
        groups[group].at.append(change.clocksBefore)
      } else {
        groups.append((change.before, change.after, [change.clocksBefore]))
      }
    }
    for group in groups {
      lines += Self.observance(from: group.before, to: group.after, at: group.at)
    }
    return lines + yearly + ["END:VTIMEZONE"]
  }

  /// Returns the changes of every year from a time on; nothing where a calendar has no rule for one of
  /// them.
  private func yearly(_ daylight: PosixZone.Daylight, after start: Int64) -> [String] {
    let found = rules.transitions(after: start, through: start.addingClamped(800 * 86_400))
    let rulesOfDays = [daylight.start, daylight.end].map(Self.rule)
    guard let toDaylight = rulesOfDays[0], let fromDaylight = rulesOfDays[1] else { return [] }
    var lines: [String] = []
    for (target, rule) in [(true, toDaylight), (false, fromDaylight)] {
      guard let change = found.first(where: { ($0.after == daylight.type) == target }) else {
        return []
      }
      lines += Self.observance(
        from: change.before, to: change.after, at: [change.clocksBefore], rule: rule)
    }
    return lines
  }

  /// Returns the rule of a yearly change; `nil` where it may be in another month each year.
  private static func rule(_ change: PosixZone.Change) -> String? {
    // The time may be of another day than the one that is named: 26 hours after it, or one before.
    let shift = (change.time - (change.time % 86_400 + 86_400) % 86_400) / 86_400
    switch change.day {
    case .weekday(let month, let week, let weekday):
      let length = CivilDate.days(inMonth: month, of: 2001)
      guard week < 5 || month != 2 else { return nil }
      if shift == 0 {
        return "BYMONTH=\(month);BYDAY=\(week == 5 ? -1 : week)\(weekdays[weekday % 7])"
      }
      let first = (week == 5 ? length - 6 : week * 7 - 6) + shift
      guard first >= 1, first + 6 <= length else { return nil }
      let days = (first...first + 6).map { String($0) }.joined(separator: ",")
      let day = weekdays[((weekday + shift) % 7 + 7) % 7]
      return "BYMONTH=\(month);BYMONTHDAY=\(days);BYDAY=\(day)"
    case .commonYearDay(let number):
      guard shift == 0, let date = CivilDate(year: 2001, dayOfYear: number) else { return nil }
      return "BYMONTH=\(date.month);BYMONTHDAY=\(date.day)"
    case .dayIndex(let index):
      return shift == 0 && index < 365 ? "BYYEARDAY=\(index + 1)" : nil
    }
  }

  /// The names of the days from Sunday, as POSIX counts them.
  private static let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

  private static func observance(
    from before: LocalTimeType, to type: LocalTimeType, at times: [CivilDateTime],
    rule: String? = nil
  ) -> [String] {
    guard let first = times.first else { return [] }
    let name = type.isDaylight ? "DAYLIGHT" : "STANDARD"
    return ["BEGIN:\(name)", "DTSTART:\(CalendarText.basic(first))"]
      + times.dropFirst().map { "RDATE:\(CalendarText.basic($0))" }
      + (rule.map { ["RRULE:FREQ=YEARLY;\($0)"] } ?? [])
      + [
        "TZOFFSETFROM:\(CalendarText.offset(before.seconds))",
        "TZOFFSETTO:\(CalendarText.offset(type.seconds))",
        "TZNAME:\(CalendarText.escaped(type.abbreviation))", "END:\(name)",
      ]
  }
}

extension ZoneTransition {
  /// The date and time that the clocks would show at the change if there were no change.
  fileprivate var clocksBefore: CivilDateTime {
    CivilDateTime(secondsAsUTC: at.addingClamped(Int64(before.seconds)))
  }
}
