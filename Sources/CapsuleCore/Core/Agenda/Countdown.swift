/// Something with a date that is counted down to.
package struct Countdown {
  package enum Subject: Sendable {
    case capsule(CapsuleSummary)
    case event(EventSummary)
    /// The reminder of an item, or the date of a bequest.
    case other(Occurrence)
  }

  package let subject: Subject
  /// The fault of its record.
  package let problem: IndexProblem
  /// The moment that is counted to; of what is repeated the next one, or today's.
  package let moment: Moment
  package let calendar: EventCalendar

  /// Reads the record that is counted down to.
  ///
  /// - Returns: `nil` where it has no date: an item without a reminder, a bequest without a date or one
  ///   that asks for nothing any more, a person.
  /// - Throws: `.notFound`, `.damaged` where it cannot be read at all, `.io`.
  package init?(
    _ kind: RecordKind, _ id: RecordID, in context: TimelineContext, at now: Instant
  ) throws(StoreError) {
    calendar = context.calendar
    switch kind {
    case .capsule:
      let record = try context.store.read(Capsule.self, id)
      subject = .capsule(record.model.summary)
      problem = record.integrity == nil ? .none : .altered
      moment = .instant(record.model.dueAt)
    case .event:
      let record = try context.store.read(Event.self, id)
      let summary = record.model.summary
      subject = .event(summary)
      problem = record.integrity == nil ? .none : .altered
      moment = summary.timing.schedule(in: context.calendar).current(at: now)
    case .item:
      let record = try context.store.read(Item.self, id)
      guard let next = record.model.occurrence(context, at: now) else { return nil }
      subject = .other(next)
      problem = record.integrity == nil ? .none : .altered
      moment = next.moment
    case .bequest:
      let record = try context.store.read(Bequest.self, id)
      guard let next = record.model.occurrence(context) else { return nil }
      subject = .other(next)
      problem = record.integrity == nil ? .none : .altered
      moment = next.moment
    case .beneficiary, .trustees: return nil
    }
  }

  /// The record that is counted down to, and its title.
  package var record: (kind: RecordKind, id: RecordID, title: String) {
    switch subject {
    case .capsule(let summary): (.capsule, summary.id, summary.title)
    case .event(let summary): (.event, summary.id, summary.title)
    case .other(let occurrence): (occurrence.kind, occurrence.id, occurrence.title)
    }
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
    case .capsule(let summary): now < summary.unlockAt ? .upcoming : .elapsed
    case .event(let summary): summary.timing.schedule(in: calendar).state(of: moment, at: now)
    case .other: now < moment.start(in: calendar.zone) ? .upcoming : .elapsed
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
      if let next = try? Countdown(occurrence.kind, occurrence.id, in: context, at: now) {
        return next
      }
    }
    return nil
  }
}
