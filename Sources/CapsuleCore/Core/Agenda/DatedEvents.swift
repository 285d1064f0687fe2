/// The dates of events: every repetition, their alerts, and deadlines that are over.
extension Event: DatedKind {
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.event)
    // A deadline that was not met stays due in the index. Those near the start are met below.
    if context.includesOverdue(in: span) {
      let earlier = Int64.min..<(span.start.seconds.addingClamped(-Event.keySlack))
      index.forEach(dueAfter: .min, through: span.start.seconds, sorted: earlier) { entry in
        add(entry, in: span, context, to: &sink)
        return true
      }
    }
    // Short ones that come once stand in the order of their dates, to within a zone's offset and their length.
    // They are looked at up to this sort key, itself not included.
    var walked = min(span.end.seconds.addingClamped(Event.keySlack), Event.spanKey)
    index.forEach(.ascending, from: span.start.seconds - Event.keySlack) { entry in
      guard entry.sortKey < walked else { return false }
      add(entry, in: span, context, to: &sink)
      if let bound = sink.bound {
        let last = max(bound.seconds.addingClamped(Event.keySlack), entry.sortKey)
        walked = min(walked, last.addingClamped(1))
      }
      return true
    }
    let ended = Event.spanKey..<Event.spanKey(endingAt: span.start)
    index.forEach(.ascending, from: ended.upperBound) { entry in
      add(entry, in: span, context, to: &sink)
      return true
    }
    if context.includesOverdue(in: span) {
      index.forEach(dueAfter: .min, through: span.start.seconds, sorted: ended) { entry in
        add(entry, in: span, context, to: &sink)
        return true
      }
    }
    // Alerts of later events that come once may fall into the span. None is due after what it is
    // about, so that what is over has none.
    guard span.includesAlerts, walked < Event.spanKey else { return }
    let later = index.entries(
      dueAfter: .min, through: end(of: span, sink).seconds, sorted: walked..<Event.spanKey)
    for entry in later { add(entry, in: span, context, to: &sink) }
  }

  /// The end of the part of a span that still counts, so that few repetitions have to be made.
  private static func end(of span: TimelineSpan, _ sink: some OccurrenceSink) -> Instant {
    sink.bound.map { min(span.end, $0.adding(seconds: 1)) } ?? span.end
  }

  private static func add(
    _ entry: IndexEntry, in span: TimelineSpan, _ context: TimelineContext,
    to sink: inout some OccurrenceSink
  ) {
    // A deadline that was met is no longer to come.
    guard let timing = Brief<Event>(entry, through: "doneAt")?.record.timing, timing.doneAt == nil
    else { return }
    let end = end(of: span, sink)
    if timing.isAway(from: span.start, before: end, context.calendar.leapDay) { return }
    let schedule = timing.schedule(in: context.calendar)
    let missed = Self.missed(schedule, in: span, context, before: end)
    var occurrences =
      schedule.set == nil && missed.oldest != nil
      ? []
      : schedule.occurrences(
        from: span.start, before: end, limit: span.isOncePerRecord ? 1 : span.limit)
    if timing.isDeadline, missed.oldest != nil {
      occurrences.removeAll { schedule.state(of: $0, at: context.asOf) == .over }
    }
    if !span.includesOngoing {
      occurrences.removeAll { schedule.isOngoing($0, at: span.start) }
    }
    let alerts = span.includesAlerts ? schedule.alerts(from: span.start, before: end) : []
    guard !occurrences.isEmpty || !alerts.isEmpty || missed.oldest != nil,
      let summary = Brief<Event>(entry)
    else { return }
    let words = timing.series.ruleWords
    func add(_ occurrence: EventOccurrence, overdue: Bool, missed: Int? = nil) {
      let move = schedule.move(of: occurrence)
      var found = Occurrence(
        kind: .event, id: entry.id, title: move?.title ?? summary.record.title,
        happening: timing.isDeadline ? .deadline : .event, moment: occurrence.moment,
        color: move?.shownColor(summary.record.color) ?? summary.record.color, detail: words,
        isOverdue: overdue, years: schedule.years(at: occurrence))
      found.key = schedule.set == nil ? nil : occurrence.key
      found.lastDay = occurrence.length == nil ? nil : occurrence.lastDay
      found.end = occurrence.length == nil ? nil : schedule.end(of: occurrence)
      found.isMoved = schedule.isAtAnotherTime(occurrence)
      found.missed = missed
      sink.add(found)
    }
    if let oldest = missed.oldest {
      add(oldest, overdue: true, missed: schedule.set == nil ? nil : missed.count)
    }
    for occurrence in occurrences {
      add(
        occurrence,
        overdue: timing.isDeadline && schedule.state(of: occurrence, at: context.asOf) == .over)
    }
    for alert in alerts {
      guard case .alert(let text) = alert.topic else { continue }
      sink.add(
        Occurrence(
          kind: .event, id: entry.id,
          title: schedule.move(of: alert.occurrence)?.title ?? summary.record.title,
          happening: .alert, moment: .instant(alert.instant), color: summary.record.color,
          detail: text.description))
    }
  }

  /// Returns what was missed of a deadline, where a span asks for that: of one that comes once itself.
  private static func missed(
    _ schedule: EventSchedule, in span: TimelineSpan, _ context: TimelineContext,
    before end: Instant
  ) -> EventSchedule.Missed {
    guard schedule.timing.isDeadline, context.includesOverdue(in: span) else {
      return EventSchedule.Missed()
    }
    var missed = EventSchedule.Missed()
    if schedule.set != nil {
      missed = schedule.missed(at: context.asOf)
    } else if let only = schedule.first, schedule.end(of: only) <= context.asOf {
      (missed.count, missed.oldest, missed.newest) = (1, only, only)
    }
    let isThere = missed.oldest.map { $0.moment.start(in: context.zone) < end } ?? false
    return isThere ? missed : EventSchedule.Missed()
  }

  package static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.event)
    index.forEach(.ascending) { entry in
      guard let summary = Brief<Event>(entry),
        let moment = summary.record.timing.schedule(in: context.calendar).first?.moment
      else { return true }
      let isPast = moment.start(in: context.zone) <= context.now
      guard isPast, !summary.record.isYearUnknown,
        context.isAnniversary(moment.date(in: context.zone), on: date)
      else { return true }
      sink.add(
        Occurrence(
          kind: .event, id: entry.id, title: summary.record.title, happening: .happened,
          moment: moment,
          color: summary.record.color))
      return true
    }
  }

  package static func createdAt(_ entry: IndexEntry) -> Instant? {
    Brief<Event>(entry, through: "doneAt")?.record.timing.createdAt
  }

  /// Whether the event is repeated on the clocks of a zone, or ends in one: no other event names one.
  package static func mayNameZone(_ entry: IndexEntry) -> Bool {
    guard let record = Brief<Event>(entry, through: "doneAt")?.record else { return true }
    return record.series.isRepeated || record.length != nil
  }

  package func series(_ context: TimelineContext) -> Series? {
    Series(
      header: header, title: title, notes: notes, happening: isDeadline ? .deadline : .event,
      moment: moment, repetition: Series.Repetition(of: timing, context.calendar),
      zone: context.calendar.rules(of: timing), alerts: alerts, color: color, tags: tags, uid: uid,
      sequence: exportedVersion.sequence, doneAt: doneAt, length: length, endZone: endZone,
      isFloating: isFloating, isYearUnknown: isYearUnknown)
  }

  /// An event may announce several things: the index knows the first, its summary all of them.
  package static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool
  ) {
    // Nothing of an event is due after its end, but a deadline that was missed.
    let soonest = span.start.seconds.addingClamped(-Event.keySlack)
    var goesOn = true
    func look(_ entry: IndexEntry) -> Bool {
      guard let timing = Brief<Event>(entry, through: "doneAt")?.record.timing else {
        goesOn = body(entry.id, span.start)
        return goesOn
      }
      let found = timing.schedule(in: span.calendar)
        .announcements(after: span.start, through: span.end)
      let first = found.filter { !known.contains(announcement($0, of: entry.id, in: span.zone)) }
        .map(\.instant).min()
      goesOn = first.map { body(entry.id, $0) } ?? true
      return goesOn
    }
    index.forEach(
      dueAfter: .min, through: span.end.seconds, sorted: soonest..<Event.spanKey, look)
    guard goesOn else { return }
    index.forEach(
      dueAfter: .min, through: span.end.seconds,
      sorted: Event.spanKey(endingAt: span.start)..<Int64.max, look)
    guard goesOn else { return }
    index.forEach(.ascending, from: Event.endlessKey) { entry in
      entry.due > span.end.seconds || look(entry)
    }
  }

  /// Counts the deadlines that are still to be met; no other events count.
  package static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int {
    var count = 0
    index.forEach(dueAfter: .min, through: firstUse.seconds) { entry in
      guard let timing = Brief<Event>(entry, through: "doneAt")?.record.timing, timing.isDeadline,
        timing.doneAt == nil, timing.createdAt <= firstUse
      else { return true }
      let schedule = timing.schedule(in: calendar)
      if schedule.set != nil {
        count += schedule.missed(at: firstUse).count > 0 ? 1 : 0
      } else if let only = schedule.first, schedule.end(of: only) <= firstUse {
        count += 1
      }
      return true
    }
    return count
  }

  package func dues(in span: DueSpan) -> [DueThing] {
    timing.schedule(in: span.calendar)
      .announcements(after: span.start, through: span.end).map { found in
        DueThing(
          announcement: Self.announcement(found, of: id, in: span.zone),
          matter: .event(self, found))
      }
  }

  private static func announcement(
    _ found: EventAnnouncement, of id: RecordID, in zone: ZoneRules
  ) -> Announcement {
    let topic: String
    switch found.topic {
    case .over: topic = "over"
    case .alert(let alert):
      topic = "alert:" + alert.description.split(separator: " ").joined(separator: "-")
    }
    var elsewhere: Announcement.Elsewhere?
    if found.occurrence.moment.isAllDay { elsewhere = .local(zone.civil(at: found.instant)) }
    return Announcement(
      kind: .event, id: id, topic: topic, instant: found.instant, elsewhere: elsewhere,
      passed: found.passed.map { announcement($0, of: id, in: zone) })
  }
}

extension Series.Repetition {
  init?(of timing: EventTiming, _ calendar: EventCalendar) {
    guard timing.series.isRepeated else { return nil }
    var clocks: (zone: ZoneRules, local: CivilDateTime)?
    var anchor = timing.moment.date(in: calendar.zone)
    if case .instant(let instant) = timing.moment {
      let zone = calendar.rules(of: timing)
      // Of a time that the clocks skip it is the one that was asked for.
      let asked = timing.local.flatMap { zone.resolve($0).instant == instant ? $0 : nil }
      let local = asked ?? zone.civil(at: instant)
      clocks = (zone, local)
      anchor = local.date
    }
    let leapDay = calendar.leapDay
    let rule = timing.series.rule
    self.init(
      rules: rule?.recurrence.map { [$0.text(from: anchor, leapDay: leapDay)] }
        ?? rule?.rules.map(\.description) ?? [],
      clocks: clocks, timing: timing)
  }
}
