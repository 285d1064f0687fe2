/// The state of a capsule: whether the gate lets its contents through, and whether it has.
public enum CapsuleState: String, CaseIterable, Hashable, Sendable {
  case locked, unlocked, opened
}

/// A capsule in the answer of a ``CapsuleQuery``.
package struct CapsuleRow: Sendable {
  package let summary: Brief<Capsule>
  package let problem: IndexProblem
  package let state: CapsuleState
  /// The seconds until the unlock time; 0 from then on.
  package let secondsRemaining: Int64

  package init(_ summary: Brief<Capsule>, problem: IndexProblem = .none, at now: Instant) {
    self.summary = summary
    self.problem = problem
    switch UnlockGate.decide(unlock: summary.digest.unlockAt, now: now) {
    case .locked(_, let remaining):
      state = .locked
      secondsRemaining = remaining
    case .unlocked:
      state = summary.record.openedAt == nil ? .unlocked : .opened
      secondsRemaining = 0
    }
  }
}

/// A question about the capsules.
public struct CapsuleQuery: SortedQuery {
  public enum Order: String, CaseIterable, Sendable {
    /// The locked ones, from the soonest to unlock, then the others, from the last that unlocked.
    case unlock
    case created, title
  }

  package static let kind = RecordKind.capsule

  /// The states of which a capsule has one; all where it is empty.
  package var states: Set<CapsuleState> = []
  /// The tags that a capsule has to have, all of them.
  package var tags: [NameKey] = []
  /// The text that a capsule has in the title, the notes or a tag; `nil` for all capsules.
  package var text: SearchText?
  /// The time before which a capsule unlocks; `nil` for all capsules.
  package var before: Instant?
  /// The time at which or after which a capsule unlocks; `nil` for all capsules.
  package var after: Instant?
  package var order = Order.unlock
  package var isReversed = false
  package var limit = Int.max
  /// The time at which the states are those of the answer.
  package internal(set) var now: Instant

  package init(now: Instant) {
    self.now = now
  }

  /// Whether it can leave anything out.
  package var isNarrowed: Bool {
    !states.isEmpty || !tags.isEmpty || text != nil || before != nil || after != nil
  }

  package func unreadable(_ entry: IndexEntry) -> CapsuleRow? {
    CapsuleRow(Brief<Capsule>(unreadable: entry.id), problem: entry.problem, at: now)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (CapsuleRow) -> Bool
  ) {
    var goesOn = true
    func take(_ entry: IndexEntry) -> Bool {
      if let row = row(entry, store) { goesOn = sink(row) }
      return goesOn
    }
    switch (order, isReversed) {
    case (.unlock, false):
      index.forEach(.ascending, from: now.seconds + 1, take)
      if goesOn { index.forEach(.descending, from: now.seconds, take) }
    case (.unlock, true):
      index.forEach(.ascending) { $0.sortKey <= now.seconds && take($0) }
      if goesOn { index.forEach(.descending) { $0.sortKey > now.seconds && take($0) } }
    default:
      var first = FirstEntries<(text: String, createdAt: Instant, madeAt: Int64, id: RecordID)>(
        limit: limit, reversed: isReversed
      ) { left, right in left < right }
      index.forEach(.ascending) { entry in
        if let row = row(entry, store) {
          let isByTitle = order == .title
          first.insert(
            entry,
            by: (
              isByTitle ? NameOrder.key(row.summary.record.title) : "",
              isByTitle ? .epoch : row.summary.record.createdAt, entry.madeAt, entry.id
            ))
        }
        return true
      }
      first.forEach(take)
    }
  }

  private func row(_ entry: IndexEntry, _ store: Store) -> CapsuleRow? {
    guard let summary = Brief<Capsule>(entry) else { return nil }
    let row = CapsuleRow(summary, problem: entry.problem, at: now)
    return matches(row, store) ? row : nil
  }

  private func matches(_ row: CapsuleRow, _ store: Store) -> Bool {
    let summary = row.summary
    if !states.isEmpty, !states.contains(row.state) { return false }
    for tag in tags where !summary.record.tags.contains(where: { NameKey($0) == tag }) {
      return false
    }
    if let before, summary.digest.unlockAt >= before { return false }
    if let after, summary.digest.unlockAt < after { return false }
    return text?.matches([summary.record.title, summary.record.notes] + summary.record.tags) {
      let record = summary.isWhole ? nil : (try? store.read(Capsule.self, summary.id))
      return record.map { [$0.model.notes] } ?? []
    } ?? true
  }
}

/// An event in the answer of an ``EventQuery``.
package struct EventRow: Sendable {
  package let summary: Brief<Event>
  package let problem: IndexProblem
  /// The occurrence that matters now: the next one, today's, or a deadline that was missed. `nil` where there is
  /// none at all.
  package let occurrence: EventOccurrence?
  /// The time of it; without one that from which the event is counted.
  package let moment: Moment
  package let state: EventState
  /// The first occurrence.
  package let first: Moment
  /// How often a repeated deadline was missed.
  package let missed: Int
  package let schedule: EventSchedule
  /// The number of years from the first occurrence to `moment`, for a yearly event.
  package let years: Int?

  package init(
    _ summary: Brief<Event>, _ calendar: EventCalendar, problem: IndexProblem = .none,
    at now: Instant
  ) {
    self.summary = summary
    self.problem = problem
    let timing = summary.record.timing
    let schedule = timing.schedule(in: calendar)
    let current = schedule.current(at: now)
    self.schedule = schedule
    occurrence = current
    moment = current?.moment ?? timing.moment
    state = current.map { schedule.state(of: $0, at: now) } ?? .elapsed
    first = schedule.first?.moment ?? timing.moment
    years = current.flatMap { schedule.years(at: $0) }
    missed = schedule.missed(at: now).count
  }
}

extension EventRow {
  /// The first instant at which the occurrence is over; `nil` of what takes no time.
  package var end: Instant? {
    guard let occurrence, occurrence.length != nil, !occurrence.moment.isAllDay else { return nil }
    return schedule.end(of: occurrence)
  }

  /// The last date of a whole day that takes several.
  package var lastDay: CivilDate? { occurrence?.length == nil ? nil : occurrence?.lastDay }

  /// What the occurrence is known by; `nil` of what comes once.
  package var key: OccurrenceKey? { schedule.set == nil ? nil : occurrence?.key }

  /// How often it still comes, where that is limited by a number.
  package var left: Int? {
    guard let occurrence, state.isAhead else { return schedule.timing.series.times.map { _ in 0 } }
    return schedule.left(from: occurrence)
  }

  /// The rules as calendars have them, each on a line.
  package var ruleText: String? {
    guard let rule = schedule.timing.series.rule else { return nil }
    return rule.recurrence?.text(from: schedule.anchor.date, leapDay: schedule.leapDay)
      ?? rule.rules.map(\.description).joined(separator: "\n")
  }
}

/// A question about the events.
public struct EventQuery: SortedQuery {
  public enum Order: String, CaseIterable, Sendable {
    /// Future events come first, the soonest first; then past events, the latest first.
    case date
    case title, created
  }

  package static let kind = RecordKind.event

  /// Whether those to come, and today's, are in the answer.
  package var includesAhead = true
  /// Whether those that are past, met or over are in the answer.
  package var includesPast = true
  package var onlyDeadlines = false
  /// The text that an event has in the title or the notes; `nil` for all events.
  package var text: SearchText?
  package var order = Order.date
  package var isReversed = false
  package var limit = Int.max
  package internal(set) var calendar: EventCalendar
  package internal(set) var now: Instant

  package init(_ calendar: EventCalendar, now: Instant) {
    self.calendar = calendar
    self.now = now
  }

  package func unreadable(_ entry: IndexEntry) -> EventRow? {
    EventRow(Brief<Event>(unreadable: entry.id), calendar, problem: entry.problem, at: now)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (EventRow) -> Bool
  ) {
    var first = FirstEntries<SortKey>(limit: limit, reversed: isReversed) { $0 < $1 }
    forEachMatch(in: &index, of: store) { key, entry in first.insert(entry, by: key) }
    first.forEach { entry in
      guard let summary = Brief<Event>(entry) else { return true }
      return sink(EventRow(summary, calendar, problem: entry.problem, at: now))
    }
  }

  /// Hands over enough of those that match: by date, of those to come the first `limit` at least,
  /// and of the others the last; in any other order all.
  ///
  /// Of an entry only the timing is decoded, until it is known to be among the first.
  private func forEachMatch(
    in index: inout RecordIndex, of store: Store, _ body: (SortKey, IndexEntry) -> Void
  ) {
    let limit = order == .date && !isReversed ? limit : .max
    var (ahead, past) = (0, 0)
    func take(_ entry: IndexEntry) {
      guard let timing = Brief<Event>(entry, through: "doneAt")?.record.timing,
        !onlyDeadlines || timing.isDeadline
      else { return }
      let schedule = timing.schedule(in: calendar)
      let current = schedule.current(at: now)
      let moment = current?.moment ?? timing.moment
      let isAhead = current.map { schedule.state(of: $0, at: now).isAhead } ?? false
      guard isAhead ? includesAhead : includesPast, matches(entry, store) else { return }
      if isAhead { ahead += 1 } else { past += 1 }
      body(
        SortKey(
          entry, order, timing, start: moment.start(in: calendar.zone), isPast: !isAhead), entry)
    }
    index.forEach(.ascending, from: Event.spanKey) { entry in
      take(entry)
      return true
    }
    // Those are all of their kind, and do not count for how many are enough of the others.
    let (repeating, ended) = (ahead, past)
    var last = Int64.max
    index.forEach(.ascending, from: now.seconds - Event.keySlack) { entry in
      guard entry.sortKey < Event.spanKey, entry.sortKey <= last else { return false }
      if !includesAhead, entry.sortKey > now.seconds + Event.keySlack { return false }
      take(entry)
      if ahead - repeating >= limit, last == .max {
        last = entry.sortKey.addingClamped(Event.keySlack)
      }
      return true
    }
    guard includesPast, ahead < limit else { return }
    last = .min
    index.forEach(.descending, from: now.seconds - Event.keySlack - 1) { entry in
      guard entry.sortKey >= last else { return false }
      take(entry)
      if ahead.addingClamped(past - ended) >= limit, last == .min {
        last = entry.sortKey.addingClamped(-Event.keySlack)
      }
      return true
    }
  }

  private func matches(_ entry: IndexEntry, _ store: Store) -> Bool {
    guard let text else { return true }
    guard let summary = Brief<Event>(entry) else { return false }
    let moved = summary.record.series.moved.compactMap(\.title)
    return text.matches(
      [summary.record.title, summary.record.notes] + summary.record.tags + moved
    ) {
      let record = summary.isWhole ? nil : (try? store.read(Event.self, summary.id))
      return record.map { [$0.model.notes] } ?? []
    }
  }

  /// The place of an event in the order; among equal ones it is the order in which they were made.
  private struct SortKey {
    private var isPast = false
    private var text = ""
    private var number: Int64 = 0
    private let madeAt: Int64
    private let id: RecordID

    init(
      _ entry: IndexEntry, _ order: Order, _ timing: EventTiming, start: Instant, isPast: Bool
    ) {
      madeAt = entry.madeAt
      id = entry.id
      switch order {
      case .date:
        self.isPast = isPast
        number = isPast ? -start.seconds : start.seconds
      case .title: text = NameOrder.key(entry.title)
      case .created: number = timing.createdAt.seconds
      }
    }

    static func < (left: SortKey, right: SortKey) -> Bool {
      if left.isPast != right.isPast { return right.isPast }
      if left.text != right.text { return left.text < right.text }
      if left.number != right.number { return left.number < right.number }
      let (one, other) = left.isPast ? (right, left) : (left, right)
      return (one.madeAt, one.id) < (other.madeAt, other.id)
    }
  }
}
