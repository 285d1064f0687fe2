/// A repetition as people write it: a rule, then where it ends, then the dates that are left out. The dates are
/// not read yet: `weekly until june 2028`, `monthly, 10 times`, `weekdays except 24 dec, 25 dec`.
package struct RepetitionText {
  package let rule: EventRepeat
  /// The last day, as it was written.
  package private(set) var until: String?
  /// The last time, from a rule of a calendar.
  package private(set) var untilKey: OccurrenceKey?
  package private(set) var times: Int?
  /// The dates that are left out, as they were written.
  package private(set) var except: [String] = []

  /// - Returns: `nil` where it is no repetition.
  package init?(_ text: String) {
    if let rule = Self.calendarRule(text) {
      guard let kept = EventRepeat(rules: [rule]) else { return nil }
      self.rule = kept
      times = rule.count
      switch rule.until {
      case .date(let date)?: untilKey = OccurrenceKey(date)
      case .local(let local)?: untilKey = OccurrenceKey(local, isAllDay: false)
      case .utc(let instant)?: until = instant.rfc3339
      case nil: break
      }
      return
    }
    var head = text.lowercased()
    if let (before, dates) = head.halves(at: " except ") {
      head = before
      except = dates.parts(at: ",").flatMap(Self.listed).map(\.trimmed)
      guard !except.contains("") else { return nil }
    }
    if let (before, last) = head.halves(at: " until ") {
      head = before
      until = Self.withoutComma(last)
    }
    head = Self.withoutComma(head)
    if let (before, count) = Self.times(head) {
      head = before
      times = count
    }
    guard let recurrence = Recurrence(words: Self.withoutComma(head)) else { return nil }
    rule = EventRepeat(recurrence: recurrence)
  }

  /// Reads `FREQ=…`, as calendars write it.
  private static func calendarRule(_ text: String) -> RecurrenceRule? {
    let text = text.trimmed.uppercased()
    let value = text.behind("RRULE:") ?? text
    guard value.behind("FREQ=") != nil, let rule = try? RecurrenceRule(value),
      rule.frequency > .minutely, rule.occurrencesPerDay <= RecurrenceRule.largestPerDay
    else { return nil }
    return rule
  }

  private static func listed(_ text: String) -> [String] {
    guard let (first, rest) = text.halves(at: " and ") else { return [text] }
    return [first] + listed(rest)
  }

  private static func withoutComma(_ text: String) -> String {
    let text = text.trimmed
    return text.utf8.last == UInt8(ascii: ",")
      ? String(Substring(text.utf8.dropLast())).trimmed : text
  }

  /// Reads `10 times` at the end.
  private static func times(_ text: String) -> (before: String, count: Int)? {
    var words = text.split(separator: " ").map(String.init)
    guard words.count > 2, let last = words.popLast(), last == "times" || last == "time",
      let number = words.popLast(), number.utf8.count < 7, let count = Int(number), count > 0
    else { return nil }
    if words.last == "for" { words.removeLast() }
    return (words.joined(separator: " "), count)
  }
}

extension EventSeries {
  /// The repetition for people: the rule, where it ends, and what differs; `nil` for what comes once.
  package var words: String? {
    guard isRepeated else { return nil }
    var words = rule?.words ?? "on \(DurationUnit.dates(also.count + 1))"
    if let until { words += ", until \(until.words)" }
    if let times { words += ", \(times) \(times == 1 ? "time" : "times")" }
    if rule != nil, !also.isEmpty { words += ", and on \(DurationUnit.dates(also.count)) more" }
    if !except.isEmpty {
      let dates =
        except.count <= 3 ? except.map(\.words).listed() : DurationUnit.dates(except.count)
      words += ", except \(dates)"
    }
    if !moved.isEmpty { words += ", \(DurationUnit.dates(moved.count)) changed" }
    return words
  }
}

extension DurationUnit {
  fileprivate static func dates(_ count: Int) -> String {
    "\(count) \(count == 1 ? "date" : "dates")"
  }
}

extension OccurrenceKey {
  /// `Sun 15 Jun 2036`, `Sun 15 Jun 2036 09:00`.
  package var words: String {
    isAllDay ? local.date.longText : "\(local.date.longText) \(local.time.shortText)"
  }
}
