/// Events on the timeline, with every repetition, and their alerts.
package struct EventTimeline: TimelineSource {
  package var kind: RecordKind { .event }

  package func occurrences(in span: TimelineSpan, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.event, now: context.now)
    var found: [Occurrence] = []
    var end = span.end
    /// Lets go of what the limit will cut off, so that few of what is repeated have to be made.
    func narrow() {
      guard found.count >= span.limit else { return }
      let keyed = found.map { ($0.moment.start(in: context.zone), $0) }.sorted { $0.0 < $1.0 }
      end = min(end, keyed[span.limit - 1].0.adding(seconds: 1))
      found = keyed.filter { $0.0 < end }.map(\.1)
    }
    func add(_ entry: IndexEntry, _ timing: EventTiming) {
      var moments = timing.occurrences(
        from: span.start, before: end, limit: span.isOncePerRecord ? 1 : span.limit,
        context.calendar)
      // What was met is no longer to come.
      if timing.doneAt != nil { moments = [] }
      let alerts =
        span.includesAlerts
        ? timing.alerts(from: span.start, before: end, context.calendar) : []
      guard !moments.isEmpty || !alerts.isEmpty,
        let summary = EventSummary(id: entry.id, encoded: entry.summary)
      else { return }
      for moment in moments { found.append(Self.occurrence(summary, moment)) }
      for alert in alerts {
        guard case .alert(let text) = alert.topic else { continue }
        found.append(
          Occurrence(
            kind: .event, id: entry.id, title: summary.title, what: .alert,
            moment: .instant(alert.instant), color: summary.color, detail: text.description))
      }
    }
    // Those that come once stand in the order of their dates, to within a zone's offset.
    var count = 0
    /// The sort key up to which they are looked at, itself not included.
    var walked = min(
      span.end.seconds.addingClamped(EventSummary.slack), EventSummary.repeatingKey)
    index.forEach(.ascending, from: span.start.seconds - EventSummary.slack) { entry in
      guard entry.sortKey < walked else { return false }
      guard let timing = EventTiming(encoded: entry.summary) else { return true }
      let before = found.count
      add(entry, timing)
      if found.count > before, entry.sortKey >= span.start.seconds { count += 1 }
      if count == span.limit, found.count > before {
        walked = min(walked, entry.sortKey.addingClamped(EventSummary.slack + 1))
      }
      return true
    }
    narrow()
    var made = found.count
    index.forEach(.ascending, from: EventSummary.repeatingKey) { entry in
      if let timing = EventTiming(encoded: entry.summary) { add(entry, timing) }
      if found.count > made + 4 * min(span.limit, 1 << 20) {
        narrow()
        made = found.count
      }
      return true
    }
    // Alerts of later events that come once may fall into the span. None is due after what it is
    // about, so that what is over has none.
    if span.includesAlerts, walked < EventSummary.repeatingKey {
      for entry in index.entries(
        dueAfter: .min, through: end.seconds, sorted: walked..<EventSummary.repeatingKey)
      {
        if let timing = EventTiming(encoded: entry.summary) { add(entry, timing) }
      }
    }
    return found
  }

  package static func occurrence(_ summary: EventSummary, _ moment: Moment) -> Occurrence {
    Occurrence(
      kind: .event, id: summary.id, title: summary.title,
      what: summary.timing.isDeadline ? .deadline : .event, moment: moment, color: summary.color,
      detail: summary.timing.recurrence?.words)
  }

  package func memories(of date: CivilDate, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.event, now: context.now)
    var found: [Occurrence] = []
    index.forEach(.ascending) { entry in
      guard let summary = EventSummary(id: entry.id, encoded: entry.summary) else { return true }
      let moment = summary.timing.moment
      let isPast = moment.start(in: context.zone) <= context.now
      guard isPast, context.isAnniversary(moment.date(in: context.zone), on: date) else {
        return true
      }
      found.append(
        Occurrence(
          kind: .event, id: entry.id, title: summary.title, what: .happened, moment: moment,
          color: summary.color))
      return true
    }
    return found
  }

  package func series(_ context: TimelineContext) -> [Series] {
    var index = context.store.index(.event, now: context.now)
    var found: [Series] = []
    index.forEach(.ascending) { entry in
      guard let event = try? context.store.read(Event.self, entry.id).model else { return true }
      found.append(
        Series(
          kind: .event, id: entry.id, title: event.title, notes: event.notes,
          what: event.isDeadline ? .deadline : .event, moment: event.moment, zone: event.zone,
          recurrence: event.recurrence, alerts: event.alerts, createdAt: event.createdAt,
          updatedAt: event.updatedAt, revision: event.revision, color: event.color))
      return true
    }
    return found
  }
}
