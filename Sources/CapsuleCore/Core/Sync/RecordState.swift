/// The name of a cell: a member of a record, or one element of a member that is a list.
///
/// Names are told apart by their bytes, as JSON's keys are.
package struct CellKey: Hashable, Comparable, Sendable {
  package let member: String
  package let element: String?

  package init(_ member: String, _ element: String? = nil) {
    self.member = member
    self.element = element
  }

  package static func == (left: CellKey, right: CellKey) -> Bool {
    guard left.member.utf8.elementsEqual(right.member.utf8) else { return false }
    switch (left.element, right.element) {
    case (nil, nil): return true
    case (let left?, let right?): return left.utf8.elementsEqual(right.utf8)
    case (nil, _?), (_?, nil): return false
    }
  }

  package static func < (left: CellKey, right: CellKey) -> Bool {
    if !left.member.utf8.elementsEqual(right.member.utf8) {
      return left.member.utf8.lexicographicallyPrecedes(right.member.utf8)
    }
    guard let element = right.element else { return false }
    return left.element?.utf8.lexicographicallyPrecedes(element.utf8) ?? true
  }
}

/// A value in a cell, and the place of an element in its list.
package struct CellValue: Hashable, Sendable {
  package var json: JSON
  /// The place at which an element was first seen; 0 of what is no element.
  package var ordinal: Int64

  package init(_ json: JSON, ordinal: Int64 = 0) {
    self.json = json
    self.ordinal = ordinal
  }

  /// Whether it says nothing: `null`, an empty text or list.
  var isBlank: Bool {
    switch json {
    case .null: true
    case .string(let text): text.utf8.isEmpty
    case .array(let elements): elements.isEmpty
    case .bool, .integer, .number, .object: false
    }
  }
}

/// One of the values that concurrent changes left in a cell.
package struct Sibling: Hashable, Sendable {
  /// Decides only which of several is shown: Unix seconds, raised over those that it replaces.
  package var stamp: Int64
  /// `nil` where the value was taken away.
  package var value: CellValue?

  package init(stamp: Int64, value: CellValue?) {
    self.stamp = stamp
    self.value = value
  }

  /// Whether another one counts rather than this one, where both claim to be the same change.
  func precedes(_ other: Sibling) -> Bool {
    if stamp != other.stamp { return stamp < other.stamp }
    guard let value = other.value else { return false }
    return self.value.map { $0.json.isBefore(value.json) } ?? true
  }
}

/// The effect of a change on a record as a whole.
package enum Life: Hashable, Sendable {
  /// It was made or brought back.
  case live
  /// It was deleted at a time (Unix seconds) by somebody who had seen these changes, itself among them.
  case gone(seen: VersionVector, at: Int64)
}

/// All that is known of one record: the values of its cells under the dots that made them.
///
/// A state is whole: its vector covers no dot whose effect it lacks. Joining is commutative, associative
/// and idempotent, so that states may arrive in any order and any number of times.
package struct RecordState: Hashable, Sendable {
  package var vector = VersionVector()
  package var cells: [CellKey: [Dot: Sibling]] = [:]
  package var life: [Dot: Life] = [:]

  package init() {}

  /// Takes in what another state knows. A dot stays that both have, or that the other has not seen.
  package mutating func join(_ other: RecordState) {
    for key in Set(cells.keys).union(other.cells.keys) {
      let joined = Self.join(
        cells[key] ?? [:], vector, other.cells[key] ?? [:], other.vector
      ) { $0.precedes($1) }
      cells[key] = joined.isEmpty ? nil : joined
    }
    life = Self.join(life, vector, other.life, other.vector) { left, _ in left != .live }
    vector.formUnion(other.vector)
  }

  package func joined(with other: RecordState) -> RecordState {
    var state = self
    state.join(other)
    return state
  }

  private static func join<Value>(
    _ ours: [Dot: Value], _ ourVector: VersionVector, _ theirs: [Dot: Value],
    _ theirVector: VersionVector, areInOrder: (Value, Value) -> Bool
  ) -> [Dot: Value] {
    var joined = ours.filter { theirs[$0.key] != nil || !theirVector.contains($0.key) }
    for (dot, theirs) in theirs {
      if let ours = joined[dot] {
        // One dot has one value, unless a state was put back behind our back: any order will do then, if
        // all take the same.
        if areInOrder(ours, theirs) { joined[dot] = theirs }
      } else if !ourVector.contains(dot) {
        joined[dot] = theirs
      }
    }
    return joined
  }

  /// Whether the record is there, and not deleted. A deletion hides only what it had seen.
  package var isAlive: Bool {
    var deletions: [VersionVector] = []
    for life in life.values {
      switch life {
      case .live: return true
      case .gone(let seen, _): deletions.append(seen)
      }
    }
    guard !deletions.isEmpty else { return true }
    return cells.values.contains { siblings in
      siblings.keys.contains { dot in !deletions.contains { $0.contains(dot) } }
    }
  }

  /// The time at which the record was deleted, in Unix seconds: the last time, where several did it.
  package var deletedAt: Int64? {
    life.values.compactMap { if case .gone(_, let at) = $0 { at } else { nil } }.max()
  }

  /// Whether it holds a change that a vector has not seen.
  package func hasNews(beyond seen: VersionVector) -> Bool {
    cells.values.contains { $0.keys.contains { !seen.contains($0) } }
      || life.contains { dot, life in life == .live && !seen.contains(dot) }
  }

  /// Brings the record back by a change of its own.
  package mutating func revive(by actor: ActorID) {
    let dot = vector.next(actor)
    life = [dot: .live]
    vector.insert(dot)
  }
}
