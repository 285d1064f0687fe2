/// A record as its file is found: what it says, and where it lies.
package struct ObservedRecord: Hashable, Sendable {
  package var cells: [CellKey: CellValue]
  /// Whether it is among the live ones; otherwise it lies in the trash.
  package var isLive: Bool
  /// The time of its `updatedAt`, in Unix seconds.
  package var stamp: Int64
  /// The time at which it was deleted, in Unix seconds, where it lies in the trash.
  package var deletedAt: Int64

  package init(
    cells: [CellKey: CellValue], isLive: Bool, stamp: Int64, deletedAt: Int64 = 0
  ) {
    self.cells = cells
    self.isLive = isLive
    self.stamp = stamp
    self.deletedAt = deletedAt
  }
}

/// The age of a file, compared with the state of its record.
package enum CopyAge: Hashable, Sendable {
  /// The file is no earlier version: each difference is a change made since.
  case current
  /// An earlier version was put back: nothing in it is a change.
  case old
  /// An earlier version was put back and changed then: what differs may be either, and stays beside
  /// what there is.
  case oldAndChanged
}

extension RecordState {
  /// The state of a record of which none is kept here, but elsewhere: what is equal is taken over with its
  /// dots, the rest will be found to be concurrent.
  package static func adopting(
    _ remote: RecordState, for observed: ObservedRecord, _ table: MergeTable
  ) -> RecordState {
    let shown = remote.shownCells(table)
    let keys = Set(shown.keys).union(observed.cells.keys)
    if keys.allSatisfy({ areEqual(shown[$0], observed.cells[$0]) }) { return remote }
    var state = RecordState()
    for (key, siblings) in remote.cells
    where observed.cells[key] != nil && areEqual(shown[key], observed.cells[key]) {
      state.cells[key] = siblings
    }
    return state
  }

  /// Whether a file says something that the state does not show.
  func differs(from observed: ObservedRecord, _ table: MergeTable) -> Bool {
    let shown = shownCells(table)
    return Set(shown.keys).union(observed.cells.keys).contains { key in
      !Self.areEqual(shown[key], observed.cells[key])
        && table.rule(key).takes(observed.cells[key], after: shown[key])
    }
  }

  /// Gives what differs between a file and the state the next dot of an actor.
  ///
  /// - Returns: whether anything did.
  @discardableResult
  package mutating func observe(
    _ observed: ObservedRecord, _ age: CopyAge = .current, by actor: ActorID, _ table: MergeTable
  ) -> Bool {
    let dot = vector.next(actor)
    var isUsed = false
    if age != .old {
      let shown = shownCells(table)
      var ordinals: [String: Int64] = [:]
      for (key, value) in shown where key.element != nil {
        ordinals[key.member] = max(ordinals[key.member] ?? -1, value.ordinal)
      }
      // New elements of a list get their places behind those that are known, in their own order.
      var keys: [(ordinal: Int64, key: CellKey)] = []
      for key in Set(shown.keys).union(observed.cells.keys) {
        keys.append((observed.cells[key]?.ordinal ?? 0, key))
      }
      keys.sort { ($0.ordinal, $0.key) < ($1.ordinal, $1.key) }
      for (_, key) in keys where !Self.areEqual(shown[key], observed.cells[key]) {
        var value = observed.cells[key]
        let rule = table.rule(key)
        guard rule.takes(value, after: shown[key]),
          age == .current || !(value?.isBlank ?? true)
        else { continue }
        if key.element != nil {
          let last = ordinals[key.member] ?? -1
          let place = shown[key]?.ordinal ?? last.addingClamped(1)
          value?.ordinal = place
          ordinals[key.member] = max(last, place)
        }
        put(value, at: key, in: dot, observed.stamp, age, rule, shown: shown[key])
        isUsed = true
      }
    }
    if observed.isLive, !isAlive {
      life = [dot: .live]
      isUsed = true
    } else if !observed.isLive, age == .current, isAlive {
      var seen = vector
      seen.insert(dot)
      life = [dot: .gone(seen: seen, at: observed.deletedAt)]
      isUsed = true
    }
    if isUsed { vector.insert(dot) }
    return isUsed
  }

  private mutating func put(
    _ value: CellValue?, at key: CellKey, in dot: Dot, _ stamp: Int64, _ age: CopyAge,
    _ rule: MergeRule, shown: CellValue?
  ) {
    let before = cells[key] ?? [:]
    if value == nil, case .elements = rule {
      cells[key] = nil
      return
    }
    // An edit replaces the value that was shown. The others stay beside it until somebody resolves it.
    var siblings: [Dot: Sibling]
    switch rule {
    case .greatest, .least: siblings = [:]
    case .siblings, .once, .delivery, .elements, .collection:
      siblings = before.filter { _, sibling in
        guard let other = sibling.value else { return false }
        return age == .oldAndChanged || other.json != shown?.json
      }
    }
    var top = stamp
    for sibling in before.values { top = max(top, sibling.stamp.addingClamped(1)) }
    siblings[dot] = Sibling(stamp: top, value: value)
    cells[key] = siblings
  }

  /// Leaves one value in a cell that has several, without a change of its own.
  ///
  /// - Parameter choice: 0 for the value that is shown, else one of the others from 1 on.
  mutating func keep(_ choice: Int, of key: CellKey, _ table: MergeTable) {
    guard let siblings = cells[key] else { return }
    let shown = table.rule(key).shown(siblings)
    let values = [shown.value] + shown.others
    guard values.indices.contains(choice) else { return }
    cells[key] = siblings.filter { $0.value.value?.json == values[choice]?.json }
  }

  /// Makes the value that a file has of some cells the only one, by a change of its own; where it is one of
  /// several.
  package mutating func choose(
    _ keys: Set<CellKey>, in observed: ObservedRecord, by actor: ActorID, _ table: MergeTable
  ) {
    let dot = vector.next(actor)
    for key in keys {
      guard let siblings = cells[key] else { continue }
      let shown = table.rule(key).shown(siblings)
      guard shown.isConflict,
        let value = ([shown.value] + shown.others).first(where: {
          Self.areEqual($0, observed.cells[key])
        })
      else { continue }
      let top = siblings.values.map(\.stamp).max() ?? 0
      cells[key] = [dot: Sibling(stamp: top.addingClamped(1), value: value)]
      vector.insert(dot)
    }
  }

  /// Makes what a file has of the parts that rules keep the only value of each, by a change of its own.
  mutating func insist(
    on own: [CellKey: CellValue], by actor: ActorID, _ table: MergeTable
  ) {
    let shown = shownCells(table)
    let dot = vector.next(actor)
    for (key, value) in own where table.isKept(key) && !Self.areEqual(shown[key], value) {
      let rule = table.rule(key)
      if case .greatest = rule, !rule.takes(value, after: shown[key]) { continue }
      if case .least = rule, !rule.takes(value, after: shown[key]) { continue }
      let top = (cells[key] ?? [:]).values.map(\.stamp).max() ?? 0
      cells[key] = [dot: Sibling(stamp: top.addingClamped(1), value: value)]
      vector.insert(dot)
    }
  }

  /// Whether two values are the same for a record: nothing, `null` and an empty text say as little.
  static func areEqual(_ left: CellValue?, _ right: CellValue?) -> Bool {
    if let left, let right, left.json == right.json { return true }
    return (left?.isBlank ?? true) && (right?.isBlank ?? true)
  }
}

extension MergeRule {
  /// Whether a difference counts as a change.
  fileprivate func takes(_ value: CellValue?, after shown: CellValue?) -> Bool {
    switch self {
    case .siblings, .delivery, .elements: return true
    case .collection: return value != nil
    case .once: return shown == nil
    case .greatest:
      guard let value else { return false }
      // Of an unlock time and its zone the time alone is later or earlier.
      return shown.map { !value.json.ranked.isBefore($0.json.ranked) } ?? true
    case .least:
      guard let value else { return false }
      return shown.map { value.json.isBefore($0.json) } ?? true
    }
  }
}

extension JSON {
  /// What is compared of a value: the first member of several.
  fileprivate var ranked: JSON { object?.first?.value ?? self }
}
