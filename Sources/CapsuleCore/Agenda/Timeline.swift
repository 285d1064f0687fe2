/// The seam by which a kind of record joins the timeline: `agenda`, `next`, `status`,
/// `on-this-day` and `export ics` know nothing else of it.
///
/// Nothing here throws: a record that cannot be read has no dates, and `list` and `verify` say so.
package protocol TimelineSource: Sendable {
  var kind: RecordKind { get }

  /// What is not over at the span's start and begins before its end. Of what comes first at least
  /// `span.limit` are given, in any order.
  func occurrences(in span: TimelineSpan, _ context: TimelineContext) -> [Occurrence]

  /// What happened on this day of earlier years.
  func memories(of date: CivilDate, _ context: TimelineContext) -> [Occurrence]

  /// Everything with a date, for calendars.
  func series(_ context: TimelineContext) -> [Series]
}

/// Which part of the timeline is asked for.
package struct TimelineSpan: Hashable, Sendable {
  package let start: Instant
  package let end: Instant
  package let limit: Int
  package let includesAlerts: Bool
  /// Whether of what is repeated only the first occurrence counts.
  package let isOncePerRecord: Bool

  package init(
    from start: Instant, before end: Instant = .latest, limit: Int = .max,
    includesAlerts: Bool = false, isOncePerRecord: Bool = false
  ) {
    self.start = start
    self.end = end
    self.limit = limit
    self.includesAlerts = includesAlerts
    self.isOncePerRecord = isOncePerRecord
  }
}

/// What the sources look at.
package struct TimelineContext {
  package let store: Store
  /// The real time, for the index.
  package let now: Instant
  /// The time that is asked about: what is overdue then stands at the beginning of a span that holds it.
  package let asOf: Instant
  package let calendar: EventCalendar

  package init(store: Store, now: Instant, asOf: Instant, calendar: EventCalendar) {
    self.store = store
    self.now = now
    self.asOf = asOf
    self.calendar = calendar
  }

  package var zone: ZoneRules { calendar.zone }

  /// Whether an instant fell on this day of an earlier year.
  package func isAnniversary(_ past: CivilDate, on date: CivilDate) -> Bool {
    past.year < date.year
      && past.anniversary(years: date.year - past.year, leapDay: calendar.leapDay) == date
  }
}

/// One line of time over everything in a store.
package struct Timeline {
  /// Every kind of record that has dates: the one place where another joins.
  package static let sources: [any TimelineSource] = [
    UnlockTimeline(), EventTimeline(), ItemTimeline(), BequestTimeline(),
  ]

  private let context: TimelineContext
  private let sources: [any TimelineSource]

  /// - Parameter kinds: those that are asked for; all when there are none.
  package init(_ context: TimelineContext, kinds: [RecordKind] = []) {
    self.context = context
    sources = Self.sources.filter { kinds.isEmpty || kinds.contains($0.kind) }
  }

  /// What a span holds, in order; of equal ones whole days first.
  package func occurrences(in span: TimelineSpan) -> [Occurrence] {
    let found = sources.flatMap { $0.occurrences(in: span, context) }
    return Array(sorted(found).prefix(span.limit))
  }

  /// What happened on this day of earlier years, the longest ago first.
  package func memories(of date: CivilDate) -> [Occurrence] {
    sorted(sources.flatMap { $0.memories(of: date, context) })
  }

  /// Everything with a date, the oldest record first.
  package func series() -> [Series] {
    sources.flatMap { $0.series(context) }
      .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
  }

  private func sorted(_ found: [Occurrence]) -> [Occurrence] {
    let starts = found.map { $0.moment.start(in: context.zone) }
    return found.indices.sorted { one, other in
      if starts[one] != starts[other] { return starts[one] < starts[other] }
      let (left, right) = (found[one], found[other])
      if left.moment.isAllDay != right.moment.isAllDay { return left.moment.isAllDay }
      return (left.title, left.id) < (right.title, right.id)
    }.map { found[$0] }
  }
}
