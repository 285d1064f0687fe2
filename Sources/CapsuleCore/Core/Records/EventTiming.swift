extension EventTiming {
  package func schedule(in calendar: EventCalendar) -> EventSchedule {
    EventSchedule(self, calendar)
  }
}

/// The facts that an event's occurrences and announcements follow from.
package struct EventTiming: Hashable, Sendable {
  /// The first occurrence.
  package internal(set) var moment = Moment.instant(.epoch)
  /// The IANA zone that an instant was given in, on whose clocks it is repeated; empty for a day.
  package internal(set) var zone = "UTC"
  package internal(set) var length: EventLength?
  package internal(set) var series = EventSeries()
  package internal(set) var alerts: [EventAlert] = []
  package internal(set) var isDeadline = false
  package internal(set) var createdAt = Instant.epoch
  package internal(set) var doneAt: Instant?
  /// Whether the year of the first occurrence is not known.
  package internal(set) var isYearUnknown = false
  /// The date and time that the clocks of the zone showed at the first occurrence when it was set:
  /// a repeated event keeps to it when the rules of the zone change. `nil` for what they show at
  /// the instant.
  package internal(set) var local: CivilDateTime?
}

/// The state of an event.
package enum EventState: String, CaseIterable, Hashable, Sendable {
  case upcoming
  /// A whole day that it is now.
  case today
  /// It has begun, and is not over.
  case ongoing
  case elapsed
  /// A deadline that was not met.
  case over
  /// A deadline that was met.
  case done

  /// Whether it is still to come, or is now.
  package var isAhead: Bool { self == .upcoming || self == .today || self == .ongoing }
}

/// The facts that occurrences depend on besides the event: where one lives, and the store's settings.
package struct EventCalendar {
  package let zone: ZoneRules
  package let leapDay: LeapDayRule
  /// Returns the rules of a zone by its name in a record.
  package let rules: (String) -> ZoneRules

  /// - Parameter rules: the rules of a zone by the name in a record.
  package init(
    zone: ZoneRules, leapDay: LeapDayRule, rules: @escaping (String) -> ZoneRules
  ) {
    self.zone = zone
    self.leapDay = leapDay
    self.rules = rules
  }

  /// Returns the rules of the zone on whose clocks an event is repeated.
  package func rules(of timing: EventTiming) -> ZoneRules {
    timing.zone.isEmpty ? zone : rules(timing.zone)
  }
}

/// A thing that an event has to announce.
package struct EventAnnouncement: Hashable, Sendable {
  /// The subject: an alert, or that a deadline is over.
  package enum Topic: Hashable, Sendable {
    case alert(EventAlert)
    case over
  }

  package let topic: Topic
  /// The time at which it is due.
  package let instant: Instant
  /// The occurrence that it is about.
  package let occurrence: EventOccurrence
  /// The alerts of the same occurrence that this one stands for, since they became due before it.
  package internal(set) var passed: [EventAnnouncement] = []
}

extension EventTiming {
  /// The earliest instant at which it may have to announce something, wherever one lives; `nil` for
  /// never.
  package var earliestDue: Int64? {
    guard doneAt == nil else { return nil }
    let moves = series.moved
    let alerts = self.alerts + moves.flatMap { $0.alerts ?? [] }
    guard !alerts.isEmpty || isDeadline else { return nil }
    let moments = [moment] + moves.compactMap(\.moment) + series.also.map(\.key.moment)
    let lead = alerts.map(\.lead).max() ?? 0
    // The rules of its zone may have changed since.
    let slack: Int64 = local == nil && !moment.isAllDay && moments.count == 1 ? 0 : 26 * 3600
    return moments.map { $0.earliest.adding(seconds: -lead - slack).seconds }.min()
  }

  /// When the last of it is over, wherever one lives; `nil` where it has no end.
  package var latestEnd: Instant? {
    let lag = alerts.map(\.lag).max() ?? 0
    let length =
      ([length] + series.moved.map(\.length) + series.also.map(\.length))
      .compactMap { $0?.longest }.max() ?? 0
    let slack = length + lag + 2 * 86_400
    guard series.isRepeated else { return moment.earliest.adding(seconds: slack) }
    if series.rule != nil, series.until == nil, series.times == nil { return nil }
    let calendar = EventCalendar(zone: .utc, leapDay: .march1) { _ in .utc }
    guard let set = schedule(in: calendar).set, !set.isEndless else { return nil }
    return (set.last?.place ?? moment.earliest).adding(seconds: slack)
  }
}

extension EventTiming {
  /// Whether nothing of it falls into a span, where that is known by its dates alone: a repetition of
  /// our own words has them in closed form.
  // Hot: an agenda asks each repeated event.
  package func isAway(from start: Instant, before end: Instant, _ leapDay: LeapDayRule) -> Bool {
    guard series.isPlain, !isDeadline, let recurrence = series.rule?.recurrence else {
      return false
    }
    let known = moment.wholeDay ?? local?.date
    // The date in UTC is a day beside that on the clocks, and at the ends of months its months are some days beside.
    // For the weekdays of a month another month may be meant.
    guard known != nil || recurrence.days == nil else { return false }
    let anchor = known ?? CivilDateTime(secondsAsUTC: moment.earliest.clamped.seconds).date
    let lead = alerts.map(\.lead).max() ?? 0
    let lag = alerts.map(\.lag).max() ?? 0
    let slack: Int64 = 6 * 86_400
    let earliest = start.adding(seconds: -slack - lag - (length?.longest ?? 0))
    let latest = end.adding(seconds: slack + lead)
    let first = CivilDateTime(secondsAsUTC: earliest.clamped.seconds).date
    let last = CivilDateTime(secondsAsUTC: latest.clamped.seconds).date
    guard let next = recurrence.next(onOrAfter: first, from: anchor, leapDay: leapDay) else {
      return true
    }
    return next.date > last
  }
}

extension OccurrenceKey {
  /// The time that it is on clocks of UTC.
  fileprivate var moment: Moment {
    isAllDay ? .day(local.date) : .instant(Instant(seconds: local.secondsAsUTC))
  }
}

extension Moment {
  /// Its instant, or the midnight of UTC.
  fileprivate var earliest: Instant {
    switch self {
    case .day(let date): Instant(seconds: Int64(date.daysSinceEpoch) * 86_400)
    case .instant(let instant): instant
    }
  }
}

extension EventAlert {
  package static func brief<Coder: BriefCoder>(
    _ value: inout EventAlert?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var before = value?.before ?? CalendarDuration()
    try walk.coder.count(&before.years)
    try walk.coder.count(&before.months)
    try walk.coder.count(&before.weeks)
    try walk.coder.count(&before.days)
    try walk.coder.count(&before.hours)
    try walk.coder.count(&before.minutes)
    try walk.coder.count(&before.seconds)
    // 0 stands for no time of day.
    var second = value?.time.map { Int64($0.secondsSinceMidnight) + 1 } ?? 0
    try walk.coder.count(&second)
    var side = (value?.isAfter == true ? 1 : 0) + (value?.isFromEnd == true ? 2 : 0)
    try walk.coder.count(&side)
    value = EventAlert(
      before: before, at: CivilTime(secondOfDay: second - 1), isAfter: side & 1 == 1,
      isFromEnd: side & 2 == 2)
    if value == nil { try walk.coder.refuse() }
  }
}

/// What lists show of an event's image.
package struct EventDigest: RecordDigest {
  package private(set) var hasImage = false

  package init() {}

  fileprivate init(_ event: Event) { hasImage = event.image != nil }

  package mutating func code<Coder: BriefCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.flag(&hasImage)
  }
}

extension Event {
  /// The least sort key of what is repeated or takes longer than a day: when it is next depends on now, so that
  /// an index cannot sort it. It stands behind every other event, in the order of ends.
  package static let spanKey: Int64 = 1 << 60
  /// The sort key of what has no end.
  package static let endlessKey: Int64 = .max
  /// The most seconds by which the sort key of a whole day, its midnight in UTC, may differ from
  /// its beginning or end anywhere.
  package static let keySlack: Int64 = 3 * 86_400

  package var digest: EventDigest { EventDigest(self) }
  package var earliestDue: Int64? { timing.earliestDue }

  package var sortKey: Int64 {
    let timing = timing
    let isShort =
      !series.isRepeated && length?.longest ?? 0 <= 86_400 && alerts.allSatisfy { $0.lag == 0 }
    guard isShort else { return timing.latestEnd.map(Self.spanKey(endingAt:)) ?? Self.endlessKey }
    switch moment {
    case .day(let date): return Int64(date.daysSinceEpoch) * 86_400
    case .instant(let instant): return instant.seconds
    }
  }

  /// Returns the sort key of what is repeated, or long, and ends then.
  package static func spanKey(endingAt end: Instant) -> Int64 {
    // The years there are lie within 2^39 seconds around the epoch.
    spanKey + (1 << 40) + end.clamped.seconds
  }
}
