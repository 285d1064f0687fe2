/// One check of a store: what is due in order, what was due before the first use, and whether
/// anything can be new since the last check.
///
/// A thing is marked in the ``Ledger`` after it was announced, never before: that order is the
/// caller's.
package struct DueCheck {
  private let store: Store
  /// The directory of the ledger; `nil` where nothing is remembered.
  private let directory: FilePath?
  private let calendar: EventCalendar
  /// The name of the user's zone.
  private let zone: String
  /// The time that is checked for.
  private let end: Instant
  /// The index of each of ``DatedKinds/all``.
  private var indexes: [RecordIndex]

  /// A check runs again and again: what was written over in its place is found by one of them, for all
  /// that lists too.
  private static let look = IndexLook.filesInTurn(256)

  /// - Parameters:
  ///   - end: the time that is checked for; only a dry run has another than `now`.
  ///   - now: the real time, for the index.
  ///   - zone: the name of the zone of `calendar`.
  package init(
    _ store: Store, directory: FilePath?, through end: Instant, now: Instant,
    calendar: EventCalendar, zone: String
  ) {
    self.store = store
    self.directory = directory
    self.calendar = calendar
    self.zone = zone
    self.end = end
    indexes = DatedKinds.all.map { store.index.open($0.kind, now: now, look: Self.look) }
  }

  /// Returns whether the last check left nothing, and since then nothing changed and nothing became
  /// due.
  package mutating func hasNothingNew() -> Bool {
    guard let directory, let last = LastCheck.read(directory, environment: store.environment),
      last.through <= end, last.basis == basis()
    else { return false }
    let span = DueSpan(start: last.through, end: end, calendar: calendar)
    for (position, kind) in DatedKinds.all.enumerated() {
      var isNew = false
      kind.forEachCandidate(in: &indexes[position], span, known: Ledger.Known()) { _, _ in
        isNew = true
        return false
      }
      if isNew { return false }
    }
    return true
  }

  /// Keeps that nothing is left, for the next check.
  package mutating func keepNothingLeft() {
    guard let directory, let basis = basis() else { return }
    LastCheck(through: end, basis: basis).write(directory, environment: store.environment)
  }

  /// Returns what a check rests on; `nil` where it is not known.
  private mutating func basis() -> String? {
    var stamps: [(RecordKind, UInt64)] = []
    for (position, kind) in DatedKinds.all.enumerated() {
      guard indexes[position].failures.isEmpty else { return nil }
      stamps.append((kind.kind, indexes[position].stamp()))
    }
    guard let directory else { return nil }
    return LastCheck.basis(directory, of: store, indexes: stamps, zone: zone)
  }

  /// Returns everything that became due after an instant and is not known, in order.
  ///
  /// - Parameter report: gets each thing of which the index says that it cannot be read; the others
  ///   are due all the same.
  package mutating func dues(
    after start: Instant, known: Ledger.Known, report: (DueProblem) -> Void
  ) -> DueQueue {
    var queue = DueQueue(
      store, DueSpan(start: start, end: end, calendar: calendar), known: known)
    for (position, kind) in DatedKinds.all.enumerated() {
      let failures = indexes[position].failures
      for failure in failures { report(.directory(failure)) }
      for entry in indexes[position].problems() where entry.summary.isEmpty {
        report(.unreadable(path: store.layout.record(kind.kind, entry.id).text))
      }
      queue.add(kind, from: &indexes[position])
    }
    queue.sort()
    return queue
  }

  /// Counts what was due already when this machine first used the store.
  ///
  /// - Returns: the number of records, and their kinds.
  package mutating func count(
    dueThrough firstUse: Instant
  ) -> (count: Int, kinds: [RecordKind]) {
    var (sum, kinds) = (0, [RecordKind]())
    for (position, kind) in DatedKinds.all.enumerated() {
      let count = kind.count(in: &indexes[position], dueThrough: firstUse, calendar)
      sum += count
      if count > 0 { kinds.append(kind.kind) }
    }
    return (sum, kinds)
  }
}
