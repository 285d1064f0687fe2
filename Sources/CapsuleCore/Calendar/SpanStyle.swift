/// The style in which spans are shown to people (a setting).
package enum SpanStyle: Hashable, Sendable {
  /// `3 y 2 mo 4 d 05:06:07`, cut after so many units from the largest that is not zero (1 to 6;
  /// hours, minutes and seconds are a unit each).
  case subUnits(Int)
  /// `3.2 years`, of the largest unit, cut rather than rounded.
  case tenths

  /// Every unit.
  package static let full = SpanStyle.subUnits(6)
}

extension SpanStyle {
  /// Returns the span between `now` and a target, whichever is earlier, on the wall clock of `zone`.
  package func text(from now: Instant, to target: Instant, in zone: ZoneRules) -> String {
    let span = CalendarSpan(from: now, to: target, in: zone)
    switch self {
    case .subUnits(let count):
      return SpanStyle.subUnits(span, count: min(max(count, 1), 6), wholeDays: false)
    case .tenths:
      return SpanStyle.tenths(
        span, CalendarRuler(target: target.clamped, now: now.clamped, zone: zone))
    }
  }

  /// Returns the span between `today` and a target in whole days, whichever is earlier.
  package func text(from today: CivilDate, to target: CivilDate) -> String {
    let span = CalendarSpan(from: today, to: target)
    switch self {
    case .subUnits(let count):
      return SpanStyle.subUnits(span, count: min(max(count, 1), 6), wholeDays: true)
    case .tenths:
      return SpanStyle.tenths(span, from: today, to: target)
    }
  }
}

extension SpanStyle {
  private static func subUnits(_ span: CalendarSpan, count: Int, wholeDays: Bool) -> String {
    let clock = [span.seconds / 3600, span.seconds / 60 % 60, span.seconds % 60]
    let values = [span.years, span.months, span.days] + (wholeDays ? [] : clock)
    guard let first = values.firstIndex(where: { $0 != 0 }) else {
      return wholeDays ? "0 d" : count == 1 ? "0 s" : "00:00:00"
    }
    let last = min(first + count - 1, values.count - 1)
    let units = ["y", "mo", "d", "h", "min", "s"]
    // The clock is shown as one where it is shown to the second.
    let asClock = last == 5 && count > 1
    var parts = (first...last)
      .filter { values[$0] != 0 && !(asClock && $0 > 2) }
      .map { "\(values[$0]) \(units[$0])" }
    if asClock {
      parts.append(clock.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":"))
    }
    return parts.joined(separator: " ")
  }

  private static func tenths(_ span: CalendarSpan, _ ruler: CalendarRuler) -> String {
    func tenths(_ count: Int, _ unit: DurationUnit, months: Int, days: Int) -> String {
      let low = ruler.mark(months: months * count, days: days * count) ?? ruler.target
      let next = ruler.mark(months: months * (count + 1), days: days * (count + 1))
      // Past the ends of the calendar a unit has its usual length.
      let length = next?.seconds(since: low).magnitude ?? UInt64(months * 30 + days) * 86_400
      return decimal(
        count, part: Int(ruler.now.seconds(since: low).magnitude), of: Int(length), unit: unit)
    }
    if span.years > 0 { return tenths(span.years, .year, months: 12, days: 0) }
    if span.months > 0 { return tenths(span.months, .month, months: 1, days: 0) }
    if span.days > 0 { return tenths(span.days, .day, months: 0, days: 1) }
    for unit in [(DurationUnit.hour, 3600), (.minute, 60)] where span.seconds >= unit.1 {
      return decimal(
        span.seconds / unit.1, part: span.seconds % unit.1, of: unit.1, unit: unit.0)
    }
    return DurationUnit.second.text(span.seconds)
  }

  private static func tenths(
    _ span: CalendarSpan, from today: CivilDate, to target: CivilDate
  ) -> String {
    let direction = target < today ? 1 : -1
    func tenths(_ count: Int, _ unit: DurationUnit, months: Int) -> String {
      let low = target.adding(months: months * count * direction) ?? target
      let next = target.adding(months: months * (count + 1) * direction)
      return decimal(
        count, part: abs(today.days(since: low)),
        of: next.map { abs($0.days(since: low)) } ?? months * 30, unit: unit)
    }
    if span.years > 0 { return tenths(span.years, .year, months: 12) }
    if span.months > 0 { return tenths(span.months, .month, months: 1) }
    return DurationUnit.day.text(span.days)
  }

  private static func decimal(_ count: Int, part: Int, of whole: Int, unit: DurationUnit) -> String
  {
    let tenth = whole > 0 ? min(9, max(0, part * 10 / whole)) : 0
    return "\(count).\(tenth) \(unit.name)s"
  }
}
