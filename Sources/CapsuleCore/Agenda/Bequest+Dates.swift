/// Bequests on the timeline: from a date on they are accessible, and were sent and accepted.
package struct BequestTimeline: TimelineSource {
  package var kind: RecordKind { .bequest }

  package func occurrences(in span: TimelineSpan, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.bequest, now: context.now)
    let names = RecordNames(context.store, now: context.now)
    let entries = index.entries(
      dueAfter: span.start.seconds.addingClamped(-1), through: span.end.seconds)
    return entries.compactMap { entry in
      guard let summary = BequestSummary(id: entry.id, encoded: entry.summary),
        let date = summary.access.date, date < span.end
      else { return nil }
      return Occurrence(
        kind: .bequest, id: entry.id, title: names.title(summary), what: .delivery,
        moment: .instant(date))
    }
  }

  package func memories(of date: CivilDate, _ context: TimelineContext) -> [Occurrence] { [] }

  package func series(_ context: TimelineContext) -> [Series] {
    var index = context.store.index(.bequest, now: context.now)
    let names = RecordNames(context.store, now: context.now)
    var found: [Series] = []
    index.forEach(.ascending) { entry in
      guard let bequest = try? context.store.read(Bequest.self, entry.id).model,
        bequest.state == .notSent, let date = bequest.access.date
      else { return true }
      found.append(
        Series(
          kind: .bequest, id: entry.id, title: names.title(bequest.summary), notes: "",
          what: .delivery, moment: .instant(date), zone: "", recurrence: nil, alerts: [],
          createdAt: bequest.createdAt, updatedAt: bequest.updatedAt,
          revision: bequest.header.revision))
      return true
    }
    return found
  }
}
