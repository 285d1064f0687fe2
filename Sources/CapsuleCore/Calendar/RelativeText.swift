/// The text of the time between now and an instant or date, for people: `in 9 years 6 months`,
/// `4 days ago`.
package enum RelativeText {
  /// Returns the time in words, rounded to the smaller of at most two units; `now` within the same second.
  package static func words(_ instant: Instant, from now: Instant, in zone: ZoneRules) -> String {
    guard instant != now else { return "now" }
    return placed(rounded(instant, from: now, in: zone), future: instant > now)
  }

  /// Returns the time between two instants in words, rounded to the smaller of at most two units.
  package static func span(_ instant: Instant, from now: Instant, in zone: ZoneRules) -> String {
    var bytes: [UInt8] = []
    append(rounded(instant, from: now, in: zone), to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the time in words and whole days: `today`, `tomorrow`, `yesterday`, `in 2 days`,
  /// `3 months 4 days ago`.
  package static func words(_ date: CivilDate, from today: CivilDate) -> String {
    switch date.days(since: today) {
    case 0: return "today"
    case 1: return "tomorrow"
    case -1: return "yesterday"
    default:
      return placed(CalendarSpan(from: today, to: date), future: date > today)
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

  /// The number of minutes from which on seconds are not shown, and of days from which on hours are
  /// not.
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
      (large, small) = ((.day, span.days), (.hour, span.days < 3 ? hours : 0))
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

  /// Returns the span from now, moved to the nearest whole unit of those that are shown, so that two
  /// days less a second are two days.
  private static func rounded(
    _ instant: Instant, from now: Instant, in zone: ZoneRules
  ) -> CalendarSpan {
    let ruler = CalendarRuler(target: instant.clamped, now: now.clamped, zone: zone)
    if let months = ruler.nearestMonthsOfYears {
      return CalendarSpan(months: months, days: 0, seconds: 0)
    }
    let mark = ruler.lastMark
    let span = CalendarSpan(to: mark, of: ruler)
    // The span without its part that is smaller than the last unit shown.
    let whole: CalendarSpan
    let (low, high): (Instant?, Instant?)
    if span.years > 0 {
      whole = CalendarSpan(months: span.totalMonths, days: 0, seconds: 0)
      // A month has 28 days at least, and a zone skips or repeats one at most.
      if span.days < 12 { return whole }
      low = ruler.mark(months: span.totalMonths, days: 0)
      high = ruler.mark(months: span.totalMonths + 1, days: 0)
    } else if span.months > 0 || span.days >= 3 {
      whole = CalendarSpan(months: span.months, days: span.days, seconds: 0)
      low = mark.instant
      high = ruler.mark(months: span.months, days: span.days + 1)
    } else {
      let unit = span.days > 0 ? 3600 : span.seconds >= fewMinutes * 60 ? 60 : 1
      let rest = span.seconds % unit
      whole = CalendarSpan(months: 0, days: span.days, seconds: span.seconds - rest)
      let floor = ruler.now.adding(seconds: -Int64(ruler.direction * rest))
      (low, high) = (floor, floor.adding(seconds: Int64(ruler.direction * unit)))
    }
    guard let low, let high else { return span }
    let (below, above) = (low.seconds(since: ruler.now), high.seconds(since: ruler.now))
    if below.magnitude < above.magnitude { return whole }
    return CalendarSpan(from: high, to: ruler.target, in: ruler.zone)
  }
}
