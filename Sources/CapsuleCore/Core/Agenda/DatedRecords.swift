/// The dates of items: when their reminders are due, and the last days of their warranties.
extension Item: DatedKind {
  /// Adds the warranties that end in a span, and the reminders that are due in it; a reminder of an earlier
  /// day, not done since, is overdue.
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    let includesOverdue = context.includesOverdue(in: span)
    var index = context.index(.item)
    index.forEach(dueAfter: .min, through: span.end.seconds) { entry in
      // Nothing is due before the index says so.
      if let bound = sink.bound, entry.due > bound.seconds { return false }
      guard let brief = Brief<Item>(entry, through: "reminder") else { return true }
      if let warranty = brief.record.warranty(of: entry.id, in: span, context.zone) {
        sink.add(warranty)
      }
      guard let reminder = brief.record.reminder,
        let due = brief.due(in: context.zone), due < span.end,
        due >= span.start || includesOverdue
      else { return true }
      if let bound = sink.bound, due > bound { return true }
      sink.add(
        reminder.occurrence(
          of: entry.id, entry.title, due: due, at: context.asOf, in: context.zone))
      return true
    }
  }

  /// Returns the last day of the warranty where a span has it; `nil` without one.
  private func warranty(
    of id: RecordID, in span: TimelineSpan, _ zone: ZoneRules
  ) -> Occurrence? {
    guard let warrantyUntil else { return nil }
    let moment = Moment.day(warrantyUntil)
    let start = moment.start(in: zone)
    guard start < span.end, moment.end(in: zone) > span.start,
      span.includesOngoing || start >= span.start
    else { return nil }
    return Occurrence(kind: .item, id: id, title: name, happening: .warranty, moment: moment)
  }

  /// Returns when its reminder is due, as the timeline of a time has it; `nil` where it has none that
  /// is on.
  func occurrence(_ context: TimelineContext, at now: Instant) -> Occurrence? {
    guard let reminder, reminder.isOn,
      let due = reminder.due(last: history.last?.at, in: context.zone)
    else { return nil }
    return reminder.occurrence(of: id, name, due: due, at: now, in: context.zone)
  }

  /// Whether it may have a reminder that is on: only such a reminder is due. Calendars have no warranties.
  package static func mayHaveSeries(_ entry: IndexEntry) -> Bool { entry.due != .max }

  package static func createdAt(_ entry: IndexEntry) -> Instant? {
    Instant(seconds: entry.sortKey)
  }

  /// Whether its reminder is repeated by days: only such a one names a zone, which is that of the user.
  package static func mayNameZone(_ entry: IndexEntry) -> Bool {
    Brief<Item>(entry, through: "reminder")?.record.reminder?.isOfDays == true
  }

  package func series(_ context: TimelineContext) -> Series? {
    let last = history.last?.at
    guard let reminder, reminder.isOn, let due = reminder.due(last: last, in: context.zone) else {
      return nil
    }
    // Minutes and hours are for one day; nobody wants them all in a calendar.
    let repetition = reminder.clocks(last: last, in: context.zone).map { found in
      Series.Repetition(
        rules: [
          Series.Repetition.text(
            every: reminder.count, reminder.unit, from: found.anchor, leapDay: .february28)
        ], clocks: (context.zone, found.local))
    }
    return Series(
      header: header, title: reminder.title(of: self), notes: description, happening: .reminder,
      moment: .instant(due), repetition: repetition, tags: tags)
  }

  private static func announcement(
    _ due: Reminder.Due, of id: RecordID, _ reminder: Reminder
  ) -> Announcement {
    Announcement(
      kind: .item, id: id, topic: "reminder", instant: due.instant,
      elsewhere: reminder.isOfDays ? .counted(due.number, from: due.anchor) : nil)
  }

  /// The announcement of the last day of the warranty, at its start, where a span has that.
  private func warrantyEnd(
    of id: RecordID, in span: DueSpan
  ) -> (date: CivilDate, announcement: Announcement)? {
    guard let date = warrantyUntil else { return nil }
    let instant = Moment.day(date).start(in: span.zone)
    guard span.holds(instant) else { return nil }
    return (
      date,
      Announcement(
        kind: .item, id: id, topic: "warranty", instant: instant,
        elsewhere: .local(CivilDateTime(date: date, time: .midnight)))
    )
  }

  /// Hands over the items: of each the last occurrence counts, and only if nothing was done after it.
  package static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool
  ) {
    index.forEach(dueAfter: .min, through: span.end.seconds) { entry in
      guard let brief = Brief<Item>(entry, through: "reminder") else {
        return body(entry.id, span.start)
      }
      var announcements = [brief.record.warrantyEnd(of: entry.id, in: span)?.announcement]
      if let reminder = brief.record.reminder,
        let latest = reminder.latest(
          through: span.end, last: brief.digest.figures.last, in: span.zone),
        span.holds(latest.instant)
      {
        announcements.append(announcement(latest, of: entry.id, reminder))
      }
      let first = announcements.compactMap(\.self).filter { !known.contains($0) }
        .map(\.instant).min()
      return first.map { body(entry.id, $0) } ?? true
    }
  }

  /// Counts the reminders: nobody has to do anything about a warranty that is over.
  package static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int {
    var count = 0
    index.forEach(dueAfter: .min, through: firstUse.seconds) { entry in
      let brief = Brief<Item>(entry, through: "reminder")
      // What was made later was not due then, whatever was written down of it.
      let isThere = createdAt(entry).map { $0 <= firstUse } ?? true
      if isThere,
        brief?.record.reminder?.latest(
          through: firstUse, last: brief?.digest.figures.last, in: calendar.zone) != nil
      {
        count += 1
      }
      return true
    }
    return count
  }

  package func dues(in span: DueSpan) -> [DueThing] {
    var dues = [warrantyEnd(of: id, in: span)].compactMap(\.self).map { end in
      DueThing(announcement: end.announcement, matter: .warranty(self, end.date))
    }
    if let reminder,
      let latest = reminder.latest(through: span.end, last: history.last?.at, in: span.zone),
      span.holds(latest.instant)
    {
      dues.append(
        DueThing(
          announcement: Self.announcement(latest, of: id, reminder),
          matter: .reminder(self, reminder)))
    }
    return dues.sorted { $0.announcement.instant < $1.announcement.instant }
  }
}

extension Reminder {
  /// Returns what the timeline has of it at a time.
  fileprivate func occurrence(
    of id: RecordID, _ item: String, due: Instant, at now: Instant, in zone: ZoneRules
  ) -> Occurrence {
    var occurrence = Occurrence(
      kind: .item, id: id, title: item, happening: .reminder, moment: .instant(due),
      detail: (name.isEmpty ? "" : "\(name), ") + words)
    occurrence.isOverdue = occurrence.isOverdueReminder(at: now, in: zone)
    return occurrence
  }

  /// The item's name, and the reminder's behind it where it has one.
  package func title(of item: Item) -> String {
    name.isEmpty ? item.name : "\(item.name): \(name)"
  }
}

/// The dates of capsules: they unlock, and were sealed and opened.
extension Capsule: DatedKind {
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.capsule)
    var count = 0
    index.forEach(.ascending, from: span.start.seconds) { entry in
      guard entry.sortKey < span.end.seconds, count < span.limit else { return false }
      guard let summary = Brief<Capsule>(entry) else { return true }
      count += 1
      sink.add(
        Occurrence(
          kind: .capsule, id: entry.id, title: summary.record.title, happening: .unlock,
          moment: .instant(summary.digest.unlockAt)))
      return true
    }
  }

  package static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.capsule)
    index.forEach(.ascending) { entry in
      guard let summary = Brief<Capsule>(entry) else { return true }
      let times: [(Instant?, Occurrence.Happening)] = [
        (summary.record.createdAt, .sealed), (summary.record.openedAt, .opened),
      ]
      for case (let instant?, let happening) in times
      where context.isAnniversary(context.zone.civil(at: instant).date, on: date) {
        sink.add(
          Occurrence(
            kind: .capsule, id: entry.id, title: summary.record.title, happening: happening,
            moment: .instant(instant)))
      }
      return true
    }
  }

  package static func createdAt(_ entry: IndexEntry) -> Instant? {
    Brief<Capsule>(entry)?.record.createdAt
  }

  package func series(_ context: TimelineContext) -> Series? {
    Series(
      header: header, title: title, notes: notes, happening: .unlock, moment: .instant(dueAt),
      tags: tags)
  }

  private static func unlock(of id: RecordID, at instant: Instant) -> Announcement {
    Announcement(kind: .capsule, id: id, topic: "unlock", instant: instant)
  }

  package static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool
  ) {
    index.forEach(dueAfter: span.start.seconds, through: span.end.seconds) { entry in
      let due = Instant(seconds: entry.due)
      return known.contains(unlock(of: entry.id, at: due)) || body(entry.id, due)
    }
  }

  package static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int {
    var count = 0
    index.forEach(dueAfter: .min, through: firstUse.seconds) { entry in
      if Brief<Capsule>(entry)?.record.openedAt == nil { count += 1 }
      return true
    }
    return count
  }

  package func dues(in span: DueSpan) -> [DueThing] {
    // Its owner, who opened it, knows.
    guard span.holds(dueAt), openedAt == nil else { return [] }
    return [DueThing(announcement: Self.unlock(of: id, at: dueAt), matter: .unlock(self))]
  }
}

/// The dates of bequests: from a date on they are accessible.
extension Bequest: DatedKind {
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.bequest)
    let start = span.start.seconds.addingClamped(-1)
    index.forEach(dueAfter: start, through: span.end.seconds) { entry in
      if let bound = sink.bound, entry.due > bound.seconds { return false }
      guard let summary = Brief<Bequest>(entry),
        let date = summary.record.access.date, date < span.end
      else { return true }
      sink.add(
        Occurrence(
          kind: .bequest, id: entry.id, title: context.names.title(summary.record),
          happening: .delivery, moment: .instant(date)))
      return true
    }
  }

  /// Returns when it can be handed over; `nil` where no date says so, or it was handed over.
  func occurrence(_ context: TimelineContext) -> Occurrence? {
    guard state == .notSent, let date = access.date else { return nil }
    return Occurrence(
      kind: .bequest, id: id, title: context.names.title(self), happening: .delivery,
      moment: .instant(date))
  }

  /// Whether the bequest is still to be handed over at a date.
  package static func mayHaveSeries(_ entry: IndexEntry) -> Bool { entry.due != .max }

  package static func createdAt(_ entry: IndexEntry) -> Instant? {
    Instant(seconds: entry.sortKey)
  }

  package func series(_ context: TimelineContext) -> Series? {
    guard state == .notSent, let date = access.date else { return nil }
    return Series(
      header: header, title: context.names.title(self), notes: "", happening: .delivery,
      moment: .instant(date))
  }

  private static func accessible(_ id: RecordID, at instant: Instant) -> Announcement {
    Announcement(kind: .bequest, id: id, topic: "accessible", instant: instant)
  }

  package static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool
  ) {
    index.forEach(dueAfter: span.start.seconds, through: span.end.seconds) { entry in
      let due = Instant(seconds: entry.due)
      return known.contains(accessible(entry.id, at: due)) || body(entry.id, due)
    }
  }

  package static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int {
    index.count(dueAfter: .min, through: firstUse.seconds)
  }

  package func dues(in span: DueSpan) -> [DueThing] {
    guard state == .notSent, let date = access.date, span.holds(date) else { return [] }
    return [DueThing(announcement: Self.accessible(id, at: date), matter: .bequest(self))]
  }
}
