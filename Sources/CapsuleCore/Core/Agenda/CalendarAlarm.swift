/// The start of an occurrence as a calendar counts alarms from it.
struct CalendarStart {
  let moment: Moment
  let instant: Instant
  /// The date and time that the clocks of `zone` show then, or would show if they did not skip it.
  let local: CivilDateTime
  let zone: ZoneRules

  init(_ moment: Moment, at instant: Instant, _ local: CivilDateTime, in zone: ZoneRules) {
    (self.moment, self.instant, self.local, self.zone) = (moment, instant, local, zone)
  }

  /// The start of what comes once: a whole day is of where one is, and an instant is written in UTC.
  init(once moment: Moment, _ calendar: EventCalendar) {
    let start = moment.start(in: calendar.zone)
    switch moment {
    case .day(let date):
      self.init(
        moment, at: start, CivilDateTime(date: date, time: .midnight), in: calendar.zone)
    case .instant: self.init(moment, at: start, ZoneRules.utc.civil(at: start), in: .utc)
    }
  }

  /// Returns the span on the clocks, of whole days and an exact rest, to an instant.
  func span(to due: Instant) -> CalendarTrigger {
    let seconds = zone.civil(at: due).secondsAsUTC - local.secondsAsUTC
    return .relative(days: Int(seconds / 86_400), seconds: seconds % 86_400)
  }

  /// Returns when an alarm is due; `nil` outside the years that there are.
  func instant(of trigger: CalendarTrigger) -> Instant? {
    switch trigger {
    case .absolute(let instant): return instant
    case .relative(0, let seconds): return instant.adding(seconds: seconds)
    case .relative(let days, let seconds):
      return local.date.adding(days: days).map { date in
        zone.resolve(CivilDateTime(date: date, time: local.time)).instant.adding(seconds: seconds)
      }
    }
  }
}

extension EventAlert {
  /// The alert of what comes once that is due when an alarm of a calendar is; `nil` where none can be.
  ///
  /// - Parameters:
  ///   - counted: the time from which the alarm is counted.
  ///   - start: the start, on the clocks by which alerts go.
  ///   - own: the alert that this program wrote the alarm for, which counts if it is due then.
  init?(
    _ trigger: CalendarTrigger, from counted: CalendarStart, once start: CalendarStart,
    own: EventAlert?
  ) {
    guard let due = counted.instant(of: trigger) else { return nil }
    let exact = CalendarTrigger.relative(days: 0, seconds: due.seconds(since: start.instant))
    let read = [trigger, start.span(to: due), exact].map { EventAlert($0, of: start) }
    let found = ([own] + read).compactMap { $0 }.first { alert in
      alert.instant(of: start.moment, in: start.zone, eventZone: start.zone) == due
    }
    guard let found else { return nil }
    self = found
  }

  /// The alert that a span from the start says, at each of its occurrences; `nil` where none can be.
  init?(_ trigger: CalendarTrigger, of start: CalendarStart) {
    guard case .relative(let count, let seconds) = trigger else { return nil }
    let days = Int64(count)
    if days == 0, seconds == 0 {
      self.init(before: CalendarDuration(), at: nil)
    } else if start.moment.isAllDay && seconds != 0 || days > 0 || seconds > 0 {
      // At a time of day, on the day itself or one before.
      let (total, overflow) = seconds.addingReportingOverflow(days * 86_400)
      let midnight = start.moment.isAllDay ? 0 : Int64(start.local.time.secondsSinceMidnight)
      let (moment, isTooMuch) = total.addingReportingOverflow(midnight)
      guard !overflow, !isTooMuch else { return nil }
      let second = (moment % 86_400 + 86_400) % 86_400
      let back = (second - moment) / 86_400
      guard let time = CivilTime(secondOfDay: second), time.second == 0, back >= 0 else {
        return nil
      }
      self.init(before: CalendarDuration(days: Int(back)), at: time)
    } else {
      let rest = Int(-seconds)
      let weeks = days % 7 == 0 ? Int(-days) / 7 : 0
      self.init(
        before: CalendarDuration(
          weeks: weeks, days: weeks == 0 ? Int(-days) : 0, hours: rest / 3600,
          minutes: rest / 60 % 60, seconds: rest % 60),
        at: nil)
    }
  }

  /// The trigger that is right at every occurrence of what is repeated, or of a whole day; `nil` where
  /// months, years or a time of day make it another one at some.
  var constantTrigger: CalendarTrigger? {
    guard before.years == 0, before.months == 0, time == nil else { return nil }
    return .relative(days: -(before.weeks * 7 + before.days), seconds: -before.exactSeconds)
  }
}

/// The alarms of a record, and the occurrences that have other ones.
struct CalendarAlarms {
  private(set) var triggers: [CalendarTrigger] = []
  /// The alert of each trigger, where another one would be read from it: several may have the same trigger.
  private(set) var alerts: [EventAlert?] = []
  private(set) var exceptions: [(start: CalendarStart, triggers: [CalendarTrigger])] = []

  /// The seconds before and after now within which alarms are compared with each occurrence, and
  /// the most such occurrences.
  private static let (past, future, limit) = (Int64(366 * 86_400), Int64(3660 * 86_400), 5000)

  init(of series: Series, _ calendar: EventCalendar, now: Instant) {
    guard !series.alerts.isEmpty else { return }
    guard let repetition = series.repetition, let timing = repetition.timing else {
      addAlarms(ofOnce: series, calendar)
      return
    }
    let zone = repetition.clocks?.zone ?? calendar.zone
    // The occurrences are gone through only where an alarm may differ: by months, by a time of day, or by
    // days from a time that the clocks may skip.
    let hasDifferences = series.alerts.contains { alert in
      switch alert.constantTrigger {
      case nil: true
      case .relative(0, _): false
      default: repetition.clocks.map { $0.zone.identifier != "UTC" } ?? false
      }
    }
    let starts = hasDifferences ? Self.starts(repetition, timing, calendar, now: now) : []
    let clocks = repetition.clocks
    let first = CalendarStart(
      series.moment, at: series.moment.start(in: calendar.zone),
      clocks?.local ?? CivilDateTime(date: repetition.anchor, time: .midnight), in: zone)
    var kept: [(alert: EventAlert, trigger: CalendarTrigger)] = []
    for alert in series.alerts {
      if let trigger = alert.constantTrigger {
        kept.append((alert, trigger))
        continue
      }
      var counts: [CalendarTrigger: Int] = [:]
      var commonest: CalendarTrigger?
      // What is over has the alarms of its first occurrence.
      for start in starts.isEmpty ? [first] : starts {
        guard let due = alert.instant(of: start.moment, in: calendar.zone, eventZone: zone) else {
          continue
        }
        let span = start.span(to: due)
        counts[span, default: 0] += 1
        if commonest.map({ counts[span, default: 0] > counts[$0, default: 0] }) ?? true {
          commonest = span
        }
      }
      if let commonest { kept.append((alert, commonest)) }
    }
    triggers = kept.map(\.trigger)
    alerts = kept.map { alert, trigger in
      EventAlert(trigger, of: first) == alert ? nil : alert
    }
    for start in starts {
      let own = kept.map { alert, trigger in
        let due = alert.instant(of: start.moment, in: calendar.zone, eventZone: zone)
        guard let due, start.instant(of: trigger) != due else { return trigger }
        return .absolute(due)
      }
      if own != triggers { exceptions.append((start, own)) }
    }
  }

  private mutating func addAlarms(ofOnce series: Series, _ calendar: EventCalendar) {
    let start = CalendarStart(once: series.moment, calendar)
    let zone = series.zone ?? calendar.zone
    let shown =
      series.moment.isAllDay
      ? start
      : CalendarStart(series.moment, at: start.instant, zone.civil(at: start.instant), in: zone)
    for alert in series.alerts {
      guard let due = alert.instant(of: series.moment, in: calendar.zone, eventZone: zone) else {
        continue
      }
      let span = start.span(to: due)
      let trigger = start.instant(of: span) == due ? span : .absolute(due)
      triggers.append(trigger)
      let read = EventAlert(trigger, from: start, once: shown, own: nil)
      alerts.append(read == alert ? nil : alert)
    }
  }

  /// Whether an alert is due when a trigger says at an occurrence of a repeated event, at the first of all
  /// or one around now.
  static func isDue(
    _ alert: EventAlert, by trigger: CalendarTrigger, of timing: EventTiming,
    from first: CalendarStart, _ calendar: EventCalendar, now: Instant
  ) -> Bool {
    let repetition = Series.Repetition(of: timing, from: first.moment, calendar)
    let starts = repetition.map { Self.starts($0, timing, calendar, now: now) } ?? []
    return ([first] + starts).contains { start in
      let zone = start.zone
      return alert.instant(of: start.moment, in: calendar.zone, eventZone: zone).map {
        start.span(to: $0) == trigger
      } ?? false
    }
  }

  /// Returns the occurrences around now.
  private static func starts(
    _ repetition: Series.Repetition, _ timing: EventTiming, _ calendar: EventCalendar, now: Instant
  ) -> [CalendarStart] {
    let begin = now.adding(seconds: -past)
    let schedule = timing.schedule(in: calendar)
    guard let recurrence = timing.recurrence,
      var number = schedule.next(notOverAt: begin)?.number
    else { return [] }
    let end = now.adding(seconds: future)
    var found: [CalendarStart] = []
    // At least the next occurrence is found, even if it begins later than the years looked at.
    while found.count < limit, let moment = schedule.occurrence(number),
      found.isEmpty || moment.start(in: calendar.zone) <= end,
      let date = recurrence.date(number, from: repetition.anchor, leapDay: calendar.leapDay)
    {
      let zone = repetition.clocks?.zone ?? calendar.zone
      let time = repetition.clocks?.local.time ?? .midnight
      found.append(
        CalendarStart(
          moment, at: moment.start(in: calendar.zone), CivilDateTime(date: date, time: time),
          in: zone))
      number += 1
    }
    return found
  }
}
