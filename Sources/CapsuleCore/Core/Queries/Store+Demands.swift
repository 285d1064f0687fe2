/// A thing that asks its owner to do something now.
package enum Demand: Sendable {
  /// An item whose reminder is due.
  case reminder(ItemRow)
  /// A deadline that is over and was not met.
  case deadline(EventRow)
  /// A bequest that may be handed over, and was not sent; not one of a capsule that only its own time opens.
  case bequest(BequestRow)
}

extension StoreQueries {
  /// Returns the things that ask for something, those that have waited longest first; bequests, which no
  /// date asks for, come last. What cannot be read is left out.
  package func demands(
    _ calendar: EventCalendar, passing: Passing?, now: Instant
  ) -> [Demand] {
    var found: [(at: Instant, demand: Demand)] = []
    var items = ItemQuery(now: now, zone: calendar.zone)
    items.onlyDue = true
    forEachReadable(items, now: now) { found.append(($0.dueAt ?? .latest, .reminder($0))) }
    var deadlines = EventQuery(calendar, now: now)
    deadlines.onlyDeadlines = true
    deadlines.includesAhead = false
    forEachReadable(deadlines, now: now) { row in
      guard row.state == .over else { return }
      found.append((row.moment.start(in: calendar.zone), .deadline(row)))
    }
    var bequests = BequestQuery(passing: passing, now: now)
    bequests.onlyAccessible = true
    bequests.states = [.notSent]
    var capsules = store.index.open(.capsule, now: now)
    forEachReadable(bequests, now: now) { row in
      if !waitsForItsTime(row.summary.subject, in: &capsules, now: now) {
        found.append((.latest, .bequest(row)))
      }
    }
    return found.enumerated().sorted { one, other in
      (one.element.at, one.offset) < (other.element.at, other.offset)
    }.map(\.element.demand)
  }

  /// Whether a thing is a capsule with an honor lock that is still locked: it goes when it opens, and any other
  /// goes as its sealed files.
  private func waitsForItsTime(
    _ subject: RecordReference, in capsules: inout RecordIndex, now: Instant
  ) -> Bool {
    guard subject.kind == .capsule, let entry = capsules.entry(subject.id),
      let summary = CapsuleSummary(id: entry.id, encoded: entry.summary)
    else { return false }
    return summary.lock == .honor && now < summary.unlockAt
  }

  /// Hands over the rows of a question that can be read.
  package func forEachReadable<Query: RecordQuery>(
    _ query: Query, now: Instant, _ body: (Query.Row) -> Void
  ) {
    var index = store.index.open(Query.kind, now: now)
    query.forEachReadable(in: &index, of: store) { row in
      body(row)
      return true
    }
  }
}
