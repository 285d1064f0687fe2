/// A part of the timeline.
package struct TimelineSpan: Hashable, Sendable {
  package let start: Instant
  package let end: Instant
  package let limit: Int
  package let includesAlerts: Bool
  /// Whether what is overdue stands before the rest, where the span has begun.
  package let includesOverdue: Bool
  /// Whether of a repeating record only the first occurrence counts.
  package let isOncePerRecord: Bool
  /// Whether what began before the span, and goes on, is in it.
  package let includesOngoing: Bool
  package let order: OccurrenceOrder

  package init(
    from start: Instant, before end: Instant = .latest, limit: Int = .max,
    includesAlerts: Bool = false, includesOverdue: Bool = true, isOncePerRecord: Bool = false,
    includesOngoing: Bool = true, by order: OccurrenceOrder = .beginning
  ) {
    self.start = start
    self.end = end
    self.limit = limit
    self.includesAlerts = includesAlerts
    self.includesOverdue = includesOverdue
    self.isOncePerRecord = isOncePerRecord
    self.includesOngoing = includesOngoing
    self.order = order
  }
}

/// The store and the times that the kinds with dates look at.
package struct TimelineContext {
  package let store: Store
  /// The real time, for the index.
  package let now: Instant
  /// The time that is asked about: what is overdue then stands before what a span holds that has begun
  /// by then.
  package let asOf: Instant
  package let calendar: EventCalendar
  /// The titles of the records that others name.
  let names: RecordNames
  /// What was found to be missing so far.
  package let gaps = TimelineGaps()

  /// - Parameter asOf: the time that is asked about; the real one if `nil`.
  package init(_ store: Store, now: Instant, asOf: Instant? = nil, calendar: EventCalendar) {
    self.store = store
    self.now = now
    self.asOf = asOf ?? now
    self.calendar = calendar
    names = RecordNames(store, now: now)
  }

  var zone: ZoneRules { calendar.zone }

  /// Opens the index of a kind, and notes what is missing there.
  func index(_ kind: RecordKind) -> RecordIndex {
    var index = store.index.open(kind, now: now)
    gaps.note(&index)
    return index
  }

  /// Whether overdue things are asked for with a span. For days that are yet to come it is not
  /// known what will be overdue.
  func includesOverdue(in span: TimelineSpan) -> Bool {
    span.includesOverdue && span.start <= asOf
  }

  /// Whether a date was this day of an earlier year.
  func isAnniversary(_ past: CivilDate, on date: CivilDate) -> Bool {
    past.year < date.year
      && past.anniversary(years: date.year - past.year, leapDay: calendar.leapDay) == date
  }
}

/// What is missing from a timeline: records with a problem, and directories that could not be looked at.
package final class TimelineGaps {
  package private(set) var failures: [Fault] = []
  package private(set) var problems: Set<IndexProblem> = []

  /// The files that stand for records that iCloud has taken off this machine.
  package private(set) var away: [FilePath] = []

  package var isEmpty: Bool { failures.isEmpty && problems.isEmpty && away.isEmpty }

  fileprivate func note(_ index: inout RecordIndex) {
    failures += index.failures
    problems.formUnion(index.problems().map(\.problem))
    away += index.away()
  }
}

/// One line of time over everything in a store.
package struct Timeline {
  private let context: TimelineContext
  package var gaps: TimelineGaps { context.gaps }
  private let kinds: [any DatedKind.Type]

  /// - Parameter kinds: the kinds that are asked for; all when there are none.
  package init(_ context: TimelineContext, kinds: [RecordKind] = []) {
    self.context = context
    self.kinds = DatedKinds.all.filter { kinds.isEmpty || kinds.contains($0.kind) }
  }

  /// Returns what is overdue where that is asked for, and the occurrences of a span, in its order.
  package func occurrences(in span: TimelineSpan) -> [Occurrence] {
    var first = FirstOccurrences(limit: span.limit, in: context.zone, by: span.order)
    for kind in kinds { kind.occurrences(in: span, context, to: &first) }
    return first.elements()
  }

  /// Returns the past of this day in earlier years, the longest ago first.
  package func memories(of date: CivilDate) -> [Occurrence] {
    var found = FirstOccurrences(limit: .max, in: context.zone)
    for kind in kinds { kind.memories(of: date, context, to: &found) }
    return found.elements()
  }

  /// Hands over everything with a date, the oldest record first. No more of a record is held than
  /// its place; a record that may name a zone is read twice.
  ///
  /// - Parameters:
  ///   - note: called before with each of them that may name a zone, in any order.
  ///   - begin: called in between.
  ///   - body: called with each of them.
  package func forEachSeries(
    noting note: (Series) -> Void, beginning begin: () throws -> Void,
    _ body: (Series) throws -> Void
  ) rethrows {
    var places: [SeriesPlace] = []
    for (number, kind) in kinds.enumerated() {
      var index = context.index(kind.kind)
      index.forEach(.ascending) { entry in
        guard kind.mayHaveSeries(entry) else { return true }
        var createdAt = kind.createdAt(entry)
        if createdAt == nil || kind.mayNameZone(entry) {
          guard let series = series(of: entry.id, kind) else { return true }
          note(series)
          createdAt = series.header.createdAt
        }
        if let createdAt {
          places.append(SeriesPlace(createdAt: createdAt, key: entry.place, kind: number))
        }
        return true
      }
    }
    places.sort {
      ($0.createdAt, $0.key.madeAt, $0.key.id) < ($1.createdAt, $1.key.madeAt, $1.key.id)
    }
    try begin()
    for place in places {
      // It may be gone by now.
      if let series = series(of: place.key.id, kinds[place.kind]) { try body(series) }
    }
  }

  private func series<Kind: DatedKind>(of id: RecordID, _ kind: Kind.Type) -> Series? {
    (try? context.store.read(kind, id))?.model.series(context)
  }

  /// The place of a record among those with a date.
  private struct SeriesPlace {
    let createdAt: Instant
    let key: IndexPlace
    /// Its number in ``kinds``.
    let kind: Int
  }
}

/// Something with a date that is counted down to.
package struct Countdown {
  package enum Subject: Sendable {
    case capsule(Brief<Capsule>)
    case event(Brief<Event>)
    /// The reminder of an item, or the date of a bequest.
    case other(Occurrence)
  }

  package let subject: Subject
  /// The fault of its record.
  package let problem: IndexProblem
  /// The moment that is counted to; of what is repeated the next one, or today's.
  package let moment: Moment
  /// The occurrence of an event that this is the moment of.
  package let occurrence: EventOccurrence?
  package let calendar: EventCalendar

  /// Reads the record that is counted down to.
  ///
  /// - Returns: `nil` where it has no date: an item without a reminder, a bequest without a date or one
  ///   that asks for nothing any more, a person.
  /// - Throws: `.recordGone`, `.recordDamaged` where it cannot be read at all, `.io`.
  package init?(
    _ kind: RecordKind, _ id: RecordID, in context: TimelineContext, at now: Instant
  ) throws(Fault) {
    let found: Occurrence?
    let problem: IndexProblem
    switch kind {
    case .capsule:
      let record = try context.store.read(Capsule.self, id)
      self = Countdown(
        record.model.brief, problem: record.integrity == nil ? .none : .altered, context.calendar)
      return
    case .event:
      let record = try context.store.read(Event.self, id)
      let summary = record.model.brief
      self = Countdown(
        summary, problem: record.integrity == nil ? .none : .altered, at: now, context.calendar)
      return
    case .item:
      let record = try context.store.read(Item.self, id)
      found = record.model.occurrence(context, at: now)
      problem = record.integrity == nil ? .none : .altered
    case .bequest:
      let record = try context.store.read(Bequest.self, id)
      found = record.model.occurrence(context)
      problem = record.integrity == nil ? .none : .altered
    case .beneficiary, .trustees: return nil
    }
    guard let found else { return nil }
    self.init(.other(found), problem: problem, moment: found.moment, nil, context.calendar)
  }

  /// The record that is counted down to, and its title.
  package var record: (kind: RecordKind, id: RecordID, title: String) {
    switch subject {
    case .capsule(let summary): (.capsule, summary.id, summary.record.title)
    case .event(let summary): (.event, summary.id, summary.record.title)
    case .other(let occurrence): (occurrence.kind, occurrence.id, occurrence.title)
    }
  }

  /// The first instant at which the occurrence of an event is over; `nil` of what takes no time.
  package var end: Instant? {
    guard case .event(let summary) = subject, let occurrence, occurrence.length != nil else {
      return nil
    }
    return summary.record.timing.schedule(in: calendar).end(of: occurrence)
  }

  /// Returns the occurrence that the timeline has of it at a time, where it is no capsule and no event.
  package func occurrence(at now: Instant) -> Occurrence? {
    guard case .other(var occurrence) = subject else { return nil }
    occurrence.isOverdue = occurrence.isOverdueReminder(at: now, in: calendar.zone)
    return occurrence
  }

  /// Returns the state of it at a time: of what is no event `upcoming` or `elapsed`.
  package func state(at now: Instant) -> EventState {
    switch subject {
    case .capsule(let summary): now < summary.digest.unlockAt ? .upcoming : .elapsed
    case .event(let summary):
      occurrence.map { summary.record.timing.schedule(in: calendar).state(of: $0, at: now) }
        ?? .elapsed
    case .other: now < moment.start(in: calendar.zone) ? .upcoming : .elapsed
    }
  }

  /// Returns what comes next; `nil` where nothing does.
  package static func next(_ context: TimelineContext, at now: Instant) -> Countdown? {
    let timeline = Timeline(context, kinds: [.capsule, .event])
    // The index may be late by an edit in place: what it names is read.
    for occurrence in timeline.occurrences(
      in: TimelineSpan(
        from: now.adding(seconds: 1), limit: 8, includesOverdue: false, includesOngoing: false,
        by: .next))
    {
      if let next = try? Countdown(occurrence.kind, occurrence.id, in: context, at: now) {
        return next
      }
    }
    return nil
  }
}

extension Countdown {
  /// Counts down to a capsule's unlock time, and up from it.
  package init(_ summary: Brief<Capsule>, problem: IndexProblem = .none, _ calendar: EventCalendar)
  {
    self.init(
      .capsule(summary), problem: problem, moment: .instant(summary.digest.unlockAt), nil, calendar)
  }

  private init(
    _ subject: Subject, problem: IndexProblem, moment: Moment, _ occurrence: EventOccurrence?,
    _ calendar: EventCalendar
  ) {
    (self.subject, self.problem, self.moment) = (subject, problem, moment)
    (self.occurrence, self.calendar) = (occurrence, calendar)
  }

  /// Returns everything that is counted: the events, and the capsules but those that are open.
  /// Things to come stand first, as they come next, the soonest at the top; then those that are
  /// past, the latest first.
  ///
  /// - Parameters:
  ///   - capsules: the store's index of capsules; a record that it cannot read is left out.
  ///   - events: likewise, of events.
  package static func all(
    capsules: inout RecordIndex, events: inout RecordIndex, at now: Instant,
    _ calendar: EventCalendar
  ) -> [Countdown] {
    var found: [(key: Key, countdown: Countdown)] = []
    func take(_ countdown: Countdown, _ entry: IndexEntry) {
      let isPast = !countdown.state(at: now).isAhead
      let order = isPast ? OccurrenceOrder.beginning : .next
      let place = order.place(of: countdown.moment, in: calendar.zone).seconds
      let key = Key(
        isPast: isPast, place: isPast ? -place : place, isAllDay: countdown.moment.isAllDay,
        madeAt: entry.madeAt, id: entry.id)
      found.append((key, countdown))
    }
    capsules.forEach(.ascending) { entry in
      if let summary = Brief<Capsule>(entry),
        summary.record.openedAt == nil || now < summary.digest.unlockAt
      {
        take(Countdown(summary, problem: entry.problem, calendar), entry)
      }
      return true
    }
    events.forEach(.ascending) { entry in
      if let summary = Brief<Event>(entry) {
        take(Countdown(summary, problem: entry.problem, at: now, calendar), entry)
      }
      return true
    }
    return found.sorted { $0.key < $1.key }.map(\.countdown)
  }

  private init(
    _ summary: Brief<Event>, problem: IndexProblem, at now: Instant, _ calendar: EventCalendar
  ) {
    let timing = summary.record.timing
    let current = timing.schedule(in: calendar).current(at: now)
    self.init(
      .event(summary), problem: problem, moment: current?.moment ?? timing.moment, current,
      calendar)
  }

  /// The place of a countdown among all; among equal ones it is the order in which they were made.
  private struct Key: Comparable {
    let isPast: Bool
    let place: Int64
    let isAllDay: Bool
    let madeAt: Int64
    let id: RecordID

    static func < (left: Key, right: Key) -> Bool {
      if left.isPast != right.isPast { return right.isPast }
      if left.place != right.place { return left.place < right.place }
      if left.isAllDay != right.isAllDay { return right.isAllDay }
      return (left.madeAt, left.id) < (right.madeAt, right.id)
    }
  }
}

/// The rules of zones by the names in records, each looked up once.
private final class ZoneBook {
  private let local: LocalZone
  private let database: ZoneDatabase
  private let reportUnknown: (String) -> Void
  private var known: [String: ZoneRules] = [:]

  init(_ local: LocalZone, _ database: ZoneDatabase, reportUnknown: @escaping (String) -> Void) {
    self.local = local
    self.database = database
    self.reportUnknown = reportUnknown
  }

  func rules(named name: String) -> ZoneRules {
    if let rules = known[name] { return rules }
    let rules = find(name)
    known[name] = rules
    return rules
  }

  private func find(_ name: String) -> ZoneRules {
    if name == local.label { return local.rules }
    if name == "UTC" { return .utc }
    if let rules = try? database.rules(named: name) { return rules }
    if let seconds = Self.offset(name) { return ZoneRules(offset: seconds) }
    if let rules = ZoneRules(posix: name) { return rules }
    reportUnknown(name)
    return local.rules
  }

  /// Returns the seconds of a text such as `+02:00`.
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let minutes = Setting.minutes(String(text.dropFirst()))
    else { return nil }
    return (sign == UInt8(ascii: "-") ? -60 : 60) * minutes
  }
}

extension EventCalendar {
  /// The calendar of somebody who lives in a zone, on a machine that knows the zones of a database.
  ///
  /// - Parameter reportUnknown: gets the name of each zone that the machine does not know, once;
  ///   the
  ///   local zone stands for it.
  package init(
    in local: LocalZone, _ database: ZoneDatabase, leapDay: LeapDayRule,
    reportUnknown: @escaping (String) -> Void
  ) {
    let book = ZoneBook(local, database, reportUnknown: reportUnknown)
    self.init(zone: local.rules, leapDay: leapDay) { book.rules(named: $0) }
  }
}
