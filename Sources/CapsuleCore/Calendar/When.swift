/// The meaning of a date expression.
public struct When: Hashable, Sendable {
  public let instant: Instant
  /// The date, where no time of day was given: an all-day thing stays that date in every zone.
  public let date: CivilDate?
  /// The zone in which it was read.
  package let zone: ZoneRules
  /// The fit of the local time with the zone's clocks; anything but `.unique` deserves a warning.
  package let fit: LocalTimeFit
  /// The local time asked for, before a gap moved it; `nil` where an instant was given.
  package let asked: CivilDateTime?
  /// The assumptions about the parts that the expression left open.
  package let assumptions: [WhenAssumption]
  /// The duration from now that was written, negative for one that counts back; `nil` where none was.
  package let duration: CalendarDuration?

  /// The whole day or the instant that is meant.
  public var moment: Moment { date.map { .day($0) } ?? .instant(instant) }

  /// The name of the zone in which it was read: an IANA name, `UTC`, or an offset as `+02:00`.
  public var zoneName: String { zone.identifier }
}

/// An assumption about a part that an expression left open.
package enum WhenAssumption: Hashable, Sendable {
  /// A date alone: midnight at its start.
  case startOfDay
  /// A date alone: the time of day from the settings.
  case defaultTime(CivilTime)
  /// A month alone: its first day.
  case firstOfMonth
  /// A year alone: its first day.
  case firstOfYear
  /// A time or month alone: its next occurrence.
  case nextOccurrence
  /// A time or month alone, where the past is meant: its last occurrence.
  case lastOccurrence
  /// A day that comes again, where today is such a day: not today.
  case notToday
  /// A fraction of a second: the next whole one, so that nothing is early.
  case roundedUp
  /// A fraction of a second, where the past is meant: dropped.
  case roundedDown
}
