// The words of dates: a line each.

extension WhenReader {
  /// The days that are counted from today.
  static let nearDays = ["yesterday": -1, "today": 0, "tomorrow": 1]

  /// The words before `of` and a part of the calendar.
  static let edges: Set<String> = ["end", "start", "beginning"]

  /// The words before a duration from now.
  static let openings: Set<String> = ["in", "within"]

  /// The words behind a duration from now, and the direction in which it counts.
  static let directions = ["ago": -1, "later": 1, "hence": 1]

  /// Feasts, without the apostrophes.
  static let feasts: [String: YearlyDay] = [
    "new year": .ofMonth(.first, .january),
    "new years": .ofMonth(.first, .january),
    "new year day": .ofMonth(.first, .january),
    "new years day": .ofMonth(.first, .january),
    "palm sunday": .easter(-7),
    "good friday": .easter(-2),
    "easter": .easter(0),
    "easter sunday": .easter(0),
    "easter monday": .easter(1),
    "ascension day": .easter(39),
    "pentecost": .easter(49),
    "whit sunday": .easter(49),
    "whit monday": .easter(50),
    "christmas": .ofMonth(.number(25), .december),
    "christmas day": .ofMonth(.number(25), .december),
    "christmas eve": .ofMonth(.number(24), .december),
    "new year eve": .ofMonth(.number(31), .december),
    "new years eve": .ofMonth(.number(31), .december),
  ]

  /// The words that feasts begin with.
  static let feastWords = Set(feasts.keys.map { String($0.prefix { $0 != " " }) })

  /// The words that a day may begin with, besides the names of weekdays and months.
  static let dayWords = edges.union(nearDays.keys).union(feastWords).union([
    "on", "the", "in", "tonight", "this", "next", "last", "first", "second", "third", "fourth",
    "fifth", "sod", "sow", "som", "soy", "eod", "eow", "eom", "eoy",
  ])

  /// The words that are offered for one that is misspelt.
  static let words: [String] =
    [
      "now", "today", "tomorrow", "yesterday", "tonight", "noon", "midnight", "next", "last",
      "this",
      "in", "sod", "sow", "som", "soy", "eod", "eow", "eom", "eoy", "christmas", "easter",
      "new year", "good friday", "end of", "start of", "day after tomorrow", "this weekend",
      "morning", "afternoon", "evening",
    ]
    + Weekday.allCases.map { $0.name.lowercased() } + Month.allCases.map { $0.name.lowercased() }

  /// The words that are offered for one that is misspelt behind a date.
  static let tailWords = ["ago", "from now", "later", "after", "before", "noon", "midnight"]
}

/// A word behind a count: a unit, or some of one.
struct CountedUnit: Hashable, Sendable {
  let unit: DurationUnit
  /// The number of units that the word stands for: 2 weeks are a fortnight.
  var times = 1

  private static let several: [String: CountedUnit] = [
    "fortnight": CountedUnit(unit: .week, times: 2),
    "fortnights": CountedUnit(unit: .week, times: 2),
    "decade": CountedUnit(unit: .year, times: 10),
    "decades": CountedUnit(unit: .year, times: 10),
    "century": CountedUnit(unit: .year, times: 100),
    "centuries": CountedUnit(unit: .year, times: 100),
  ]

  /// Every word, for suggestions.
  static let words = DurationUnit.words + several.keys.sorted()

  /// Reads a lower-case word.
  init?(word: String) {
    if let unit = DurationUnit(word: word) {
      self.init(unit: unit)
    } else if let several = Self.several[word] {
      self = several
    } else {
      return nil
    }
  }

  private init(unit: DurationUnit, times: Int = 1) {
    self.unit = unit
    self.times = times
  }

  /// What a part of the unit is counted in, and how many of these it has: `nil` for a unit whose parts
  /// have no one length.
  var part: (unit: DurationUnit, count: Int)? {
    switch unit {
    case .year: (.month, 12)
    case .week: (.day, 7)
    case .day: (.second, 86_400)
    case .hour: (.second, 3600)
    case .minute: (.second, 60)
    case .month, .second: nil
    }
  }
}

/// A number before a unit: `3`, `two`, `1.5`, `half`, `two and a half`.
struct WhenCount {
  let range: Range<Int>
  let whole: Int
  /// The part of one that comes with it, `part` of `of`.
  var part = 0
  var of = 1
}

extension CalendarDuration {
  /// Adds a count of a unit; a part of one in smaller units.
  ///
  /// - Returns: why it cannot be counted: the smaller units are not whole, or it is too much.
  mutating func add(_ count: WhenCount, _ counted: CountedUnit) -> WhenError.Kind? {
    let (whole, overflow) = count.whole.multipliedReportingOverflow(by: counted.times)
    guard !overflow, whole.magnitude <= CalendarDuration.largestCount else {
      return .numberTooLarge
    }
    var parts = 0
    if count.part > 0 {
      guard let small = counted.part else { return .fraction }
      let (quotient, rest) = (count.part * counted.times * small.count)
        .quotientAndRemainder(dividingBy: count.of)
      guard rest == 0 else { return .fraction }
      parts = quotient
    }
    self[counted.unit] += whole
    switch counted.part?.unit {
    case .month:
      years += parts / 12
      months += parts % 12
    case .day: days += parts
    case .second:
      hours += parts / 3600
      minutes += parts / 60 % 60
      seconds += parts % 60
    default: break
    }
    return exceeds(CalendarDuration.largestCount) ? .numberTooLarge : nil
  }
}
