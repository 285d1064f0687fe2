/// A capsule or an event that is counted down to.
package struct Countdown {
  package enum Subject: Sendable {
    case capsule(CapsuleSummary)
    case event(EventSummary)
  }

  package let subject: Subject
  /// The fault of its record.
  package let problem: IndexProblem
  /// The moment that is counted to; of what is repeated the next one, or today's.
  package let moment: Moment
  package let calendar: EventCalendar

  /// Reads the record that is counted down to.
  ///
  /// - Parameter kind: `.event`; anything else is a capsule.
  /// - Throws: `.notFound`, `.damaged` where it cannot be read at all, `.io`.
  package init(
    _ kind: RecordKind, _ id: RecordID, in store: Store, at now: Instant, _ calendar: EventCalendar
  ) throws(StoreError) {
    self.calendar = calendar
    if kind == .event {
      let record = try store.read(Event.self, id)
      let summary = record.model.summary
      subject = .event(summary)
      problem = record.integrity == nil ? .none : .altered
      moment = summary.timing.current(at: now, calendar)
    } else {
      let record = try store.read(Capsule.self, id)
      subject = .capsule(record.model.summary)
      problem = record.integrity == nil ? .none : .altered
      moment = .instant(record.model.dueAt)
    }
  }

  /// Returns the state of it at a time: a capsule is `upcoming` or `elapsed`.
  package func state(at now: Instant) -> EventState {
    switch subject {
    case .capsule(let summary): now < summary.unlockAt ? .upcoming : .elapsed
    case .event(let summary): summary.timing.state(of: moment, at: now, calendar)
    }
  }

  /// Returns what comes next; `nil` where nothing does.
  package static func next(_ context: TimelineContext, at now: Instant) -> Countdown? {
    let timeline = Timeline(context, kinds: [.capsule, .event])
    // The index may be late by an edit in place: what it names is read.
    for occurrence in timeline.occurrences(
      in: TimelineSpan(
        from: now.adding(seconds: 1), limit: 8, includesOverdue: false, by: .next))
    {
      let next = try? Countdown(
        occurrence.kind, occurrence.id, in: context.store, at: now, context.calendar)
      if let next { return next }
    }
    return nil
  }
}
