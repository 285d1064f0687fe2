/// The dates of bequests: from a date on they are accessible.
extension Bequest: DatedKind {
  package static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {
    var index = context.index(.bequest)
    let start = span.start.seconds.addingClamped(-1)
    index.forEach(dueAfter: start, through: span.end.seconds) { entry in
      if let bound = sink.bound, entry.due > bound.seconds { return false }
      guard let summary = BequestSummary(id: entry.id, encoded: entry.summary),
        let date = summary.access.date, date < span.end
      else { return true }
      sink.add(
        Occurrence(
          kind: .bequest, id: entry.id, title: context.names.title(summary),
          happening: .delivery, moment: .instant(date)))
      return true
    }
  }

  /// Returns when it can be handed over; `nil` where no date says so, or it was handed over.
  func occurrence(_ context: TimelineContext) -> Occurrence? {
    guard state == .notSent, let date = access.date else { return nil }
    return Occurrence(
      kind: .bequest, id: id, title: context.names.title(summary), happening: .delivery,
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
      header: header, title: context.names.title(summary), notes: "", happening: .delivery,
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
