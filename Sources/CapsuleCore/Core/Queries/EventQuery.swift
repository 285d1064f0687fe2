/// An event in the answer of an ``EventQuery``.
package struct EventRow: Sendable {
  package let summary: EventSummary
  package let problem: IndexProblem
  /// The occurrence that matters now: the next one, or today's.
  package let moment: Moment
  package let state: EventState
  /// The first occurrence.
  package let first: Moment
  /// The number of years from the first occurrence to `moment`, for a yearly event.
  package let years: Int?

  package init(
    _ summary: EventSummary, _ calendar: EventCalendar, problem: IndexProblem = .none,
    at now: Instant
  ) {
    self.summary = summary
    self.problem = problem
    let schedule = summary.timing.schedule(in: calendar)
    moment = schedule.current(at: now)
    state = schedule.state(of: moment, at: now)
    first = schedule.first
    years = schedule.years(at: moment)
  }
}

/// A question about the events.
public struct EventQuery: RecordQuery {
  public enum Order: String, CaseIterable, Sendable {
    /// The events to come stand first, from the soonest, then those that are past, from the last.
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
    EventRow(EventSummary(unreadable: entry.id), calendar, problem: entry.problem, at: now)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (EventRow) -> Bool
  ) {
    var first = FirstEntries<SortKey>(limit: limit, reversed: isReversed) { $0 < $1 }
    forEachMatch(in: &index, of: store) { key, entry in first.insert(entry, by: key) }
    first.forEach { entry in
      guard let summary = EventSummary(id: entry.id, encoded: entry.summary) else { return true }
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
      guard let timing = EventTiming(encoded: entry.summary), !onlyDeadlines || timing.isDeadline
      else { return }
      let schedule = timing.schedule(in: calendar)
      let moment = schedule.current(at: now)
      let isAhead = schedule.state(of: moment, at: now).isAhead
      guard isAhead ? includesAhead : includesPast, matches(entry, store) else { return }
      if isAhead { ahead += 1 } else { past += 1 }
      body(
        SortKey(
          entry, order, timing, start: moment.start(in: calendar.zone), isPast: !isAhead), entry)
    }
    index.forEach(.ascending, from: EventSummary.repeatingKey) { entry in
      take(entry)
      return true
    }
    let repeating = ahead
    var last = Int64.max
    index.forEach(.ascending, from: now.seconds - EventSummary.slack) { entry in
      guard entry.sortKey < EventSummary.repeatingKey, entry.sortKey <= last else { return false }
      if !includesAhead, entry.sortKey > now.seconds + EventSummary.slack { return false }
      take(entry)
      if ahead - repeating >= limit, last == .max {
        last = entry.sortKey.addingClamped(EventSummary.slack)
      }
      return true
    }
    guard includesPast, ahead < limit else { return }
    last = .min
    index.forEach(.descending, from: now.seconds - EventSummary.slack - 1) { entry in
      guard entry.sortKey >= last else { return false }
      take(entry)
      if ahead.addingClamped(past) >= limit, last == .min {
        last = entry.sortKey.addingClamped(-EventSummary.slack)
      }
      return true
    }
  }

  private func matches(_ entry: IndexEntry, _ store: Store) -> Bool {
    guard let text else { return true }
    guard let summary = EventSummary(id: entry.id, encoded: entry.summary) else { return false }
    return text.matches([summary.title, summary.notes]) {
      let record = summary.hasAllNotes ? nil : (try? store.read(Event.self, summary.id))
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
      case .title: text = entry.title.lowercased()
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
