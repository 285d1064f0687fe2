/// The parts of a rule that were not looked at yet.
package struct CalendarRuleParts {
  private var parts: [String: String] = [:]

  /// - Returns: `nil` where a part is none, or stands twice.
  package init?(_ text: String) {
    for part in text.parts(at: ";") where !part.isEmpty {
      let sides = part.parts(at: "=")
      guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty,
        parts.updateValue(sides[1].trimmed, forKey: sides[0].trimmed) == nil
      else { return nil }
    }
  }

  package var isEmpty: Bool { parts.isEmpty }

  package func has(_ name: String) -> Bool { parts[name] != nil }

  package mutating func take(_ name: String) -> String? { parts.removeValue(forKey: name) }

  /// Takes a list of numbers; `nil` where it is not there, and an empty one where it is none.
  package mutating func takeNumbers(_ name: String) -> [Int]? {
    guard let text = take(name) else { return nil }
    let numbers = text.parts(at: ",").map(Self.number)
    return numbers.contains(nil) ? [] : numbers.compactMap { $0 }
  }

  private static func number(_ text: String) -> Int? {
    guard text.utf8.count <= 5 else { return nil }
    return Int(text)
  }

  /// Takes the interval, 1 where there is none; `nil` for one that no event has.
  package mutating func takeInterval() -> Int? {
    guard let text = take("INTERVAL") else { return 1 }
    guard let count = Self.number(text), (1...Recurrence.largestCount).contains(count) else {
      return nil
    }
    return count
  }

  /// Takes the day on which weeks begin, Monday where none is named.
  package mutating func takeWeekStart() -> Weekday? {
    guard let text = take("WKST") else { return .monday }
    return Weekday(calendarName: text)
  }

  /// Takes days of the week; `nil` where one of them is numbered, or none.
  package mutating func takeWeekdays() -> Set<Weekday>? {
    guard let text = take("BYDAY") else { return nil }
    var days: Set<Weekday> = []
    for name in text.parts(at: ",") {
      guard let day = Weekday(calendarName: name) else { return nil }
      days.insert(day)
    }
    return days
  }

  /// Takes the one day of a month, numbered before its name or by its place among the days of that name.
  package mutating func takeNth() -> (number: Int, weekday: Weekday)? {
    guard let text = take("BYDAY"), text.utf8.count >= 2 else { return nil }
    let name = String(decoding: text.utf8.suffix(2), as: UTF8.self)
    guard let weekday = Weekday(calendarName: name) else { return nil }
    let prefix = String(decoding: text.utf8.dropLast(2), as: UTF8.self)
    if prefix.isEmpty {
      guard let places = takeNumbers("BYSETPOS"), places.count == 1 else { return nil }
      return (places[0], weekday)
    }
    return Self.number(prefix).map { ($0, weekday) }
  }
}

extension Weekday {
  /// Reads the two letters of a calendar's rule.
  init?(calendarName name: String) {
    guard let day = Weekday.allCases.first(where: { $0.calendarName == name }) else { return nil }
    self = day
  }

  /// The two letters of a calendar's rule.
  package var calendarName: String { String(self.name.uppercased().prefix(2)) }
}

/// The rules of a zone as a calendar describes it (RFC 5545 §3.6.5), which a record can name: a fixed
/// offset, or two changes a year for all years to come.
package struct CalendarZoneRules: Hashable, Sendable {
  package let rules: ZoneRules
  /// The time on the clocks from which on the rules hold; `nil` for ever.
  package let begin: CivilDateTime?

  private struct Observance {
    /// The first of its changes, on the clocks before it.
    let start: CivilDateTime
    /// The last change that is named by itself, or by a rule that ends; on the clocks before it.
    var last: CivilDateTime
    /// Whether that is the change itself. Otherwise it is the end of a rule whose changes cannot be
    /// computed, and the change is earlier.
    var isLastExact = true
    /// The offsets before and after its changes, in seconds.
    let from: Int
    let to: Int
    let name: String
    /// The change of every year; `nil` where its changes end.
    var yearly: PosixZone.Change?

    /// The last change in seconds since the epoch.
    var lastInstant: Int64 { last.secondsAsUTC - Int64(from) }
  }

  /// - Returns: `nil` where the description is not whole, or says what no rule can.
  package init?(_ component: CalendarComponent) {
    guard component.fault == nil else { return nil }
    var all: [Observance] = []
    for part in component.parts where ["STANDARD", "DAYLIGHT"].contains(part.name) {
      guard let observance = Self.observance(part) else { return nil }
      all.append(observance)
    }
    guard let latest = all.max(by: { $0.lastInstant < $1.lastInstant }) else { return nil }
    let endless = all.filter { $0.yearly != nil }
    if endless.isEmpty {
      let isFixed = all.allSatisfy { $0.to == latest.to }
      guard isFixed || latest.isLastExact else { return nil }
      rules = ZoneRules(offset: latest.to)
      begin = isFixed ? nil : latest.last
      return
    }
    guard endless.count == 2 else { return nil }
    let summer = endless[0].to > endless[1].to ? endless[0] : endless[1]
    let winter = endless[0].to > endless[1].to ? endless[1] : endless[0]
    guard summer.to != winter.to, summer.from == winter.to, winter.from == summer.to,
      let toSummer = summer.yearly, let toWinter = winter.yearly,
      let rules = ZoneRules(
        posix: Self.name(winter.name, winter.to) + Self.west(winter.to)
          + Self.name(summer.name, summer.to)
          + (summer.to == winter.to + 3600 ? "" : Self.west(summer.to))
          + ",\(Self.text(toSummer)),\(Self.text(toWinter))")
    else { return nil }
    self.rules = rules
    // From the later of the two on all years have both. Those that begin long ago stand for ever.
    let both = max(summer.start, winter.start)
    let ended = all.filter { $0.yearly == nil }.map(\.last).max()
    if let ended, ended > both {
      // A change that is named by itself holds until the next one of the rules.
      begin = [toSummer, toWinter].compactMap { $0.first(after: ended) }.min() ?? ended
    } else {
      begin = ended == nil && both.date.year <= 1970 ? nil : both
    }
  }

  private static func observance(_ part: CalendarComponent) -> Observance? {
    guard part.fault == nil, let property = part.first("DTSTART"),
      case .local(let start, _)? = try? CalendarTime(property),
      let from = part.first("TZOFFSETFROM").flatMap({ offset($0.token) }),
      let to = part.first("TZOFFSETTO").flatMap({ offset($0.token) })
    else { return nil }
    var last = start
    for property in part.all("RDATE") {
      for text in property.token.parts(at: ",") {
        guard case .local(let time, _)? = CalendarTime(text, zone: nil) else { return nil }
        last = max(last, time)
      }
    }
    let name = ((try? part.text("TZNAME")) ?? nil) ?? ""
    var found = Observance(start: start, last: last, from: from, to: to, name: name)
    let rules = part.all("RRULE")
    guard rules.count <= 1 else { return nil }
    guard let rule = rules.first else { return found }
    guard var parts = CalendarRuleParts(rule.token), !parts.has("COUNT") else { return nil }
    let until = parts.take("UNTIL")
    let yearly = yearly(&parts, start)
    guard let until else {
      guard let yearly else { return nil }
      found.yearly = yearly
      return found
    }
    let end: CivilDateTime
    switch CalendarTime(until, zone: nil) {
    case .day(let date): end = CivilDateTime(date: date, time: .endOfDay)
    case .local(let time, _): end = time
    case .utc(let instant): end = ZoneRules(offset: from).civil(at: instant)
    case nil: return nil
    }
    if let yearly {
      found.last = max(last, yearly.last(through: end) ?? start)
    } else if end > last {
      (found.last, found.isLastExact) = (end, false)
    }
    return found
  }

  /// Returns the change that a rule says for every year; `nil` where it says others.
  private static func yearly(
    _ parts: inout CalendarRuleParts, _ start: CivilDateTime
  ) -> PosixZone.Change? {
    guard parts.takeInterval() == 1, parts.takeWeekStart() != nil, parts.take("FREQ") == "YEARLY"
    else { return nil }
    return day(&parts, start).map { PosixZone.Change(day: $0, time: $1) }
  }

  /// Returns the yearly day of a rule, and seconds from its midnight.
  private static func day(
    _ parts: inout CalendarRuleParts, _ start: CivilDateTime
  ) -> (day: PosixZone.Day, time: Int)? {
    let time = start.time.secondsSinceMidnight
    if let days = parts.takeNumbers("BYYEARDAY") {
      guard parts.isEmpty, days.count == 1, (1...365).contains(days[0]) else { return nil }
      return (.dayIndex(days[0] - 1), time)
    }
    let months = parts.takeNumbers("BYMONTH")
    guard months.map({ $0.count == 1 && (1...12).contains($0[0]) }) ?? true else { return nil }
    let month = months?[0] ?? start.date.month
    let length = CivilDate.days(inMonth: month, of: 2001)
    let days = parts.takeNumbers("BYMONTHDAY")
    guard parts.has("BYDAY") else {
      guard parts.isEmpty, days.map({ $0.count == 1 && (1...length).contains($0[0]) }) ?? true,
        let date = CivilDate(year: 2001, month: month, day: days?[0] ?? start.date.day)
      else { return nil }
      let newYear = CivilDate(year: 2001, month: 1, day: 1)
      return newYear.map { (.commonYearDay(date.days(since: $0) + 1), time) }
    }
    guard months != nil else { return nil }
    guard let days else {
      guard let (number, weekday) = parts.takeNth(), parts.isEmpty,
        (1...4).contains(number) || number == -1
      else { return nil }
      let week = number == -1 ? 5 : number
      return (.weekday(month: month, week: week, weekday: weekday.rawValue % 7), time)
    }
    // The one such weekday of seven days in a row.
    guard let weekdays = parts.takeWeekdays(), parts.isEmpty, weekdays.count == 1,
      let weekday = weekdays.first, let first = days.min(), (1...length - 6).contains(first),
      days.sorted() == Array(first...first + 6)
    else { return nil }
    // The change may be named by the day before or behind, at a time beyond midnight.
    for shift in [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6] {
      let week: Int
      if [1, 8, 15, 22].contains(first - shift) {
        week = (first - shift - 1) / 7 + 1
      } else if first - shift == length - 6, month != 2 {
        week = 5
      } else {
        continue
      }
      let day = ((weekday.rawValue - shift) % 7 + 7) % 7
      return (.weekday(month: month, week: week, weekday: day), time + shift * 86_400)
    }
    return nil
  }

  /// Reads `+0200`, `-043000`.
  package static func offset(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5 || bytes.count == 7,
      bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-")
    else { return nil }
    let parts = bytes.withUnsafeBytes { bytes in
      stride(from: 1, to: bytes.count, by: 2).map {
        DecimalDigits.value(of: bytes, in: $0..<$0 + 2)
      }
    }
    guard let hours = parts[0], let minutes = parts[1], hours < 24, minutes < 60,
      let seconds = parts.count == 3 ? parts[2] : 0, seconds < 60
    else { return nil }
    return (bytes[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
  }

  /// The name of a time as a POSIX zone has it, else one made of its offset.
  private static func name(_ text: String, _ seconds: Int) -> String {
    let bytes = Array(text.utf8)
    if (3...30).contains(bytes.count), bytes.allSatisfy(\.isASCIILetter) { return text }
    let isOffset = bytes.allSatisfy { $0.isASCIIDigit || "+-".utf8.contains($0) }
    if (3...30).contains(bytes.count), isOffset { return "<\(text)>" }
    return "<\(CalendarText.offset(seconds))>"
  }

  /// An offset as POSIX counts it, towards the west: `-1`, `5`, `-5:45`.
  private static func west(_ seconds: Int) -> String { clock(-seconds) }

  /// A change as POSIX writes it: `M3.5.0`, `J60/3`.
  private static func text(_ change: PosixZone.Change) -> String {
    let day =
      switch change.day {
      case .weekday(let month, let week, let weekday): "M\(month).\(week).\(weekday)"
      case .commonYearDay(let number): "J\(number)"
      case .dayIndex(let index): "\(index)"
      }
    return day + (change.time == 7200 ? "" : "/" + clock(change.time))
  }

  private static func clock(_ seconds: Int) -> String {
    let magnitude = Int(clamping: seconds.magnitude)
    var text = (seconds < 0 ? "-" : "") + String(magnitude / 3600)
    if !magnitude.isMultiple(of: 3600) {
      let minutes = magnitude / 60 % 60
      text += minutes < 10 ? ":0\(minutes)" : ":\(minutes)"
      let rest = magnitude % 60
      if rest > 0 { text += rest < 10 ? ":0\(rest)" : ":\(rest)" }
    }
    return text
  }
}

extension PosixZone.Change {
  /// Returns the last of the yearly changes up to a time on the clocks before it; `nil` before the
  /// year 1.
  fileprivate func last(through end: CivilDateTime) -> CivilDateTime? {
    around(end).last { $0 <= end }
  }

  /// Returns the first of the yearly changes after a time on the clocks before it; `nil` behind the
  /// year 9999.
  fileprivate func first(after time: CivilDateTime) -> CivilDateTime? {
    around(time).first { $0 > time }
  }

  /// The changes near a time, in order: one may lie some days outside the year that it is of.
  private func around(_ time: CivilDateTime) -> [CivilDateTime] {
    (time.date.year - 2...time.date.year + 2).map { CivilDateTime(secondsAsUTC: clock(in: $0)) }
      .filter(\.date.isRepresentable)
  }
}
