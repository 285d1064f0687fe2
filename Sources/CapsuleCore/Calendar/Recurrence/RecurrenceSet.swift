/// When a series occurs (RFC 5545 §3.8.5): the times of its rules together, and those that are named, but not
/// those that are left out. Some are moved to other times.
///
/// Rules are evaluated on the clocks of a zone. A time that the clocks skip is moved behind the gap by the
/// length of it, and is counted; of one that they show twice the first is meant. Times that are one instant
/// occur once, but for those that are moved there.
package struct RecurrenceSet: Sendable {
  /// The zone on whose clocks the series is repeated; `nil` for whole days.
  package let zone: ZoneRules?
  /// Whether the anchor is the first time even if no rule says so.
  let occursFirst: Bool
  /// The rules, each with its own last time.
  let rules: [RecurrenceWalk]
  /// The first time and what is named beside the rules, in order.
  let also: [Int64]
  /// The times that do not occur as they are, in order: those left out, and those moved.
  let hidden: [Int64]
  /// The occurrences at other times, in their order.
  let moved: [Occurrence]
  /// By how many seconds what is not moved by itself is later, from one time to the next, in order.
  let shifts: [Shift]
  /// The number of times to leave out that are none of the series.
  package let unmatchedCount: Int

  /// The rules that a series can have.
  package static let largestRuleCount = 8
  /// The times of several rules together that can be counted. Of a single rule there may be any number.
  package static let largestCount = 1_000_000

  /// The time at which one occurrence of a series is, where it is not that of the rule.
  package enum Move: Hashable, Sendable {
    case canceled
    case date(CivilDate)
    case instant(Instant)
  }

  /// A time from which on a series is later on its clocks than its rules say, or with a number below 0 earlier.
  struct Shift: Hashable, Sendable {
    let start: Int64
    let seconds: Int64
  }

  /// The most seconds that a series can be shifted by.
  package static let largestShift: Int64 = 366 * 86_400

  /// - Parameters:
  ///   - anchor: the first time, that rules are counted from.
  ///   - zone: the zone of the clocks; `nil` for whole days, of whose times only the dates count.
  ///   - occursFirst: whether the anchor occurs, and counts as the first, even if no rule says so.
  ///   - until: the last time, for all rules.
  ///   - times: the number of times, for all rules together.
  ///   - except: the times to leave out, by what the clocks show; on a day with one occurrence any time
  ///     means that one. The same is true of those that are moved.
  ///   - also: further times. They are not counted.
  ///   - moved: occurrences at other times, each of which occurs even if the series has none at its key.
  ///   - shifts: by how many seconds the clocks show more from a time on, until the next of them: whole days
  ///     where the series is of whole days. More than ``largestShift`` counts as that.
  /// - Returns: `nil` where there are more than ``largestRuleCount`` rules, or more than ``largestCount`` times
  ///   of several.
  package init?(
    from anchor: CivilDateTime, in zone: ZoneRules?, occursFirst: Bool, rules: [RecurrenceRule],
    until: RecurrenceRule.Until? = nil, times: Int? = nil, except: [CivilDateTime] = [],
    also: [CivilDateTime] = [], moved: [CivilDateTime: Move] = [:],
    shifts: [CivilDateTime: Int64] = [:]
  ) {
    guard rules.count <= Self.largestRuleCount,
      rules.count < 2 || times ?? 0 <= Self.largestCount
    else { return nil }
    (self.zone, self.occursFirst) = (zone, occursFirst)
    let isAllDay = zone == nil
    func time(_ local: CivilDateTime) -> Int64 {
      isAllDay
        ? CivilDateTime(date: local.date, time: .midnight).secondsAsUTC : local.secondsAsUTC
    }
    let first = time(anchor)
    var walks = rules.map { rule in
      var walk = RecurrenceWalk(RecurrencePlan(rule, from: anchor, isAllDay: isAllDay))
      if let until = rule.until { walk.end(with: until.time(in: zone)) }
      if let until { walk.end(with: until.time(in: zone)) }
      // Of a single rule both numbers say the same.
      let count = rules.count == 1 ? [rule.count, times].compactMap { $0 }.min() : rule.count
      if let count { Self.end(&walk, after: count, with: occursFirst ? first : nil) }
      return walk
    }
    if let times, rules.count > 1 {
      let last = Self.time(times, of: walks, with: occursFirst ? first : nil)
      if let last { for index in walks.indices { walks[index].end(with: last) } }
    }
    self.rules = walks
    self.also = Set(also.map(time) + (occursFirst ? [first] : [])).sorted()

    var keys = Keys(walks, self.also)
    var hidden: Set<Int64> = []
    var unmatched = 0
    for key in except.map(time).sorted() {
      if let found = keys.key(at: key, isAllDay: isAllDay) {
        hidden.insert(found)
      } else {
        unmatched += 1
      }
    }
    var others: [Occurrence] = []
    for (local, move) in moved.sorted(by: { $0.key < $1.key }) {
      let key = keys.key(at: time(local), isAllDay: isAllDay) ?? time(local)
      hidden.insert(key)
      switch move {
      case .canceled: break
      case .date(let date): others.append(Occurrence(time: key, moment: .day(date), isMoved: true))
      case .instant(let instant):
        if instant.isRepresentable {
          others.append(Occurrence(time: key, moment: .instant(instant), isMoved: true))
        }
      }
    }
    self.hidden = hidden.sorted()
    let limit = Self.largestShift
    self.shifts = shifts.map { local, seconds in
      Shift(start: time(local), seconds: min(max(seconds, -limit), limit))
    }.sorted { $0.start < $1.start }
    self.moved = others.sorted { ($0.place, $0.time) < ($1.place, $1.time) }
    unmatchedCount = unmatched
  }

  /// Ends a walk after so many times; an anchor that is none of the rule's counts as one.
  private static func end(
    _ walk: inout RecurrenceWalk, after count: Int, with anchor: Int64?
  ) {
    walk.seek(.min)
    let left = anchor == nil || walk.value == anchor ? count : count - 1
    if left <= 0 {
      walk.end(with: .min)
    } else if let last = walk.time(left) {
      walk.end(with: last)
    }
  }

  /// Returns a time of several rules together by its number; `nil` where there are not so many.
  private static func time(
    _ number: Int, of walks: [RecurrenceWalk], with anchor: Int64?
  ) -> Int64? {
    var union = Union(walks, anchor.map { [$0] } ?? [])
    union.seek(.min)
    var last: Int64?
    for _ in 0..<max(number, 0) {
      guard let time = union.next() else { return nil }
      last = time
    }
    return last ?? .min
  }
}

extension RecurrenceRule.Until {
  /// Returns the last time on the clocks of a series that may still occur.
  func time(in zone: ZoneRules?) -> Int64 {
    switch self {
    case .date(let date): CivilDateTime(date: date, time: .endOfDay).secondsAsUTC
    case .local(let local): local.secondsAsUTC
    case .utc(let instant): (zone ?? .utc).civil(at: instant).secondsAsUTC
    }
  }
}

extension RecurrenceSet {
  /// One occurrence of a series.
  package struct Occurrence: Hashable, Sendable {
    /// What the clocks show at it, or would if it were not moved, in seconds as if they were UTC's.
    let time: Int64
    /// The date or the instant that it is at.
    package let moment: Moment
    package let isMoved: Bool

    /// The key of the occurrence in its series: what the clocks show, midnight for whole days.
    package var key: CivilDateTime { CivilDateTime(secondsAsUTC: time) }

    /// The instant that occurrences are ordered by: of a whole day its midnight in UTC.
    package var place: Instant {
      switch moment {
      case .day(let date): Instant(seconds: Int64(date.daysSinceEpoch) * 86_400)
      case .instant(let instant): instant
      }
    }
  }

  /// What a calendar names an occurrence by.
  package enum Pointer: Hashable, Sendable {
    case date(CivilDate)
    case local(CivilDateTime)
    /// - Parameter date: the date in the zone that it is written in; `nil` for that in UTC.
    case instant(Instant, on: CivilDate? = nil)
  }

  /// Returns the keys that are meant: those of the same time, else of the same instant, else the only one of
  /// that date. A date means all of its day, and in a series of whole days a time means its date.
  package func keys(_ pointer: Pointer) -> [CivilDateTime] {
    var keys = Keys(rules, also)
    let found: [Int64]
    switch (pointer, zone) {
    case (.date(let date), _): found = keys.keys(on: date.daysSinceEpoch, atMost: .max)
    case (.local(let local), nil): found = keys.keys(on: local.date.daysSinceEpoch, atMost: 1)
    case (.instant(let instant, let date), nil):
      let date = date ?? CivilDateTime(secondsAsUTC: instant.seconds).date
      found = keys.keys(on: date.daysSinceEpoch, atMost: 1)
    case (.local(let local), _):
      found = keys.key(at: local.secondsAsUTC, isAllDay: false).map { [$0] } ?? []
    case (.instant(let instant, _), let zone?):
      let local = zone.civil(at: instant).secondsAsUTC
      let same = keys.keys(on: Int(local).divided(downBy: 86_400), atMost: .max)
        .first { zone.resolve(CivilDateTime(secondsAsUTC: $0)).instant == instant }
      found = (same ?? keys.key(at: local, isAllDay: false)).map { [$0] } ?? []
    }
    return found.map { CivilDateTime(secondsAsUTC: $0) }
  }

  /// Looks for the times of a series.
  struct Keys {
    private var union: Union

    init(_ walks: [RecurrenceWalk], _ also: [Int64]) {
      union = Union(walks, also)
    }

    /// Returns a time itself if it is one of the series, else the only one of the same date.
    mutating func key(at time: Int64, isAllDay: Bool) -> Int64? {
      union.seek(time)
      if union.next() == time { return time }
      let found = isAllDay ? [] : keys(on: Int(time).divided(downBy: 86_400), atMost: 2)
      return found.count == 1 ? found[0] : nil
    }

    /// Returns the first times of a date.
    mutating func keys(on day: Int, atMost limit: Int) -> [Int64] {
      var found: [Int64] = []
      union.seek(Int64(day) * 86_400)
      while found.count < limit, let time = union.next(), time < Int64(day + 1) * 86_400 {
        found.append(time)
      }
      return found
    }
  }

  /// The times of several rules and some more, in order, each once.
  struct Union {
    private var walks: [RecurrenceWalk]
    private let also: [Int64]
    private var place = 0

    /// Begins nowhere: ``seek(_:)`` comes first.
    init(_ walks: [RecurrenceWalk], _ also: [Int64]) {
      (self.walks, self.also) = (walks, also)
    }

    /// Leaves out what is later than a time.
    mutating func end(with time: Int64) {
      for index in walks.indices { walks[index].end(with: time) }
    }

    /// Goes to the first time from one on.
    mutating func seek(_ time: Int64) {
      for index in walks.indices { walks[index].seek(time) }
      place = also.partitioned { $0 < time }
    }

    /// Returns the next time.
    // Hot: nothing is allocated.
    mutating func next() -> Int64? {
      var least = Int64.max
      for index in walks.indices {
        if let value = walks[index].value, value < least { least = value }
      }
      if place < also.count, also[place] <= least {
        least = also[place]
        place += 1
      }
      guard least < .max else { return nil }
      for index in walks.indices where walks[index].value == least { walks[index].advance() }
      return least
    }

    /// Returns the last time up to one; it is nowhere then.
    mutating func last(through time: Int64) -> Int64? {
      let count = also.partitioned { $0 <= time }
      var last = count > 0 ? also[count - 1] : nil
      for index in walks.indices {
        if let found = walks[index].last(through: time) { last = max(last ?? found, found) }
      }
      return last
    }

    /// How often a year or a day was looked at.
    var steps: Int { walks.reduce(0) { $0 + $1.steps } }
  }
}

extension Array {
  /// Returns how many elements there are at the beginning for which something holds that holds for none
  /// behind them.
  func partitioned(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
