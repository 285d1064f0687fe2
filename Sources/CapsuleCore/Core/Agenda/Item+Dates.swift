/// The dates of items: when their reminders are due.
extension Item: DatedKind {
  /// Adds the reminders that are due in a span; one of an earlier day, not done since, is overdue.
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    let includesOverdue = context.includesOverdue(in: span)
    var index = context.index(.item)
    index.forEach(dueAfter: .min, through: span.end.seconds) { entry in
      // Nothing is due before the index says so.
      if let bound = sink.bound, entry.due > bound.seconds { return false }
      guard let (last, reminder) = ItemSummary.timing(encoded: entry.summary), let reminder,
        reminder.isOn, let due = reminder.due(last: last, in: context.zone), due < span.end,
        due >= span.start || includesOverdue
      else { return true }
      if let bound = sink.bound, due > bound { return true }
      sink.add(
        reminder.occurrence(
          of: entry.id, entry.title, due: due, at: context.asOf, in: context.zone))
      return true
    }
  }

  /// Returns when its reminder is due, as the timeline of a time has it; `nil` where it has none that
  /// is on.
  func occurrence(_ context: TimelineContext, at now: Instant) -> Occurrence? {
    guard let reminder, reminder.isOn,
      let due = reminder.due(last: history.last?.at, in: context.zone)
    else { return nil }
    return reminder.occurrence(of: id, name, due: due, at: now, in: context.zone)
  }

  /// Whether its reminder is on: only such a reminder is due.
  package static func mayHaveSeries(_ entry: IndexEntry) -> Bool { entry.due != .max }

  package static func createdAt(_ entry: IndexEntry) -> Instant? {
    Instant(seconds: entry.sortKey)
  }

  /// Whether its reminder is repeated by days: only such a one names a zone, which is that of the user.
  package static func mayNameZone(_ entry: IndexEntry) -> Bool {
    ItemSummary.timing(encoded: entry.summary)?.reminder?.isOfDays == true
  }

  package func series(_ context: TimelineContext) -> Series? {
    let last = history.last?.at
    guard let reminder, reminder.isOn, let due = reminder.due(last: last, in: context.zone) else {
      return nil
    }
    // Minutes and hours are for one day; nobody wants them all in a calendar.
    let repetition = reminder.clocks(last: last, in: context.zone).map { found in
      Series.Repetition(
        rule: Series.Rule(count: reminder.count, unit: reminder.unit), anchor: found.anchor,
        leapDay: .february28, clocks: (context.zone, found.local))
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

  /// Hands over the items: of each the last occurrence counts, and only if nothing was done after it.
  package static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool
  ) {
    index.forEach(dueAfter: .min, through: span.end.seconds) { entry in
      guard let timing = ItemSummary.timing(encoded: entry.summary) else {
        return body(entry.id, span.start)
      }
      guard let reminder = timing.reminder,
        let latest = reminder.latest(through: span.end, last: timing.last, in: span.zone),
        span.holds(latest.instant),
        !known.contains(announcement(latest, of: entry.id, reminder))
      else { return true }
      return body(entry.id, latest.instant)
    }
  }

  package static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int {
    var count = 0
    index.forEach(dueAfter: .min, through: firstUse.seconds) { entry in
      let timing = ItemSummary.timing(encoded: entry.summary)
      // What was made later was not due then, whatever was written down of it.
      let isThere = createdAt(entry).map { $0 <= firstUse } ?? true
      if isThere,
        timing?.reminder?.latest(through: firstUse, last: timing?.last, in: calendar.zone) != nil
      {
        count += 1
      }
      return true
    }
    return count
  }

  package func dues(in span: DueSpan) -> [DueThing] {
    guard let reminder,
      let latest = reminder.latest(through: span.end, last: history.last?.at, in: span.zone),
      span.holds(latest.instant)
    else { return [] }
    return [
      DueThing(
        announcement: Self.announcement(latest, of: id, reminder),
        matter: .reminder(self, reminder))
    ]
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
