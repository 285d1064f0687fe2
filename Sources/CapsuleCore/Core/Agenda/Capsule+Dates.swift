/// The dates of capsules: they unlock, and were sealed and opened.
extension Capsule: DatedKind {
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.capsule)
    var count = 0
    index.forEach(.ascending, from: span.start.seconds) { entry in
      guard entry.sortKey < span.end.seconds, count < span.limit else { return false }
      guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return true }
      count += 1
      sink.add(
        Occurrence(
          kind: .capsule, id: entry.id, title: summary.title, happening: .unlock,
          moment: .instant(summary.unlockAt)))
      return true
    }
  }

  package static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.capsule)
    index.forEach(.ascending) { entry in
      guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return true }
      let times: [(Instant?, Occurrence.Happening)] = [
        (summary.createdAt, .sealed), (summary.openedAt, .opened),
      ]
      for case (let instant?, let happening) in times
      where context.isAnniversary(context.zone.civil(at: instant).date, on: date) {
        sink.add(
          Occurrence(
            kind: .capsule, id: entry.id, title: summary.title, happening: happening,
            moment: .instant(instant)))
      }
      return true
    }
  }

  package static func createdAt(_ entry: IndexEntry) -> Instant? {
    CapsuleSummary(id: entry.id, encoded: entry.summary)?.createdAt
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
    index.count(dueAfter: .min, through: firstUse.seconds)
  }

  package func dues(in span: DueSpan) -> [DueThing] {
    guard span.holds(dueAt) else { return [] }
    return [DueThing(announcement: Self.unlock(of: id, at: dueAt), matter: .unlock(self))]
  }
}
