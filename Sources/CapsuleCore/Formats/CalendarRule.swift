/// A rule by which an entry of a calendar comes again (RFC 5545 §3.3.10), as far as an event can be
/// repeated by it.
package enum CalendarRule: Hashable {
  /// It comes once: `COUNT=1`.
  case once
  case repeated(Recurrence, Difference?)
  /// No repetition of an event says it.
  case unsayable

  /// The days on which the event comes where the rule says otherwise.
  package enum Difference: Hashable {
    /// The last day of months that have no such day, which the rule leaves out.
    case shortMonths
    /// 28 February or 1 March in years without the 29th, which the rule leaves out.
    case commonYears
    /// 28 February in years without the 29th where the rule says 1 March, or the other way round.
    case leapDay
  }

  /// Reads a rule.
  ///
  /// - Parameters:
  ///   - text: the value of an `RRULE`, in capitals.
  ///   - start: the date and time on the clocks of the entry's zone.
  ///   - leapDay: the day of other years for a 29 February.
  package init(_ text: String, from start: CivilDateTime, leapDay: LeapDayRule) {
    guard let parts = CalendarRuleParts(text) else {
      self = .unsayable
      return
    }
    self = parts.isOnce ? .once : Self.rule(parts, start, leapDay) ?? .unsayable
  }

  private static func rule(
    _ parts: CalendarRuleParts, _ start: CivilDateTime, _ leapDay: LeapDayRule
  ) -> CalendarRule? {
    let date = start.date
    var parts = parts
    // These parts may only repeat the time of day of the start.
    for (name, value) in [
      ("BYHOUR", start.time.hour), ("BYMINUTE", start.time.minute), ("BYSECOND", start.time.second),
    ] {
      if let numbers = parts.takeNumbers(name), numbers != [value] { return nil }
    }
    guard let interval = parts.takeInterval(), let weekStart = parts.takeWeekStart() else {
      return nil
    }
    switch parts.take("FREQ") {
    case "DAILY":
      guard parts.has("BYDAY") else {
        guard parts.isEmpty else { return nil }
        return Recurrence(every: interval, .day).map { .repeated($0, nil) }
      }
      // Every day that is one of these is every week on these.
      guard interval == 1, let days = parts.takeWeekdays(), parts.isEmpty,
        days.contains(date.weekday)
      else { return nil }
      return Recurrence(everyWeeks: 1, on: days).map { .repeated($0, nil) }
    case "WEEKLY":
      guard parts.has("BYDAY") else {
        guard parts.isEmpty else { return nil }
        return Recurrence(every: interval, .week).map { .repeated($0, nil) }
      }
      guard let days = parts.takeWeekdays(), parts.isEmpty, days.contains(date.weekday),
        interval == 1 || Self.isSameWeek(days, from: weekStart)
      else { return nil }
      return Recurrence(everyWeeks: interval, on: days).map { .repeated($0, nil) }
    case "MONTHLY": return monthly(&parts, interval, date)
    case "YEARLY": return yearly(&parts, interval, date, leapDay)
    default: return nil
    }
  }

  /// Whether days stand in one week both where weeks begin on Monday and where they begin on another
  /// day: all of them before it, or none.
  private static func isSameWeek(_ days: Set<Weekday>, from start: Weekday) -> Bool {
    days.allSatisfy { $0.rawValue >= start.rawValue }
      || days.allSatisfy { $0.rawValue < start.rawValue }
  }

  private static func monthly(
    _ parts: inout CalendarRuleParts, _ interval: Int, _ date: CivilDate
  ) -> CalendarRule? {
    if parts.has("BYDAY") {
      guard let (number, weekday) = parts.takeNth(), parts.isEmpty else { return nil }
      return nth(number, weekday, months: interval, date)
    }
    guard let rule = Recurrence(every: interval, .month) else { return nil }
    guard parts.has("BYMONTHDAY") else {
      guard parts.isEmpty else { return nil }
      return .repeated(rule, date.day > 28 ? .shortMonths : nil)
    }
    guard let days = parts.takeNumbers("BYMONTHDAY") else { return nil }
    if parts.has("BYSETPOS") {
      // The 31st, or the last day of a shorter month.
      guard parts.takeNumbers("BYSETPOS") == [-1], parts.isEmpty, date.day >= 28,
        days.sorted() == Array(28...date.day)
      else { return nil }
      return .repeated(rule, nil)
    }
    guard parts.isEmpty else { return nil }
    if days == [-1], date.day == 31 { return .repeated(rule, nil) }
    guard days == [date.day] else { return nil }
    return .repeated(rule, date.day > 28 ? .shortMonths : nil)
  }

  private static func yearly(
    _ parts: inout CalendarRuleParts, _ interval: Int, _ date: CivilDate, _ leapDay: LeapDayRule
  ) -> CalendarRule? {
    let isLeapDay = date.month == 2 && date.day == 29
    guard let rule = Recurrence(every: interval, .year) else { return nil }
    if parts.has("BYYEARDAY") {
      guard isLeapDay, parts.takeNumbers("BYYEARDAY") == [60], parts.isEmpty else { return nil }
      return .repeated(rule, leapDay == .march1 ? nil : .leapDay)
    }
    let month = parts.takeNumbers("BYMONTH")
    if let month, month != [date.month] { return nil }
    if parts.has("BYDAY") {
      guard month != nil, let (number, weekday) = parts.takeNth(), parts.isEmpty else {
        return nil
      }
      return nth(number, weekday, months: interval * 12, date)
    }
    guard parts.has("BYMONTHDAY") else {
      guard parts.isEmpty else { return nil }
      return .repeated(rule, isLeapDay ? .commonYears : nil)
    }
    guard month != nil, let days = parts.takeNumbers("BYMONTHDAY") else { return nil }
    if parts.has("BYSETPOS") {
      guard isLeapDay, parts.takeNumbers("BYSETPOS") == [-1], parts.isEmpty,
        days.sorted() == [28, 29]
      else { return nil }
      return .repeated(rule, leapDay == .february28 ? nil : .leapDay)
    }
    guard parts.isEmpty, days == [date.day] else { return nil }
    return .repeated(rule, isLeapDay ? .commonYears : nil)
  }

  private static func nth(
    _ number: Int, _ weekday: Weekday, months: Int, _ date: CivilDate
  ) -> CalendarRule? {
    guard let rule = Recurrence(everyMonths: months, onThe: number, weekday),
      rule.first(from: date) == date
    else { return nil }
    return .repeated(rule, nil)
  }
}

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

  /// Whether it comes once alone.
  var isOnce: Bool { parts["COUNT"] == "1" && parts["UNTIL"] == nil && parts["FREQ"] != nil }

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
