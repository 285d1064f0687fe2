/// An event: a dated thing to count down to, and up from.
public struct Event: Hashable, Identifiable, Sendable {
  package var header = RecordHeader()
  public var title = ""
  public var notes = ""
  /// A date, which is the same in every zone, or an instant: the first of its occurrences.
  public var moment = Moment.instant(.epoch) {
    didSet { if moment != oldValue { isYearUnknown = false } }
  }
  /// Whether the year of a yearly date is not known, as of a birthday: then nobody has an age. A date that is
  /// changed has a year.
  public var isYearUnknown = false
  /// The IANA zone that an instant was given in; empty for a date.
  public var zone = ""
  /// The local time that the clocks of the zone showed at the instant when it was set, for a
  /// repetition on them. Where it is of another instant, a program that does not know it has set
  /// that: it does not count.
  package private(set) var local: LocalTime?
  /// How long it takes; `nil` for an instant, or one whole day.
  public var length: EventLength?
  /// The IANA zone that the end was given in, where that is another one.
  package var endZone: String?
  /// Whether its calendar wrote the time without a zone: it is the same on the clocks of every place there.
  package var isFloating = false
  public var color: EventColor?
  public var image: Attachment?
  /// How it comes again.
  package var series = EventSeries()
  public var alerts: [EventAlert] = []
  public var tags: [String] = []
  /// Whether it can be met or missed. An event that stops being a deadline also stops being met.
  public var isDeadline = false {
    didSet {
      guard !isDeadline else { return }
      (doneAt, series.settled) = (nil, [])
    }
  }
  /// The time at which a deadline that comes once was met; `nil` while it is not: see ``meet(at:)``.
  public package(set) var doneAt: Instant?
  /// The number of what the program read of that entry; see ``Event/currentReader``.
  package var reader: Int64 = 1
  /// The name of the calendar that it was imported as a part of.
  package var calendar: String?
  /// The UID of the calendar's entry that the event was imported from.
  public var uid: String?
  /// The version of that entry.
  package var imported = EntryVersion()
  package private(set) var unknown: JSONObject = [:]

  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  /// The number of times that the record was written: 1 when new.
  public var revision: Int64 { header.revision }

  /// The most bytes of a UID.
  package static let uidLimit = 1024

  /// The rule of our own words by which it comes again; `nil` for none, and for a calendar's.
  public var recurrence: Recurrence? {
    get { series.rule?.recurrence }
    set {
      let unknown = series.rule?.unknown ?? [:]
      series.rule = newValue.map { EventRepeat(recurrence: $0, unknown: unknown) }
    }
  }

  /// The facts that its occurrences and announcements follow from.
  package var timing: EventTiming {
    EventTiming(
      moment: moment, zone: moment.isAllDay ? "" : zone.isEmpty ? "UTC" : zone, length: length,
      series: series, alerts: alerts, isDeadline: isDeadline, createdAt: createdAt, doneAt: doneAt,
      isYearUnknown: isYearUnknown,
      local: series.isRepeated && local?.instant == moment.exactInstant ? local?.civil : nil)
  }

  /// Moves the first time to the first day of the rule, and keeps what the clocks of its zone show then:
  /// to be called where the time or the rule was set.
  ///
  /// - Parameter asked: the local time that was asked for, where the clocks skip it.
  package mutating func settle(_ calendar: EventCalendar, asked: CivilDateTime? = nil) {
    guard series.isRepeated else {
      local = nil
      return
    }
    // A calendar's first time is in its series, whatever its rule says.
    let recurrence = recurrence
    let first = { (date: CivilDate) in recurrence.map { $0.first(from: date) ?? date } ?? date }
    switch moment {
    case .day(let date):
      local = nil
      moment = .day(first(date))
    case .instant(let instant):
      let rules = calendar.rules(of: timing)
      let shown = timing.local ?? rules.civil(at: instant)
      let isAsked = asked.map { rules.resolve($0).instant == instant } ?? false
      let clocks = isAsked ? asked ?? shown : shown
      // Of a zone that this machine does not know the clocks are not known.
      let isKnown = rules.identifier == timing.zone
      local = isKnown ? LocalTime(clocks, at: instant) : nil
      let date = first(clocks.date)
      guard date != clocks.date else { return }
      let begin = rules.resolve(CivilDateTime(date: date, time: clocks.time)).instant
      guard begin.isRepresentable else { return }
      local = isKnown ? LocalTime(CivilDateTime(date: date, time: clocks.time), at: begin) : nil
      moment = .instant(begin)
    }
  }
}

extension Event {
  /// Keeps when a deadline was met; `nil` where it is not met after all.
  ///
  /// - Throws: ``Fault``: `.refused` for an event that is not a deadline.
  public mutating func meet(at time: Instant?) throws(Fault) {
    guard isDeadline else { throw .refused(.noDeadline(title: title)) }
    doneAt = series.isRepeated ? nil : time
  }

  package init(header: RecordHeader, title: String, moment: Moment, zone: String) {
    self.init()
    self.header = header
    self.title = title
    self.moment = moment
    self.zone = moment.isAllDay ? "" : zone
  }
}

extension Event: RecordModel {
  package static var kind: RecordKind { .event }
  package static var blank: Event { Event() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try header.walk(&walk)
    try walk.field("title", &title, [.title, .searched, .answered], .siblings)
    try walk.optional("notes", &notes, [.listedCut, .searched], .siblings)
    try moment.walk(&walk)
    var zone = zone.isEmpty ? nil : zone
    try walk.optional("zone", &zone, .listed, .siblings.of("timing"))
    self.zone = moment.isAllDay ? "" : zone ?? "UTC"
    try walk.optional("local", &local, .listed, .siblings.of("timing"), writesNull: false)
    try walk.optional("length", &length, .listed, .siblings.of("end"), writesNull: false)
    try walk.optional("endZone", &endZone, .listed, .siblings.of("end"), writesNull: false)
    try walk.flag("floating", &isFloating, .listed, .siblings)
    try walk.flag("yearUnknown", &isYearUnknown, .listed, .siblings.of("timing"))
    try walk.optional("color", &color, [.listed, .answered], .siblings)
    try walk.optional("image", &image, .searched, .siblings)
    try series.walk(&walk)
    try walk.optional("alerts", &alerts, .listed, .elements)
    try walk.optional("deadline", &isDeadline, .listed, .siblings)
    try walk.optional("doneAt", &doneAt, .listed, .siblings)
    try walk.list("tags", &tags, [.listed, .searched], .elements)
    try walk.optional("uid", &uid, .listed, .siblings, writesNull: false)
    var reader = reader == 1 ? nil : reader
    try walk.optional("uidReader", &reader, [], .siblings, writesNull: false)
    self.reader = reader ?? 1
    try walk.optional("calendar", &calendar, [.listed, .answered], .siblings, writesNull: false)
    try walk.optional("uidSequence", &imported.sequence, [], .siblings, writesNull: false)
    try walk.optional("uidModified", &imported.modified, [], .siblings, writesNull: false)
    walk.rest(&unknown)
    try walk.limit("title", title, to: Capsule.titleLimit)
  }

  package func checkRules() throws(Fault) {
    try RecordFault.check(name: title, .title, of: .event)
    if case .instant(let instant) = moment { try RecordFault.check(instant, .at) }
    try series.checkRules()
    try RecordFault.check(doneAt, .doneAt)
    try RecordFault.check(uid ?? "", .uid, limit: Self.uidLimit)
    guard alerts.count <= EventAlert.countLimit else {
      throw .refused(.tooManyAlerts(alerts.count, limit: EventAlert.countLimit))
    }
  }

  package var attachments: [Attachment] { [image].compactMap(\.self) }

  /// The schema: 3 for a rule with days of the week, 4 for all that calendars have besides; what else is
  /// repeated stays at 1.
  package var schemaNeeded: Int64 {
    let isPlain =
      series.isPlain && length == nil && !isFloating && tags.isEmpty && calendar == nil
      && !(isDeadline && series.isRepeated)
    return !isPlain ? 4 : recurrence?.days == nil ? 1 : 3
  }
}

extension Moment {
  /// Names the two fields of which one holds it.
  fileprivate mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    var date: CivilDate?
    var instant: Instant?
    switch self {
    case .day(let day): date = day
    case .instant(let time): instant = time
    }
    try walk.optional("date", &date, .listed, .siblings.of("timing"))
    try walk.optional("at", &instant, .listed, .siblings.of("timing"))
    switch (date, instant) {
    case (let date?, nil): self = .day(date)
    case (nil, let instant?): self = .instant(instant)
    case (nil, nil): try walk.refuse("at", .missing)
    case (_?, _?): try walk.refuse("at", .invalid("both a date and an instant"))
    }
  }
}

/// The version of an entry in a calendar (RFC 5545, 3.8.7.3 and 3.8.7.4).
package struct EntryVersion: Hashable, Sendable {
  /// `SEQUENCE`, which rises with each significant change.
  package var sequence: Int64?
  /// `LAST-MODIFIED`.
  package var modified: Instant?

  package init(sequence: Int64? = nil, modified: Instant? = nil) {
    (self.sequence, self.modified) = (sequence, modified)
  }

  package var isUnknown: Bool { sequence == nil && modified == nil }

  /// Whether it comes after another: by its sequence where these differ, else by its time.
  package func isNewer(than other: EntryVersion) -> Bool {
    let (own, others) = (sequence ?? 0, other.sequence ?? 0)
    if own != others { return own > others }
    guard let modified else { return false }
    return other.modified.map { modified > $0 } ?? true
  }
}

/// A time at which an event is announced: some time before its beginning or its end, or after, or at a time of
/// day on the day or some days before. It is kept and given as text: `1 week before`, `on the day at 09:00`,
/// `10 minutes before the end`.
public struct EventAlert: Hashable, Sendable {
  /// How long before or after; none for the event's own time or day.
  package private(set) var before = CalendarDuration()
  /// The time of day; `nil` for the event's own.
  package private(set) var time: CivilTime?
  package private(set) var isAfter = false
  /// Whether it is counted from the end of the event.
  package private(set) var isFromEnd = false

  /// The most alerts that an event may have.
  package static let countLimit = 20
}

extension EventAlert {
  /// - Returns: `nil` for more than a hundred years, and at a time of day for hours, and for what is after.
  package init?(
    before: CalendarDuration, at time: CivilTime?, isAfter: Bool = false, isFromEnd: Bool = false
  ) {
    guard Self.days(before) <= 36_600,
      time == nil || before.isCalendarOnly && !isAfter && !isFromEnd
    else { return nil }
    self.init()
    self.before = before
    self.time = time
    self.isAfter = isAfter && !before.isZero
    self.isFromEnd = isFromEnd
  }

  /// Returns an upper bound of a span's days.
  private static func days(_ span: CalendarDuration) -> Int {
    if span.exceeds(1_000_000 * 86_400) { return .max }
    return span.years * 366 + span.months * 31 + span.weeks * 7 + span.days
      + (span.hours * 3600 + span.minutes * 60 + span.seconds + 86_399) / 86_400
  }

  /// An upper bound of how many seconds before the event it may be, wherever one lives.
  var lead: Int64 {
    isAfter ? 0 : Int64(Self.days(before) + 1) * 86_400
  }

  /// An upper bound of how many seconds after the beginning, or after the end, it may be.
  var lag: Int64 {
    isAfter ? Int64(Self.days(before) + 1) * 86_400 : 0
  }

  /// Returns when it is due for an occurrence; `nil` before the year 1.
  ///
  /// A whole day counts from its beginning in `zone`, an instant on the clocks of `eventZone`.
  ///
  /// - Parameter end: the first instant at which the occurrence is over, for an alert that is counted from it.
  package func instant(
    of moment: Moment, end: Instant? = nil, in zone: ZoneRules, eventZone: ZoneRules
  ) -> Instant? {
    let span = isAfter ? before : -before
    if isFromEnd, let end {
      return span.added(to: end, in: moment.isAllDay ? zone : eventZone)?.instant
    }
    switch (moment, time) {
    case (.day(let date), let time?):
      guard let day = span.added(to: date) else { return nil }
      return zone.resolve(CivilDateTime(date: day, time: time)).instant
    case (.day(let date), nil):
      guard let day = span.added(to: date) else { return nil }
      return zone.startOfDay(day).instant.adding(seconds: span.exactSeconds)
    case (.instant(let instant), let time?):
      guard let day = span.added(to: eventZone.civil(at: instant).date) else { return nil }
      return eventZone.resolve(CivilDateTime(date: day, time: time)).instant
    case (.instant(let instant), nil):
      return span.added(to: instant, in: eventZone)?.instant
    }
  }
}

extension EventAlert: LosslessStringConvertible, FieldText {
  public var description: String {
    let clock = time.map { " at \($0.shortText)" } ?? ""
    if before.isZero {
      if isFromEnd { return "at the end" }
      return time == nil ? "at the time" : "on the day\(clock)"
    }
    let end = isFromEnd ? " the end" : ""
    return "\(before.words) \(isAfter ? "after" : "before")\(end)\(clock)"
  }

  /// Reads `at the time`, `on the day at 09:00`, `1 week before`, `1 day before at 6pm`, `1 hour after`, `10
  /// minutes before the end`, `at the end`.
  public init?(_ text: String) {
    var words = text.lowercased().split(separator: " ").map(String.init)
    var time: CivilTime?
    if let at = words.lastIndex(of: "at"), at > 0 {
      guard let clock = TimeOfDayParser.minute(words[(at + 1)...].joined(separator: " ")) else {
        return nil
      }
      time = clock
      words.removeSubrange(at...)
    }
    let isFromEnd = words.count > 2 && words.suffix(2) == ["the", "end"]
    switch words {
    case ["at", "the", "time"] where time == nil:
      self.init(before: CalendarDuration(), at: nil)
    case ["at", "the", "end"] where time == nil:
      self.init(before: CalendarDuration(), at: nil, isFromEnd: true)
    case ["on", "the", "day"]: self.init(before: CalendarDuration(), at: time ?? .midnight)
    case ["the", "day", "before"]: self.init(before: CalendarDuration(days: 1), at: time)
    default:
      if isFromEnd { words.removeLast(2) }
      guard let side = words.last, side == "before" || side == "after",
        let span = try? DurationParser.parse(words.dropLast().joined(separator: " "))
      else { return nil }
      self.init(before: span, at: time, isAfter: side == "after", isFromEnd: isFromEnd)
    }
  }

  /// The texts that ``init(_:)`` accepts, for messages.
  package static let accepted =
    "'1 week before', '2 hours before', 'on the day at 09:00', '1 day before at 6pm', "
    + "'at the time', '1 hour after' or '10 minutes before the end', at most a hundred years"
}

/// The color of an event's title: one of the names, or `#rrggbb`.
public struct EventColor: Hashable, Sendable, LosslessStringConvertible, FieldText {
  /// A name or `#rrggbb`, in lower case.
  public let description: String
  public let red: UInt8
  public let green: UInt8
  public let blue: UInt8

  /// The names, and the colours that they mean.
  private static let table: [(name: String, value: UInt32)] = [
    ("red", 0xe53935), ("orange", 0xfb8c00), ("amber", 0xffb300), ("yellow", 0xfdd835),
    ("lime", 0xc0ca33), ("green", 0x43a047), ("teal", 0x00897b), ("cyan", 0x00acc1),
    ("blue", 0x1e88e5), ("indigo", 0x3949ab), ("purple", 0x8e24aa), ("magenta", 0xd81b8c),
    ("pink", 0xf06292), ("brown", 0x795548), ("gray", 0x9e9e9e), ("black", 0x000000),
    ("white", 0xffffff),
  ]

  /// The names that are known.
  package static let names = table.map(\.name)

  /// Reads a name, in capitals or not, or `#rrggbb`.
  public init?(_ text: some StringProtocol) {
    let word = text.lowercased() == "grey" ? "gray" : text.lowercased()
    let value: UInt32
    if let named = Self.table.first(where: { $0.name == word }) {
      value = named.value
    } else {
      let digits = word.utf8.dropFirst()
      let isHex = digits.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
      guard word.utf8.first == UInt8(ascii: "#"), digits.count == 6, isHex,
        let number = UInt32(word.dropFirst(), radix: 16)
      else { return nil }
      value = number
    }
    description = word
    red = UInt8(value >> 16)
    green = UInt8(value >> 8 & 0xff)
    blue = UInt8(value & 0xff)
  }

  /// The color as `#rrggbb`.
  public var hex: String { "#" + Hex.encode([red, green, blue]) }

  /// The texts that are accepted, for messages.
  package static let accepted = "#rrggbb or one of \(names.joined(separator: ", "))"
}

extension Event {
  /// Makes an event that no store has yet.
  ///
  /// - Parameters:
  ///   - zone: the IANA zone on whose clocks an instant is repeated; a whole day has none.
  ///   - recurrence: how it comes again; `nil` for once.
  ///   - alerts: when it is announced ahead.
  public init(
    title: String, on moment: Moment, zone: String = "UTC", repeating recurrence: Recurrence? = nil,
    alerts: [EventAlert] = []
  ) {
    self.init(header: RecordHeader(), title: title, moment: moment, zone: zone)
    self.recurrence = recurrence
    self.alerts = alerts
  }

  /// Makes an event of a date that ``Store/when(_:zone:)`` read, that no store has yet.
  ///
  /// - Parameters:
  ///   - recurrence: how it comes again; `nil` for once.
  ///   - alerts: when it is announced ahead.
  public init(
    title: String, on when: When, repeating recurrence: Recurrence? = nil,
    alerts: [EventAlert] = []
  ) {
    self.init(
      title: title, on: when.moment, zone: when.zoneName, repeating: recurrence, alerts: alerts)
    let calendar = EventCalendar(zone: when.zone, leapDay: .february28) { _ in when.zone }
    settle(calendar, asked: when.asked)
  }

  /// Brings the event into the form in which it is kept: each alert once, and what is repeated on the
  /// first day of its rule.
  ///
  /// - Parameter before: the event as the store has it; `nil` for a new one.
  mutating func arrange(after before: Event?, in store: Store) {
    alerts = alerts.unique
    if let before, moment == before.moment, zone == before.zone, recurrence == before.recurrence {
      return
    }
    // Such a time is refused when it is written.
    if case .instant(let instant) = moment, !instant.isRepresentable { return }
    let calendar = store.calendar(in: .utc, named: "UTC")
    if let before, zone != before.zone {
      // The clocks of the other zone showed another time: that is forgotten without a rule.
      let rule = recurrence
      recurrence = nil
      settle(calendar)
      recurrence = rule
    }
    settle(calendar)
  }
}
