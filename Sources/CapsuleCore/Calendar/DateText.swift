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
