/// A zone as a calendar describes it (RFC 5545 §3.6.5): all that its clocks did, and what they do every year from
/// then on.
package struct DescribedZone: Sendable {
  /// The clocks at all times.
  package let rules: ZoneRules
  /// The time on the clocks from which on they are described; `nil` for ever. Before it the first rules hold.
  package let begin: CivilDateTime?
  /// The two changes of every year to come as a POSIX zone; `nil` where there are none, or other ones.
  private let yearly: String?

  /// Changes are listed up to the end of this year where no POSIX zone says them.
  private static let lastYear = 2200
  /// The most changes that are listed.
  private static let changeLimit = 10_000

  /// - Returns: `nil` where the description is not whole.
  package init?(_ component: CalendarComponent) {
    guard component.fault == nil else { return nil }
    var all: [ZoneObservance] = []
    for part in component.parts where ["STANDARD", "DAYLIGHT"].contains(part.name) {
      guard let observance = ZoneObservance(part) else { return nil }
      all.append(observance)
    }
    guard let first = all.min(by: { $0.startInstant < $1.startInstant }) else { return nil }
    guard all.contains(where: { $0.to != first.to }) else {
      (rules, begin, yearly) = (ZoneRules(offset: first.to), nil, nil)
      return
    }
    let endless = all.filter(\.isEndless)
    yearly = Self.yearly(endless)
    let isOld = first.start.date.year <= 1970
    if let yearly, endless.count == all.count {
      guard let rules = ZoneRules(posix: yearly) else { return nil }
      self.rules = rules
      begin = isOld ? nil : endless.map(\.start).max()
      return
    }
    begin = isOld ? nil : first.start
    let end = yearly == nil ? Int64.max : Self.firstYearOfRules(all, endless)
    guard
      let rules = Self.listed(
        all, through: end, first, yearly.flatMap { PosixZone($0, defaultRule: false) })
    else { return nil }
    self.rules = rules
  }

  /// Returns the name by which a record can name the zone, an offset or a POSIX zone, and whether it says what
  /// the clocks do after an instant.
  package func name(after instant: Instant) -> (name: String, isWhole: Bool) {
    if let yearly { return (yearly, true) }
    let seconds = rules.offset(at: instant).seconds
    let changes = rules.transitions(after: instant.seconds, through: Instant.latest.seconds)
    return (ZoneRules.offsetText(seconds), changes.allSatisfy { $0.after.seconds == seconds })
  }

  /// Returns the end of a year in which the endless rules alone say what the clocks do.
  private static func firstYearOfRules(
    _ all: [ZoneObservance], _ endless: [ZoneObservance]
  ) -> Int64 {
    let ended = all.filter { !$0.isEndless }.compactMap {
      $0.onsets(through: .max, atMost: changeLimit).last
    }
    let last = (ended + endless.map(\.startInstant)).max() ?? 0
    return last.addingClamped(400 * 86_400)
  }

  private static func listed(
    _ all: [ZoneObservance], through end: Int64, _ first: ZoneObservance, _ rule: PosixZone?
  ) -> ZoneRules? {
    let horizon = CivilDate(year: lastYear, month: 12, day: 31).map {
      Int64($0.daysSinceEpoch) * 86_400
    }
    var changes: [Int64: LocalTimeType] = [:]
    for observance in all {
      let limit = changeLimit - changes.count
      let onsets = observance.onsets(through: min(end, horizon ?? end), atMost: limit + 1)
      guard onsets.count <= limit else { return nil }
      for onset in onsets { changes[onset] = observance.type }
    }
    let before = LocalTimeType(
      seconds: first.from, abbreviation: CalendarText.offset(first.from), isDaylight: false)
    return ZoneRules(
      identifier: "described", first: before,
      changes: changes.sorted { $0.key < $1.key }.map { (at: $0.key, type: $0.value) }, rule: rule)
  }

  /// Returns the POSIX zone of two changes a year; `nil` where there are not two, or none can say them.
  private static func yearly(_ endless: [ZoneObservance]) -> String? {
    guard endless.count == 2 else { return nil }
    let summer = endless[0].to > endless[1].to ? endless[0] : endless[1]
    let winter = endless[0].to > endless[1].to ? endless[1] : endless[0]
    guard summer.to != winter.to, summer.from == winter.to, winter.from == summer.to,
      let toSummer = summer.yearly, let toWinter = winter.yearly
    else { return nil }
    let text =
      name(winter.name, winter.to) + clock(-winter.to) + name(summer.name, summer.to)
      + (summer.to == winter.to + 3600 ? "" : clock(-summer.to))
      + ",\(text(toSummer)),\(text(toWinter))"
    return PosixZone(text, defaultRule: false) == nil ? nil : text
  }

  /// The name of a time as a POSIX zone has it, else one made of its offset.
  private static func name(_ text: String, _ seconds: Int) -> String {
    let bytes = Array(text.utf8)
    if (3...30).contains(bytes.count), bytes.allSatisfy(\.isASCIILetter) { return text }
    let isOffset = bytes.allSatisfy { $0.isASCIIDigit || "+-".utf8.contains($0) }
    if (3...30).contains(bytes.count), isOffset { return "<\(text)>" }
    return "<\(CalendarText.offset(seconds))>"
  }

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

/// A `STANDARD` or a `DAYLIGHT`: times at which the clocks of a zone are set to one offset.
private struct ZoneObservance {
  /// The first of its changes, on the clocks before it.
  let start: CivilDateTime
  /// The offsets before and after its changes, in seconds.
  let from: Int
  let to: Int
  let name: String
  let isDaylight: Bool
  private let dates: [CivilDateTime]
  private let rule: RecurrenceRule?

  /// - Returns: `nil` where it is not whole, or has a rule that is none.
  init?(_ part: CalendarComponent) {
    guard part.fault == nil, let property = part.first("DTSTART"),
      case .local(let start, _)? = try? CalendarTime(property),
      let from = part.first("TZOFFSETFROM").flatMap({ CalendarText.seconds(offset: $0.token) }),
      let to = part.first("TZOFFSETTO").flatMap({ CalendarText.seconds(offset: $0.token) })
    else { return nil }
    var dates: [CivilDateTime] = []
    for property in part.all("RDATE") {
      for text in property.token.parts(at: ",") {
        switch CalendarTime(text, zone: nil) {
        case .local(let time, _): dates.append(time)
        case .day(let date): dates.append(CivilDateTime(date: date, time: start.time))
        case .utc(let instant): dates.append(ZoneRules(offset: from).civil(at: instant))
        case nil: return nil
        }
      }
    }
    var rule: RecurrenceRule?
    for property in part.all("RRULE") {
      guard rule == nil, let found = try? RecurrenceRule(property.token) else { return nil }
      rule = found
    }
    if case .utc(let instant)? = rule?.until {
      rule?.until = .local(ZoneRules(offset: from).civil(at: instant))
    }
    (self.start, self.from, self.to, self.dates, self.rule) = (start, from, to, dates, rule)
    name = ((try? part.text("TZNAME")) ?? nil) ?? ""
    isDaylight = part.name == "DAYLIGHT"
  }

  /// The first of its changes, in seconds since the epoch.
  var startInstant: Int64 { start.secondsAsUTC - Int64(from) }

  var isEndless: Bool { rule.map { $0.count == nil && $0.until == nil } ?? false }

  var type: LocalTimeType {
    LocalTimeType(
      seconds: to, abbreviation: name.isEmpty ? CalendarText.offset(to) : name,
      isDaylight: isDaylight)
  }

  /// Returns its changes in order, up to an instant, and no more than a number of them.
  func onsets(through end: Int64, atMost limit: Int) -> [Int64] {
    let set = RecurrenceSet(
      from: start, in: .utc, occursFirst: true, rules: [rule].compactMap { $0 }, also: dates)
    guard let set else { return [] }
    let last = Instant(seconds: end.addingClamped(Int64(from)))
    return set.occurrences(through: last).prefix(limit).map { $0.key.secondsAsUTC - Int64(from) }
  }

  /// The change of every year; `nil` where the rule says others, or no POSIX zone can say it.
  var yearly: PosixZone.Change? {
    guard let rule, rule.frequency == .yearly, rule.interval == 1, rule.weeks.isEmpty,
      rule.skip == .omit, rule.hours.count <= 1, rule.minutes.count <= 1, rule.seconds.count <= 1
    else { return nil }
    let time = CivilTime(
      hour: rule.hours.first ?? start.time.hour, minute: rule.minutes.first ?? start.time.minute,
      second: rule.seconds.first ?? start.time.second)
    guard let time else { return nil }
    return day(of: rule, at: time.secondsSinceMidnight)
  }

  private func day(of rule: RecurrenceRule, at time: Int) -> PosixZone.Change? {
    let days = rule.monthDays
    if !rule.yearDays.isEmpty {
      guard rule.yearDays.count == 1, (1...365).contains(rule.yearDays[0]), rule.months.isEmpty,
        days.isEmpty, rule.weekdays.isEmpty, rule.positions.isEmpty
      else { return nil }
      return PosixZone.Change(day: .dayIndex(rule.yearDays[0] - 1), time: time)
    }
    guard rule.months.count <= 1 else { return nil }
    let month = rule.months.first ?? start.date.month
    guard let weekday = rule.weekdays.first else {
      guard days.count <= 1, rule.positions.isEmpty,
        let date = CivilDate(year: 2001, month: month, day: days.first ?? start.date.day),
        let newYear = CivilDate(year: 2001, month: 1, day: 1)
      else { return nil }
      return PosixZone.Change(day: .commonYearDay(date.days(since: newYear) + 1), time: time)
    }
    guard rule.months.count == 1, rule.weekdays.count == 1 else { return nil }
    if days.isEmpty {
      let number =
        rule.positions.isEmpty ? weekday.number : weekday.number == 0 ? rule.positions[0] : 0
      guard rule.positions.count <= 1, (1...4).contains(number) || number == -1 else { return nil }
      return PosixZone.Change(
        day: .weekday(
          month: month, week: number == -1 ? 5 : number, weekday: weekday.weekday.rawValue % 7),
        time: time)
    }
    guard weekday.number == 0, rule.positions.isEmpty else { return nil }
    return week(of: days, weekday.weekday, month, at: time)
  }

  /// Returns the change on the one such weekday of seven days in a row.
  private func week(
    of days: [Int], _ weekday: Weekday, _ month: Int, at time: Int
  ) -> PosixZone.Change? {
    let length = CivilDate.days(inMonth: month, of: 2001)
    guard let first = days.min(), (1...length - 6).contains(first),
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
      return PosixZone.Change(
        day: .weekday(month: month, week: week, weekday: day), time: time + shift * 86_400)
    }
    return nil
  }
}

extension CalendarText {
  /// Reads an offset from UTC, `+0200` or `-043000`, in seconds.
  package static func seconds(offset text: String) -> Int? {
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
}
