/// The facts that this machine keeps about one record.
package struct SyncEntry: Hashable, Sendable {
  /// The state that the record's file shows.
  package var state: RecordState
  /// The state that arrived and could not be taken over yet: it is joined at the next sync.
  package var waiting: RecordState?
  /// The changes that were seen when the record was purged here. It is not written again until it is
  /// alive with a change beyond them.
  package var purged: VersionVector?
  /// The beginnings of the digests of files that the record had before, with the same `rev`.
  package var earlier: [UInt64] = []
  /// The parts of which the file's value was chosen among several: it becomes the only one at the next sync,
  /// since only a sync sees whether the dots of this machine are new.
  package var chosen: Set<CellKey> = []
  /// The `rev` of the file in which they were; an earlier one has other values.
  package var chosenRevision: Int64 = 0
  /// Whether the parts that rules keep are to be everywhere as this machine has them, from the next sync on.
  package var insists = false

  package init(state: RecordState = RecordState()) {
    self.state = state
  }

  /// Whether the record is to have a file here: not while it is purged.
  package var isShown: Bool {
    guard let purged else { return true }
    return state.isAlive && state.hasNews(beyond: purged)
  }
}

extension SyncEntry {
  /// The most earlier digests that are kept.
  private static let earlierLimit = 32

  /// Notes that a file gave way to another one of the same `rev`. One that only went to another place, or that is again
  /// what it was before, is no earlier version: its next deletion is a change.
  package mutating func noteEarlier(_ digest: UInt64, than new: UInt64) {
    earlier.removeAll { $0 == digest || $0 == new }
    guard digest != new else { return }
    earlier.append(digest)
    if earlier.count > Self.earlierLimit { earlier.removeFirst() }
  }

  /// Takes over what a record's file says: what differs, and the values that were chosen.
  package mutating func observe(
    _ observed: ObservedRecord, digest: UInt64, by actor: ActorID, _ table: MergeTable
  ) {
    let age = age(of: observed, digest: digest, table)
    state.observe(observed, age, by: actor, table)
    let revision = observed.cells[CellKey("rev")]?.json.integer ?? 0
    if age == .current, revision >= chosenRevision {
      state.choose(chosen, in: observed, by: actor, table)
    }
    (chosen, chosenRevision) = ([], 0)
    purged = nil
  }

  /// Returns the age of a file compared with the state: an earlier version may have been put back.
  package func age(
    of observed: ObservedRecord, digest: UInt64, _ table: MergeTable
  ) -> CopyAge {
    let rev = CellKey("rev")
    // The settings have none: where one is set to what it was before, the file is an earlier one to the byte.
    guard let own = observed.cells[rev] else { return .current }
    if earlier.contains(digest) { return .old }
    guard let siblings = state.cells[rev], let shown = table.rule(rev).shown(siblings).value,
      !shown.json.isBefore(own.json)
    else { return .current }
    guard own.json.isBefore(shown.json) else {
      // An edit of what the state shows would have raised it.
      return state.differs(from: observed, table) ? .oldAndChanged : .current
    }
    let time = CellKey("updatedAt")
    guard let times = state.cells[time], let last = table.rule(time).shown(times).value,
      let edited = observed.cells[time], last.json.isBefore(edited.json)
    else { return .old }
    return .oldAndChanged
  }
}

/// The records of which one carrier lacks something that the state has, and what it has of them.
package struct CarrierKnowledge: Hashable, Sendable {
  package private(set) var behind: [SyncSubject: VersionVector] = [:]

  package init() {}

  package init(behind: [SyncSubject: VersionVector]) {
    self.behind = behind
  }

  /// Notes that a state here went on.
  package mutating func noteChange(of subject: SyncSubject, from old: VersionVector) {
    if behind[subject] == nil { behind[subject] = old }
  }

  /// Notes what a segment in the carrier has.
  ///
  /// - Parameter state: the vector of the state before that is joined.
  package mutating func noteArrival(
    of subject: SyncSubject, _ vector: VersionVector, state: VersionVector
  ) {
    behind[subject] = (behind[subject] ?? state).union(vector)
  }

  /// Notes what the state is now.
  package mutating func settle(_ subject: SyncSubject, _ state: VersionVector) {
    if behind[subject] == state { behind[subject] = nil }
  }

  /// The records of which the carrier lacks something that a state has.
  package func lacking(
    _ state: (SyncSubject) -> VersionVector?
  ) -> [SyncSubject] {
    behind.compactMap { subject, vector in
      guard let own = state(subject), !vector.covers(own) else { return nil }
      return subject
    }
  }
}
