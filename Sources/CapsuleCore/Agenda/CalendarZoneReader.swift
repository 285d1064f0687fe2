/// The rules of a zone as a calendar describes it (RFC 5545 §3.6.5), which a record can name: a fixed
/// offset, or two changes a year for all years to come.
struct CalendarZoneRules: Hashable {
  let rules: ZoneRules
  /// The time on the clocks from which on the rules hold; `nil` for ever.
  let begin: CivilDateTime?

  /// The rules of a zone that is known, which hold for ever.
  init(_ rules: ZoneRules) {
    self.rules = rules
    begin = nil
  }

  private struct Observance {
    let start: CivilDateTime
    /// The last of its changes that is named by itself.
    let last: CivilDateTime
    let from: Int
    let to: Int
    let name: String
    /// The yearly day of its changes; `nil` where they end.
    var day: (day: String, time: Int)?
    var hasEndlessRule: Bool { day != nil }
  }

  /// - Returns: `nil` where the description is not whole, or says what no rule can.
  init?(_ component: CalendarComponent) {
    guard component.fault == nil else { return nil }
    var all: [Observance] = []
    for part in component.parts where ["STANDARD", "DAYLIGHT"].contains(part.name) {
      guard let observance = Self.observance(part) else { return nil }
      all.append(observance)
    }
    guard let latest = all.max(by: { $0.last < $1.last }) else { return nil }
    let endless = all.filter(\.hasEndlessRule)
    let text: String
    var starts: [CivilDateTime] = []
    switch endless.count {
    case 0:
      let isFixed = all.allSatisfy { $0.to == latest.to }
      rules = ZoneRules(offset: latest.to)
      begin = isFixed ? nil : latest.last
      return
    case 2:
      let summer = endless[0].to > endless[1].to ? endless[0] : endless[1]
      let winter = endless[0].to > endless[1].to ? endless[1] : endless[0]
      guard summer.to != winter.to, summer.from == winter.to, winter.from == summer.to,
        let first = summer.day, let second = winter.day
      else { return nil }
      text =
        Self.name(winter.name, winter.to) + Self.west(winter.to)
        + Self.name(summer.name, summer.to)
        + (summer.to == winter.to + 3600 ? "" : Self.west(summer.to))
        + ",\(first.day)\(Self.time(first.time)),\(second.day)\(Self.time(second.time))"
      starts = [summer.start, winter.start]
    default: return nil
    }
    guard let rules = ZoneRules(posix: text) else { return nil }
    self.rules = rules
    // From the later of the two on all years have both. Those that begin long ago stand for ever.
    let later = starts.max()
    begin = all.count == 2 && later.map { $0.date.year <= 1970 } ?? false ? nil : later
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
    let rules = part.all("RRULE")
    guard rules.count <= 1 else { return nil }
    guard let rule = rules.first else {
      return Observance(start: start, last: last, from: from, to: to, name: name, day: nil)
    }
    guard var parts = CalendarRuleParts(rule.token) else { return nil }
    if let until = parts.take("UNTIL") {
      guard let end = CalendarTime(until, zone: nil) else { return nil }
      switch end {
      case .day(let date): last = max(last, CivilDateTime(date: date, time: .endOfDay))
      case .local(let time, _): last = max(last, time)
      case .utc(let instant):
        last = max(last, ZoneRules(offset: from).civil(at: instant))
      }
      return Observance(start: start, last: last, from: from, to: to, name: name, day: nil)
    }
    guard !parts.has("COUNT"), parts.takeInterval() == 1, parts.takeWeekStart() != nil,
      parts.take("FREQ") == "YEARLY", let day = day(&parts, start)
    else { return nil }
    return Observance(start: start, last: last, from: from, to: to, name: name, day: day)
  }

  /// Returns the yearly day of a rule, and seconds from its midnight.
  private static func day(
    _ parts: inout CalendarRuleParts, _ start: CivilDateTime
  ) -> (day: String, time: Int)? {
    let time = start.time.secondsSinceMidnight
    if let days = parts.takeNumbers("BYYEARDAY") {
      guard parts.isEmpty, days.count == 1, (1...366).contains(days[0]) else { return nil }
      return ("\(days[0] - 1)", time)
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
      return newYear.map { ("J\(date.days(since: $0) + 1)", time) }
    }
    guard months != nil else { return nil }
    guard let days else {
      guard let (number, weekday) = parts.takeNth(), parts.isEmpty,
        (1...4).contains(number) || number == -1
      else { return nil }
      return ("M\(month).\(number == -1 ? 5 : number).\(weekday.rawValue % 7)", time)
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
      return ("M\(month).\(week).\(day)", time + shift * 86_400)
    }
    return nil
  }

  /// Reads `+0200`, `-043000`.
  static func offset(_ text: String) -> Int? {
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

  private static func time(_ seconds: Int) -> String {
    seconds == 7200 ? "" : "/" + clock(seconds)
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
