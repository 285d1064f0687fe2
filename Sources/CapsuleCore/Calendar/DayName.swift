/// A day as an expression names it.
///
/// The date that it stands for depends on today, and so on the zone that may stand behind it:
/// `tomorrow Asia/Tokyo` is tomorrow in Tokyo.
indirect enum DayName: Hashable, Sendable {
  case date(CivilDate)
  /// A day so many days after today: `today`, `tomorrow`.
  case fromToday(Int)
  /// The next such day after today; where the past is meant, the last one up to now.
  case weekday(Weekday)
  /// The last such day before today.
  case lastBefore(Weekday)
  /// That day of the ISO week so many after this one. A `strict` one must not be over, or, where the
  /// past is meant, still to come.
  case ofWeek(Weekday, weeks: Int, strict: Bool)
  /// That day of the month so many after this one: `end of the month`.
  case ofMonth(MonthDay, months: Int)
  /// That day of the first month of the year so many after this one, or of its last month:
  /// `end of next year`.
  case ofYear(MonthDay, years: Int)
  /// The next such day after today; where the past is meant, the last one up to now.
  case yearly(YearlyDay)
  /// A day that must be that day of the week.
  case checked(DayName, Weekday)
  /// The calendar units of a duration after a day.
  case shifted(DayName, CalendarDuration)
}

/// A day of any month.
enum MonthDay: Hashable, Sendable {
  case first
  case last
  case number(Int)
  /// The first to fifth such day of the week.
  case nth(Int, Weekday)
  case lastWeekday(Weekday)

  /// Returns the day of a month; `nil` where the month has no such day, or there is no such month.
  func date(inMonth month: Int, of year: Int) -> CivilDate? {
    guard let first = CivilDate(year: year, month: month, day: 1) else { return nil }
    let last = CivilDate.days(inMonth: month, of: year)
    let day: Int
    switch self {
    case .first: day = 1
    case .last: day = last
    case .number(let number): day = number
    case .nth(let count, let weekday):
      day = 1 + (weekday.rawValue - first.weekday.rawValue + 7) % 7 + (count - 1) * 7
    case .lastWeekday(let weekday):
      let end = CivilDate(daysSinceEpoch: first.daysSinceEpoch + last - 1)
      day = last - (end.weekday.rawValue - weekday.rawValue + 7) % 7
    }
    return CivilDate(year: year, month: month, day: day)
  }

  /// Whether it is counted from the end.
  var isLast: Bool {
    switch self {
    case .last, .lastWeekday: true
    case .first, .number, .nth: false
    }
  }
}

/// A day that comes once a year, or in some years only.
enum YearlyDay: Hashable, Sendable {
  case ofMonth(MonthDay, Month)
  /// A day so many after Easter Sunday of the western churches.
  case easter(Int)

  /// Returns its date in a year; `nil` for a year without it.
  func date(in year: Int) -> CivilDate? {
    switch self {
    case .ofMonth(let day, let month): day.date(inMonth: month.rawValue, of: year)
    case .easter(let days): CivilDate(easterOf: year)?.adding(days: days)
    }
  }
}

/// A part of a day, which stands for a time of it.
enum DayPart: String, CaseIterable, Hashable, Sendable {
  case morning, afternoon, evening, night

  /// The time that is meant where none is given.
  var time: CivilTime {
    switch self {
    case .morning: CivilTime(secondsSinceMidnight: 9 * 3600)
    case .afternoon: CivilTime(secondsSinceMidnight: 15 * 3600)
    case .evening: CivilTime(secondsSinceMidnight: 18 * 3600)
    case .night: CivilTime(secondsSinceMidnight: 20 * 3600)
    }
  }

  /// The hours that may be given with it: `tonight at 9pm`.
  var hours: ClosedRange<Int> {
    switch self {
    case .morning: 0...11
    case .afternoon: 12...17
    case .evening: 16...23
    case .night: 18...23
    }
  }
}

/// Finds the date of a day by its name.
struct DayFinder {
  /// Today, on the clocks that the expression is read on.
  let today: CivilDate
  let now: Instant
  let preference: WhenParser.Preference
  /// The instant of a date at the time of day that was given with it; `nil` where none was.
  let instant: (CivilDate) -> Instant?

  /// The error in the words that were read.
  let error: (Problem) -> WhenError

  /// The reason why there is no date.
  enum Problem: Hashable {
    case yearOutOfRange
    case outOfReach(CivilDate)
    case wrongWeekday(of: CivilDate)
  }

  func date(of day: DayName) throws(WhenError) -> CivilDate {
    switch day {
    case .date(let date): return date
    case .fromToday(let days): return try found(today.adding(days: days))
    case .weekday(let weekday):
      let ahead = (weekday.rawValue - today.weekday.rawValue + 7) % 7
      let isToday = ahead == 0 && preference == .past && !isAfterNow(today)
      return try found(
        today.adding(
          days: isToday ? 0 : preference == .past ? ahead - 7 : ahead == 0 ? 7 : ahead))
    case .lastBefore(let weekday):
      let back = (today.weekday.rawValue - weekday.rawValue + 6) % 7 + 1
      return try found(today.adding(days: -back))
    case .ofWeek(let weekday, let weeks, let strict):
      let date = try found(
        CivilDate(
          daysSinceEpoch: today.startOfWeek.daysSinceEpoch + weeks * 7 + weekday.rawValue - 1))
      if strict, isOutOfReach(date) { throw error(.outOfReach(date)) }
      return date
    case .ofMonth(let day, let months):
      let first = CivilDate(year: today.year, month: today.month, day: 1)?.adding(months: months)
      return try found(first.flatMap { day.date(inMonth: $0.month, of: $0.year) })
    case .ofYear(let day, let years):
      return try found(day.date(inMonth: day.isLast ? 12 : 1, of: today.year + years))
    case .yearly(let day): return try found(nearest(day))
    case .checked(let day, let weekday):
      let date = try date(of: day)
      guard date.weekday == weekday else { throw error(.wrongWeekday(of: date)) }
      return date
    case .shifted(let day, let duration): return try found(duration.added(to: date(of: day)))
    }
  }

  private func found(_ date: CivilDate?) throws(WhenError) -> CivilDate {
    guard let date, date.isRepresentable else { throw error(.yearOutOfRange) }
    return date
  }

  /// Whether a date that is today is after now at the time of day that was given with it.
  private func isAfterNow(_ date: CivilDate) -> Bool { instant(date) ?? now > now }

  private func isOutOfReach(_ date: CivilDate) -> Bool {
    let future = preference == .future
    guard date == today else { return future ? date < today : date > today }
    return instant(date).map { future ? $0 < now : $0 > now } ?? false
  }

  /// Returns the next such day after today, or the last one up to now.
  private func nearest(_ day: YearlyDay) -> CivilDate? {
    // A fifth Monday of February comes every 28 years, and every 40 where a leap year is left out.
    let years = 0...48
    return years.lazy.compactMap { distance -> CivilDate? in
      guard let date = day.date(in: today.year + (preference == .future ? distance : -distance))
      else { return nil }
      switch preference {
      case .future: return date > today ? date : nil
      case .past: return date < today || date == today && !isAfterNow(date) ? date : nil
      }
    }.first
  }

  /// Whether today is such a day, although another one is meant.
  func passesToday(_ day: DayName, for date: CivilDate) -> Bool {
    guard date != today else { return false }
    switch day {
    case .weekday(let weekday): return weekday == today.weekday
    case .yearly(let yearly): return yearly.date(in: today.year) == today
    case .checked(let day, _): return passesToday(day, for: date)
    default: return false
    }
  }
}

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
