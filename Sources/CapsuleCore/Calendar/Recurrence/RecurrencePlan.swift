/// A rule with the time that it is counted from: all that the rule leaves to that time is filled in (RFC
/// 5545 §3.3.10, the last paragraphs), so that the days and times of any year can be told.
///
/// Times are those that clocks show, in seconds since 1970 as if they were UTC's.
struct RecurrencePlan: Sendable {
  let rule: RecurrenceRule
  /// The time that is counted from; midnight for whole days.
  let anchor: Int64
  /// The date of it, in days since 1970-01-01.
  let anchorDay: Int
  let anchorYear: Int
  let isAllDay: Bool
  /// The times of each day, in seconds, in order; where the rule steps on clocks, those of each step.
  let times: [Int32]

  // What days are chosen by. The lowest bit is the first month, day or weekday; 0 stands for all.
  private var months: UInt64
  private var monthDays: UInt64
  private let lastMonthDays: UInt64
  private var weekdays: UInt64
  private let numbered: [RecurrenceRule.WeekdayNumber]
  private let anchorMonth: Int
  /// The place of the week's first day in the week that the anchor is in.
  private let anchorWeek: Int
  /// The places that are kept of each week, month or year; of other periods they are in ``times``.
  private let positions: [Int]

  // What steps on clocks are chosen by.
  private let allowed: AllowedSteps
  private let stepCounts: [Int32]
  /// The number of steps in a day.
  let stepsPerDay: Int
  /// The anchor's step, counted from 1970.
  private let anchorStep: Int
  /// The steps of a day that the rule allows, where they are few.
  private let fewSteps: [Int32]?

  /// Whether any time of day is allowed at all.
  let isPossible: Bool

  init(_ rule: RecurrenceRule, from anchor: CivilDateTime, isAllDay: Bool) {
    var rule = rule
    // RFC 5545 §3.3.10: hours, minutes and seconds are ignored beside a date.
    if isAllDay { (rule.hours, rule.minutes, rule.seconds) = ([], [], []) }
    let date = anchor.date
    let time = isAllDay ? CivilTime.midnight : anchor.time
    self.rule = rule
    self.isAllDay = isAllDay
    self.anchor = CivilDateTime(date: date, time: time).secondsAsUTC
    anchorDay = date.daysSinceEpoch
    anchorYear = date.year
    anchorMonth = date.year * 12 + date.month - 1
    let weekday = date.weekday.rawValue - 1
    anchorWeek = anchorDay - (weekday - (rule.weekStart.rawValue - 1)).modulo(7)

    months = Self.bits(rule.months)
    monthDays = Self.bits(rule.monthDays)
    lastMonthDays = Self.bits(rule.monthDays, sign: -1)
    weekdays = 0
    var numbered: [RecurrenceRule.WeekdayNumber] = []
    for day in rule.weekdays {
      if day.number == 0 {
        weekdays |= 1 << UInt64(day.weekday.rawValue - 1)
      } else {
        numbered.append(day)
      }
    }
    self.numbered = numbered
    let hasDays = !rule.weekdays.isEmpty || !rule.monthDays.isEmpty || !rule.yearDays.isEmpty
    switch rule.frequency {
    case .yearly where !hasDays && !rule.weeks.isEmpty, .weekly where !hasDays:
      weekdays = 1 << UInt64(weekday)
    case .yearly where !hasDays:
      if months == 0 { months = 1 << UInt64(date.month - 1) }
      monthDays = 1 << UInt64(date.day - 1)
    case .monthly where !hasDays: monthDays = 1 << UInt64(date.day - 1)
    default: break
    }

    let times = Self.times(of: rule, from: time)
    if rule.frequency <= .daily, !rule.positions.isEmpty {
      // The set of each period is the same.
      self.times = Self.kept(rule.positions, of: times.count).map { times[$0] }
      positions = []
    } else {
      self.times = times
      positions = rule.positions
    }

    stepsPerDay = 86_400 / rule.unit
    anchorStep = Int(self.anchor).divided(downBy: rule.unit)
    allowed = AllowedSteps(rule)
    guard rule.isStepped else {
      (stepCounts, fewSteps, isPossible) = ([], nil, !self.times.isEmpty)
      return
    }
    stepCounts = rule.stepCounts
    let few = allowed.steps(atMost: Self.few)
    fewSteps = few
    // The remainder of a step by what the interval and a week share is the same in every week: on one of the
    // weekdays it has to be that of an allowed step.
    let shared = rule.interval.commonDivisor(7 * stepsPerDay)
    isPossible =
      !self.times.isEmpty
      && (0..<7).contains { [day = anchorDay, stepsPerDay, anchorStep, weekdays, allowed] offset in
        guard weekdays == 0 || weekdays >> UInt64((weekday + offset) % 7) & 1 == 1 else {
          return false
        }
        let first = (anchorStep - (day + offset) * stepsPerDay)
          .modulo(shared)
        if let few { return few.contains { (Int($0) - first) % shared == 0 } }
        return stride(from: first, to: stepsPerDay, by: shared).contains { allowed.contains($0) }
      }
  }

  /// So many steps of a day are looked at one by one. Of a rule that has more, each interval's.
  private static let few = 2880

  /// Returns the numbers with a sign as bits, the lowest being 1.
  private static func bits(_ numbers: [Int], sign: Int = 1) -> UInt64 {
    var bits: UInt64 = 0
    for number in numbers where number * sign > 0 { bits |= 1 << UInt64(number * sign - 1) }
    return bits
  }

  /// Returns the times of a day, or of a step, before some are selected. What the rule does not say is as the
  /// anchor's time has it.
  private static func times(of rule: RecurrenceRule, from time: CivilTime) -> [Int32] {
    if rule.hours.isEmpty, rule.minutes.isEmpty, rule.seconds.isEmpty {
      return [Int32(time.secondsSinceMidnight % rule.unit)]
    }
    let hours = rule.hours.isEmpty ? [time.hour] : rule.hours
    let minutes = rule.minutes.isEmpty ? [time.minute] : rule.minutes
    let seconds = rule.seconds.isEmpty ? [time.second] : rule.seconds
    var times: [Int32] = []
    for hour in rule.isStepped ? [0] : hours {
      for minute in rule.frequency < .hourly ? [0] : minutes {
        for second in rule.frequency < .minutely ? [0] : seconds {
          times.append(Int32(hour * 3600 + minute * 60 + second))
        }
      }
    }
    return times
  }

  /// Returns the indexes that positions keep of so many, in order; all where there are no positions.
  private static func kept(_ positions: [Int], of count: Int) -> [Int] {
    guard !positions.isEmpty else { return Array(0..<count) }
    return Set(positions.map { $0 > 0 ? $0 - 1 : count + $0 }).filter { (0..<count).contains($0) }
      .sorted()
  }
}

// MARK: The days of a year

extension RecurrencePlan {
  /// Returns the days of a year on which the rule may occur, whatever its interval and its steps on clocks.
  /// They are the same in each year of a kind.
  func pattern(of year: RuleYear) -> YearDays {
    let days = candidates(of: year)
    guard !positions.isEmpty else { return days }
    var found = YearDays()
    switch rule.frequency {
    case .yearly: select(0..<year.length, of: days, into: &found)
    case .monthly:
      for month in 1...12 { select(year.days(ofMonth: month), of: days, into: &found) }
    default:
      var week = -(year.weekday - (rule.weekStart.rawValue - 1)).modulo(7)
      while week < year.length {
        let bits = candidates(ofWeek: week, year, days)
        for position in positions {
          guard let index = index(position, of: bits.nonzeroBitCount) else { continue }
          var rest = bits
          for _ in 0..<index { rest &= rest - 1 }
          found.insert(bits: 1 << UInt64(rest.trailingZeroBitCount), at: week)
        }
        week += 7
      }
      var all = YearDays(0..<year.length)
      all.formIntersection(found)
      found = all
    }
    return found
  }

  private func select(_ range: Range<Int>, of days: YearDays, into found: inout YearDays) {
    var inside = YearDays(range)
    inside.formIntersection(days)
    let count = inside.count
    for position in positions {
      if let index = index(position, of: count), let day = inside.day(index) { found.insert(day) }
    }
  }

  /// Returns which of so many days has a place among the times of all; `nil` where there are not so many.
  private func index(_ position: Int, of count: Int) -> Int? {
    let place = position > 0 ? position - 1 : count * times.count + position
    return (0..<count * times.count).contains(place) ? place / times.count : nil
  }

  /// Returns the candidates of a week as bits; it may begin before the year or end behind it.
  private func candidates(ofWeek start: Int, _ year: RuleYear, _ days: YearDays) -> UInt64 {
    var bits: UInt64 = 0
    for offset in 0..<7 {
      let day = start + offset
      let isOne: Bool
      if day >= 0, day < year.length {
        isOne = days.contains(day)
      } else {
        let month: UInt64 = day < 0 ? 11 : 0
        isOne =
          (months == 0 || months >> month & 1 == 1)
          && weekdays >> UInt64(year.weekday(of: day)) & 1 == 1
      }
      if isOne { bits |= 1 << UInt64(offset) }
    }
    return bits
  }

  /// Returns the days of a year that all parts of the rule name.
  private func candidates(of year: RuleYear) -> YearDays {
    var days = YearDays()
    let hasMonthDays = monthDays | lastMonthDays != 0
    if months == 0, !hasMonthDays {
      days.insert(0..<year.length)
    } else {
      for month in 1...12 where months == 0 || months >> UInt64(month - 1) & 1 == 1 {
        let range = year.days(ofMonth: month)
        if hasMonthDays {
          days.insert(bits: bits(ofMonth: range.count), at: range.lowerBound)
        } else {
          days.insert(range)
        }
      }
    }
    if !rule.yearDays.isEmpty { days.formIntersection(yearDays(of: year)) }
    if !rule.weeks.isEmpty { days.formIntersection(weeks(of: year)) }
    if weekdays != 0 || !numbered.isEmpty {
      let first = UInt64(year.weekday)
      var named = YearDays(repeating: (weekdays >> first | weekdays << (7 - first)) & 127)
      if !numbered.isEmpty { insertNumbered(of: year, into: &named) }
      days.formIntersection(named)
    }
    return days
  }

  /// Returns the days of a month of some length, the lowest bit being the first.
  private func bits(ofMonth length: Int) -> UInt64 {
    let all: UInt64 = 1 << UInt64(length) - 1
    var bits = monthDays & all
    if bits != monthDays, clamps { bits |= 1 << UInt64(length - 1) }
    var last = lastMonthDays & all
    while last != 0 {
      bits |= 1 << UInt64(length - 1 - last.trailingZeroBitCount)
      last &= last - 1
    }
    return bits
  }

  /// Whether a day that is not there is the last one before it. Where the rule goes by days or weeks, it
  /// names no such day.
  private var clamps: Bool { rule.skip == .backward && rule.frequency >= .monthly }

  private func yearDays(of year: RuleYear) -> YearDays {
    var days = YearDays()
    for number in rule.yearDays {
      let day = number > 0 ? number - 1 : year.length + number
      if (0..<year.length).contains(day) {
        days.insert(day)
      } else if day >= year.length, clamps {
        days.insert(year.length - 1)
      }
    }
    return days
  }

  /// Returns the days of a year that are in weeks by number. A week is numbered in the year that most of it
  /// is in, and a day belongs to the year of its date.
  private func weeks(of year: RuleYear) -> YearDays {
    func firstWeek(_ place: Int) -> Int { place <= 3 ? -place : 7 - place }
    let weekStart = rule.weekStart.rawValue - 1
    let place = (year.weekday - weekStart).modulo(7)
    let first = firstWeek(place)
    let next = year.length + firstWeek((place + year.length) % 7)
    let lengthBefore = CivilDate.isLeap(year.number - 1) ? 366 : 365
    let before = -lengthBefore + firstWeek((place - lengthBefore).modulo(7))
    let lengthBehind = CivilDate.isLeap(year.number + 1) ? 366 : 365
    let behind =
      year.length + lengthBehind
      + firstWeek((place + year.length + lengthBehind) % 7)
    var days = YearDays()
    for (start, end) in [(before, first), (first, next), (next, behind)] {
      let count = (end - start) / 7
      for number in rule.weeks {
        let week = number > 0 ? number - 1 : count + number
        let day = start + week * 7
        guard (0..<count).contains(week), day > -7, day < year.length else { continue }
        days.insert(day..<min(day + 7, year.length))
      }
    }
    return days
  }

  private func insertNumbered(of year: RuleYear, into days: inout YearDays) {
    if rule.frequency == .yearly, months == 0 {
      insertNumbered(0..<year.length, year, into: &days)
    } else {
      for month in 1...12 { insertNumbered(year.days(ofMonth: month), year, into: &days) }
    }
  }

  private func insertNumbered(
    _ range: Range<Int>, _ year: RuleYear, into days: inout YearDays
  ) {
    for day in numbered {
      let first =
        range.lowerBound
        + (day.weekday.rawValue - 1 - year.weekday(of: range.lowerBound)).modulo(7)
      let last = first + (range.upperBound - 1 - first) / 7 * 7
      let found = day.number > 0 ? first + (day.number - 1) * 7 : last + (day.number + 1) * 7
      if range.contains(found) { days.insert(found) }
    }
  }

  /// Returns the days of a year that are in each so many of the rule's periods; `nil` for all.
  func grid(of year: RuleYear) -> YearDays? {
    let interval = rule.interval
    guard interval > 1 else { return nil }
    var days = YearDays()
    switch rule.frequency {
    case .yearly: return (year.number - anchorYear).isMultiple(of: interval) ? nil : days
    case .monthly:
      var month = (anchorMonth - year.number * 12).modulo(interval)
      while month < 12 {
        days.insert(year.days(ofMonth: month + 1))
        month += interval
      }
    case .weekly:
      let cycle = interval * 7
      var week = (anchorWeek - year.start).modulo(cycle)
      // The week that is on when the year begins.
      if week > cycle - 7 { week -= cycle }
      while week < year.length {
        days.insert(week..<min(week + 7, year.length))
        week += cycle
      }
    case .daily:
      var day = (anchorDay - year.start).modulo(interval)
      while day < year.length {
        days.insert(day)
        day += interval
      }
    default: return nil
    }
    return days
  }

  /// Returns the next year (or for -1, the one before) that the interval does not pass over; `nil` outside
  /// the years from the anchor's to 9999.
  func year(after year: Int, direction: Int) -> Int? {
    let interval = rule.frequency == .yearly ? rule.interval : 1
    let rest = (year - anchorYear).modulo(interval)
    let next = year - rest + (direction > 0 ? interval : rest == 0 ? -interval : 0)
    return (anchorYear...CivilDate.years.upperBound).contains(next) ? next : nil
  }

  /// The number of times 400 years after which the days of the rule come again.
  var cycles: Int {
    let periods =
      switch rule.frequency {
      case .yearly: 400
      case .monthly: 4800
      case .weekly: 20_871
      default: 146_097
      }
    return rule.interval / rule.interval.commonDivisor(periods)
  }
}

// MARK: The times of a day

extension RecurrencePlan {
  /// Whether the times of a day are not the same each day.
  var hasPartialDays: Bool { rule.isStepped || !positions.isEmpty && times.count > 1 }

  /// Returns the first step of a day that the interval does not pass over; one of a later day is a day's
  /// steps or more.
  private func firstStep(of day: Int) -> Int {
    (anchorStep - day * stepsPerDay).modulo(rule.interval)
  }

  /// Returns the number of a day's steps that are of the rule.
  private func stepCount(of day: Int) -> Int {
    let first = firstStep(of: day)
    if !stepCounts.isEmpty { return Int(stepCounts[first]) }
    var count = 0
    for step in stride(from: first, to: stepsPerDay, by: rule.interval)
    where allowed.contains(step) {
      count += 1
    }
    return count
  }

  /// Returns a day itself if its clocks have a step of the rule, or the next (for -1, the last) day that
  /// may have one.
  func steppedDay(near day: Int, direction: Int) -> Int {
    if stepCount(of: day) > 0 { return day }
    let first = firstStep(of: day)
    if first < stepsPerDay { return day + direction }
    if direction > 0 { return day + first / stepsPerDay }
    return day + (first - rule.interval).divided(downBy: stepsPerDay)
  }

  /// Returns the number of occurrences on a day of the pattern, which ``insertTimes(of:in:into:)`` lists.
  func count(of day: Int, in year: RuleYear) -> Int {
    guard rule.isStepped else { return times(of: day, in: year).count }
    let steps = stepCount(of: day)
    return isAllDay ? min(steps, 1) : steps * times.count
  }

  /// The number of days after which the steps of a day come again, where the rule leaves out no day.
  var stepCycle: Int? {
    guard rule.isStepped, months | monthDays | lastMonthDays | weekdays == 0, rule.yearDays.isEmpty
    else { return nil }
    return rule.interval / rule.interval.commonDivisor(stepsPerDay)
  }

  private func times(of day: Int, in year: RuleYear) -> [Int32] {
    var found: [Int32] = []
    insertTimes(of: day, in: year, into: &found)
    return found
  }

  /// Puts the times of a day of the pattern in the place of those of another.
  func insertTimes(of day: Int, in year: RuleYear, into found: inout [Int32]) {
    found.removeAll(keepingCapacity: true)
    if rule.isStepped {
      if isAllDay {
        if count(of: day, in: year) > 0 { found.append(0) }
      } else {
        insertSteps(of: day, into: &found)
      }
      return
    }
    // Of a week, month or year some times are kept; those of this day are between these places.
    let days = candidates(of: year)
    let index = day - year.start
    let before: Int
    let count: Int
    switch rule.frequency {
    case .yearly: (before, count) = (days.count(before: index), days.count)
    case .monthly:
      let month = (1...12).first { year.days(ofMonth: $0).contains(index) } ?? 1
      let range = year.days(ofMonth: month)
      let earlier = days.count(before: range.lowerBound)
      before = days.count(before: index) - earlier
      count = days.count(before: range.upperBound) - earlier
    default:
      let week = index - (year.weekday(of: index) - (rule.weekStart.rawValue - 1)).modulo(7)
      let bits = candidates(ofWeek: week, year, days)
      before = (bits & (1 << UInt64(index - week) - 1)).nonzeroBitCount
      count = bits.nonzeroBitCount
    }
    for position in positions {
      let place =
        (position > 0 ? position - 1 : count * times.count + position) - before * times.count
      if times.indices.contains(place) { found.append(times[place]) }
    }
    // One may be named from both ends.
    found.sort()
    for index in found.indices.dropFirst().reversed() where found[index] == found[index - 1] {
      found.remove(at: index)
    }
  }

  private func insertSteps(of day: Int, into found: inout [Int32]) {
    let first = firstStep(of: day)
    func insert(_ step: Int) {
      for time in times { found.append(Int32(step * rule.unit) + time) }
    }
    if let fewSteps, fewSteps.count * rule.interval < stepsPerDay {
      for step in fewSteps where Int(step) >= first && (Int(step) - first) % rule.interval == 0 {
        insert(Int(step))
      }
    } else {
      for step in stride(from: first, to: stepsPerDay, by: rule.interval)
      where allowed.contains(step) {
        insert(step)
      }
    }
  }
}
