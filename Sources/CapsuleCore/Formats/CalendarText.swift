/// A date or a time as a calendar writes it (RFC 5545 §3.3.4 and §3.3.5).
package enum CalendarTime: Hashable, Sendable {
  case day(CivilDate)
  case utc(Instant)
  /// A time on the clocks of a zone by its `TZID`; of no zone, it is on those of where one is.
  case local(CivilDateTime, zone: String?)

  /// What it shows, as if it were UTC's: an order of times that are written in one way.
  package var shown: Int64 {
    switch self {
    case .day(let date): CivilDateTime(date: date, time: .midnight).secondsAsUTC
    case .utc(let instant): instant.seconds
    case .local(let local, _): local.secondsAsUTC
    }
  }

  /// Reads the value of a property.
  ///
  /// A date that is said to be one stays one, with a time behind it too.
  package init(_ property: ContentProperty) throws(CalendarFault) {
    let text = property.token
    let zone = property.parameters["TZID"]?.first
    let isDate = property.parameters["VALUE"]?.first?.uppercased() == "DATE"
    guard let time = Self(isDate ? text.parts(at: "T")[0] : text, zone: zone) else {
      throw CalendarFault(
        line: property.line,
        cause: .notATime(
          property: property.name, text: String(decoding: property.value, as: UTF8.self).trimmed))
    }
    self = time
  }

  /// Reads `20360615`, `20360615T090000` or `20360615T070000Z`; `nil` for any other text, and outside
  /// of the years 1 to 9999.
  package init?(_ text: String, zone: String?) {
    let bytes = Array(text.utf8)
    guard let date = bytes.withUnsafeBytes({ Self.date($0) }) else { return nil }
    if bytes.count == 8 {
      self = .day(date)
      return
    }
    let isUTC = bytes.count == 16 && bytes[15] == UInt8(ascii: "Z")
    guard bytes.count == 15 || isUTC, bytes[8] == UInt8(ascii: "T"),
      let time = bytes.withUnsafeBytes({ Self.time($0) })
    else { return nil }
    let local = CivilDateTime(date: date, time: time)
    if isUTC {
      self = .utc(Instant(seconds: local.secondsAsUTC))
    } else {
      self = .local(local, zone: zone)
    }
  }

  private static func date(_ bytes: UnsafeRawBufferPointer) -> CivilDate? {
    guard let year = DecimalDigits.value(of: bytes, in: 0..<4),
      let month = DecimalDigits.value(of: bytes, in: 4..<6),
      let day = DecimalDigits.value(of: bytes, in: 6..<8),
      let date = CivilDate(year: year, month: month, day: day), date.isRepresentable
    else { return nil }
    return date
  }

  private static func time(_ bytes: UnsafeRawBufferPointer) -> CivilTime? {
    guard let hour = DecimalDigits.value(of: bytes, in: 9..<11),
      let minute = DecimalDigits.value(of: bytes, in: 11..<13),
      let second = DecimalDigits.value(of: bytes, in: 13..<15)
    else { return nil }
    // A leap second is the one before it.
    return CivilTime(hour: hour, minute: minute, second: second == 60 ? 59 : second)
  }
}

/// The time at which an alarm of a calendar is due.
package enum CalendarTrigger: Hashable, Sendable {
  /// The trigger lies so many days on the clocks, and then so many exact seconds, before (less than
  /// 0) or after the start (RFC 5545, 3.3.6). None of both has the other's sign.
  case relative(days: Int, seconds: Int64)
  case absolute(Instant)

  /// The parameter that names the alert which no trigger can say.
  package static let alertParameter = "X-CAPSULE-ALERT"

  /// Reads a duration (RFC 5545 §3.3.6), `-P1DT2H`; `nil` for any other text, and for more than a
  /// thousand years.
  package init?(duration text: String) {
    var rest = text.utf8[...]
    var sign: Int64 = 1
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      if first == UInt8(ascii: "-") { sign = -1 }
      rest.removeFirst()
    }
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    var (days, seconds): (Int64, Int64) = (0, 0)
    var isTime = false
    while let next = rest.first {
      if next == UInt8(ascii: "T"), !isTime, rest.count > 1 {
        isTime = true
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix { $0.isASCIIDigit }
      guard (1...10).contains(digits.count), let number = Int64(Substring(digits)) else {
        return nil
      }
      rest = rest.dropFirst(digits.count)
      switch (rest.popFirst(), isTime) {
      case (UInt8(ascii: "W"), false): days += number * 7
      case (UInt8(ascii: "D"), false): days += number
      case (UInt8(ascii: "H"), true): seconds += number * 3600
      case (UInt8(ascii: "M"), true): seconds += number * 60
      case (UInt8(ascii: "S"), true): seconds += number
      default: return nil
      }
    }
    guard days <= 366_000, seconds <= 366_000 * 86_400 else { return nil }
    self = .relative(days: Int(sign * days), seconds: sign * seconds)
  }

  /// Returns the content line of it.
  ///
  /// - Parameter alert: the alert that it stands for, where another would be read from it.
  package func line(for alert: String?, isFromEnd: Bool = false) -> String {
    let parameter =
      (isFromEnd ? ";RELATED=END" : "")
      + (alert.map { ";\(Self.alertParameter)=\"\($0)\"" } ?? "")
    return switch self {
    case .absolute(let instant):
      "TRIGGER;VALUE=DATE-TIME\(parameter):\(CalendarText.utc(instant))"
    case .relative(let days, let seconds):
      "TRIGGER\(parameter):\(Self.duration(days, seconds))"
    }
  }

  /// Returns so many days on the clocks, and then so many exact seconds, as a duration.
  package static func duration(_ days: Int, _ seconds: Int64) -> String {
    let rest = seconds.magnitude
    var text = days < 0 || seconds < 0 ? "-P" : "P"
    if days != 0 { text += "\(days.magnitude)D" }
    guard rest > 0 || days == 0 else { return text }
    text += "T"
    if rest >= 3600 { text += "\(rest / 3600)H" }
    if rest / 60 % 60 > 0 { text += "\(rest / 60 % 60)M" }
    if rest % 60 > 0 || rest == 0 { text += "\(rest % 60)S" }
    return text
  }
}

/// The text of an iCalendar object (RFC 5545).
package enum CalendarText {
  /// The property of a deadline that was met: only tasks have `COMPLETED` (RFC 5545, 3.8.2.1).
  package static let doneProperty = "X-CAPSULE-DONE"
  /// The property of an occurrence that was skipped.
  package static let skippedProperty = "X-CAPSULE-SKIPPED"
  /// The parameter of an end that no event has, and other programs expect.
  package static let inventedParameter = "X-CAPSULE-INVENTED"
  /// The property that names the zone of an event whose start is written in UTC, for it comes once.
  package static let zoneProperty = "X-CAPSULE-ZONE"
  /// The property by which Outlook says that an event is all day, whose times are midnights.
  package static let allDayProperty = "X-MICROSOFT-CDO-ALLDAYEVENT"
  /// The parameter by which Apple says that the year of a date is none.
  package static let omittedYearParameter = "X-APPLE-OMIT-YEAR"

  /// Returns a date as `20360615`.
  package static func basic(_ date: CivilDate) -> String {
    text(date.description, without: "-")
  }

  /// Returns a local date and time as `20360615T090000`.
  package static func basic(_ time: CivilDateTime) -> String {
    "\(basic(time.date))T\(text(time.time.description, without: ":"))"
  }

  /// Returns an instant as `20360615T070000Z`.
  package static func utc(_ instant: Instant) -> String {
    basic(ZoneRules.utc.civil(at: instant)) + "Z"
  }

  /// Returns an offset from UTC as `+0200`.
  package static func offset(_ seconds: Int) -> String {
    text(ZoneRules.offsetText(seconds), without: ":")
  }

  private static func text(_ text: String, without scalar: Unicode.Scalar) -> String {
    String(text.unicodeScalars.filter { $0 != scalar })
  }

  /// Returns a zone's identifier as a label that stands in a parameter and in a property without
  /// quotes or escapes: `Europe/Paris`, `+0545`, `EST5EDT-M3.2.0-M11.1.0`.
  static func label(_ identifier: String) -> String {
    var label = ""
    for scalar in identifier.unicodeScalars where scalar != ":" {
      let byte = UInt8(truncatingIfNeeded: scalar.isASCII ? scalar.value : 0)
      let isPlain = byte.isASCIILetter || byte.isASCIIDigit || "/_+-.".utf8.contains(byte)
      label.unicodeScalars.append(isPlain ? scalar : "-")
    }
    return label
  }

  /// Returns a value of type TEXT (3.3.11) without control characters, which it cannot hold.
  package static func escaped(_ text: String) -> String {
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

  /// Returns content lines in lines of at most 75 octets, cut between characters of UTF-8 (3.1).
  package static func folded(_ lines: [String]) -> [UInt8] { lines.flatMap(folded) }

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

/// A zone as a calendar describes it (RFC 5545, 3.6.5): every change of its clocks from before its first
/// use on, and for all years to come.
package struct CalendarZone {
  private let rules: ZoneRules
  /// The earliest instant that it is named for.
  private var start: Instant

  package init(_ rules: ZoneRules, from start: Instant) {
    self.rules = rules
    self.start = start
  }

  /// Takes note of another use.
  package mutating func extend(to instant: Instant) {
    start = min(start, instant)
  }

  package var label: String { CalendarText.label(rules.identifier) }

  /// The years for which changes are written one by one, where no rule of a calendar can say them.
  private static let years: Int64 = 100

  /// The content lines of it.
  ///
  /// - Parameter now: the time from which those years are counted.
  package func lines(now: Instant) -> [String] {
    let begin = start.adding(seconds: -366 * 86_400).clamped
    let first = rules.offset(at: begin)
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(label)"]
    lines += Self.observance(from: first, to: first, at: [rules.civil(at: begin)])
    let listEnd: Int64
    var yearly: [String] = []
    if let (last, daylight) = rules.yearlyChanges {
      listEnd = max(begin.seconds, last ?? .min)
      yearly = self.yearly(daylight, after: listEnd)
    } else {
      listEnd = .max
    }
    // If a rule describes the rest, the list ends with the table.
    let end =
      yearly.isEmpty
      ? max(start, now).adding(seconds: Self.years * 366 * 86_400).clamped.seconds : listEnd
    // Changes of one kind stand together, each with its own time on the clocks before it.
    var groups: [(before: LocalTimeType, after: LocalTimeType, at: [CivilDateTime])] = []
    for change in rules.transitions(after: begin.seconds, through: end) {
      let group = groups.firstIndex { $0.before == change.before && $0.after == change.after }
      if let group {
        groups[group].at.append(change.clocksBefore)
      } else {
        groups.append((change.before, change.after, [change.clocksBefore]))
      }
    }
    for group in groups {
      lines += Self.observance(from: group.before, to: group.after, at: group.at)
    }
    return lines + yearly + ["END:VTIMEZONE"]
  }

  /// Returns the changes of every year from a time on; nothing where a calendar has no rule for one of
  /// them.
  private func yearly(_ daylight: PosixZone.Daylight, after start: Int64) -> [String] {
    let found = rules.transitions(after: start, through: start.addingClamped(800 * 86_400))
    let rulesOfDays = [daylight.start, daylight.end].map(Self.rule)
    guard let toDaylight = rulesOfDays[0], let fromDaylight = rulesOfDays[1] else { return [] }
    var lines: [String] = []
    for (target, rule) in [(true, toDaylight), (false, fromDaylight)] {
      guard let change = found.first(where: { ($0.after == daylight.type) == target }) else {
        return []
      }
      lines += Self.observance(
        from: change.before, to: change.after, at: [change.clocksBefore], rule: rule)
    }
    return lines
  }

  /// Returns the rule of a yearly change; `nil` where it may be in another month each year.
  private static func rule(_ change: PosixZone.Change) -> String? {
    // The time may be of another day than the one that is named: 26 hours after it, or one before.
    let shift = (change.time - (change.time % 86_400 + 86_400) % 86_400) / 86_400
    switch change.day {
    case .weekday(let month, let week, let weekday):
      let length = CivilDate.days(inMonth: month, of: 2001)
      guard week < 5 || month != 2 else { return nil }
      if shift == 0 {
        return "BYMONTH=\(month);BYDAY=\(week == 5 ? -1 : week)\(weekdays[weekday % 7])"
      }
      let first = (week == 5 ? length - 6 : week * 7 - 6) + shift
      guard first >= 1, first + 6 <= length else { return nil }
      let days = (first...first + 6).map { String($0) }.joined(separator: ",")
      let day = weekdays[((weekday + shift) % 7 + 7) % 7]
      return "BYMONTH=\(month);BYMONTHDAY=\(days);BYDAY=\(day)"
    case .commonYearDay(let number):
      guard shift == 0, let date = CivilDate(year: 2001, dayOfYear: number) else { return nil }
      return "BYMONTH=\(date.month);BYMONTHDAY=\(date.day)"
    case .dayIndex(let index):
      return shift == 0 && index < 365 ? "BYYEARDAY=\(index + 1)" : nil
    }
  }

  /// The names of the days from Sunday, as POSIX counts them.
  private static let weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]

  private static func observance(
    from before: LocalTimeType, to type: LocalTimeType, at times: [CivilDateTime],
    rule: String? = nil
  ) -> [String] {
    guard let first = times.first else { return [] }
    let name = type.isDaylight ? "DAYLIGHT" : "STANDARD"
    return ["BEGIN:\(name)", "DTSTART:\(CalendarText.basic(first))"]
      + times.dropFirst().map { "RDATE:\(CalendarText.basic($0))" }
      + (rule.map { ["RRULE:FREQ=YEARLY;\($0)"] } ?? [])
      + [
        "TZOFFSETFROM:\(CalendarText.offset(before.seconds))",
        "TZOFFSETTO:\(CalendarText.offset(type.seconds))",
        "TZNAME:\(CalendarText.escaped(type.abbreviation))", "END:\(name)",
      ]
  }
}

extension ZoneTransition {
  /// The date and time that the clocks would show at the change if there were no change.
  fileprivate var clocksBefore: CivilDateTime {
    CivilDateTime(secondsAsUTC: at.addingClamped(Int64(before.seconds)))
  }
}
