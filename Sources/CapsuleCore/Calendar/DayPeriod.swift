/// Some days in a row.
package struct DayPeriod: Hashable, Sendable {
  package let first: CivilDate
  /// The last of them, not before the first.
  package let last: CivilDate

  package init(_ first: CivilDate, through last: CivilDate) {
    self.first = first
    self.last = max(first, last)
  }

  /// The whole year of a date.
  package static func year(of date: CivilDate) -> DayPeriod? {
    month(of: CivilDate(year: date.year, month: 1, day: 1), count: 12)
  }

  /// The whole month of a date, and as many as follow.
  package static func month(of date: CivilDate?, count: Int = 1) -> DayPeriod? {
    guard let date, let first = date.adding(days: 1 - date.day) else { return nil }
    let last = first.adding(months: count - 1).flatMap { month in
      month.adding(days: CivilDate.days(inMonth: month.month, of: month.year) - 1)
    }
    return last.map { DayPeriod(first, through: $0) }
  }

  private static func days(_ count: Int, from first: CivilDate?) -> DayPeriod? {
    guard let first, let last = first.adding(days: count - 1) else { return nil }
    return DayPeriod(first, through: last)
  }

  /// Reads the periods that have names: `june` (the one that it is, or the next), `week`, `this month`,
  /// `next year`, `last weekend`, and `2030-W05`; in capitals or not. `nil` for any other text, which may
  /// be a date.
  package init?(_ text: String, today: CivilDate) {
    let words = text.lowercased().split(separator: " ").map(String.init)
    guard let period = Self.named(words, today: today) else { return nil }
    self = period
  }

  private static func named(_ words: [String], today: CivilDate) -> DayPeriod? {
    if words.count == 1, let month = Month(word: words[0]) {
      let year = month.rawValue < today.month ? today.year + 1 : today.year
      return Self.month(of: CivilDate(year: year, month: month.rawValue, day: 1))
    }
    if words.count == 1, let week = week(words[0]) { return week }
    var steps = 0
    if words.count == 2 {
      switch words[0] {
      case "this": steps = 0
      case "next": steps = 1
      case "last": steps = -1
      default: return nil
      }
    }
    guard words.count < 3, let unit = words.last else { return nil }
    switch unit {
    case "week": return days(7, from: today.startOfWeek.adding(days: 7 * steps))
    case "weekend": return days(2, from: today.startOfWeek.adding(days: 7 * steps + 5))
    case "month": return month(of: today.adding(months: steps))
    case "quarter":
      let first = CivilDate(year: today.year, month: (today.month - 1) / 3 * 3 + 1, day: 1)
      return month(of: first?.adding(months: 3 * steps), count: 3)
    case "year": return today.adding(months: 12 * steps).flatMap { year(of: $0) }
    default: return nil
    }
  }

  /// Reads `2030-w05`.
  private static func week(_ word: String) -> DayPeriod? {
    guard let (first, second) = word.halves(at: "-w"),
      first.utf8.count == 4, second.utf8.count == 2,
      (first + second).utf8.allSatisfy(\.isASCIIDigit),
      let year = Int(first), let number = Int(second)
    else { return nil }
    return days(7, from: CivilDate(isoYear: year, week: number, weekday: .monday))
  }
}
