/// The time by which one occurrence of a series is known, whatever became of it: what the clocks of the
/// series show at it, or would. It is kept and given as text: `2027-03-05` for a whole day, else
/// `2027-03-05T09:00:00`.
public struct OccurrenceKey: Hashable, Sendable {
  package let local: CivilDateTime
  package let isAllDay: Bool

  /// - Parameter local: of a whole day only the date counts.
  package init(_ local: CivilDateTime, isAllDay: Bool) {
    self.local = isAllDay ? CivilDateTime(date: local.date, time: .midnight) : local
    self.isAllDay = isAllDay
  }

  package init(_ date: CivilDate) {
    self.init(CivilDateTime(date: date, time: .midnight), isAllDay: true)
  }
}

extension OccurrenceKey: Comparable {
  public static func < (left: OccurrenceKey, right: OccurrenceKey) -> Bool {
    left.local == right.local ? left.isAllDay && !right.isAllDay : left.local < right.local
  }
}

extension OccurrenceKey: LosslessStringConvertible, FieldText {
  public var description: String { isAllDay ? local.date.description : local.description }

  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count > 10 else {
      guard let date = CivilDate(iso8601: text), date.isRepresentable else { return nil }
      self.init(date)
      return
    }
    guard bytes.count == 19, let instant = Instant(rfc3339: text + "Z"), instant.isRepresentable
    else { return nil }
    self.init(CivilDateTime(secondsAsUTC: instant.seconds), isAllDay: false)
    // RFC 3339 allows a space and small letters.
    guard description == text else { return nil }
  }
}

/// How long an event takes: so many days on the calendar, and then so many exact seconds. It is kept as a
/// duration of RFC 5545 §3.3.6: `P2D`, `PT1H30M`.
public struct EventLength: Hashable, Sendable {
  /// 0 or more.
  package let days: Int
  /// 0 or more.
  package let seconds: Int64

  /// - Returns: `nil` for no time at all, and for more than a hundred years.
  package init?(days: Int, seconds: Int64) {
    guard days >= 0, seconds >= 0, days > 0 || seconds > 0, days <= 36_600,
      seconds <= 36_600 * 86_400
    else { return nil }
    (self.days, self.seconds) = (days, seconds)
  }

  /// The most seconds that it takes, wherever one lives.
  package var longest: Int64 { Int64(days) * 86_400 + seconds + (days > 0 ? 86_400 : 0) }

  /// Returns the instant that is so much later on the clocks of a zone.
  package func end(after start: Instant, in zone: ZoneRules) -> Instant {
    guard days > 0 else { return start.adding(seconds: seconds).clamped }
    let local = zone.civil(at: start)
    guard let date = local.date.adding(days: days) else { return .latest }
    let later = zone.resolve(CivilDateTime(date: date, time: local.time)).instant
    return later.adding(seconds: seconds).clamped
  }

  /// The length for people: `2 days`, `1 hour 30 minutes`.
  package var words: String {
    let whole = seconds.isMultiple(of: 86_400) ? Int(seconds / 86_400) : 0
    let rest = Int(seconds) - whole * 86_400
    return CalendarDuration(
      days: days + whole, hours: rest / 3600, minutes: rest / 60 % 60, seconds: rest % 60
    ).words
  }
}

extension EventLength: LosslessStringConvertible, FieldText {
  public var description: String { CalendarTrigger.duration(days, seconds) }

  public init?(_ text: String) {
    guard case .relative(let days, let seconds)? = CalendarTrigger(duration: text) else {
      return nil
    }
    self.init(days: days, seconds: seconds)
  }
}

/// How an event comes again, as its record keeps it.
package struct EventSeries: Hashable, Sendable {
  package var rule: EventRepeat?
  /// The last time at which it may come, on its clocks: a date stands for all of that day.
  package var until: OccurrenceKey?
  /// How often it comes, those that are left out or moved included; those of ``also`` are not counted.
  package var times: Int?
  /// The occurrences that are left out.
  package var except: [OccurrenceKey] = []
  /// Further ones, beside the rule.
  package var also: [AddedOccurrence] = []
  /// Those that differ from the rest.
  package var moved: [MovedOccurrence] = []
  /// The times of a deadline that were met or skipped.
  package var settled: [SettledOccurrence] = []

  package init() {}

  package init(_ recurrence: Recurrence?) { rule = recurrence.map { EventRepeat(recurrence: $0) } }

  /// Whether it may come more than once.
  package var isRepeated: Bool { rule != nil || !also.isEmpty }

  /// Whether there is more to it than a rule of our own words.
  var isPlain: Bool {
    rule?.rules.isEmpty ?? true && until == nil && times == nil && except.isEmpty && also.isEmpty
      && moved.isEmpty && settled.isEmpty
  }

  /// The rule for people; `nil` where it comes once, or on dates that are named one by one.
  package var ruleWords: String? { rule?.words }

  /// The most of ``except`` and ``also`` together, and of ``moved`` and ``settled``.
  package static let (namedLimit, movedLimit, settledLimit) = (5000, 1000, 5000)

  mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.optional("repeat", &rule, .listed, .siblings)
    try walk.optional("until", &until, .listed, .siblings, writesNull: false)
    try walk.optional("times", &times, .listed, .siblings, writesNull: false)
    try walk.list("except", &except, .listed, .elements)
    try walk.list("also", &also, .listed, .elements)
    try walk.list("moved", &moved, [.listed, .searched], .elements(knownBy: "of"))
    try walk.list(
      "settled", &settled, .listed, .elements(knownBy: "of", showsFuller: true))
    try walk.require(times ?? 1 >= 1, "times", .invalid("less than 1"))
    // A merge may leave parts of a repetition that was taken away.
    if !isRepeated { end() }
  }

  /// Checks that there are not too many of anything.
  func checkRules() throws(Fault) {
    let counts = [
      ("except", except.count + also.count, Self.namedLimit),
      ("moved", moved.count, Self.movedLimit), ("settled", settled.count, Self.settledLimit),
    ]
    for (name, count, limit) in counts where count > limit {
      throw .refused(.tooManyOccurrences(name, count, limit: limit))
    }
  }

  /// Takes away all that means nothing without a repetition.
  package mutating func end() { self = EventSeries() }
}

/// An occurrence beside the rule, with a length of its own where it has one: `2027-03-05T09:00:00`, or
/// `2027-03-05T09:00:00/PT2H`.
package struct AddedOccurrence: Hashable, Sendable, LosslessStringConvertible, FieldText {
  package let key: OccurrenceKey
  package let length: EventLength?

  package init(_ key: OccurrenceKey, length: EventLength? = nil) {
    (self.key, self.length) = (key, length)
  }

  package var description: String { key.description + (length.map { "/\($0)" } ?? "") }

  package init?(_ text: String) {
    let parts = text.parts(at: "/")
    guard parts.count <= 2, let key = OccurrenceKey(parts[0]) else { return nil }
    self.init(key)
    guard parts.count == 2 else { return }
    guard let length = EventLength(parts[1]) else { return nil }
    self.init(key, length: length)
  }
}

/// What is different at one occurrence. A field that is absent is as in the rest of the series.
package struct MovedOccurrence: Hashable, Sendable, RecordPart {
  /// The time that it would have in the series.
  package var key = OccurrenceKey(CivilDate(daysSinceEpoch: 0))
  /// Whether all later ones differ in the same way, until the next for which this is so (RFC 5545 §3.2.13).
  package var isForLater = false
  /// The time that it has instead.
  package var moment: Moment?
  /// The zone of that time, where it is another than the event's.
  package var zone: String?
  package var length: EventLength?
  package var title: String?
  /// Empty for none.
  package var notes: String?
  package var tags: [String]?
  /// The name of a color, or `none`.
  package var color: String?
  package var alerts: [EventAlert]?
  /// The version of the entry that it was imported from.
  package var imported = EntryVersion()
  package private(set) var unknown: JSONObject = [:]

  package static var blank: MovedOccurrence { MovedOccurrence() }

  private init() {}

  package init(_ key: OccurrenceKey, at moment: Moment? = nil) {
    (self.key, self.moment) = (key, moment)
  }

  /// Returns the color that it has, where the event has another.
  package func shownColor(_ series: EventColor?) -> EventColor? {
    color.map { EventColor($0) } ?? series
  }

  /// Whether nothing is different.
  package var isSame: Bool {
    var blank = MovedOccurrence(key)
    (blank.isForLater, blank.imported) = (isForLater, imported)
    return self == blank
  }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("of", &key, .listed)
    var isForLater = isForLater ? true : nil
    try walk.optionalMember("future", &isForLater, .listed, writesNull: false)
    self.isForLater = isForLater == true
    var date = moment?.wholeDay
    var instant = moment?.exactInstant
    try walk.optionalMember("date", &date, .listed, writesNull: false)
    try walk.optionalMember("at", &instant, .listed, writesNull: false)
    moment = date.map { .day($0) } ?? instant.map { .instant($0) }
    try walk.require(date == nil || instant == nil, "at", .invalid("both a date and an instant"))
    try walk.optionalMember("zone", &zone, .listed, writesNull: false)
    try walk.optionalMember("length", &length, .listed, writesNull: false)
    try walk.optionalMember("title", &title, .listed, writesNull: false)
    try walk.optionalMember("notes", &notes, [], writesNull: false)
    try walk.optionalMember("tags", &tags, [], writesNull: false)
    try walk.optionalMember("color", &color, .listed, writesNull: false)
    try walk.optionalMember("alerts", &alerts, .listed, writesNull: false)
    try walk.optionalMember("uidSequence", &imported.sequence, [], writesNull: false)
    try walk.optionalMember("uidModified", &imported.modified, [], writesNull: false)
    walk.rest(&unknown)
    try walk.limit("title", title ?? "", to: Capsule.titleLimit)
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    for text in [title, notes].compactMap(\.self) where !text.isEmpty {
      fields.append(SearchField(name, text))
    }
  }
}

/// One time of a repeated deadline that asks for nothing any more.
package struct SettledOccurrence: Hashable, Sendable, RecordPart {
  package var key = OccurrenceKey(CivilDate(daysSinceEpoch: 0))
  /// When it was met; `nil` where it was skipped.
  package var doneAt: Instant?
  package private(set) var unknown: JSONObject = [:]

  package static var blank: SettledOccurrence { SettledOccurrence() }

  private init() {}

  package init(_ key: OccurrenceKey, doneAt: Instant?) { (self.key, self.doneAt) = (key, doneAt) }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("of", &key, .listed)
    try walk.optionalMember("doneAt", &doneAt, .listed, writesNull: false)
    walk.rest(&unknown)
  }
}

/// The rules by which an event comes again: one in our own words, or those of a calendar (RFC 5545 §3.3.10,
/// without `COUNT` and `UNTIL`), of which every one counts.
package struct EventRepeat: Hashable, RecordPart {
  private var count = 1
  private var unit = DurationUnit.year
  private var weekdays: [Weekday]?
  /// The place of the weekday in a month: 1 to 4, or -1 for the last.
  private var nth: Int?
  /// The rules of a calendar, the text of each on a line; `nil` for our own words.
  private var text: RuleTexts?
  private(set) var unknown: JSONObject = [:]

  package static var blank: EventRepeat { EventRepeat() }

  package var rules: [RecurrenceRule] { text?.rules ?? [] }

  package var recurrence: Recurrence? {
    switch (weekdays, nth) {
    case _ where text != nil: nil
    case (nil, nil): Recurrence(every: count, unit)
    case (let weekdays?, nil) where unit == .week: Recurrence(everyWeeks: count, on: weekdays)
    case (let weekdays?, let nth?) where unit == .month && weekdays.count == 1:
      Recurrence(everyMonths: count, onThe: nth, weekdays[0])
    default: nil
    }
  }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.optionalMember("rule", &text, .listed, writesNull: false)
    if text == nil {
      try walk.member("every", &count, .listed)
      try walk.member("unit", &unit, .listed)
      try walk.optionalMember("weekdays", &weekdays, .listed, writesNull: false)
      try walk.optionalMember("nth", &nth, .listed, writesNull: false)
    }
    walk.rest(&unknown)
    if text != nil { return }
    try walk.require(Recurrence.units.contains(unit), "unit", .invalid(unit.name))
    try walk.require(
      (1...Recurrence.largestCount).contains(count), "every", .invalid(String(count)))
    if recurrence == nil {
      try walk.refuse("weekdays", .invalid("not with this unit and number"))
    }
  }
}

extension EventRepeat {
  package init(recurrence: Recurrence, unknown: JSONObject = [:]) {
    self.init()
    count = recurrence.count
    unit = recurrence.unit
    switch recurrence.days {
    case nil: break
    case .weekdays(let weekdays): self.weekdays = weekdays
    case .nth(let nth, let weekday): (self.nth, weekdays) = (nth, [weekday])
    }
    self.unknown = unknown
  }

  /// - Returns: `nil` for no rule, and for more than an event can have.
  package init?(rules: [RecurrenceRule]) {
    self.init()
    guard let text = RuleTexts(rules) else { return nil }
    self.text = text
  }

  /// The rules for people.
  package var words: String {
    recurrence?.words ?? rules.map(\.words).joined(separator: ", and ")
  }
}
