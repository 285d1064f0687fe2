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

  /// Takes note of the zones that a record names.
  package mutating func note(_ series: Series) {
    let start = series.moment.start(in: calendar.zone)
    for zone in [series.clocks?.zone, series.endZone.map(calendar.rules)].compactMap({ $0 }) {
      zones[zone.identifier, default: CalendarZone(zone, from: start)].extend(to: start)
    }
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

  /// Returns a record with all of its repetitions, and each of them that differs from the rest, or whose alarms are
  /// due otherwise.
  package func component(of series: Series) -> [UInt8] {
    let times = CalendarTimes(series, zones, calendar)
    let alarms = CalendarAlarms(of: series, calendar, now: now)
    var lines = event(series, times.lines, alarms.lines(series.title))
    for exception in alarms.exceptions {
      let key = OccurrenceKey(exception.start.local, isAllDay: series.moment.isAllDay)
      let own = series.replacing(series.move(of: key, calendar), nil)
      lines += event(
        own, times.lines(of: key, at: exception.start.moment, length: own.length, false),
        CalendarAlarms.lines(exception.triggers.map { ($0, nil) }, series.title)
          + alarms.endLines(series.title))
    }
    for (occurrence, move, settled) in series.differences(calendar) {
      let own = series.replacing(move, settled)
      lines += event(
        own,
        times.lines(
          of: occurrence.key, at: occurrence.moment, length: occurrence.length,
          move?.isForLater == true && move?.key == occurrence.key),
        CalendarAlarms.lines(
          of: own, at: occurrence, isOwn: move?.alerts != nil, calendar))
    }
    return CalendarText.folded(lines)
  }

  /// Returns the lines of a record, or of one occurrence.
  private func event(_ series: Series, _ times: [String], _ alarms: [String]) -> [String] {
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
    lines += times
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
    if series.isSkipped { lines.append("\(CalendarText.skippedProperty):TRUE") }
    lines.append("TRANSP:TRANSPARENT")
    return lines + alarms + ["END:VEVENT"]
  }
}

extension Series {
  /// The clocks that the start is written on, and what they show at it; `nil` for UTC, for whole days, and for a
  /// time that is the same everywhere.
  ///
  /// On the clocks of its zone a time of day keeps to them where it is repeated, or takes days; else UTC says when
  /// it is.
  fileprivate var clocks: (zone: ZoneRules, local: CivilDateTime)? {
    var clocks = repetition?.clocks
    if clocks == nil, length?.days ?? 0 > 0, let zone, let instant = moment.exactInstant {
      clocks = (zone, zone.civil(at: instant))
    }
    return isFloating || clocks?.zone.identifier == "UTC" ? nil : clocks
  }

  /// The occurrences of which the record says something by themselves.
  fileprivate func differences(
    _ calendar: EventCalendar
  ) -> [(EventOccurrence, MovedOccurrence?, SettledOccurrence?)] {
    guard let timing = repetition?.timing else { return [] }
    let settled = timing.isDeadline ? timing.series.settled : []
    let keys = Set(timing.series.moved.map(\.key) + settled.map(\.key))
    guard !keys.isEmpty else { return [] }
    let schedule = timing.schedule(in: calendar)
    return keys.sorted().compactMap { key in
      schedule.occurrence(key).map { occurrence in
        (occurrence, schedule.move(of: occurrence), settled.first { $0.key == key })
      }
    }
  }

  /// Returns what those that hold for later ones say of an occurrence.
  fileprivate func move(of key: OccurrenceKey, _ calendar: EventCalendar) -> MovedOccurrence? {
    guard let timing = repetition?.timing, !timing.series.moved.isEmpty else { return nil }
    let schedule = timing.schedule(in: calendar)
    return schedule.occurrence(key).flatMap { schedule.move(of: $0) }
  }

  /// Returns the record as it is at one occurrence.
  fileprivate func replacing(_ move: MovedOccurrence?, _ settled: SettledOccurrence?) -> Series {
    var series = self
    series.title = move?.title ?? title
    series.notes = move?.notes ?? notes
    series.tags = move?.tags ?? tags
    series.color = move?.shownColor(color) ?? color
    series.alerts = move?.alerts ?? alerts
    series.length = move?.length ?? length
    series.doneAt = settled?.doneAt
    series.isSkipped = settled != nil && settled?.doneAt == nil
    return series
  }
}

/// The lines that say when a record is.
private struct CalendarTimes {
  private let series: Series
  private let calendar: EventCalendar
  private let zones: [String: CalendarZone]
  /// The clocks that times are written on.
  private let zone: ZoneRules?

  /// - Parameter zones: those that are described. A record that was changed meanwhile may have another one: it is
  ///   written in UTC.
  init(_ series: Series, _ zones: [String: CalendarZone], _ calendar: EventCalendar) {
    (self.series, self.calendar, self.zones) = (series, calendar, zones)
    zone = series.clocks.flatMap { zones[$0.zone.identifier] == nil ? nil : $0.zone }
  }

  /// The deadlines' length for programs that expect an end, in seconds.
  private static let inventedLength: Int64 = 900

  var lines: [String] {
    var lines: [String] = []
    switch (series.moment, zone, series.clocks?.local ?? floating) {
    case (.instant, let zone?, let local?): lines.append("DTSTART" + text(local, zone))
    case (.instant(let instant), nil, let local?) where series.isFloating:
      lines.append(
        "DTSTART:" + CalendarText.basic(zoneOfFloating.map { _ in local } ?? utc(instant)))
    default:
      let year = series.moment.wholeDay?.year ?? 0
      let omitted = series.isYearUnknown ? ";\(CalendarText.omittedYearParameter)=\(year)" : ""
      lines.append("DTSTART" + omitted + text(series.moment))
    }
    lines += end(series.length, from: series.moment)
    guard let repetition = series.repetition else {
      guard !series.moment.isAllDay, zone == nil, !series.isFloating, let zone = series.zone,
        zone.identifier != "UTC"
      else { return lines }
      return lines + ["\(CalendarText.zoneProperty):\(CalendarText.escaped(zone.identifier))"]
    }
    let named = repetition.timing?.series ?? EventSeries()
    let limit = limit(named, repetition)
    lines += repetition.rules.map { "RRULE:\($0)\(limit)" }
    let plain = named.also.filter { $0.length == nil }.map(\.key)
    if !plain.isEmpty { lines.append("RDATE" + text(plain)) }
    for added in named.also {
      guard let length = added.length else { continue }
      lines.append("RDATE;VALUE=PERIOD" + text([added.key]) + "/\(length)")
    }
    if !named.except.isEmpty { lines.append("EXDATE" + text(named.except)) }
    return lines
  }

  /// Returns the lines of one occurrence.
  func lines(
    of key: OccurrenceKey, at moment: Moment, length: EventLength?, _ isForLater: Bool
  ) -> [String] {
    let start: String
    if case .instant(let instant) = moment, let clocks = zone ?? zoneOfFloating {
      // Of a time that the clocks skip it is the one that was asked for.
      let isAtKey = !key.isAllDay && clocks.resolve(key.local).instant == instant
      let local = isAtKey ? key.local : clocks.civil(at: instant)
      start = zone.map { text(local, $0) } ?? ":" + CalendarText.basic(local)
    } else {
      start = text(moment)
    }
    let range = isForLater ? ";RANGE=THISANDFUTURE" : ""
    return ["RECURRENCE-ID" + range + text([key]), "DTSTART" + start] + end(length, from: moment)
  }

  private func limit(_ named: EventSeries, _ repetition: Series.Repetition) -> String {
    guard named.until != nil || named.times != nil else { return "" }
    if named.until == nil, let times = named.times, repetition.rules.count == 1 {
      return ";COUNT=\(times)"
    }
    // What ends first, where both are given.
    let last = repetition.timing?.schedule(in: calendar).set?.last
    guard var until = named.until ?? last.map({ OccurrenceKey($0.key, isAllDay: isAllDay) }) else {
      return ""
    }
    if named.times != nil, let last { until = OccurrenceKey(last.key, isAllDay: isAllDay) }
    if isAllDay { return ";UNTIL=\(CalendarText.basic(until.local.date))" }
    let local =
      until.isAllDay ? CivilDateTime(date: until.local.date, time: .endOfDay) : until.local
    if series.isFloating { return ";UNTIL=\(CalendarText.basic(local))" }
    let clocks = repetition.clocks?.zone ?? .utc
    return ";UNTIL=\(CalendarText.utc(clocks.resolve(local).instant))"
  }

  private var isAllDay: Bool { series.moment.isAllDay }

  /// The zone whose clocks show a time that is written without one.
  private var zoneOfFloating: ZoneRules? {
    series.isFloating ? series.repetition?.clocks?.zone ?? series.zone : nil
  }

  private var floating: CivilDateTime? {
    guard series.isFloating, let instant = series.moment.exactInstant else { return nil }
    return series.repetition?.clocks?.local ?? zoneOfFloating?.civil(at: instant)
  }

  private func utc(_ instant: Instant) -> CivilDateTime { ZoneRules.utc.civil(at: instant) }

  private func text(_ local: CivilDateTime, _ zone: ZoneRules) -> String {
    ";TZID=\(zones[zone.identifier]?.label ?? zone.identifier):\(CalendarText.basic(local))"
  }

  private func text(_ moment: Moment) -> String {
    switch moment {
    case .day(let date): ";VALUE=DATE:\(CalendarText.basic(date))"
    case .instant(let instant): ":\(CalendarText.utc(instant))"
    }
  }

  /// Returns occurrences by the times that they have in the series.
  private func text(_ keys: [OccurrenceKey]) -> String {
    if isAllDay {
      return ";VALUE=DATE:" + keys.map { CalendarText.basic($0.local.date) }.joined(separator: ",")
    }
    let locals = keys.map { CalendarText.basic($0.local) }
    if let zone {
      let label = zones[zone.identifier]?.label ?? zone.identifier
      return ";TZID=\(label):" + locals.joined(separator: ",")
    }
    if series.isFloating { return ":" + locals.joined(separator: ",") }
    let clocks = series.repetition?.clocks?.zone ?? .utc
    return ":"
      + keys.map { CalendarText.utc(clocks.resolve($0.local).instant) }.joined(separator: ",")
  }

  private func end(_ length: EventLength?, from moment: Moment) -> [String] {
    switch (moment, length) {
    case (.day(let date), let length?):
      guard length.days > 0, let behind = date.adding(days: length.days) else { return [] }
      return ["DTEND;VALUE=DATE:\(CalendarText.basic(behind))"]
    case (.instant, let length?) where length.days > 0: return ["DURATION:\(length)"]
    case (.instant(let instant), let length?):
      return ["DTEND" + endText(instant.adding(seconds: length.seconds).clamped)]
    case (.instant(let instant), nil) where series.happening == .deadline:
      let end = instant.adding(seconds: Self.inventedLength).clamped
      return ["DTEND;\(CalendarText.inventedParameter)=TRUE" + endText(end)]
    default: return []
    }
  }

  private func endText(_ end: Instant) -> String {
    if let clocks = zoneOfFloating { return ":" + CalendarText.basic(clocks.civil(at: end)) }
    let own = series.endZone.map(calendar.rules).flatMap { zones[$0.identifier] == nil ? nil : $0 }
    if zone != nil, let own { return text(own.civil(at: end), own) }
    return zone.map { text($0.civil(at: end), $0) } ?? text(.instant(end))
  }
}
