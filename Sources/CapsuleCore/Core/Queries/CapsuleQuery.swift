/// The state of a capsule: whether the gate lets its contents through, and whether it has.
public enum CapsuleState: String, CaseIterable, Hashable, Sendable {
  case locked, unlocked, opened
}

/// A capsule in the answer of a ``CapsuleQuery``.
package struct CapsuleRow: Sendable {
  package let summary: CapsuleSummary
  package let problem: IndexProblem
  package let state: CapsuleState
  /// The seconds until the unlock time; 0 from then on.
  package let secondsRemaining: Int64

  package init(_ summary: CapsuleSummary, problem: IndexProblem = .none, at now: Instant) {
    self.summary = summary
    self.problem = problem
    switch UnlockGate.decide(unlock: summary.unlockAt, now: now) {
    case .locked(_, let remaining):
      state = .locked
      secondsRemaining = remaining
    case .unlocked:
      state = summary.openedAt == nil ? .unlocked : .opened
      secondsRemaining = 0
    }
  }
}

/// A question about the capsules.
public struct CapsuleQuery: RecordQuery {
  public enum Order: String, CaseIterable, Sendable {
    /// The locked ones, from the soonest to unlock, then the others, from the last that unlocked.
    case unlock
    case created, title
  }

  package static let kind = RecordKind.capsule

  /// The states of which a capsule has one; all where it is empty.
  package var states: Set<CapsuleState> = []
  /// The tags that a capsule has to have, all of them.
  package var tags: [NameKey] = []
  /// The text that a capsule has in the title, the notes or a tag; `nil` for all capsules.
  package var text: SearchText?
  /// The time before which a capsule unlocks; `nil` for all capsules.
  package var before: Instant?
  /// The time at which or after which a capsule unlocks; `nil` for all capsules.
  package var after: Instant?
  package var order = Order.unlock
  package var isReversed = false
  package var limit = Int.max
  /// The time at which the states are those of the answer.
  package internal(set) var now: Instant

  package init(now: Instant) {
    self.now = now
  }

  /// Whether it can leave anything out.
  package var isNarrowed: Bool {
    !states.isEmpty || !tags.isEmpty || text != nil || before != nil || after != nil
  }

  package func unreadable(_ entry: IndexEntry) -> CapsuleRow? {
    CapsuleRow(CapsuleSummary(unreadable: entry.id), problem: entry.problem, at: now)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (CapsuleRow) -> Bool
  ) {
    var goesOn = true
    func take(_ entry: IndexEntry) -> Bool {
      if let row = row(entry, store) { goesOn = sink(row) }
      return goesOn
    }
    switch (order, isReversed) {
    case (.unlock, false):
      index.forEach(.ascending, from: now.seconds + 1, take)
      if goesOn { index.forEach(.descending, from: now.seconds, take) }
    case (.unlock, true):
      index.forEach(.ascending) { $0.sortKey <= now.seconds && take($0) }
      if goesOn { index.forEach(.descending) { $0.sortKey > now.seconds && take($0) } }
    default:
      var first = FirstEntries<(text: String, createdAt: Instant, madeAt: Int64, id: RecordID)>(
        limit: limit, reversed: isReversed
      ) { left, right in left < right }
      index.forEach(.ascending) { entry in
        if let row = row(entry, store) {
          let isByTitle = order == .title
          first.insert(
            entry,
            by: (
              isByTitle ? row.summary.title.lowercased() : "",
              isByTitle ? .epoch : row.summary.createdAt, entry.madeAt, entry.id
            ))
        }
        return true
      }
      first.forEach(take)
    }
  }

  private func row(_ entry: IndexEntry, _ store: Store) -> CapsuleRow? {
    guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return nil }
    let row = CapsuleRow(summary, problem: entry.problem, at: now)
    return matches(row, store) ? row : nil
  }

  private func matches(_ row: CapsuleRow, _ store: Store) -> Bool {
    let summary = row.summary
    if !states.isEmpty, !states.contains(row.state) { return false }
    for tag in tags where !summary.tags.contains(where: { NameKey($0) == tag }) { return false }
    if let before, summary.unlockAt >= before { return false }
    if let after, summary.unlockAt < after { return false }
    return text?.matches([summary.title, summary.notes] + summary.tags) {
      let record = summary.hasAllNotes ? nil : (try? store.read(Capsule.self, summary.id))
      return record.map { [$0.model.notes] } ?? []
    } ?? true
  }
}
