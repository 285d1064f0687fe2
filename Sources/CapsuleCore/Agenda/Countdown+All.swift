extension Countdown {
  /// Counts down to a capsule's unlock time, and up from it.
  package init(_ summary: CapsuleSummary, problem: IndexProblem = .none, _ calendar: EventCalendar)
  {
    self.calendar = calendar
    self.problem = problem
    subject = .capsule(summary)
    moment = .instant(summary.unlockAt)
  }

  /// Returns everything that is counted: the events, and the capsules but those that are open. What is to
  /// come stands first, the soonest at the top; then what is past, the latest first.
  ///
  /// - Parameters:
  ///   - capsules: the store's index of capsules; a record that it cannot read is left out.
  ///   - events: likewise, of events.
  package static func all(
    capsules: inout RecordIndex, events: inout RecordIndex, at now: Instant,
    _ calendar: EventCalendar
  ) -> [Countdown] {
    var found: [(key: Key, countdown: Countdown)] = []
    func take(_ countdown: Countdown, _ id: RecordID) {
      let start = countdown.moment.start(in: calendar.zone).seconds
      let isPast = !countdown.state(at: now).isAhead
      found.append((Key(isPast: isPast, start: start, id: id), countdown))
    }
    capsules.forEach(.ascending) { entry in
      if let summary = CapsuleSummary(id: entry.id, encoded: entry.summary),
        summary.openedAt == nil || now < summary.unlockAt
      {
        take(Countdown(summary, problem: entry.problem, calendar), entry.id)
      }
      return true
    }
    events.forEach(.ascending) { entry in
      if let summary = EventSummary(id: entry.id, encoded: entry.summary) {
        take(Countdown(summary, problem: entry.problem, at: now, calendar), entry.id)
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
    moment = summary.timing.current(at: now, calendar)
  }

  /// The place of a countdown among all; among equal ones its id decides.
  private struct Key: Comparable {
    let isPast: Bool
    let start: Int64
    let id: RecordID

    static func < (left: Key, right: Key) -> Bool {
      if left.isPast != right.isPast { return right.isPast }
      if left.start != right.start { return (left.start < right.start) != left.isPast }
      return left.id < right.id
    }
  }
}
