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
