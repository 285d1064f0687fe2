/// A rule of an item: every so long after the last entry of its history, or from a fixed time on.
public struct Reminder: Hashable, Sendable {
  /// 1 to ``largestCount``.
  package internal(set) var count = 1
  /// The unit of the count, from minute to year.
  package internal(set) var unit = DurationUnit.day
  /// The thing that is to be done; empty for none.
  public var name = ""
  /// The first time of a fixed rule; `nil` to count from the last entry.
  public package(set) var from: Instant?
  /// The time of day, for days and longer units; `nil` for that of what it is counted from.
  package var time: CivilTime?
  /// Whether it is announced.
  public var isOn = true
  /// When the rule was made: what it is counted from while there is no entry.
  public internal(set) var since = Instant.epoch
  package private(set) var unknown: JSONObject = [:]

  package static let largestCount = 100_000
  package static let units: [DurationUnit] = [.minute, .hour, .day, .week, .month, .year]

  /// Whether there can be such a rule.
  var isValid: Bool {
    (1...Self.largestCount).contains(count) && Self.units.contains(unit)
  }

  /// `every 3 months`, `every day`.
  public var words: String {
    "every " + (count == 1 ? unit.name : unit.text(count))
  }

  /// Checks that a time of day goes with days and longer.
  func checkRules() throws(Fault) {
    if time != nil, !isOfDays { throw .refused(.timeOfDay(unit: unit.name)) }
  }

  /// Reads `3 months`, `every 3 months`, `90 min`, `day`, `every other week`, `quarterly`.
  package static func rule(_ text: String) -> (count: Int, unit: DurationUnit)? {
    guard let span = Recurrence.span(text), units.contains(span.unit),
      (1...largestCount).contains(span.count)
    else { return nil }
    return span
  }

  /// Whether it is counted in days or longer, on the clocks of where one is.
  package var isOfDays: Bool { unit != .minute && unit != .hour }
}

extension Reminder {
  package init?(every count: Int, _ unit: DurationUnit, since: Instant) {
    self.init()
    self.count = count
    self.unit = unit
    self.since = since
    guard isValid else { return nil }
  }

  /// Takes the span of another rule, and counts from when that was made.
  package mutating func take(spanOf other: Reminder) {
    (count, unit, since) = (other.count, other.unit, other.since)
  }

  /// The seconds of one step, at most and at least, wherever one lives.
  private var step: ClosedRange<Int64> {
    let count = Int64(count)
    switch unit {
    case .year: return count * 365 * 86_400...count * 366 * 86_400
    case .month: return count * 28 * 86_400...count * 31 * 86_400
    case .week: return count * 7 * 86_400...count * 7 * 86_400
    case .day: return count * 86_400...count * 86_400
    case .hour: return count * 3600...count * 3600
    default: return count * 60...count * 60
    }
  }

  /// Returns an occurrence by its number from the anchor; `nil` past the year 9999.
  private func occurrence(_ number: Int, from anchor: Instant, in zone: ZoneRules) -> Instant? {
    let (steps, overflow) = number.multipliedReportingOverflow(by: count)
    guard !overflow, steps >= 0, steps < 1 << 40 else { return nil }
    if !isOfDays {
      let instant = anchor.adding(seconds: Int64(steps) * (unit == .hour ? 3600 : 60))
      return instant.isRepresentable ? instant : nil
    }
    guard let local = local(steps, from: zone.civil(at: anchor)) else { return nil }
    let instant = zone.resolve(local).instant
    return instant.isRepresentable ? instant : nil
  }

  /// Returns what the clocks show so many units after an anchor; `nil` past the year 9999.
  private func local(_ steps: Int, from anchor: CivilDateTime) -> CivilDateTime? {
    var span = CalendarDuration()
    span[unit] = steps
    return span.added(to: anchor.date).map { CivilDateTime(date: $0, time: time ?? anchor.time) }
  }

  /// Returns a number that is not behind that of the first occurrence after an instant.
  private func number(near instant: Instant, from anchor: Instant) -> Int {
    let passed = instant.seconds(since: anchor)
    guard passed > 0 else { return 0 }
    return max(0, Int(passed / step.upperBound) - 1)
  }

  /// Returns the instant that it is counted from, and the number of the first occurrence that counts.
  private func start(_ last: Instant?) -> (anchor: Instant, first: Int) {
    if let from { return (from, 0) }
    return (last ?? since, 1)
  }

  /// Returns the number of the occurrence that is to be done, and what it is counted from: the first
  /// after the last entry, or since the rule was made while there is none.
  private func due(_ last: Instant?, _ zone: ZoneRules) -> (number: Int, anchor: Instant)? {
    let (anchor, first) = start(last)
    guard from != nil else { return (first, anchor) }
    let done = last ?? since.adding(seconds: -1)
    var number = max(first, number(near: done, from: anchor))
    while let candidate = occurrence(number, from: anchor, in: zone) {
      if candidate > done { return (number, anchor) }
      number += 1
    }
    return nil
  }

  /// Returns when it is to be done: after the last entry, or since the rule was made while there is
  /// none.
  ///
  /// - Parameter last: the last entry of the history.
  package func due(last: Instant?, in zone: ZoneRules) -> Instant? {
    due(last, zone).flatMap { occurrence($0.number, from: $0.anchor, in: zone) }
  }

  /// Returns what the clocks of a zone are to show when it is to be done, and the date that it is
  /// counted from; `nil` for minutes and hours, which clocks do not matter to.
  package func clocks(
    last: Instant?, in zone: ZoneRules
  ) -> (local: CivilDateTime, anchor: CivilDate)? {
    guard isOfDays, let (number, anchor) = due(last, zone) else { return nil }
    let start = zone.civil(at: anchor)
    return local(number.multipliedClamped(by: count), from: start).map { ($0, start.date) }
  }

  /// An occurrence that is due.
  package struct Due: Hashable, Sendable {
    package let instant: Instant
    /// The instant that it is counted from, and how many spans after it: both are the same in every zone.
    package let anchor: Instant
    package let number: Int
  }

  /// Returns the last occurrence until an instant that nothing was done after; `nil` when it is not
  /// due.
  package func latest(through now: Instant, last: Instant?, in zone: ZoneRules) -> Due? {
    guard isOn, let (first, anchor) = due(last, zone),
      let due = occurrence(first, from: anchor, in: zone), due <= now
    else { return nil }
    var found = Due(instant: due, anchor: anchor, number: first)
    var number = number(near: now, from: anchor)
    while let candidate = occurrence(number, from: anchor, in: zone), candidate <= now {
      if candidate > found.instant {
        found = Due(instant: candidate, anchor: anchor, number: number)
      }
      number += 1
    }
    return found
  }

  /// Returns a time before which no occurrence is due, wherever one lives.
  package func earliestDue(last: Instant?) -> Int64? {
    guard isOn else { return nil }
    let done = last ?? since
    if let from { return max(from, done).adding(seconds: -2 * 86_400).seconds }
    let slack: Int64 = isOfDays ? 2 * 86_400 : 0
    return done.adding(seconds: step.lowerBound - slack).seconds
  }
}

extension Reminder: RecordPart {
  package static var blank: Reminder { Reminder() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("every", &count, .listed)
    try walk.member("unit", &unit, .listed)
    try walk.member("since", &since, .listed)
    try walk.optionalMember("name", &name, .listed)
    try walk.optionalMember("from", &from, .listed)
    try walk.optionalMember("time", &time, .listed)
    try walk.optionalMember("on", &isOn, .listed)
    walk.rest(&unknown)
    if !Self.units.contains(unit) { return try walk.refuse("unit", .invalid(unit.name)) }
    if !isValid { try walk.refuse("every", .invalid(String(count))) }
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    fields.append(SearchField(name, self.name))
  }
}
