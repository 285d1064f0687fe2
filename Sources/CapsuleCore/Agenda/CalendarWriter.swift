/// Writes an iCalendar object (RFC 5545), a record at a time.
///
/// ``note(_:)`` gets what may name a zone first, for the zones stand before the records; then come
/// ``beginning()``, ``component(of:)`` of each, and ``end()``.
package struct CalendarWriter {
  private let calendar: EventCalendar
  /// The zones that are named, and the earliest instant that each is named for.
  private var zones: [String: Instant] = [:]

  /// - Parameter calendar: whose zone the alerts of whole days are in.
  package init(_ calendar: EventCalendar) {
    self.calendar = calendar
  }

  /// Takes note of the zone that a record names.
  package mutating func note(_ series: Series) {
    guard let zone = zone(of: series), case .instant(let instant) = series.moment else { return }
    zones[zone] = min(zones[zone] ?? instant, instant)
  }

  /// Returns a record with all of its repetitions.
  package func component(of series: Series) -> [UInt8] {
    let header = series.header
    var lines = [
      "BEGIN:VEVENT",
      // The id is random and stays the record's own, whichever machine writes the calendar.
      "UID:\(header.id)@capsule",
      "DTSTAMP:\(Self.utc(header.updatedAt))",
      "CREATED:\(Self.utc(header.createdAt))",
      "LAST-MODIFIED:\(Self.utc(header.updatedAt))",
      "SEQUENCE:\(header.revision - 1)",
      start(of: series),
    ]
    if let recurrence = series.recurrence {
      lines.append("RRULE:\(rule(recurrence, from: localDate(of: series)))")
    }
    lines.append("SUMMARY:\(Self.escaped(series.title))")
    if !series.notes.isEmpty { lines.append("DESCRIPTION:\(Self.escaped(series.notes))") }
    let categories = [series.happening.rawValue] + series.tags
    lines.append("CATEGORIES:\(categories.map(Self.escaped).joined(separator: ","))")
    // RFC 7986 takes the names of CSS alone; amber is none of them.
    if let color = series.color, !color.description.hasPrefix("#"), color.description != "amber" {
      lines.append("COLOR:\(color)")
    }
    lines.append("TRANSP:TRANSPARENT")
    for alert in series.alerts {
      guard let trigger = trigger(alert, series) else { continue }
      lines += [
        "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(Self.escaped(series.title))",
        "TRIGGER:\(trigger)", "END:VALARM",
      ]
    }
    lines.append("END:VEVENT")
    return lines.flatMap(Self.folded)
  }

  /// Returns what stands before the records.
  package func beginning() -> [UInt8] {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//capsule//capsule//EN", "CALSCALE:GREGORIAN",
    ]
    for (name, start) in zones.sorted(by: { $0.key < $1.key }) {
      lines += timeZone(name, from: start)
    }
    return lines.flatMap(Self.folded)
  }

  /// Returns what stands behind the records.
  package func end() -> [UInt8] {
    Self.folded("END:VCALENDAR")
  }

  // MARK: Times

  /// Returns the zone that a record's start is written in; `nil` for UTC and for whole days.
  private func zone(of series: Series) -> String? {
    // Repeated on the clocks of its zone, a time of day keeps to them; once, UTC says it all.
    guard case .instant = series.moment, series.recurrence != nil, !series.zone.isEmpty,
      series.zone != "UTC"
    else { return nil }
    return series.zone
  }

  private func start(of series: Series) -> String {
    switch series.moment {
    case .day(let date): return "DTSTART;VALUE=DATE:\(Self.basic(date))"
    case .instant(let instant):
      // A record that was changed meanwhile may name a zone that was not noted.
      guard let zone = zone(of: series), zones[zone] != nil else {
        return "DTSTART:\(Self.utc(instant))"
      }
      let name = Self.parameter(zone)
      return "DTSTART;TZID=\(name):\(Self.basic(calendar.rules(zone).civil(at: instant)))"
    }
  }

  private func localDate(of series: Series) -> CivilDate {
    switch series.moment {
    case .day(let date): date
    case .instant(let instant):
      series.zone.isEmpty
        ? ZoneRules.utc.civil(at: instant).date
        : calendar.rules(series.zone).civil(at: instant).date
    }
  }

  /// Returns the rule by which a calendar repeats as the timeline does: the 31st is a month's last
  /// day where it has no 31st.
  private func rule(_ recurrence: Recurrence, from date: CivilDate) -> String {
    let frequency: String
    var parts = ""
    switch recurrence.unit {
    case .day: frequency = "DAILY"
    case .week: frequency = "WEEKLY"
    case .month:
      frequency = "MONTHLY"
      if date.day > 28 {
        let days = (28...date.day).map { String($0) }.joined(separator: ",")
        parts = ";BYMONTHDAY=\(days);BYSETPOS=-1"
      }
    default:
      frequency = "YEARLY"
      if date.month == 2, date.day == 29 {
        // The 60th day is 29 February, or 1 March.
        parts =
          calendar.leapDay == .march1 ? ";BYYEARDAY=60" : ";BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1"
      }
    }
    return "FREQ=\(frequency);INTERVAL=\(recurrence.count)\(parts)"
  }

  /// Returns how long before or after the start an alarm is due.
  ///
  /// Calendars have no months here: they are counted out in days from the first occurrence.
  private func trigger(_ alert: EventAlert, _ series: Series) -> String? {
    let eventZone = series.zone.isEmpty ? calendar.zone : calendar.rules(series.zone)
    guard let due = alert.instant(of: series.moment, in: calendar.zone, eventZone: eventZone) else {
      return nil
    }
    switch series.moment {
    case .instant(let start) where series.recurrence == nil:
      return Self.duration(due.seconds(since: start))
    case .instant(let start):
      return Self.duration(
        eventZone.civil(at: due).secondsAsUTC - eventZone.civil(at: start).secondsAsUTC)
    case .day(let date):
      let midnight = CivilDateTime(date: date, time: .midnight).secondsAsUTC
      return Self.duration(calendar.zone.civil(at: due).secondsAsUTC - midnight)
    }
  }

  private static func duration(_ seconds: Int64) -> String {
    let rest = seconds.magnitude % 86_400
    let days = seconds.magnitude / 86_400
    var text = seconds < 0 ? "-P" : "P"
    if days > 0 { text += "\(days)D" }
    guard rest > 0 || days == 0 else { return text }
    text += "T"
    if rest >= 3600 { text += "\(rest / 3600)H" }
    if rest / 60 % 60 > 0 { text += "\(rest / 60 % 60)M" }
    if rest % 60 > 0 || rest == 0 { text += "\(rest % 60)S" }
    return text
  }

  // MARK: Zones

  /// For how many years behind a zone's first use its changes are written out.
  private static let zoneYears: Int64 = 100

  private func timeZone(_ name: String, from start: Instant) -> [String] {
    let rules = calendar.rules(name)
    let begin = start.adding(seconds: -366 * 86_400)
    let end = start.adding(seconds: Self.zoneYears * 366 * 86_400).clamped
    let first = rules.offset(at: begin)
    let identifier = Self.escaped(String(name.unicodeScalars.filter { $0 != "\"" }))
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(identifier)"]
    lines += Self.observance(
      from: first.seconds, to: first, at: [rules.civil(at: begin)])
    // Changes of one kind stand together, each with its own time on the clocks before it.
    var groups: [(before: LocalTimeType, after: LocalTimeType, at: [CivilDateTime])] = []
    for change in rules.transitions(after: begin.seconds, through: end.seconds) {
      let local = CivilDateTime(secondsAsUTC: change.at + Int64(change.before.seconds))
      if let group = groups.firstIndex(where: {
        $0.before == change.before && $0.after == change.after
      }) {
        groups[group].at.append(local)
      } else {
        groups.append((change.before, change.after, [local]))
      }
    }
    for group in groups {
      lines += Self.observance(from: group.before.seconds, to: group.after, at: group.at)
    }
    return lines + ["END:VTIMEZONE"]
  }

  private static func observance(
    from before: Int, to type: LocalTimeType, at times: [CivilDateTime]
  ) -> [String] {
    guard let first = times.first else { return [] }
    let name = type.isDaylight ? "DAYLIGHT" : "STANDARD"
    return ["BEGIN:\(name)", "DTSTART:\(basic(first))"]
      + times.dropFirst().map { "RDATE:\(basic($0))" }
      + [
        "TZOFFSETFROM:\(offset(before))", "TZOFFSETTO:\(offset(type.seconds))",
        "TZNAME:\(escaped(type.abbreviation))", "END:\(name)",
      ]
  }

  private static func offset(_ seconds: Int) -> String {
    text(ZoneRules.offsetText(seconds), without: ":")
  }

  // MARK: Text

  private static func basic(_ date: CivilDate) -> String {
    text(date.description, without: "-")
  }

  private static func basic(_ time: CivilDateTime) -> String {
    "\(basic(time.date))T\(text(time.time.description, without: ":"))"
  }

  private static func text(_ text: String, without scalar: Unicode.Scalar) -> String {
    String(text.unicodeScalars.filter { $0 != scalar })
  }

  private static func utc(_ instant: Instant) -> String {
    basic(ZoneRules.utc.civil(at: instant)) + "Z"
  }

  /// Returns a parameter's value, quoted where it has to be.
  private static func parameter(_ text: String) -> String {
    let plain = text.unicodeScalars.filter { scalar in
      scalar != "\"" && scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
    }
    return plain.contains { $0 == ":" || $0 == ";" || $0 == "," }
      ? "\"\(String(plain))\"" : String(plain)
  }

  /// Returns a value of type TEXT (RFC 5545, 3.3.11) without control characters, which it cannot
  /// hold.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case ";": escaped += "\\;"
      case ",": escaped += "\\,"
      case "\n": escaped += "\\n"
      case "\t": escaped.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value): continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns a content line in lines of at most 75 octets, cut between characters of UTF-8.
  private static func folded(_ line: String) -> [UInt8] {
    let bytes = Array(line.utf8)
    var folded: [UInt8] = []
    var start = 0
    var room = 75
    while bytes.count - start > room {
      var end = start + room
      while end > start, bytes[end] & 0xc0 == 0x80 { end -= 1 }
      folded += bytes[start..<end] + [0x0d, 0x0a, 0x20]
      start = end
      room = 74
    }
    return folded + bytes[start...] + [0x0d, 0x0a]
  }
}
