extension Recurrence {
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
}

extension Recurrence {
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
