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

extension EventTiming {
  /// Returns an occurrence by its number, 0 being the first; `nil` past the year 9999.
  package func occurrence(_ number: Int, _ calendar: EventCalendar) -> Moment? {
    guard let recurrence else { return number == 0 ? moment : nil }
    guard number >= 0 else { return nil }
    switch moment {
    case .day(let anchor):
      return recurrence.date(number, from: anchor, leapDay: calendar.leapDay).map { .day($0) }
    case .instant(let instant):
      let rules = calendar.rules(of: self)
      let shown = rules.civil(at: instant)
      let anchor = keptLocal(rules) ?? shown
      guard let date = recurrence.date(number, from: anchor.date, leapDay: calendar.leapDay)
      else { return nil }
      // Of a time that the clocks show twice it may be the second.
      if date == anchor.date, anchor == shown { return moment }
      let found = rules.resolve(CivilDateTime(date: date, time: anchor.time)).instant
      return found.isRepresentable ? .instant(found) : nil
    }
  }

  /// Returns the local time that is kept; `nil` where the rules are not those of its zone, which this
  /// machine does not know: then the instant is right.
  private func keptLocal(_ rules: ZoneRules) -> CivilDateTime? {
    rules.identifier == zone ? local : nil
  }

  /// Returns the first occurrence.
  package func first(_ calendar: EventCalendar) -> Moment { occurrence(0, calendar) ?? moment }

  /// Returns the number of the first occurrence that is not over at an instant; `nil` when all are.
  package func number(notOverAt now: Instant, _ calendar: EventCalendar) -> Int? {
    guard let recurrence else {
      switch moment {
      case .day(let date): return date >= calendar.zone.civil(at: now).date ? 0 : nil
      case .instant(let instant): return instant >= now ? 0 : nil
      }
    }
    let found: Int?
    switch moment {
    case .day(let anchor):
      let today = calendar.zone.civil(at: now).date
      return recurrence.number(onOrAfter: today, from: anchor, leapDay: calendar.leapDay)
    case .instant(let instant):
      if local == nil, recurrence.days == nil, instant >= now { return 0 }
      let rules = calendar.rules(of: self)
      let today = rules.civil(at: now).date
      found = recurrence.number(
        onOrAfter: today.adding(days: -1) ?? today,
        from: (keptLocal(rules) ?? rules.civil(at: instant)).date, leapDay: calendar.leapDay)
    }
    guard var number = found else { return nil }
    while let moment = occurrence(number, calendar) {
      if moment.end(in: calendar.zone) >= now { return number }
      number += 1
    }
    return nil
  }

  /// Returns how many years after the first an occurrence of a yearly event is: the age that is reached
  /// on a birthday. `nil` for the first itself, and for what is repeated otherwise.
  package func years(at moment: Moment, _ calendar: EventCalendar) -> Int? {
    guard let recurrence, recurrence.unit == .year else { return nil }
    let zone = self.moment.isAllDay ? calendar.zone : calendar.rules(of: self)
    let years = moment.date(in: zone).year - first(calendar).date(in: zone).year
    return years > 0 ? years : nil
  }

  /// Returns the occurrence that matters now: the next one, or that of today; the first when all
  /// are over.
  package func current(at now: Instant, _ calendar: EventCalendar) -> Moment {
    guard recurrence != nil else { return moment }
    return number(notOverAt: now, calendar).flatMap { occurrence($0, calendar) } ?? moment
  }

  /// Returns the state that an occurrence gives the event.
  package func state(of moment: Moment, at now: Instant, _ calendar: EventCalendar) -> EventState {
    if doneAt != nil { return .done }
    switch moment {
    case .instant(let instant):
      if now < instant { return .upcoming }
      return isDeadline ? .over : .elapsed
    case .day(let date):
      let today = calendar.zone.civil(at: now).date
      if today < date { return .upcoming }
      if today == date { return .today }
      return isDeadline ? .over : .elapsed
    }
  }

  /// Returns the occurrences that are not over at the start and begin before the end, in order.
  package func occurrences(
    from start: Instant, before end: Instant, limit: Int = .max, _ calendar: EventCalendar
  ) -> [Moment] {
    guard var number = number(notOverAt: start, calendar) else { return [] }
    var found: [Moment] = []
    while found.count < limit, let moment = occurrence(number, calendar),
      moment.start(in: calendar.zone) < end
    {
      found.append(moment)
      number += 1
    }
    return found
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
}

extension EventTiming {
  /// Returns the announcements that are due after one instant and until another.
  ///
  /// Of a repeating event's alert only the last that became due counts: those before it are not worth
  /// a line each. Nothing is due from before the event was made, unless that is still to come: then a clock
  /// was wrong.
  package func announcements(
    after start: Instant, through end: Instant, _ calendar: EventCalendar
  ) -> [EventAnnouncement] {
    guard doneAt == nil, !alerts.isEmpty || isDeadline else { return [] }
    let start = createdAt <= end ? max(start, createdAt) : start
    var found: [EventAnnouncement] = []
    for alert in alerts {
      guard let due = last(alert, through: end, calendar), due.instant > start else { continue }
      found.append(due)
    }
    if isDeadline {
      let over = moment.end(in: calendar.zone)
      if over > start, over <= end {
        found.append(EventAnnouncement(topic: .over, instant: over, moment: moment))
      }
    }
    return found
  }

  /// Returns the alerts that are due in a span, of every occurrence, in order.
  package func alerts(
    from start: Instant, before end: Instant, _ calendar: EventCalendar
  ) -> [EventAnnouncement] {
    guard doneAt == nil else { return [] }
    let rules = calendar.rules(of: self)
    var found: [EventAnnouncement] = []
    for alert in alerts {
      guard var number = number(notOverAt: start.adding(seconds: -86_400), calendar) else {
        continue
      }
      while let moment = occurrence(number, calendar) {
        if let instant = alert.instant(of: moment, in: calendar.zone, eventZone: rules) {
          if instant >= end { break }
          if instant >= start {
            found.append(EventAnnouncement(topic: .alert(alert), instant: instant, moment: moment))
          }
        }
        number += 1
      }
    }
    return found.sorted { $0.instant < $1.instant }
  }

  private func last(
    _ alert: EventAlert, through end: Instant, _ calendar: EventCalendar
  ) -> EventAnnouncement? {
    let rules = calendar.rules(of: self)
    func due(_ number: Int) -> EventAnnouncement? {
      guard let moment = occurrence(number, calendar),
        let instant = alert.instant(of: moment, in: calendar.zone, eventZone: rules)
      else { return nil }
      return EventAnnouncement(topic: .alert(alert), instant: instant, moment: moment)
    }
    guard recurrence != nil else { return due(0).flatMap { $0.instant <= end ? $0 : nil } }
    // The alert's instants rise with the occurrences: the last one due is looked for from above.
    let latest = number(notOverAt: end.adding(seconds: alert.lead + 86_400), calendar)
    guard var number = latest else { return nil }
    while number >= 0 {
      guard let found = due(number) else { return nil }
      if found.instant <= end { return found }
      number -= 1
    }
    return nil
  }

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
