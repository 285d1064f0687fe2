/// The rule by which a thing comes again: every so many days, weeks, months or years, and in weeks
/// and months on days of the week if the rule has any.
///
/// Each occurrence is counted from the first, never from the one before, so that 31 January comes
/// back on the 31st wherever a month has one.
public struct Recurrence: Hashable, Sendable {
  /// The days of the week on which a thing comes again.
  package enum Days: Hashable, Sendable {
    /// A repetition on each of these days of a week, in the order of the week from Monday.
    case weekdays([Weekday])
    /// A repetition on one day of a month: the 1st to 4th of these weekdays, or the last (-1).
    case nth(Int, Weekday)
  }

  /// 1 to ``largestCount``.
  package let count: Int
  /// Day, week, month or year.
  package let unit: DurationUnit
  /// `nil` where the first time gives the day.
  package let days: Days?

  package static let largestCount = 1000
  /// The units that a thing can be repeated by.
  package static let units: [DurationUnit] = [.day, .week, .month, .year]

  package init?(every count: Int, _ unit: DurationUnit) {
    guard (1...Self.largestCount).contains(count), Self.units.contains(unit) else { return nil }
    (self.count, self.unit, days) = (count, unit, nil)
  }

  /// The rule of so many weeks, on some of their days; `nil` without a day.
  package init?(everyWeeks count: Int, on weekdays: some Sequence<Weekday>) {
    let named = Set(weekdays)
    guard (1...Self.largestCount).contains(count), !named.isEmpty else { return nil }
    let days = Days.weekdays(Weekday.allCases.filter { named.contains($0) })
    (self.count, unit, self.days) = (count, .week, days)
  }

  /// The rule of so many months, on the `number`th of their weekdays: 1 to 4, or -1 for the last.
  package init?(everyMonths count: Int, onThe number: Int, _ weekday: Weekday) {
    guard (1...Self.largestCount).contains(count), (1...4).contains(number) || number == -1 else {
      return nil
    }
    (self.count, unit, days) = (count, .month, .nth(number, weekday))
  }

  /// Returns the first date of the rule from a date on; `nil` where there is none until 9999.
  ///
  /// It is the date itself unless the rule names other days of the week.
  package func first(from date: CivilDate) -> CivilDate? {
    switch days {
    case nil: return date
    case .weekdays(let weekdays):
      let ahead = weekdays.map { ($0.rawValue - date.weekday.rawValue + 7) % 7 }.min()
      return ahead.flatMap { date.adding(days: $0) }
    case .nth(let number, let weekday):
      guard let inMonth = date.adding(days: 1 - date.day),
        let found = inMonth.nth(number, weekday)
      else { return nil }
      return found >= date ? found : inMonth.adding(months: 1)?.nth(number, weekday)
    }
  }

  /// Returns the date of an occurrence, 0 being the first from the anchor on; `nil` past the year
  /// 9999.
  package func date(
    _ number: Int, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> CivilDate? {
    switch days {
    case nil: return date(number, after: anchor, leapDay)
    case .weekdays(let weekdays):
      guard let first = first(from: anchor),
        let offset = weekdays.firstIndex(of: first.weekday)
      else { return nil }
      // The first day's place in its week counts with the rest.
      let (place, overflow) = number.addingReportingOverflow(offset)
      guard !overflow, place >= 0, place / weekdays.count < 1_000_000 else { return nil }
      return first.startOfWeek.adding(
        days: place / weekdays.count * count * 7 + weekdays[place % weekdays.count].rawValue - 1)
    case .nth(let nth, let weekday):
      guard let first = first(from: anchor), let month = first.adding(days: 1 - first.day) else {
        return nil
      }
      return date(number, after: month, leapDay)?.nth(nth, weekday)
    }
  }

  /// Returns the date so many steps behind an anchor, whatever the weekday.
  private func date(
    _ number: Int, after anchor: CivilDate, _ leapDay: LeapDayRule
  ) -> CivilDate? {
    let (steps, overflow) = number.multipliedReportingOverflow(by: count)
    guard !overflow else { return nil }
    switch unit {
    case .day: return anchor.adding(days: steps)
    case .week:
      guard steps.magnitude < 1_000_000 else { return nil }
      return anchor.adding(days: steps * 7)
    case .month: return anchor.adding(months: steps)
    default: return anchor.anniversary(years: steps, leapDay: leapDay)
    }
  }

  /// Returns the first occurrence on a date or later, and its number; `nil` when there is none until
  /// 9999.
  package func next(
    onOrAfter date: CivilDate, from anchor: CivilDate, leapDay: LeapDayRule
  ) -> (number: Int, date: CivilDate)? {
    guard date > anchor else {
      return self.date(0, from: anchor, leapDay: leapDay).map { (0, $0) }
    }
    let estimate: Int
    switch unit {
    case .day: estimate = date.days(since: anchor) / count
    case .week:
      let weeks = date.days(since: anchor) / (7 * count)
      if case .weekdays(let weekdays) = days {
        // The first is up to six days behind the anchor, and may be the last of its week.
        estimate = max(0, weeks - 2) * weekdays.count
      } else {
        estimate = weeks
      }
    default:
      let months = (date.year - anchor.year) * 12 + date.month - anchor.month
      // The first may be in the month behind the anchor's.
      estimate = months / (unit == .month ? count : 12 * count) - (days == nil ? 0 : 1)
    }
    var number = max(0, estimate - 1)
    while let candidate = self.date(number, from: anchor, leapDay: leapDay) {
      if candidate >= date { return (number, candidate) }
      number += 1
    }
    return nil
  }

  /// Finds what was likely meant by a rule that is not understood: with each word that no rule has
  /// replaced by the nearest that one has. `nil` where that is no rule either.
  ///
  /// - Parameter isUnderstood: whether a text is a rule, where it was given.
  package static func near(_ text: String, isUnderstood: (String) -> Bool) -> String? {
    let words = text.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
    guard !words.isEmpty, words.count <= 12 else { return nil }
    var texts = [""]
    for word in words {
      let choices = choices(for: word)
      texts = texts.flatMap { text in
        choices.map { text.isEmpty ? $0 : "\(text) \($0)" }
      }
      // Of many unknown words none was meant.
      guard (1...27).contains(texts.count) else { return nil }
    }
    return (texts + texts.map { "every \($0)" }).first { $0 != text && isUnderstood($0) }
  }

  /// Returns what a word may have been meant for: itself where it is known.
  private static func choices(for word: String) -> [String] {
    if let other = others[word] { return [other] }
    if vocabulary.contains(word) || word.utf8.first?.isASCIIDigit == true { return [word] }
    return EditDistance.meant(by: word, in: vocabulary)
  }

  /// The words of rules.
  private static let vocabulary: [String] =
    [
      "every", "each", "other", "on", "of", "in", "the", "and", "hourly", "daily", "weekly",
      "fortnightly", "monthly", "quarterly", "yearly", "annually", "weekday", "weekdays", "weekend",
      "fortnight", "quarter", "first", "second", "third", "fourth", "last",
    ] + Weekday.allCases.map { $0.name.lowercased() }
    + ["minute", "hour", "day", "week", "month", "year"].flatMap { ["\($0)s", $0] }

  /// Words that no rule has, and those that are for them here. Not every month has a fifth Friday.
  private static let others = [
    "biweekly": "fortnightly", "bimonthly": "2 months", "semiannually": "6 months",
    "everyday": "daily", "5th": "last", "fifth": "last",
  ]

  /// The rule for people: `daily`, `weekly`, `every 2 weeks`, `weekdays`, `every Monday and Friday`,
  /// `2nd Tuesday of the month`, `every 3 months on the last Friday`.
  public var words: String {
    switch days {
    case nil:
      guard count == 1 else { return "every \(unit.text(count))" }
      switch unit {
      case .day: return "daily"
      case .week: return "weekly"
      case .month: return "monthly"
      default: return "yearly"
      }
    case .weekdays(let weekdays):
      let isWorkWeek = weekdays == Self.workWeek
      if count == 1, isWorkWeek { return "weekdays" }
      let names = isWorkWeek ? "weekdays" : weekdays.map(\.name).listed()
      return count == 1 ? "every \(names)" : "every \(unit.text(count)) on \(names)"
    case .nth(let number, let weekday):
      let name = "\(Self.ordinal(number)) \(weekday.name)"
      return count == 1 ? "\(name) of the month" : "every \(unit.text(count)) on the \(name)"
    }
  }

  private static let workWeek: [Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday]

  private static func ordinal(_ number: Int) -> String {
    switch number {
    case 1: "1st"
    case 2: "2nd"
    case 3: "3rd"
    case 4: "4th"
    default: "last"
    }
  }

  /// Reads a rule: `daily`, `weekdays`, `fortnightly`, a span of one unit such as `2 weeks` or `other
  /// week`, days of the week such as `monday and friday`, a weekday of the month such as `2nd tuesday
  /// of the month`, or a span with days such as `3 months on the last friday`; with or without `every`
  /// in front, in capitals or not. `nil` for anything else.
  public init?(words: String) {
    var reader = Reader(words)
    guard let rule = reader.rule() else { return nil }
    self = rule
  }

  /// Reads words, the first of them first.
  private struct Reader {
    private let text: String
    private var words: [String]

    init(_ text: String) {
      self.text = text.lowercased()
      words = self.text.split { $0 == " " || $0 == "," }.map(String.init)
    }

    /// Takes the next word if it is one of these.
    private mutating func take(_ choices: String...) -> Bool {
      guard let word = words.first, choices.contains(word) else { return false }
      words.removeFirst()
      return true
    }

    mutating func rule() -> Recurrence? {
      if let rule = Recurrence.span(text) { return Recurrence(every: rule.count, rule.unit) }
      _ = take("every", "each", "the")
      if let days = monthDay() { return month(days) }
      let count = take("other") ? 2 : 1
      if let weekdays = weekdays() {
        return words.isEmpty ? Recurrence(everyWeeks: count, on: weekdays) : nil
      }
      return spanOnDays()
    }

    /// Reads `2nd tuesday`.
    private mutating func monthDay() -> (number: Int, weekday: Weekday)? {
      guard words.count > 1, let number = Recurrence.ordinal(words[0]),
        let weekday = Weekday(word: words[1])
      else { return nil }
      words.removeFirst(2)
      return (number, weekday)
    }

    /// Reads what stands behind `2nd tuesday`: nothing, `of the month`, `of every 3 months`.
    private mutating func month(_ days: (number: Int, weekday: Weekday)) -> Recurrence? {
      var count = 1
      if take("of", "in") {
        _ = take("the", "each", "every")
        guard let span = Recurrence.span(words.joined(separator: " ")), span.unit == .month else {
          return nil
        }
        count = span.count
      } else if !words.isEmpty {
        return nil
      }
      return Recurrence(everyMonths: count, onThe: days.number, days.weekday)
    }

    /// Reads `monday, wednesday and friday`, `tuesdays`, `weekdays`, `weekend`.
    private mutating func weekdays() -> [Weekday]? {
      var found: [Weekday] = []
      while let word = words.first {
        if !found.isEmpty, word == "and" || word == "&" {
          words.removeFirst()
          continue
        }
        guard let days = Recurrence.weekdays(word) else { break }
        found += days
        words.removeFirst()
      }
      return found.isEmpty ? nil : found
    }

    /// Reads `2 weeks on tuesday`, `monthly on the last friday`.
    private mutating func spanOnDays() -> Recurrence? {
      guard let (span, days) = text.halves(at: " on "), let rule = Recurrence.span(span) else {
        return nil
      }
      words = days.split { $0 == " " || $0 == "," }.map(String.init)
      _ = take("the")
      if rule.unit == .month, let days = monthDay(), words.isEmpty {
        return Recurrence(everyMonths: rule.count, onThe: days.number, days.weekday)
      }
      guard rule.unit == .week, let weekdays = weekdays(), words.isEmpty else { return nil }
      return Recurrence(everyWeeks: rule.count, on: weekdays)
    }
  }

  /// Reads how often a thing comes, by a unit alone: `monthly`, `every other week`, `quarterly`, `90
  /// days`; `nil` for anything else. The count may be any.
  package static func span(_ text: String) -> (count: Int, unit: DurationUnit)? {
    let named: [String: (Int, DurationUnit)] = [
      "hourly": (1, .hour), "daily": (1, .day), "weekly": (1, .week), "fortnightly": (2, .week),
      "every fortnight": (2, .week), "monthly": (1, .month), "quarterly": (3, .month),
      "every quarter": (3, .month), "yearly": (1, .year), "annually": (1, .year),
    ]
    let text = text.lowercased()
    if let span = named[text] { return span }
    let plain = text.behind("every ") ?? text.behind("each ") ?? text
    if let other = plain.behind("other ") { return unit(other).map { (2, $0) } }
    if let unit = unit(plain) { return (1, unit) }
    let words = plain.split(separator: " ")
    if text != plain, words.count == 2, let count = ordinal(String(words[0])), count > 0,
      let unit = unit(String(words[1]))
    {
      return (count, unit)
    }
    guard let duration = try? DurationParser.parse(plain) else { return nil }
    let units = DurationUnit.allCases.filter { duration[$0] != 0 }
    guard units.count == 1, let unit = units.first else { return nil }
    return (duration[unit], unit)
  }

  /// Reads a unit by its word; a letter alone is none.
  private static func unit(_ word: String) -> DurationUnit? {
    word.utf8.count > 2 ? DurationUnit(word: word) : nil
  }

  private static func ordinal(_ word: String) -> Int? {
    switch word {
    case "1st", "first": 1
    case "2nd", "second": 2
    case "3rd", "third": 3
    case "4th", "fourth": 4
    case "last": -1
    default: nil
    }
  }

  /// Reads a day of the week, one of several (`tuesdays`), or their names together.
  private static func weekdays(_ word: String) -> [Weekday]? {
    switch word {
    case "weekday", "weekdays": return workWeek
    case "weekend", "weekends": return [.saturday, .sunday]
    default:
      if let day = Weekday(word: word) { return [day] }
      guard word.utf8.count > 5, word.utf8.last == UInt8(ascii: "s"),
        let day = Weekday(word: String(word.unicodeScalars.dropLast()))
      else { return nil }
      return [day]
    }
  }
}

extension CivilDate {
  /// Returns the `number`th such weekday of the date's month, from 1, or the last for -1; `nil` where
  /// the month has no such day.
  fileprivate func nth(_ number: Int, _ weekday: Weekday) -> CivilDate? {
    let length = CivilDate.days(inMonth: month, of: year)
    guard let first = adding(days: 1 - day) else { return nil }
    let ahead = (weekday.rawValue - first.weekday.rawValue + 7) % 7
    let day = number == -1 ? ahead + (length - 1 - ahead) / 7 * 7 : ahead + (number - 1) * 7
    return (0..<length).contains(day) ? first.adding(days: day) : nil
  }
}
