/// A way through the times of a rule, as clocks show them, in order: whole years are looked at by the bits
/// of their days, so that each step is bounded whatever the rule.
struct RecurrenceWalk: Sendable {
  let plan: RecurrencePlan
  /// The time behind which there is none.
  private(set) var limit = Int64.max
  /// The time that the walk is at; `nil` behind the last.
  private(set) var value: Int64?
  /// The time from which on there is none before ``value``, as far as is known; later than all where the walk
  /// is nowhere. So a search that was done is not done again.
  private var soughtFrom = Int64.max
  /// The last time up to one, as it was looked for before.
  private var lastFound: (value: Int64?, through: Int64)?
  /// How often something was looked at that need not be an occurrence: a year, or a day of the pattern.
  private(set) var steps = 0

  private var year: RuleYear
  /// The days of ``year`` that are not before the anchor.
  private var days = YearDays()
  /// Whether they are known.
  private var isLoaded = false
  /// The patterns by the kind of year, once several years were looked at.
  private var patterns: [YearDays?] = []
  private var yearCount = 0
  /// The numbers of times of each day by the kind of year, once they are counted and differ.
  private var dayCounts: [[UInt8]] = []
  private var day = 0
  private var times: [Int32]
  private var place = 0

  /// Begins before the first time.
  init(_ plan: RecurrencePlan) {
    self.plan = plan
    year = RuleYear(plan.anchorYear)
    times = plan.hasPartialDays ? [] : plan.times
  }

  /// Ends the walk with a time, if it does not end before.
  mutating func end(with time: Int64) {
    limit = min(limit, time)
    if let value, value > limit { self.value = nil }
  }

  // MARK: Years and days

  private mutating func load(_ number: Int) {
    guard number != year.number || !isLoaded else { return }
    year = RuleYear(number)
    days = daysOfYear()
    isLoaded = true
  }

  private mutating func daysOfYear() -> YearDays {
    steps += 1
    guard plan.isPossible else { return YearDays() }
    yearCount += 1
    var days: YearDays
    if let grid = plan.grid(of: year) {
      days = grid
      if !days.isEmpty { days.formIntersection(pattern()) }
    } else {
      days = pattern()
    }
    if year.number == plan.anchorYear {
      days.formIntersection(YearDays(plan.anchorDay - year.start..<year.length))
    }
    return days
  }

  private mutating func pattern() -> YearDays {
    // Where a walk is short, the patterns are not kept.
    guard yearCount > 4 else { return plan.pattern(of: year) }
    if patterns.isEmpty { patterns = Array(repeating: nil, count: RuleYear.kinds) }
    if let pattern = patterns[year.kind] { return pattern }
    let pattern = plan.pattern(of: year)
    patterns[year.kind] = pattern
    return pattern
  }

  /// Returns the days of a year of the rule, from the anchor's to 9999.
  mutating func days(ofYear number: Int) -> YearDays {
    load(number)
    return days
  }

  /// Returns the first day from one on, or for the direction -1 the last day up to one, and leaves its
  /// year loaded. Days are counted from 1970-01-01.
  private mutating func day(from start: Int, direction: Int = 1) -> Int? {
    let last = limit == .max ? Int.max : Int(limit).divided(downBy: 86_400)
    var day = direction > 0 ? max(start, plan.anchorDay) : min(start, last)
    while plan.anchorDay <= day, day <= last, plan.isPossible {
      let number = CivilDate(daysSinceEpoch: day).year
      guard number <= CivilDate.years.upperBound else { return nil }
      load(number)
      let index = day - year.start
      guard let found = direction > 0 ? days.first(from: index) : days.last(through: index) else {
        guard let next = nextYear(direction) else { return nil }
        day = next
        continue
      }
      day = year.start + found
      if day > last { return nil }
      guard plan.rule.isStepped else { return day }
      steps += 1
      let stepped = plan.steppedDay(near: day, direction: direction)
      if stepped == day { return day }
      day = stepped
    }
    return nil
  }

  /// Passes over the years that have no day; returns the first day of the next year (for -1, the last).
  private mutating func nextYear(_ direction: Int) -> Int? {
    let last = limit == .max ? Int64.max : limit
    while let next = plan.year(after: year.number, direction: direction) {
      load(next)
      if Int64(year.start) * 86_400 > last { return nil }
      if !days.isEmpty { return direction > 0 ? year.start : year.start + year.length - 1 }
    }
    return nil
  }

  // MARK: Times

  /// Goes to the first time from one on.
  mutating func seek(_ time: Int64) {
    let time = max(time, plan.anchor)
    if soughtFrom <= time, time <= value ?? .max { return }
    value = time <= limit ? found(from: time) : nil
    soughtFrom = time
  }

  private mutating func found(from time: Int64) -> Int64? {
    var next = day(from: Int(time).divided(downBy: 86_400))
    while let day = next {
      enter(day)
      while place < times.count {
        let found = Int64(day) * 86_400 + Int64(times[place])
        if found >= time { return found <= limit ? found : nil }
        place += 1
      }
      next = self.day(from: day + 1)
    }
    return nil
  }

  /// Is nowhere, until ``seek(_:)``.
  private mutating func leave() { (value, soughtFrom) = (nil, .max) }

  private mutating func enter(_ day: Int) {
    self.day = day
    place = 0
    if plan.hasPartialDays { plan.insertTimes(of: day, in: year, into: &times) }
  }

  /// Goes to the next time.
  // Hot: nothing is allocated, and of most rules no year is looked at.
  mutating func advance() {
    guard let value else { return }
    soughtFrom = value + 1
    place += 1
    if place >= times.count {
      guard let next = day(from: day + 1) else {
        self.value = nil
        return
      }
      enter(next)
    }
    let found = Int64(day) * 86_400 + Int64(times[place])
    self.value = found <= limit ? found : nil
  }

  /// Returns the last time up to one; the walk is nowhere then.
  mutating func last(through time: Int64) -> Int64? {
    leave()
    let time = min(time, limit)
    if let lastFound, time <= lastFound.through, time >= lastFound.value ?? .min {
      return lastFound.value
    }
    lastFound = (time >= plan.anchor ? found(through: time) : nil, time)
    return lastFound?.value
  }

  private mutating func found(through time: Int64) -> Int64? {
    var next = day(
      from: min(Int(time).divided(downBy: 86_400), CivilDate.lastDay), direction: -1)
    while let day = next {
      enter(day)
      for second in times.reversed() {
        let found = Int64(day) * 86_400 + Int64(second)
        if found <= time { return found >= plan.anchor ? found : nil }
      }
      next = self.day(from: day - 1, direction: -1)
    }
    return nil
  }

  // MARK: Counting

  /// Returns the number of times on the days of the loaded year before a day of it.
  private mutating func count(before index: Int) -> Int {
    guard plan.hasPartialDays else { return days.count(before: index) * plan.times.count }
    var count = 0
    var next = days.first(from: 0)
    while let day = next, day < index {
      steps += 1
      count += self.count(of: day)
      next = days.first(from: day + 1)
    }
    return count
  }

  /// Returns the number of times on a day of the loaded year's pattern.
  private mutating func count(of index: Int) -> Int {
    if plan.rule.isStepped { return plan.count(of: year.start + index, in: year) }
    if dayCounts.isEmpty { dayCounts = Array(repeating: [], count: RuleYear.kinds) }
    if dayCounts[year.kind].isEmpty {
      let pattern = plan.pattern(of: year)
      dayCounts[year.kind] = (0..<year.length).map { index in
        guard pattern.contains(index) else { return 0 }
        return UInt8(clamping: plan.count(of: year.start + index, in: year))
      }
    }
    return Int(dayCounts[year.kind][index])
  }

  /// Returns the number of times on the anchor's day that are before it.
  private mutating func countBeforeAnchor() -> Int {
    load(plan.anchorYear)
    guard days.contains(plan.anchorDay - year.start) else { return 0 }
    enter(plan.anchorDay)
    let second = Int32(plan.anchor - Int64(plan.anchorDay) * 86_400)
    return times.reduce(0) { $0 + ($1 < second ? 1 : 0) }
  }

  /// Returns a time by its number, 1 being the first; `nil` where there are not so many until 9999. The walk
  /// is nowhere then.
  mutating func time(_ number: Int) -> Int64? {
    leave()
    let most = (CivilDate.lastDay - plan.anchorDay + 1) * RecurrenceRule.largestPerDay
    guard number > 0, number <= most, plan.isPossible else { return nil }
    var left = number - 1 + countBeforeAnchor()
    if let cycle = plan.stepCycle, cycle < 10_000 { return time(left, behindCyclesOf: cycle) }
    while true {
      let count = count(before: year.length)
      if left < count { break }
      left -= count
      guard let next = plan.year(after: year.number, direction: 1) else { return nil }
      load(next)
    }
    guard plan.hasPartialDays else {
      let count = plan.times.count
      guard let day = days.day(left / count) else { return nil }
      return Int64(year.start + day) * 86_400 + Int64(plan.times[left % count])
    }
    var next = days.first(from: 0)
    while let index = next {
      enter(year.start + index)
      if left < times.count { return Int64(day) * 86_400 + Int64(times[left]) }
      left -= times.count
      next = days.first(from: index + 1)
    }
    return nil
  }

  /// Returns a time by its number on the anchor's day and those behind it, 0 being the first, where so many
  /// days have the same times as the next so many.
  private mutating func time(_ number: Int, behindCyclesOf cycle: Int) -> Int64? {
    var counts: [Int] = []
    for day in plan.anchorDay..<plan.anchorDay + cycle {
      steps += 1
      counts.append(plan.count(of: day, in: year))
    }
    let all = counts.reduce(0, +)
    guard all > 0 else { return nil }
    var left = number % all
    var day = plan.anchorDay.addingClamped((number / all).multipliedClamped(by: cycle))
    for count in counts {
      if left < count { break }
      left -= count
      day = day.addingClamped(1)
    }
    guard day <= CivilDate.lastDay else { return nil }
    enter(day)
    return Int64(day) * 86_400 + Int64(times[left])
  }

  /// Returns how many times there are up to one. The walk is nowhere then.
  mutating func count(through time: Int64) -> Int {
    leave()
    let time = min(time, limit)
    guard time >= plan.anchor, plan.isPossible else { return 0 }
    let last = min(Int(time).divided(downBy: 86_400), CivilDate.lastDay)
    var total = -countBeforeAnchor()
    while year.start + year.length <= last {
      total += count(before: year.length)
      guard let next = plan.year(after: year.number, direction: 1) else { return total }
      load(next)
    }
    guard year.start <= last else { return total }
    total += count(before: last - year.start)
    guard days.contains(last - year.start) else { return total }
    enter(last)
    let second = time - Int64(last) * 86_400
    return total + times.reduce(0) { $0 + (Int64($1) <= second ? 1 : 0) }
  }
}

extension CivilDate {
  /// 9999-12-31 in days since 1970-01-01.
  fileprivate static let lastDay = 2_932_896
}
