/// A part of the timeline.
package struct TimelineSpan: Hashable, Sendable {
  package let start: Instant
  package let end: Instant
  package let limit: Int
  package let includesAlerts: Bool
  /// Whether what is overdue stands before the rest, where the span has begun.
  package let includesOverdue: Bool
  /// Whether of a repeating record only the first occurrence counts.
  package let isOncePerRecord: Bool
  package let order: OccurrenceOrder

  package init(
    from start: Instant, before end: Instant = .latest, limit: Int = .max,
    includesAlerts: Bool = false, includesOverdue: Bool = true, isOncePerRecord: Bool = false,
    by order: OccurrenceOrder = .beginning
  ) {
    self.start = start
    self.end = end
    self.limit = limit
    self.includesAlerts = includesAlerts
    self.includesOverdue = includesOverdue
    self.isOncePerRecord = isOncePerRecord
    self.order = order
  }
}

/// The store and the times that the kinds with dates look at.
package struct TimelineContext {
  package let store: Store
  /// The real time, for the index.
  package let now: Instant
  /// The time that is asked about: what is overdue then stands before what a span holds that has begun
  /// by then.
  package let asOf: Instant
  package let calendar: EventCalendar
  /// The titles of the records that others name.
  let names: RecordNames
  /// What was found to be missing so far.
  package let gaps = TimelineGaps()

  /// - Parameter asOf: the time that is asked about; the real one if `nil`.
  package init(_ store: Store, now: Instant, asOf: Instant? = nil, calendar: EventCalendar) {
    self.store = store
    self.now = now
    self.asOf = asOf ?? now
    self.calendar = calendar
    names = RecordNames(store, now: now)
  }

  var zone: ZoneRules { calendar.zone }

  /// Opens the index of a kind, and notes what is missing there.
  func index(_ kind: RecordKind) -> RecordIndex {
    var index = store.index.open(kind, now: now)
    gaps.note(&index)
    return index
  }

  /// Whether overdue things are asked for with a span. For days that are yet to come it is not
  /// known what will be overdue.
  func includesOverdue(in span: TimelineSpan) -> Bool {
    span.includesOverdue && span.start <= asOf
  }

  /// Whether a date was this day of an earlier year.
  func isAnniversary(_ past: CivilDate, on date: CivilDate) -> Bool {
    past.year < date.year
      && past.anniversary(years: date.year - past.year, leapDay: calendar.leapDay) == date
  }
}

/// What is missing from a timeline: records with a problem, and directories that could not be looked at.
package final class TimelineGaps {
  package private(set) var failures: [FileSystemError] = []
  package private(set) var problems: Set<IndexProblem> = []

  package var isEmpty: Bool { failures.isEmpty && problems.isEmpty }

  fileprivate func note(_ index: inout RecordIndex) {
    failures += index.failures
    problems.formUnion(index.problems().map(\.problem))
  }
}

/// One line of time over everything in a store.
package struct Timeline {
  private let context: TimelineContext
  package var gaps: TimelineGaps { context.gaps }
  private let kinds: [any DatedKind.Type]

  /// - Parameter kinds: the kinds that are asked for; all when there are none.
  package init(_ context: TimelineContext, kinds: [RecordKind] = []) {
    self.context = context
    self.kinds = DatedKinds.all.filter { kinds.isEmpty || kinds.contains($0.kind) }
  }

  /// Returns what is overdue where that is asked for, and the occurrences of a span, in its order.
  package func occurrences(in span: TimelineSpan) -> [Occurrence] {
    var first = FirstOccurrences(limit: span.limit, in: context.zone, by: span.order)
    for kind in kinds { kind.occurrences(in: span, context, to: &first) }
    return first.elements()
  }

  /// Returns the past of this day in earlier years, the longest ago first.
  package func memories(of date: CivilDate) -> [Occurrence] {
    var found = FirstOccurrences(limit: .max, in: context.zone)
    for kind in kinds { kind.memories(of: date, context, to: &found) }
    return found.elements()
  }

  /// Hands over everything with a date, the oldest record first. No more of a record is held than
  /// its place; a record that may name a zone is read twice.
  ///
  /// - Parameters:
  ///   - note: called before with each of them that may name a zone, in any order.
  ///   - begin: called in between.
  ///   - body: called with each of them.
  package func forEachSeries(
    noting note: (Series) -> Void, beginning begin: () throws -> Void,
    _ body: (Series) throws -> Void
  ) rethrows {
    var places: [SeriesPlace] = []
    for (number, kind) in kinds.enumerated() {
      var index = context.index(kind.kind)
      index.forEach(.ascending) { entry in
        guard kind.mayHaveSeries(entry) else { return true }
        var createdAt = kind.createdAt(entry)
        if createdAt == nil || kind.mayNameZone(entry) {
          guard let series = series(of: entry.id, kind) else { return true }
          note(series)
          createdAt = series.header.createdAt
        }
        if let createdAt {
          places.append(SeriesPlace(createdAt: createdAt, key: entry.key, kind: number))
        }
        return true
      }
    }
    places.sort {
      ($0.createdAt, $0.key.madeAt, $0.key.id) < ($1.createdAt, $1.key.madeAt, $1.key.id)
    }
    try begin()
    for place in places {
      // It may be gone by now.
      if let series = series(of: place.key.id, kinds[place.kind]) { try body(series) }
    }
  }

  private func series<Kind: DatedKind>(of id: RecordID, _ kind: Kind.Type) -> Series? {
    (try? context.store.read(kind, id))?.model.series(context)
  }

  /// The place of a record among those with a date.
  private struct SeriesPlace {
    let createdAt: Instant
    let key: IndexKey
    /// Its number in ``kinds``.
    let kind: Int
  }
}
