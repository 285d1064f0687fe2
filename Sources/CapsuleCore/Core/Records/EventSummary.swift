/// The part of an event that a list shows without its record being read.
package struct EventSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var title = ""
  package private(set) var timing = EventTiming()
  package private(set) var updatedAt = Instant.epoch
  package private(set) var color: EventColor?
  package private(set) var hasImage = false
  /// The first part of the notes, at most ``CapsuleSummary/notesLimit`` bytes.
  package private(set) var notes = ""
  /// Whether `notes` is all there is.
  package private(set) var hasAllNotes = true
  /// The UID of the calendar's entry that it was imported from; empty for none.
  package private(set) var uid = ""

  /// The sort key of an event that repeats: when it comes next depends on now, so that an index
  /// cannot sort it. It stands behind every event that does not repeat.
  package static let repeatingKey: Int64 = 1 << 60
  /// The most seconds by which the sort key of a whole day, its midnight in UTC, may differ from
  /// its beginning or end anywhere.
  package static let slack: Int64 = 2 * 86_400
}

extension EventSummary: SummaryPart {
  package static var blank: EventSummary { EventSummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&title)
    try timing.code(with: &coder)
    try coder.integer(&updatedAt.seconds)
    var color = color?.description ?? ""
    try coder.text(&color)
    self.color = color.isEmpty ? nil : EventColor(color)
    try coder.flag(&hasImage)
    try coder.flag(&hasAllNotes)
    try coder.text(&notes)
    try coder.text(&uid)
  }

  /// The summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) { self.init(id: id) }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

extension EventTiming: SummaryPart {
  package static var blank: EventTiming { EventTiming() }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var when: Int64
    switch moment {
    case .day(let date): when = Int64(date.daysSinceEpoch)
    case .instant(let instant): when = instant.seconds
    }
    try coder.integer(&when)
    // An instant always has a zone.
    try coder.text(&zone)
    var every = recurrence?.count ?? 0
    try coder.count(&every)
    // The unit's place, and above it whether days of the week and a local time follow.
    var form = UInt64((recurrence?.unit ?? .year).rawValue)
    form |= (recurrence?.days == nil ? 0 : 8) | (local == nil ? 0 : 16)
    try coder.unsigned(&form)
    var days = recurrence?.days.map(RecurrenceDaysCode.init) ?? RecurrenceDaysCode()
    if form & 8 != 0 { try days.code(with: &coder) }
    var clocks = local?.secondsAsUTC ?? 0
    if form & 16 != 0 { try coder.integer(&clocks) }
    try coder.list(&alerts)
    try coder.flag(&isDeadline)
    try coder.integer(&createdAt.seconds)
    try coder.optional(&doneAt)
    guard when.magnitude < 1 << 40, clocks.magnitude < 1 << 40, form < 32,
      let unit = DurationUnit(rawValue: Int(form & 7))
    else { return try coder.refuse() }
    moment =
      zone.isEmpty ? .day(CivilDate(daysSinceEpoch: Int(when))) : .instant(Instant(seconds: when))
    recurrence =
      form & 8 == 0 ? Recurrence(every: every, unit) : days.recurrence(every: every, unit)
    if form & 8 != 0, recurrence == nil { return try coder.refuse() }
    local = form & 16 == 0 ? nil : CivilDateTime(secondsAsUTC: clocks)
  }

  /// Reads the timing alone of the summary that the index keeps.
  package init?(encoded: [UInt8]) {
    self.init()
    var reader = SummaryReader(encoded)
    do throws(SummaryMismatch) {
      try reader.skipText()
      try code(with: &reader)
    } catch {
      return nil
    }
  }
}

/// The days of a rule as the index keeps them.
private struct RecurrenceDaysCode {
  /// 1 to 4, or 5 for the last; 0 for days of a week.
  private var number = 0
  /// A bit for each day, from Monday.
  private var weekdays: UInt64 = 0

  init() {}

  init(_ days: Recurrence.Days) {
    switch days {
    case .weekdays(let days): weekdays = days.reduce(0) { $0 | 1 << UInt64($1.rawValue - 1) }
    case .nth(let nth, let weekday):
      (number, weekdays) = (nth == -1 ? 5 : nth, 1 << UInt64(weekday.rawValue - 1))
    }
  }

  mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.count(&number)
    try coder.unsigned(&weekdays)
  }

  func recurrence(every count: Int, _ unit: DurationUnit) -> Recurrence? {
    let days = Weekday.allCases.filter { weekdays & 1 << UInt64($0.rawValue - 1) != 0 }
    guard number > 0 else { return Recurrence(everyWeeks: count, on: days) }
    return days.first.flatMap {
      Recurrence(everyMonths: count, onThe: number == 5 ? -1 : number, $0)
    }
  }
}

extension EventAlert: SummaryPart {
  package static var blank: EventAlert { EventAlert() }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var before = before
    try coder.count(&before.years)
    try coder.count(&before.months)
    try coder.count(&before.weeks)
    try coder.count(&before.days)
    try coder.count(&before.hours)
    try coder.count(&before.minutes)
    try coder.count(&before.seconds)
    // 0 stands for no time of day.
    var second = time.map { Int64($0.secondsSinceMidnight) + 1 } ?? 0
    try coder.count(&second)
    let time = CivilTime(secondOfDay: second - 1)
    guard let alert = EventAlert(before: before, at: time) else { return try coder.refuse() }
    self = alert
  }
}

extension Event {
  /// The part that a list shows.
  package var summary: EventSummary {
    let (notes, hasAllNotes) = notes.beginning
    return EventSummary(
      id: id, title: title, timing: timing, updatedAt: updatedAt, color: color,
      hasImage: image != nil, notes: notes, hasAllNotes: hasAllNotes, uid: uid ?? "")
  }

  package var indexContribution: IndexContribution {
    let key: Int64
    switch moment {
    case _ where recurrence != nil: key = EventSummary.repeatingKey
    case .day(let date): key = Int64(date.daysSinceEpoch) * 86_400
    case .instant(let instant): key = instant.seconds
    }
    return IndexContribution(
      sortKey: key, madeAt: header.madeAt, due: timing.earliestDue, nameHash: NameKey(title).hash,
      summary: summary.encoded())
  }
}
