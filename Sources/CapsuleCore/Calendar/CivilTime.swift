/// A time of day, in no particular zone: 00:00:00 to 23:59:59.
package struct CivilTime: Hashable, Sendable {
  private let hours, minutes, seconds: UInt8

  /// 0 to 23.
  package var hour: Int { Int(hours) }
  /// 0 to 59.
  package var minute: Int { Int(minutes) }
  /// 0 to 59; there is no leap second.
  package var second: Int { Int(seconds) }

  package static let midnight = CivilTime(secondsSinceMidnight: 0)
  package static let noon = CivilTime(secondsSinceMidnight: 43_200)
  /// 23:59:59.
  package static let endOfDay = CivilTime(secondsSinceMidnight: 86_399)

  /// The time, or `nil` when there is no such time of day.
  package init?(hour: Int, minute: Int, second: Int = 0) {
    guard (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second) else {
      return nil
    }
    self.init(secondsSinceMidnight: hour * 3600 + minute * 60 + second)
  }

  /// The time so many seconds after midnight; `nil` for what is no second of a day.
  package init?(secondOfDay second: Int64) {
    guard (0..<86_400).contains(second) else { return nil }
    self.init(secondsSinceMidnight: Int(second))
  }

  /// The time `seconds` (0 to 86,399) after midnight.
  package init(secondsSinceMidnight seconds: Int) {
    hours = UInt8(seconds / 3600)
    minutes = UInt8(seconds / 60 % 60)
    self.seconds = UInt8(seconds % 60)
  }

  /// 0 to 86,399.
  package var secondsSinceMidnight: Int {
    hour * 3600 + minute * 60 + second
  }
}

extension CivilTime: Comparable {
  package static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.secondsSinceMidnight < right.secondsSinceMidnight
  }
}

extension CivilTime: CustomStringConvertible {
  /// The time as `09:00:00`.
  package var description: String {
    text(seconds: true)
  }

  /// The time as `09:00`, with the seconds only where there are any.
  package var shortText: String {
    text(seconds: second != 0)
  }

  private func text(seconds: Bool) -> String {
    DecimalDigits.text { text in
      text.append(hour, width: 2)
      text.append(UInt8(ascii: ":"))
      text.append(minute, width: 2)
      guard seconds else { return }
      text.append(UInt8(ascii: ":"))
      text.append(second, width: 2)
    }
  }
}

/// A date and a time of day, in no particular zone.
package struct CivilDateTime: Hashable, Sendable {
  package let date: CivilDate
  package let time: CivilTime

  package init(date: CivilDate, time: CivilTime) {
    self.date = date
    self.time = time
  }

  /// The date and time that a clock on UTC shows `seconds` after the epoch; beyond the years 0 to
  /// 10000 the nearest date of these.
  @_optimize(speed)
  package init(secondsAsUTC seconds: Int64) {
    var (days, rest) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
    if rest < 0 {
      days -= 1
      rest += 86_400
    }
    date = CivilDate(daysSinceEpoch: days)
    time = CivilTime(secondsSinceMidnight: rest)
  }

  /// The seconds since the epoch if this were UTC.
  package var secondsAsUTC: Int64 {
    Int64(date.daysSinceEpoch * 86_400 + time.secondsSinceMidnight)
  }
}

extension CivilDateTime: Comparable {
  package static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
    (left.date, left.time) < (right.date, right.time)
  }
}

extension CivilDateTime: CustomStringConvertible {
  /// The date and time as `2036-06-15T09:00:00`.
  package var description: String {
    "\(date)T\(time)"
  }
}

/// The time of an event: a whole day, which is that date in every zone, or an instant.
public enum Moment: Hashable, Sendable {
  case day(CivilDate)
  case instant(Instant)

  /// Returns the first instant of it, for whoever lives in the zone.
  package func start(in zone: ZoneRules) -> Instant {
    switch self {
    case .day(let date): zone.startOfDay(date).instant
    case .instant(let instant): instant
    }
  }

  /// Returns the first instant at which it is over: the next day's beginning, or the instant itself.
  package func end(in zone: ZoneRules) -> Instant {
    switch self {
    case .day(let date):
      date.adding(days: 1).map { zone.startOfDay($0).instant } ?? Instant.latest
    case .instant(let instant): instant
    }
  }

  /// Returns the date on which it begins, for whoever lives in the zone.
  package func date(in zone: ZoneRules) -> CivilDate {
    switch self {
    case .day(let date): date
    case .instant(let instant): zone.civil(at: instant).date
    }
  }

  /// The date of a whole day; `nil` for an instant.
  package var wholeDay: CivilDate? {
    if case .day(let date) = self { date } else { nil }
  }

  /// The instant; `nil` for a whole day.
  package var exactInstant: Instant? {
    if case .instant(let instant) = self { instant } else { nil }
  }

  /// Whether it is a whole day.
  package var isAllDay: Bool {
    if case .day = self { true } else { false }
  }
}
