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
    if start.moment.isAllDay && seconds != 0 {
      // At a time of day, on the day itself or one before.
      let (total, overflow) = seconds.addingReportingOverflow(days * 86_400)
      guard !overflow else { return nil }
      let second = (total % 86_400 + 86_400) % 86_400
      let back = (second - total) / 86_400
      guard let time = CivilTime(secondOfDay: second), time.second == 0, back >= 0 else {
        self.init(days: count, seconds: seconds)
        return
      }
      self.init(before: CalendarDuration(days: Int(back)), at: time)
    } else {
      self.init(days: count, seconds: seconds)
    }
  }

  /// The alert of so many days and seconds after the start or the end, before it where they are less than 0.
  init?(days: Int, seconds: Int64, isFromEnd: Bool = false) {
    guard days.magnitude < 100_000, seconds.magnitude < 100_000 * 86_400 else { return nil }
    let rest = Int(seconds.magnitude)
    let isAfter = days > 0 || seconds > 0
    let days = Int(days.magnitude)
    let weeks = days.isMultiple(of: 7) ? days / 7 : 0
    self.init(
      before: CalendarDuration(
        weeks: weeks, days: weeks == 0 ? days : 0, hours: rest / 3600, minutes: rest / 60 % 60,
        seconds: rest % 60),
      at: nil, isAfter: isAfter, isFromEnd: isFromEnd)
  }

  /// The trigger that is right at every occurrence of what is repeated, or of a whole day; `nil` where
  /// months, years or a time of day make it another one at some.
  var constantTrigger: CalendarTrigger? {
    guard before.years == 0, before.months == 0, time == nil else { return nil }
    let sign = isAfter ? 1 : -1
    return .relative(
      days: sign * (before.weeks * 7 + before.days), seconds: Int64(sign) * before.exactSeconds)
  }
}

/// The alarms of a record, and the occurrences that have other ones.
struct CalendarAlarms {
  private(set) var triggers: [CalendarTrigger] = []
  /// The alert of each trigger, where another one would be read from it: several may have the same trigger.
  private(set) var alerts: [EventAlert?] = []
  /// The alerts that are counted from the end.
  private var fromEnd: [EventAlert] = []
  private(set) var exceptions: [(start: CalendarStart, triggers: [CalendarTrigger])] = []

  /// The seconds before and after now within which alarms are compared with each occurrence, and
  /// the most such occurrences.
  private static let (past, future, limit) = (Int64(366 * 86_400), Int64(3660 * 86_400), 5000)
  /// The most occurrences that are written by themselves because of their alarms.
  private static let exceptionLimit = 500

  init(of series: Series, _ calendar: EventCalendar, now: Instant) {
    guard !series.alerts.isEmpty else { return }
    fromEnd = series.alerts.filter(\.isFromEnd)
    let counted = series.alerts.filter { !$0.isFromEnd }
    guard let repetition = series.repetition, let timing = repetition.timing else {
      addAlarms(ofOnce: series, counted, calendar)
      return
    }
    let zone = repetition.clocks?.zone ?? calendar.zone
    // The occurrences are gone through only where an alarm may differ: by months, by a time of day, or by
    // days from a time that the clocks may skip.
    let hasDifferences = counted.contains { alert in
      switch alert.constantTrigger {
      case nil: true
      case .relative(0, _): false
      default: repetition.clocks.map { $0.zone.identifier != "UTC" } ?? false
      }
    }
    let starts = hasDifferences ? Self.starts(repetition, timing, calendar, now: now) : []
    let first = Self.first(series, repetition, calendar)
    var kept: [(alert: EventAlert, trigger: CalendarTrigger)] = []
    for alert in counted {
      let trigger =
        alert.constantTrigger
        // What is over has the alarms of its first occurrence.
        ?? Self.commonest(alert, starts.isEmpty ? [first] : starts, zone, calendar)
      if let trigger { kept.append((alert, trigger)) }
    }
    triggers = kept.map(\.trigger)
    alerts = kept.map { alert, trigger in
      EventAlert(trigger, of: first) == alert ? nil : alert
    }
    for start in starts where exceptions.count < Self.exceptionLimit {
      let own = kept.map { alert, trigger in
        let due = alert.instant(of: start.moment, in: calendar.zone, eventZone: zone)
        guard let due, start.instant(of: trigger) != due else { return trigger }
        return .absolute(due)
      }
      if own != triggers { exceptions.append((start, own)) }
    }
  }

  /// The time that the clocks show at the beginning of a series.
  private static func first(
    _ series: Series, _ repetition: Series.Repetition, _ calendar: EventCalendar
  ) -> CalendarStart {
    let zone = repetition.clocks?.zone ?? calendar.zone
    let date = series.moment.date(in: zone)
    return CalendarStart(
      series.moment, at: series.moment.start(in: calendar.zone),
      repetition.clocks?.local ?? CivilDateTime(date: date, time: .midnight), in: zone)
  }

  private static func commonest(
    _ alert: EventAlert, _ starts: [CalendarStart], _ zone: ZoneRules, _ calendar: EventCalendar
  ) -> CalendarTrigger? {
    var counts: [CalendarTrigger: Int] = [:]
    var commonest: CalendarTrigger?
    for start in starts {
      guard let due = alert.instant(of: start.moment, in: calendar.zone, eventZone: zone) else {
        continue
      }
      let span = start.span(to: due)
      counts[span, default: 0] += 1
      if commonest.map({ counts[span, default: 0] > counts[$0, default: 0] }) ?? true {
        commonest = span
      }
    }
    return commonest
  }

  private mutating func addAlarms(
    ofOnce series: Series, _ counted: [EventAlert], _ calendar: EventCalendar
  ) {
    let start = CalendarStart(once: series.moment, calendar)
    let zone = series.zone ?? calendar.zone
    let shown =
      series.moment.isAllDay
      ? start
      : CalendarStart(series.moment, at: start.instant, zone.civil(at: start.instant), in: zone)
    for alert in counted {
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

  /// Returns the lines of the alarms.
  func lines(_ title: String) -> [String] {
    Self.lines(Array(zip(triggers, alerts)), title) + endLines(title)
  }

  /// Returns the lines of those that are counted from the end.
  func endLines(_ title: String) -> [String] {
    fromEnd.flatMap { alert in
      let trigger = alert.constantTrigger ?? .relative(days: 0, seconds: 0)
      let read = CalendarAlarms.fromEnd(trigger)
      return Self.alarm(
        trigger.line(for: read == alert ? nil : alert.description, isFromEnd: true), title)
    }
  }

  private static func fromEnd(_ trigger: CalendarTrigger) -> EventAlert? {
    guard case .relative(let days, let seconds) = trigger else { return nil }
    return EventAlert(days: days, seconds: seconds, isFromEnd: true)
  }

  static func lines(_ alarms: [(CalendarTrigger, EventAlert?)], _ title: String) -> [String] {
    alarms.flatMap { trigger, alert in alarm(trigger.line(for: alert?.description), title) }
  }

  private static func alarm(_ trigger: String, _ title: String) -> [String] {
    [
      "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(CalendarText.escaped(title))", trigger,
      "END:VALARM",
    ]
  }

  /// Returns the lines of the alarms of one occurrence.
  ///
  /// - Parameter isOwn: whether the occurrence has alerts of its own, which the lines name.
  static func lines(
    of series: Series, at occurrence: EventOccurrence, isOwn: Bool, _ calendar: EventCalendar
  ) -> [String] {
    let zone = series.repetition?.clocks?.zone ?? series.zone ?? calendar.zone
    let start = occurrence.moment.start(in: calendar.zone)
    let local = occurrence.moment.isAllDay ? occurrence.key.local : zone.civil(at: start)
    let begin = CalendarStart(occurrence.moment, at: start, local, in: zone)
    var alarms = CalendarAlarms()
    alarms.fromEnd = series.alerts.filter(\.isFromEnd)
    for alert in series.alerts where !alert.isFromEnd {
      guard let due = alert.instant(of: occurrence.moment, in: calendar.zone, eventZone: zone)
      else { continue }
      let span = begin.span(to: due)
      alarms.triggers.append(begin.instant(of: span) == due ? span : .absolute(due))
      alarms.alerts.append(isOwn ? alert : nil)
    }
    return alarms.lines(series.title)
  }

  private init() {}

  /// Whether an alert is due when a trigger says at an occurrence of a repeated event, at the first of all
  /// or one around now.
  static func isDue(
    _ alert: EventAlert, by trigger: CalendarTrigger, of timing: EventTiming,
    from first: CalendarStart, _ calendar: EventCalendar, now: Instant
  ) -> Bool {
    let repetition = Series.Repetition(of: timing, calendar)
    let starts = repetition.map { Self.starts($0, timing, calendar, now: now) } ?? []
    return ([first] + starts).contains { start in
      let zone = start.zone
      return alert.instant(of: start.moment, in: calendar.zone, eventZone: zone).map {
        start.span(to: $0) == trigger
      } ?? false
    }
  }

  /// Returns the occurrences around now that are as their rule says, in order.
  private static func starts(
    _ repetition: Series.Repetition, _ timing: EventTiming, _ calendar: EventCalendar, now: Instant
  ) -> [CalendarStart] {
    let schedule = timing.schedule(in: calendar)
    let end = now.adding(seconds: future)
    let zone = repetition.clocks?.zone ?? calendar.zone
    let own = Set(timing.series.settled.map(\.key) + timing.series.moved.map(\.key))
    var found: [CalendarStart] = []
    for occurrence in schedule.walk(notOverAt: now.adding(seconds: -past)) {
      // At least the next occurrence is found, even if it begins later than the years looked at.
      let start = occurrence.moment.start(in: calendar.zone)
      guard found.count < limit, found.isEmpty || start <= end else { break }
      if own.contains(occurrence.key) { continue }
      found.append(CalendarStart(occurrence.moment, at: start, occurrence.key.local, in: zone))
    }
    return found
  }
}
