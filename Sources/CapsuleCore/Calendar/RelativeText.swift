/// The text of the time between now and an instant or date, for people: `in 9 years 6 months`,
/// `4 days ago`.
package enum RelativeText {
  /// Returns the time in words, in at most two units; `now` within the same second.
  ///
  /// From a day on days are counted on the calendar, as for a date: all that is on one date is as far away. From
  /// a year on months are rounded.
  package static func words(_ instant: Instant, from now: Instant, in zone: ZoneRules) -> String {
    guard instant != now else { return "now" }
    switch Distance(instant, from: now, in: zone) {
    case .dates(let today, let date):
      return words(date, from: today, span: CalendarSpan(rounded: today, to: date))
    case .seconds(let seconds): return placed(clockSpan(seconds), future: instant > now)
    }
  }

  /// Returns the time between two instants in words, as ``words(_:from:in:)`` counts it: `1 day` for tomorrow.
  package static func span(_ instant: Instant, from now: Instant, in zone: ZoneRules) -> String {
    let span =
      switch Distance(instant, from: now, in: zone) {
      case .dates(let today, let date): CalendarSpan(rounded: today, to: date)
      case .seconds(let seconds): clockSpan(seconds)
      }
    var bytes: [UInt8] = []
    append(span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the time in words and whole days: `today`, `tomorrow`, `yesterday`, `in 2 days`,
  /// `3 months 4 days ago`, and from a year on full months.
  package static func words(_ date: CivilDate, from today: CivilDate) -> String {
    words(date, from: today, span: CalendarSpan(from: today, to: date))
  }

  private static func words(
    _ date: CivilDate, from today: CivilDate, span: CalendarSpan
  ) -> String {
    switch date.days(since: today) {
    case 0: "today"
    case 1: "tomorrow"
    case -1: "yesterday"
    default: placed(span, future: date > today)
    }
  }

  /// Returns the time in a style of the settings: `in 3 y 2 mo`, `3.2 years ago`, `now`.
  package static func text(
    _ instant: Instant, from now: Instant, in zone: ZoneRules, style: SpanStyle
  ) -> String {
    guard instant != now else { return "now" }
    return placed(style.text(from: now, to: instant, in: zone), future: instant > now)
  }

  /// Returns the time in a style of the settings and whole days; `today` on the day.
  package static func text(
    _ date: CivilDate, from today: CivilDate, style: SpanStyle
  ) -> String {
    guard date != today else { return "today" }
    return placed(style.text(from: today, to: date), future: date > today)
  }

  /// Returns where a moment lies from now: in a style of the settings, or in words if it is `nil`.
  package static func text(
    _ moment: Moment, from now: Instant, in zone: ZoneRules, style: SpanStyle?
  ) -> String {
    switch moment {
    case .day(let date):
      let today = zone.civil(at: now).date
      return style.map { text(date, from: today, style: $0) } ?? words(date, from: today)
    case .instant(let instant):
      return style.map { text(instant, from: now, in: zone, style: $0) }
        ?? words(instant, from: now, in: zone)
    }
  }

  /// How far an instant is from now: in dates on the clocks of a zone, or, where it is nearer than a day or on
  /// the same date, in seconds, rounded to minutes but for a few.
  private enum Distance {
    case dates(today: CivilDate, CivilDate)
    case seconds(Int)

    init(_ instant: Instant, from now: Instant, in zone: ZoneRules) {
      let exact = Int(instant.clamped.seconds(since: now.clamped).magnitude)
      let unit = exact < fewMinutes * 60 ? 1 : 60
      let seconds = (exact + unit / 2) / unit * unit
      guard seconds >= 86_400 else {
        self = .seconds(seconds)
        return
      }
      let today = zone.civil(at: now.clamped).date
      let date = zone.civil(at: instant.clamped).date
      self = date == today ? .seconds(seconds) : .dates(today: today, date)
    }
  }

  private static func clockSpan(_ seconds: Int) -> CalendarSpan {
    CalendarSpan(months: 0, days: 0, seconds: seconds)
  }

  /// The number of minutes from which on seconds are not shown.
  private static let fewMinutes = 3

  /// Returns a span before or after now: `in 2 days`, `2 days ago`.
  static func placed(_ span: String, future: Bool) -> String {
    future ? "in " + span : span + " ago"
  }

  private static func placed(_ span: CalendarSpan, future: Bool) -> String {
    // Hot: a list has one in every row.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(40)
    if future { bytes += "in ".utf8 }
    append(span, to: &bytes)
    if !future { bytes += " ago".utf8 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(_ span: CalendarSpan, to bytes: inout [UInt8]) {
    let (hours, minutes) = (span.seconds / 3600, span.seconds / 60 % 60)
    let large, small: (unit: DurationUnit, count: Int)
    if span.years > 0 {
      (large, small) = ((.year, span.years), (.month, span.months))
    } else if span.months > 0 {
      (large, small) = ((.month, span.months), (.day, span.days))
    } else if span.days > 0 {
      (large, small) = ((.day, span.days), (.hour, 0))
    } else if hours > 0 {
      (large, small) = ((.hour, hours), (.minute, minutes))
    } else if minutes > 0 {
      let seconds = minutes < fewMinutes ? span.seconds % 60 : 0
      (large, small) = ((.minute, minutes), (.second, seconds))
    } else {
      (large, small) = ((.second, span.seconds), (.second, 0))
    }
    large.unit.append(large.count, to: &bytes)
    if small.count != 0 {
      bytes.append(UInt8(ascii: " "))
      small.unit.append(small.count, to: &bytes)
    }
  }
}

extension CalendarSpan {
  /// The span between the dates of two instants; from a year on to the nearest month.
  fileprivate init(rounded today: CivilDate, to date: CivilDate) {
    let span = CalendarSpan(from: today, to: date)
    let months = span.totalMonths + 1
    let direction = date < today ? 1 : -1
    if span.years > 0, let next = date.adding(months: months * direction),
      abs(next.days(since: today)) <= span.days
    {
      self.init(months: months, days: 0, seconds: 0)
    } else {
      self = span
    }
  }
}

/// The style in which spans are shown to people (a setting).
package enum SpanStyle: Hashable, Sendable {
  /// `3 y 2 mo 4 d 05:06:07`, cut after so many units from the largest that is not zero (1 to 6;
  /// hours, minutes and seconds are a unit each).
  case subUnits(Int)
  /// `3.2 years`, of the largest unit, cut rather than rounded.
  case tenths

  /// Every unit.
  package static let full = SpanStyle.subUnits(6)

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

/// The text of instants for people.
package enum DateText {
  /// Returns an instant on the clocks of `zone`: `Sun 15 Jun 2036 09:00 CEST`; seconds only where
  /// there are any.
  package static func local(_ instant: Instant, in zone: ZoneRules) -> String {
    let type = zone.offset(at: instant)
    let civil = CivilDateTime(secondsAsUTC: instant.adding(seconds: Int64(type.seconds)).seconds)
    // Hot: a list has one in every row.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(40)
    civil.date.appendLongText(to: &bytes)
    bytes.append(UInt8(ascii: " "))
    bytes += civil.time.shortText.utf8
    bytes.append(UInt8(ascii: " "))
    bytes += type.abbreviation.utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a whole day without a time: `Sun 15 Jun 2036`; an instant on the clocks of `zone`.
  package static func local(_ moment: Moment, in zone: ZoneRules) -> String {
    switch moment {
    case .day(let date): date.longText
    case .instant(let instant): local(instant, in: zone)
    }
  }

  /// Returns an instant on the clocks of `zone` and of UTC: `Sun 15 Jun 2036 09:00 CEST (07:00Z)`,
  /// with the date of UTC where it is another.
  package static func absolute(_ instant: Instant, in zone: ZoneRules) -> String {
    let utc = ZoneRules.utc.civil(at: instant)
    let date = utc.date == zone.civil(at: instant).date ? "" : "\(utc.date.shortText) "
    return "\(local(instant, in: zone)) (\(date)\(utc.time.shortText)Z)"
  }

  /// Returns the meaning of an expression: `Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years 6
  /// months`, and behind a semicolon the assumptions.
  ///
  /// - Parameter kept: The time that is kept for it, where a timelock opens with a round after it.
  package static func echo(
    _ when: When, kept: Instant? = nil, now: Instant, in zone: ZoneRules
  ) -> String {
    var notes = when.assumptions.map(\.text)
    let line: String
    if let kept, kept != when.instant {
      line = absolute(kept, in: zone) + ", " + RelativeText.words(kept, from: now, in: zone)
      notes.append("when the timelock's next round is published")
    } else {
      line = absolute(when.instant, in: zone) + ", " + relative(when, now: now, in: zone)
    }
    return notes.isEmpty ? line : line + "; " + notes.joined(separator: ", ")
  }

  /// Returns how far the meaning of an expression is from now: a duration as it was written, and
  /// behind it what the calendar makes of it where that is something else: `in 1 month (28 days)`.
  package static func relative(_ when: When, now: Instant, in zone: ZoneRules) -> String {
    let counted = RelativeText.words(when.instant, from: now, in: zone)
    guard let given = when.duration, !given.isZero, when.instant != now else {
      return counted
    }
    let isPast = when.instant < now
    let duration = isPast ? given.times(-1) ?? given : given
    let written = RelativeText.placed(duration.words, future: !isPast)
    let span = RelativeText.span(when.instant, from: now, in: zone)
    return duration.isExact || duration.inDays.words == span ? written : "\(written) (\(span))"
  }
}

extension WhenAssumption {
  /// Whether it is of the time of day.
  package var isOfTime: Bool {
    switch self {
    case .startOfDay, .defaultTime, .roundedUp, .roundedDown: true
    case .firstOfMonth, .firstOfYear, .nextOccurrence, .lastOccurrence, .notToday: false
    }
  }

  /// The assumption in a few words, for the echo.
  package var text: String {
    switch self {
    case .startOfDay: "midnight at its start"
    case .defaultTime(let time): "\(time.shortText) by default"
    case .firstOfMonth: "first day of the month"
    case .firstOfYear: "first day of the year"
    case .nextOccurrence: "the next one"
    case .lastOccurrence: "the last one"
    case .notToday: "today is written 'today'"
    case .roundedUp: "rounded up to the second"
    case .roundedDown: "rounded down to the second"
    }
  }
}
