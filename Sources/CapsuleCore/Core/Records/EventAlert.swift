/// A time at which an event is announced ahead: some time before it, or at a time of day on the day
/// or some days before. It is kept and given as text: `1 week before`, `on the day at 09:00`.
public struct EventAlert: Hashable, Sendable {
  /// How long before; none for the event's own time or day.
  package private(set) var before = CalendarDuration()
  /// The time of day; `nil` for the event's own.
  package private(set) var time: CivilTime?

  /// The most alerts that an event may have.
  package static let countLimit = 20
}

extension EventAlert {
  /// - Returns: `nil` for more than a hundred years before, or for hours before at a time of day.
  package init?(before: CalendarDuration, at time: CivilTime?) {
    guard Self.days(before) <= 36_600, time == nil || before.isCalendarOnly else { return nil }
    self.init()
    self.before = before
    self.time = time
  }

  /// Returns an upper bound of a span's days.
  private static func days(_ span: CalendarDuration) -> Int {
    if span.exceeds(1_000_000 * 86_400) { return .max }
    return span.years * 366 + span.months * 31 + span.weeks * 7 + span.days
      + (span.hours * 3600 + span.minutes * 60 + span.seconds + 86_399) / 86_400
  }

  /// An upper bound of how many seconds before the event it may be, wherever one lives.
  var lead: Int64 {
    Int64(Self.days(before) + 1) * 86_400
  }
}

extension EventAlert {
  /// Returns when it is due for an occurrence; `nil` before the year 1.
  ///
  /// A whole day counts from its beginning in `zone`, an instant on the clocks of `eventZone`.
  package func instant(
    of moment: Moment, in zone: ZoneRules, eventZone: ZoneRules
  ) -> Instant? {
    let back = -before
    switch (moment, time) {
    case (.day(let date), let time?):
      guard let day = back.added(to: date) else { return nil }
      return zone.resolve(CivilDateTime(date: day, time: time)).instant
    case (.day(let date), nil):
      guard let day = back.added(to: date) else { return nil }
      return zone.startOfDay(day).instant.adding(seconds: back.exactSeconds)
    case (.instant(let instant), let time?):
      guard let day = back.added(to: eventZone.civil(at: instant).date) else { return nil }
      return eventZone.resolve(CivilDateTime(date: day, time: time)).instant
    case (.instant(let instant), nil):
      return back.added(to: instant, in: eventZone)?.instant
    }
  }
}

extension EventAlert: LosslessStringConvertible, FieldText {
  public var description: String {
    let clock = time.map { " at \($0.shortText)" } ?? ""
    if before.isZero { return time == nil ? "at the time" : "on the day\(clock)" }
    return "\(before.words) before\(clock)"
  }

  /// Reads `at the time`, `on the day at 09:00`, `1 week before`, `1 day before at 6pm`.
  public init?(_ text: String) {
    var words = text.lowercased().split(separator: " ").map(String.init)
    var time: CivilTime?
    if let at = words.lastIndex(of: "at"), at > 0 {
      guard let clock = TimeOfDayParser.minute(words[(at + 1)...].joined(separator: " ")) else {
        return nil
      }
      time = clock
      words.removeSubrange(at...)
    }
    switch words {
    case ["at", "the", "time"] where time == nil:
      self.init(before: CalendarDuration(), at: nil)
    case ["on", "the", "day"]: self.init(before: CalendarDuration(), at: time ?? .midnight)
    case ["the", "day", "before"]: self.init(before: CalendarDuration(days: 1), at: time)
    default:
      guard words.last == "before",
        let span = try? DurationParser.parse(words.dropLast().joined(separator: " "))
      else { return nil }
      self.init(before: span, at: time)
    }
  }

  /// The texts that ``init(_:)`` accepts, for messages.
  package static let accepted =
    "'1 week before', '2 hours before', 'on the day at 09:00', '1 day before at 6pm' or "
    + "'at the time', at most a hundred years before"
}
