/// Writes an iCalendar object (RFC 5545), a record at a time.
///
/// ``note(_:)`` gets what may name a zone first, for the zones stand before the records; then come
/// ``beginning()``, ``component(of:)`` of each, and ``end()``.
package struct CalendarWriter {
  private let calendar: EventCalendar
  private let now: Instant
  /// The zones that are named, by their identifiers.
  private var zones: [String: CalendarZone] = [:]

  /// - Parameters:
  ///   - calendar: the calendar whose zone the alerts of whole days are in.
  ///   - now: the time around which alarms are exact to the occurrence.
  package init(_ calendar: EventCalendar, now: Instant) {
    self.calendar = calendar
    self.now = now
  }

  /// Takes note of the zone that a record names.
  package mutating func note(_ series: Series) {
    guard let zone = Self.zone(of: series) else { return }
    let start = series.moment.start(in: calendar.zone)
    zones[zone.identifier, default: CalendarZone(zone, from: start)].extend(to: start)
  }

  /// Returns what stands before the records.
  package func beginning() -> [UInt8] {
    let lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//capsule//capsule//EN", "CALSCALE:GREGORIAN",
    ]
    let zones = zones.sorted { $0.key < $1.key }.flatMap { $0.value.lines(now: now) }
    return CalendarText.folded(lines + zones)
  }

  /// Returns what stands behind the records.
  package func end() -> [UInt8] {
    CalendarText.folded(["END:VCALENDAR"])
  }

  /// Returns a record with all of its repetitions, and each of them whose alarms are due otherwise than
  /// those of the rest.
  package func component(of series: Series) -> [UInt8] {
    let alarms = CalendarAlarms(of: series, calendar, now: now)
    var lines = event(series, start: start(of: series), alarms.triggers, alarms.alerts)
    for exception in alarms.exceptions {
      lines += event(series, start: start(of: exception.start, series), exception.triggers)
    }
    return CalendarText.folded(lines)
  }

  /// Returns the lines of a record, or of one occurrence.
  private func event(
    _ series: Series, start: [String], _ triggers: [CalendarTrigger],
    _ alerts: [EventAlert?] = []
  ) -> [String] {
    let header = series.header
    var lines = [
      "BEGIN:VEVENT",
      // The id is random and stays the record's own, whichever machine writes the calendar.
      "UID:\(CalendarText.escaped(series.uid ?? "\(header.id)@capsule"))",
      "DTSTAMP:\(CalendarText.utc(header.updatedAt))",
      "CREATED:\(CalendarText.utc(header.createdAt))",
      "LAST-MODIFIED:\(CalendarText.utc(header.updatedAt))",
      "SEQUENCE:\(series.sequence ?? header.revision - 1)",
    ]
    lines += start
    lines.append("SUMMARY:\(CalendarText.escaped(series.title))")
    if !series.notes.isEmpty { lines.append("DESCRIPTION:\(CalendarText.escaped(series.notes))") }
    let categories = [series.happening.rawValue] + series.tags
    lines.append("CATEGORIES:\(categories.map(CalendarText.escaped).joined(separator: ","))")
    // RFC 7986 takes the names of CSS alone; amber is none of them.
    if let color = series.color, !color.description.hasPrefix("#"), color.description != "amber" {
      lines.append("COLOR:\(color)")
    }
    if let doneAt = series.doneAt {
      lines.append("\(CalendarText.doneProperty):\(CalendarText.utc(doneAt))")
    }
    lines.append("TRANSP:TRANSPARENT")
    for (place, trigger) in triggers.enumerated() {
      let alert = alerts.indices.contains(place) ? alerts[place] : nil
      lines += [
        "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(CalendarText.escaped(series.title))",
        trigger.line(for: alert?.description), "END:VALARM",
      ]
    }
    return lines + ["END:VEVENT"]
  }

  // MARK: Times

  /// Returns the zone that a record's start is written in; `nil` for UTC and for whole days.
  private static func zone(of series: Series) -> ZoneRules? {
    // Repeated on the clocks of its zone, a time of day keeps to them; once, UTC says when it is.
    guard let zone = series.repetition?.clocks?.zone, zone.identifier != "UTC" else { return nil }
    return zone
  }

  /// Returns the zone that was noted for a record, and what its clocks show at the start. A record that
  /// was changed meanwhile may have one that was not noted.
  private func clocks(_ series: Series) -> (label: String, local: CivilDateTime)? {
    guard let zone = Self.zone(of: series), let known = zones[zone.identifier],
      let local = series.repetition?.clocks?.local
    else { return nil }
    return (known.label, local)
  }

  private func start(of series: Series) -> [String] {
    let start: String
    switch series.moment {
    case .day(let date): start = "DTSTART;VALUE=DATE:\(CalendarText.basic(date))"
    case .instant(let instant):
      if let (label, local) = clocks(series) {
        start = "DTSTART;TZID=\(label):\(CalendarText.basic(local))"
      } else {
        start = "DTSTART:\(CalendarText.utc(instant))"
      }
    }
    if let repetition = series.repetition { return [start, "RRULE:\(repetition.text)"] }
    guard !series.moment.isAllDay, let zone = series.zone, zone.identifier != "UTC" else {
      return [start]
    }
    return [start, "\(CalendarText.zoneProperty):\(CalendarText.escaped(zone.identifier))"]
  }

  /// Returns the lines that say which occurrence is meant.
  private func start(of occurrence: CalendarStart, _ series: Series) -> [String] {
    let value: String
    switch occurrence.moment {
    case .day(let date): value = ";VALUE=DATE:\(CalendarText.basic(date))"
    case .instant(let instant):
      if let (label, _) = clocks(series) {
        value = ";TZID=\(label):\(CalendarText.basic(occurrence.local))"
      } else {
        value = ":\(CalendarText.utc(instant))"
      }
    }
    return ["RECURRENCE-ID" + value, "DTSTART" + value]
  }
}

extension Series.Repetition {
  /// The rule by which a calendar repeats as the timeline does (RFC 5545, 3.3.10): the 31st is a month's
  /// last day where it has no 31st.
  fileprivate var text: String {
    let frequency: String
    var parts = ""
    switch (rule.unit, rule.days) {
    case (.day, _): frequency = "DAILY"
    case (.week, .weekdays(let days)?):
      frequency = "WEEKLY"
      parts = ";BYDAY=" + days.map(\.calendarName).joined(separator: ",")
      if rule.count > 1 { parts += ";WKST=MO" }
    case (.week, _): frequency = "WEEKLY"
    case (.month, .nth(let number, let weekday)?):
      frequency = "MONTHLY"
      parts = ";BYDAY=\(number)\(weekday.calendarName)"
    case (.month, _):
      frequency = "MONTHLY"
      if anchor.day > 28 {
        let days = (28...anchor.day).map { String($0) }.joined(separator: ",")
        parts = ";BYMONTHDAY=\(days);BYSETPOS=-1"
      }
    default:
      frequency = "YEARLY"
      if anchor.month == 2, anchor.day == 29 {
        // The 60th day is 29 February, or 1 March.
        parts = leapDay == .march1 ? ";BYYEARDAY=60" : ";BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"
      }
    }
    return "FREQ=\(frequency);INTERVAL=\(rule.count)\(parts)"
  }
}

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
