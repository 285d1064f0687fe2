/// A kind of record that has dates: all that the agenda, calendars and `check` know of it.
///
/// A new kind joins by conforming, in a file `Kind+Dates.swift` beside this one, and by its place
/// in ``DatedKinds/all``. Nothing here throws: a record that cannot be read has no dates, and
/// `list`, `verify` and `check` report it.
package protocol DatedKind: RecordModel {
  /// Yields the occurrences that are not over at the span's start and begin before its end, and what is
  /// overdue where that is asked for: in any order, and at least the first `span.limit`.
  static func occurrences(
    in span: TimelineSpan, _ context: TimelineContext, to sink: inout some OccurrenceSink)

  /// Yields the past of this day in earlier years.
  static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink)

  /// Whether calendars may have the record of an index entry, so that it has to be read.
  static func mayHaveSeries(_ entry: IndexEntry) -> Bool

  /// Whether calendars may have to describe a zone for the record of an index entry.
  static func mayNameZone(_ entry: IndexEntry) -> Bool

  /// Returns the time at which the record of an index entry was made; `nil` where the index does not
  /// have it.
  static func createdAt(_ entry: IndexEntry) -> Instant?

  /// Returns the record with all of its repetitions, for calendars; `nil` where it has no date.
  func series(_ context: TimelineContext) -> Series?

  /// Hands over the records that may have something to announce that is not known yet, each with the
  /// first time at which it was due, until `body` gives `false`.
  static func forEachCandidate(
    in index: inout RecordIndex, _ span: DueSpan, known: Ledger.Known,
    _ body: (RecordID, Instant) -> Bool)

  /// Counts the records that have something due when this machine first uses the store.
  static func count(
    in index: inout RecordIndex, dueThrough firstUse: Instant, _ calendar: EventCalendar
  ) -> Int

  /// Returns the announcements of this record that became due in a span.
  func dues(in span: DueSpan) -> [DueThing]
}

/// The kinds that have dates.
package enum DatedKinds {
  /// Every one of them, in the order in which they are looked at: the one list that a kind joins.
  package static let all: [any DatedKind.Type] = [
    Capsule.self, Event.self, Item.self, Bequest.self,
  ]
}

extension DatedKind {
  package static func memories(
    of date: CivilDate, _ context: TimelineContext, to sink: inout some OccurrenceSink
  ) {}

  package static func mayHaveSeries(_ entry: IndexEntry) -> Bool { true }

  package static func mayNameZone(_ entry: IndexEntry) -> Bool { false }
}
