extension RecurrenceRule {
  /// The rule for people: `every 2 months on the 1st and the 15th`, `yearly in March on the last Sunday`.
  package var words: String {
    ([base] + [monthWords, weekWords, dayWords, timeWords].filter { !$0.isEmpty })
      .joined(separator: " ")
      + (skip == .backward ? ", or the last day of a shorter month" : "")
  }

  private var base: String {
    switch (interval, frequency) {
    case (1, .hourly): "hourly"
    case (1, .daily): "daily"
    case (1, .weekly): "weekly"
    case (1, .monthly): "monthly"
    case (1, .yearly): "yearly"
    default: "every \(frequency.durationUnit.text(interval))"
    }
  }

  private var monthWords: String {
    months.isEmpty ? "" : "in " + months.compactMap { Month(rawValue: $0)?.name }.listed()
  }

  private var weekWords: String {
    weeks.isEmpty
      ? ""
      : "in "
        + weeks.map { $0 > 0 ? "week \($0)" : "the \(Self.ordinal($0)) week" }.listed()
  }

  /// The days, of which those of the week are a condition where others are named too.
  private var dayWords: String {
    var parts: [String] = []
    if !yearDays.isEmpty {
      parts.append(yearDays.map { "the \(Self.ordinal($0)) day of the year" }.listed())
    }
    if !monthDays.isEmpty {
      parts.append(
        monthDays.map { $0 > 0 ? "the \(Self.ordinal($0))" : "the \(Self.ordinal($0)) day" }
          .listed())
    }
    if !weekdays.isEmpty {
      let names = weekdayNames
      parts.append(parts.isEmpty ? names : "a \(names)")
    }
    guard !parts.isEmpty else { return positions.isEmpty ? "" : "(\(positionWords) of these)" }
    if !positions.isEmpty, parts.count == 1, weekdays.allSatisfy({ $0.number == 0 }),
      !weekdays.isEmpty
    {
      let names = weekdays.map(\.weekday.name).listed("or")
      return "on \(positionWords) \(isWorkWeek ? "weekday" : weekdays.count == 7 ? "day" : names)"
    }
    let days = parts.joined(separator: " if that is ")
    return positions.isEmpty ? "on \(days)" : "on \(positionWords) of \(days)"
  }

  private var isWorkWeek: Bool {
    weekdays.count == 5 && weekdays.allSatisfy { $0.number == 0 && $0.weekday.rawValue <= 5 }
  }

  private var weekdayNames: String {
    if isWorkWeek { return "weekdays" }
    return weekdays.map { day in
      day.number == 0 ? day.weekday.name : "the \(Self.ordinal(day.number)) \(day.weekday.name)"
    }.listed()
  }

  private var positionWords: String {
    positions.map { "the \(Self.ordinal($0))" }.listed()
  }

  private var timeWords: String {
    let clocks = hours.flatMap { hour in
      (minutes.isEmpty ? [0] : minutes).flatMap { minute in
        (seconds.isEmpty ? [0] : seconds).compactMap {
          CivilTime(hour: hour, minute: minute, second: $0)
        }
      }
    }
    if !clocks.isEmpty, !minutes.isEmpty, clocks.count <= 6 {
      return "at \(clocks.map(\.shortText).listed())"
    }
    let parts = [("hour", hours), ("minute", minutes), ("second", seconds)].compactMap {
      (name, numbers) -> String? in
      guard !numbers.isEmpty else { return nil }
      return "\(name)\(numbers.count > 1 ? "s" : "") \(numbers.map { String($0) }.listed())"
    }
    return parts.isEmpty ? "" : "at \(parts.joined(separator: ", "))"
  }

  /// `1st`, `last`, `2nd last`.
  private static func ordinal(_ number: Int) -> String {
    if number == -1 { return "last" }
    if number < 0 { return "\(ordinal(-number)) last" }
    let suffix =
      switch (number % 100, number % 10) {
      case (11...13, _): "th"
      case (_, 1): "st"
      case (_, 2): "nd"
      case (_, 3): "rd"
      default: "th"
      }
    return "\(number)\(suffix)"
  }
}

extension RecurrenceRule.Frequency {
  fileprivate var durationUnit: DurationUnit {
    switch self {
    case .secondly: .second
    case .minutely: .minute
    case .hourly: .hour
    case .daily: .day
    case .weekly: .week
    case .monthly: .month
    case .yearly: .year
    }
  }
}
