/// On an item: every so long after the last entry of its history, or from a fixed time on.
package struct Reminder: Hashable, Sendable {
  /// 1 to ``largestCount``.
  package var count: Int
  /// From minute to year.
  package var unit: DurationUnit
  /// What it is called; empty for none.
  package var name: String
  /// The first time of a fixed rule; `nil` to count from the last entry.
  package var from: Instant?
  /// The time of day, for days and longer units; `nil` for that of what it is counted from.
  package var time: CivilTime?
  package var isOn: Bool
  /// When the rule was made: what it is counted from while there is no entry.
  package var since: Instant
  package var unknown: JSONObject = [:]

  package static let largestCount = 100_000
  package static let units: [DurationUnit] = [.minute, .hour, .day, .week, .month, .year]

  package init?(every count: Int, _ unit: DurationUnit, since: Instant) {
    guard (1...Self.largestCount).contains(count), Self.units.contains(unit) else { return nil }
    self.count = count
    self.unit = unit
    self.since = since
    name = ""
    isOn = true
  }

  /// `every 3 months`, `every day`.
  package var words: String {
    "every " + (count == 1 ? unit.name : unit.text(count))
  }

  /// Reads `3 months`, `every 3 months`, `90 min`, `day`.
  package static func rule(_ text: String) -> (count: Int, unit: DurationUnit)? {
    var text = text.lowercased()
    if text.hasPrefix("every ") { text = String(text.dropFirst(6)) }
    let words = [
      "hourly": DurationUnit.hour, "daily": .day, "weekly": .week, "monthly": .month,
      "yearly": .year,
    ]
    if let unit = words[text] { return (1, unit) }
    if text.utf8.count > 2, let unit = DurationUnit(word: text), units.contains(unit) {
      return (1, unit)
    }
    guard let duration = try? DurationParser.parse(text) else { return nil }
    let found = DurationUnit.allCases.filter { duration[$0] != 0 }
    guard found.count == 1, let unit = found.first, units.contains(unit),
      (1...largestCount).contains(duration[unit])
    else { return nil }
    return (duration[unit], unit)
  }

  /// What ``rule(_:)`` accepts, for messages.
  package static let accepted =
    "a number of minutes, hours, days, weeks, months or years up to 100000, such as '3 months'"

  private var isOfDays: Bool { unit != .minute && unit != .hour }
}

extension Reminder {
  /// Seconds of one step, at most and at least, wherever one lives.
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

  /// An occurrence by its number from the anchor; `nil` past the year 9999.
  private func occurrence(_ number: Int, from anchor: Instant, in zone: ZoneRules) -> Instant? {
    let (steps, overflow) = number.multipliedReportingOverflow(by: count)
    guard !overflow, steps >= 0, steps < 1 << 40 else { return nil }
    if !isOfDays {
      let instant = anchor.adding(seconds: Int64(steps) * (unit == .hour ? 3600 : 60))
      return instant.isRepresentable ? instant : nil
    }
    let local = zone.civil(at: anchor)
    var span = CalendarDuration()
    span[unit] = steps
    guard let date = span.added(to: local.date) else { return nil }
    let instant = zone.resolve(CivilDateTime(date: date, time: time ?? local.time)).instant
    return instant.isRepresentable ? instant : nil
  }

  /// The last occurrence of the rule at or before an instant, or else the first after it.
  private func number(near instant: Instant, from anchor: Instant) -> Int {
    let passed = instant.seconds(since: anchor)
    guard passed > 0 else { return 0 }
    return max(0, Int(passed / step.upperBound) - 1)
  }

  /// What it is counted from, and the number of the first occurrence that counts at all.
  private func start(_ last: Instant?) -> (anchor: Instant, first: Int) {
    if let from { return (from, 0) }
    return (last ?? since, 1)
  }

  /// The first occurrence after an instant.
  private func occurrence(after instant: Instant, _ last: Instant?, _ zone: ZoneRules) -> Instant? {
    let (anchor, first) = start(last)
    var number = max(first, number(near: instant, from: anchor))
    while let candidate = occurrence(number, from: anchor, in: zone) {
      if candidate > instant { return candidate }
      number += 1
    }
    return nil
  }

  /// When it is to be done: after the last entry, or since the rule was made while there is none.
  ///
  /// - Parameter last: the last entry of the history.
  package func due(last: Instant?, in zone: ZoneRules) -> Instant? {
    if from == nil { return occurrence(1, from: last ?? since, in: zone) }
    let before = last ?? since.adding(seconds: -1)
    return occurrence(after: before, last, zone)
  }

  /// The last occurrence until an instant that nothing was done after; `nil` when it is not due.
  package func latest(through now: Instant, last: Instant?, in zone: ZoneRules) -> Instant? {
    guard isOn, let due = due(last: last, in: zone), due <= now else { return nil }
    let (anchor, _) = start(last)
    var found = due
    var number = number(near: now, from: anchor)
    while let candidate = occurrence(number, from: anchor, in: zone), candidate <= now {
      if candidate > found { found = candidate }
      number += 1
    }
    return found
  }

  /// No occurrence is due earlier than this, wherever one lives.
  package func earliestDue(last: Instant?) -> Int64? {
    guard isOn else { return nil }
    if let from { return max(from.seconds, (last ?? since).seconds) - 2 * 86_400 }
    let slack: Int64 = isOfDays ? 2 * 86_400 : 0
    return (last ?? since).seconds + step.lowerBound - slack
  }
}

extension Reminder: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    let count = try reader.integer("every")
    let text = try reader.string("unit")
    guard let unit = Self.units.first(where: { $0.name == text }) else {
      throw reader.error("unit", .invalid(text))
    }
    guard let made = Reminder(every: Int(clamping: count), unit, since: try reader.instant("since"))
    else { throw reader.error("every", .invalid(String(count))) }
    self = made
    name = try reader.optionalString("name") ?? ""
    from = try reader.optionalInstant("from")
    time = try reader.optionalText("time") { text in
      SettingKey.minutes(text).flatMap { CivilTime(hour: $0 / 60, minute: $0 % 60) }
    }
    isOn = try reader.optionalBool("on") ?? true
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["every"] = .integer(Int64(count))
    fields["unit"] = .string(unit.name)
    fields["since"] = .instant(since)
    fields["name"] = .string(name)
    fields["from"] = from.map { .instant($0) } ?? .null
    fields["time"] = time.map { .string($0.shortText) } ?? .null
    fields["on"] = .bool(isOn)
    return fields
  }
}
