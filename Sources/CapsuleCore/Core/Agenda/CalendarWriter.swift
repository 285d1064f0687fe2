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
