/// The rules of a calendar as a record keeps them: the text of each on a line.
struct RuleTexts: Hashable, Sendable, LosslessStringConvertible, FieldText {
  let rules: [RecurrenceRule]

  /// - Returns: `nil` for no rule, and for more than an event can have.
  init?(_ rules: [RecurrenceRule]) {
    guard (1...RecurrenceSet.largestRuleCount).contains(rules.count) else { return nil }
    self.rules = rules.map(\.withoutEnd)
  }

  var description: String { rules.map(\.description).joined(separator: "\n") }

  init?(_ text: String) {
    var rules: [RecurrenceRule] = []
    for line in text.parts(at: "\n") {
      guard let rule = try? RecurrenceRule(line), rule.count == nil, rule.until == nil,
        rule.frequency > .minutely, rule.occurrencesPerDay <= RecurrenceRule.largestPerDay
      else { return nil }
      rules.append(rule)
    }
    self.init(rules)
  }

  // Hot: an agenda reads the rules of all repeated events.
  static func brief<Coder: BriefCoder>(
    _ value: inout RuleTexts?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var rules = value?.rules ?? []
    var count = rules.count
    try walk.coder.elements(&count)
    while rules.count < count { rules.append(RecurrenceRule(.yearly)) }
    for place in rules.indices { try rules[place].code(with: &walk.coder) }
    value = RuleTexts(rules)
    if value == nil { try walk.coder.refuse() }
  }
}

extension RecurrenceRule {
  /// Codes a rule without its end.
  fileprivate mutating func code<Coder: BriefCoder>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    var number = frequency.rawValue
    try coder.count(&number)
    guard let frequency = Frequency(rawValue: number) else { return try coder.refuse() }
    self.frequency = frequency
    try coder.count(&interval)
    interval = max(interval, 1)
    try Self.code(&months, with: &coder)
    try Self.code(&weeks, with: &coder)
    try Self.code(&yearDays, with: &coder)
    try Self.code(&monthDays, with: &coder)
    // A day of the week and its number are one: seven days a number.
    var days = weekdays.map { $0.number * 7 + $0.weekday.rawValue - 1 }
    try Self.code(&days, with: &coder)
    var read: [WeekdayNumber] = []
    for day in days {
      guard let weekday = Weekday(rawValue: day.modulo(7) + 1) else { return try coder.refuse() }
      read.append(WeekdayNumber(weekday, number: day.divided(downBy: 7)))
    }
    weekdays = read
    try Self.code(&hours, with: &coder)
    try Self.code(&minutes, with: &coder)
    try Self.code(&seconds, with: &coder)
    try Self.code(&positions, with: &coder)
    var start = weekStart.rawValue * 2 + (skip == .backward ? 1 : 0)
    try coder.count(&start)
    guard let weekStart = Weekday(rawValue: start / 2) else { return try coder.refuse() }
    (self.weekStart, skip) = (weekStart, start % 2 == 1 ? .backward : .omit)
  }

  private static func code<Coder: BriefCoder>(
    _ numbers: inout [Int], with coder: inout Coder
  ) throws(Coder.Failure) {
    var count = numbers.count
    try coder.elements(&count)
    while numbers.count < count { numbers.append(0) }
    for place in numbers.indices {
      var number = Int64(numbers[place])
      try coder.integer(&number)
      numbers[place] = Int(clamping: number)
    }
  }
}
