/// An event in a calendar: its occurrences, alerts and announcements.
///
/// The clocks and the time that all occurrences are counted by are looked up once, when it is made.
package struct EventSchedule {
  private let timing: EventTiming
  /// The zone where one lives, in which whole days begin.
  private let zone: ZoneRules
  private let leapDay: LeapDayRule
  /// The rules of the zone on whose clocks the event is repeated and its alerts are set; those of
  /// ``zone`` where it has neither.
  private let rules: ZoneRules
  /// The date and the time of day that a repetition is counted from; midnight for whole days.
  private let anchor: CivilDateTime
  /// Whether the clocks show the anchor at the first occurrence. Of a time that they show twice that may
  /// be the second.
  private let isAnchorShown: Bool

  /// The most seconds by which midnight in UTC differs from any time of the same date anywhere.
  private static let slack: Int64 = 2 * 86_400

  package init(_ timing: EventTiming, _ calendar: EventCalendar) {
    self.timing = timing
    zone = calendar.zone
    leapDay = calendar.leapDay
    let hasClocks = timing.recurrence != nil || !timing.alerts.isEmpty
    rules = hasClocks ? calendar.rules(of: timing) : zone
    switch timing.moment {
    case .instant(let instant) where timing.recurrence != nil:
      let shown = rules.civil(at: instant)
      // Where this machine does not know the zone, the rules are others: then the instant is right.
      anchor = (rules.identifier == timing.zone ? timing.local : nil) ?? shown
      isAnchorShown = anchor == shown
    case .instant(let instant):
      anchor = CivilDateTime(secondsAsUTC: instant.seconds)
      isAnchorShown = true
    case .day(let date):
      anchor = CivilDateTime(date: date, time: .midnight)
      isAnchorShown = true
    }
  }

  /// Returns an occurrence by its number, 0 being the first; `nil` past the year 9999.
  package func occurrence(_ number: Int) -> Moment? {
    guard timing.recurrence != nil else { return number == 0 ? timing.moment : nil }
    return date(number).flatMap { moment(on: $0) }
  }

  /// Returns the date of an occurrence on the clocks that a repetition goes by.
  private func date(_ number: Int) -> CivilDate? {
    guard number >= 0 else { return nil }
    return timing.recurrence?.date(number, from: anchor.date, leapDay: leapDay)
  }

  /// Returns the occurrence on a date of the repetition; `nil` past the year 9999.
  private func moment(on date: CivilDate) -> Moment? {
    if timing.moment.isAllDay { return .day(date) }
    if date == anchor.date, isAnchorShown { return timing.moment }
    let found = rules.resolve(CivilDateTime(date: date, time: anchor.time)).instant
    return found.isRepresentable ? .instant(found) : nil
  }

  /// The first occurrence.
  package var first: Moment { occurrence(0) ?? timing.moment }

  /// A way through the occurrences that are not over at an instant, in order.
  private struct Walk {
    let start: Instant
    /// The last midnight in UTC of a date that counts.
    let bound: Int64
    /// Whether the next occurrence may be over.
    var mayBeOver: Bool
    var next: (number: Int, date: CivilDate)?
  }

  /// Begins a walk.
  ///
  /// - Parameter last: an instant behind which no occurrence is asked for; nothing is looked up for what
  ///   is days later.
  private func walk(notOverAt start: Instant, through last: Instant = .latest) -> Walk {
    let bound = last.seconds.addingClamped(Self.slack)
    guard let recurrence = timing.recurrence else {
      let isOver =
        switch timing.moment {
        case .day(let date): date < zone.civil(at: start).date
        case .instant(let instant): instant < start
        }
      let next = isOver ? nil : (0, anchor.date)
      return Walk(start: start, bound: bound, mayBeOver: false, next: next)
    }
    let isAllDay = timing.moment.isAllDay
    let early = CivilDateTime(secondsAsUTC: start.seconds.addingClamped(-Self.slack))
    let from = isAllDay ? zone.civil(at: start).date : early.date
    return Walk(
      start: start, bound: bound, mayBeOver: !isAllDay,
      next: recurrence.next(onOrAfter: from, from: anchor.date, leapDay: leapDay))
  }

  /// Returns the next occurrence, and its number; `nil` behind the last.
  private func step(_ walk: inout Walk) -> (number: Int, moment: Moment)? {
    while let (number, date) = walk.next, Int64(date.daysSinceEpoch) * 86_400 <= walk.bound,
      let moment = moment(on: date)
    {
      walk.next = timing.recurrence == nil ? nil : self.date(number + 1).map { (number + 1, $0) }
      if walk.mayBeOver { walk.mayBeOver = moment.end(in: zone) < walk.start }
      if !walk.mayBeOver { return (number, moment) }
    }
    return nil
  }

  /// Returns the first occurrence that is not over at an instant, and its number; `nil` when all are.
  package func next(notOverAt now: Instant) -> (number: Int, moment: Moment)? {
    var walk = walk(notOverAt: now)
    return step(&walk)
  }

  /// Returns how many years after the first an occurrence of a yearly event is: the age that is reached
  /// on a birthday. `nil` for the first itself, and for what is repeated otherwise.
  package func years(at moment: Moment) -> Int? {
    guard timing.recurrence?.unit == .year else { return nil }
    let clocks = timing.moment.isAllDay ? zone : rules
    let years = moment.date(in: clocks).year - first.date(in: clocks).year
    return years > 0 ? years : nil
  }

  /// Returns the occurrence that matters now: the next one, or that of today; the first when all
  /// are over.
  package func current(at now: Instant) -> Moment {
    guard timing.recurrence != nil else { return timing.moment }
    return next(notOverAt: now)?.moment ?? timing.moment
  }

  /// Returns the state that an occurrence gives the event.
  package func state(of moment: Moment, at now: Instant) -> EventState {
    if timing.doneAt != nil { return .done }
    switch moment {
    case .instant(let instant):
      if now < instant { return .upcoming }
      return timing.isDeadline ? .over : .elapsed
    case .day(let date):
      let today = zone.civil(at: now).date
      if today < date { return .upcoming }
      if today == date { return .today }
      return timing.isDeadline ? .over : .elapsed
    }
  }

  /// Returns the occurrences that are not over at the start and begin before the end, in order.
  package func occurrences(
    from start: Instant, before end: Instant, limit: Int = .max
  ) -> [Moment] {
    var found: [Moment] = []
    var walk = walk(notOverAt: start, through: end)
    while found.count < limit, let (_, moment) = step(&walk), moment.start(in: zone) < end {
      found.append(moment)
    }
    return found
  }

  /// Returns the announcements that are due after one instant and until another.
  ///
  /// Of the alerts of one occurrence, and of one alert of a repeating event, only the last that became due
  /// counts: those before it would say the same. Nothing is due from before the event was made, unless that is still to come: then a clock
  /// was wrong.
  package func announcements(after start: Instant, through end: Instant) -> [EventAnnouncement] {
    guard timing.doneAt == nil, !timing.alerts.isEmpty || timing.isDeadline else { return [] }
    let start = timing.createdAt <= end ? max(start, timing.createdAt) : start
    var found: [EventAnnouncement] = []
    for alert in timing.alerts {
      guard let due = last(alert, through: end), due.instant > start else { continue }
      if let place = found.firstIndex(where: { $0.moment == due.moment }) {
        let other = found[place]
        found[place] = other.instant < due.instant ? due : other
        found[place].passed = other.passed + [other.instant < due.instant ? other : due]
      } else {
        found.append(due)
      }
    }
    if timing.isDeadline {
      let over = timing.moment.end(in: zone)
      if over > start, over <= end {
        found.append(EventAnnouncement(topic: .over, instant: over, moment: timing.moment))
      }
    }
    return found
  }

  /// Returns the alerts that are due in a span, of every occurrence, in order. Where an alert of several
  /// occurrences falls on one instant, as a month before the last days of March does, it is one.
  package func alerts(from start: Instant, before end: Instant) -> [EventAnnouncement] {
    guard timing.doneAt == nil, !timing.alerts.isEmpty else { return [] }
    var found: [EventAnnouncement] = []
    for alert in timing.alerts {
      var walk = walk(
        notOverAt: start.adding(seconds: -86_400), through: end.adding(seconds: alert.lead))
      var last: Instant?
      while let (_, moment) = step(&walk) {
        guard let due = announcement(alert, of: moment) else { continue }
        if due.instant >= end { break }
        if due.instant >= start, due.instant != last { found.append(due) }
        last = due.instant
      }
    }
    return found.sorted { $0.instant < $1.instant }
  }

  private func announcement(_ alert: EventAlert, of moment: Moment) -> EventAnnouncement? {
    alert.instant(of: moment, in: zone, eventZone: rules).map {
      EventAnnouncement(topic: .alert(alert), instant: $0, moment: moment)
    }
  }

  private func last(_ alert: EventAlert, through end: Instant) -> EventAnnouncement? {
    func due(_ number: Int) -> EventAnnouncement? {
      occurrence(number).flatMap { announcement(alert, of: $0) }
    }
    guard timing.recurrence != nil else { return due(0).flatMap { $0.instant <= end ? $0 : nil } }
    // The alert's instants rise with the occurrences: the last one due is looked for from above.
    let latest = next(notOverAt: end.adding(seconds: alert.lead + 86_400))
    guard var number = latest?.number else { return nil }
    while number >= 0 {
      guard let found = due(number) else { return nil }
      if found.instant <= end { return found }
      number -= 1
    }
    return nil
  }
}

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
  package internal(set) var recurrence: Recurrence?
  package internal(set) var alerts: [EventAlert] = []
  package internal(set) var isDeadline = false
  package internal(set) var createdAt = Instant.epoch
  package internal(set) var doneAt: Instant?
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
  case elapsed
  /// A deadline that was not met.
  case over
  /// A deadline that was met.
  case done

  /// Whether it is still to come, or is now.
  package var isAhead: Bool { self == .upcoming || self == .today }
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
  package let moment: Moment
  /// The alerts of the same occurrence that this one stands for, since they became due before it.
  package internal(set) var passed: [EventAnnouncement] = []
}

extension EventTiming {
  /// The earliest instant at which it may have to announce something, wherever one lives; `nil` for
  /// never.
  package var earliestDue: Int64? {
    guard doneAt == nil else { return nil }
    let start: Int64
    switch moment {
    case .day(let date): start = Int64(date.daysSinceEpoch) * 86_400 - 26 * 3600
    case .instant(let instant):
      // The rules of its zone may have changed since.
      start = instant.seconds.addingClamped(local == nil ? 0 : -26 * 3600)
    }
    let leads = alerts.map(\.lead) + (isDeadline ? [0] : [])
    return leads.max().map { Instant(seconds: start).adding(seconds: -$0).seconds }
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
    value = EventAlert(before: before, at: CivilTime(secondOfDay: second - 1))
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
  /// The sort key of an event that repeats: when it comes next depends on now, so that an index
  /// cannot sort it. It stands behind every event that does not repeat.
  package static let repeatingKey: Int64 = 1 << 60
  /// The most seconds by which the sort key of a whole day, its midnight in UTC, may differ from
  /// its beginning or end anywhere.
  package static let keySlack: Int64 = 2 * 86_400

  package var digest: EventDigest { EventDigest(self) }
  package var earliestDue: Int64? { timing.earliestDue }

  package var sortKey: Int64 {
    switch moment {
    case _ where recurrence != nil: Self.repeatingKey
    case .day(let date): Int64(date.daysSinceEpoch) * 86_400
    case .instant(let instant): instant.seconds
    }
  }
}
