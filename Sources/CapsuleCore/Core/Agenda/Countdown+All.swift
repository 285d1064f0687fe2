extension Countdown {
  /// Counts down to a capsule's unlock time, and up from it.
  package init(_ summary: CapsuleSummary, problem: IndexProblem = .none, _ calendar: EventCalendar)
  {
    self.calendar = calendar
    self.problem = problem
    subject = .capsule(summary)
    moment = .instant(summary.unlockAt)
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
      if let summary = CapsuleSummary(id: entry.id, encoded: entry.summary),
        summary.openedAt == nil || now < summary.unlockAt
      {
        take(Countdown(summary, problem: entry.problem, calendar), entry)
      }
      return true
    }
    events.forEach(.ascending) { entry in
      if let summary = EventSummary(id: entry.id, encoded: entry.summary) {
        take(Countdown(summary, problem: entry.problem, at: now, calendar), entry)
      }
      return true
    }
    return found.sorted { $0.key < $1.key }.map(\.countdown)
  }

  private init(
    _ summary: EventSummary, problem: IndexProblem, at now: Instant, _ calendar: EventCalendar
  ) {
    self.calendar = calendar
    self.problem = problem
    subject = .event(summary)
    moment = summary.timing.schedule(in: calendar).current(at: now)
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
