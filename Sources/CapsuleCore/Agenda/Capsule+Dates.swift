/// Capsules on the timeline: they unlock, and were sealed and opened.
package struct UnlockTimeline: TimelineSource {
  package var kind: RecordKind { .capsule }

  package func occurrences(in span: TimelineSpan, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.capsule, now: context.now)
    var found: [Occurrence] = []
    index.forEach(.ascending, from: span.start.seconds) { entry in
      guard entry.sortKey < span.end.seconds, found.count < span.limit else { return false }
      guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return true }
      found.append(
        Occurrence(
          kind: .capsule, id: entry.id, title: summary.title, what: .unlock,
          moment: .instant(summary.unlockAt)))
      return true
    }
    return found
  }

  package func memories(of date: CivilDate, _ context: TimelineContext) -> [Occurrence] {
    var index = context.store.index(.capsule, now: context.now)
    var found: [Occurrence] = []
    index.forEach(.ascending) { entry in
      guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return true }
      let times: [(Instant?, Occurrence.What)] = [
        (summary.createdAt, .sealed), (summary.openedAt, .opened),
      ]
      for case (let instant?, let what) in times
      where context.isAnniversary(context.zone.civil(at: instant).date, on: date) {
        found.append(
          Occurrence(
            kind: .capsule, id: entry.id, title: summary.title, what: what,
            moment: .instant(instant)))
      }
      return true
    }
    return found
  }

  package func series(_ context: TimelineContext) -> [Series] {
    var index = context.store.index(.capsule, now: context.now)
    var found: [Series] = []
    index.forEach(.ascending) { entry in
      guard let capsule = try? context.store.read(Capsule.self, entry.id).model else {
        return true
      }
      found.append(
        Series(
          kind: .capsule, id: entry.id, title: capsule.title, notes: capsule.notes,
          what: .unlock, moment: .instant(capsule.unlockAt), zone: "", recurrence: nil,
          alerts: [], createdAt: capsule.createdAt, updatedAt: capsule.updatedAt,
          revision: capsule.revision, tags: capsule.tags))
      return true
    }
    return found
  }
}
