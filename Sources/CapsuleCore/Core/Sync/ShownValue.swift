/// The one value of a cell that a record shows, and what else there is.
package struct ShownValue: Hashable, Sendable {
  /// `nil` where nothing is there.
  package var value: CellValue?
  /// The values that are not shown and differ from it, the latest first; empty without a conflict. `nil`
  /// stands for the value's having been taken away.
  package var others: [CellValue?] = []

  package var isConflict: Bool { !others.isEmpty }
}

extension MergeRule {
  /// Chooses among the siblings of a cell.
  func shown(_ siblings: [Dot: Sibling]) -> ShownValue {
    if siblings.count == 1, let only = siblings.first { return ShownValue(value: only.value.value) }
    var choices: [Choice] = []
    for sibling in siblings.values {
      if let place = choices.firstIndex(where: { $0.value?.json == sibling.value?.json }) {
        choices[place].stamp = max(choices[place].stamp, sibling.stamp)
        if let ordinal = sibling.value?.ordinal, let known = choices[place].value?.ordinal {
          choices[place].value?.ordinal = min(known, ordinal)
        }
      } else {
        choices.append(Choice(value: sibling.value, stamp: sibling.stamp))
      }
    }
    switch self {
    case .greatest:
      return ShownValue(value: choices.compactMap(\.value).max { $0.json.isBefore($1.json) })
    case .least:
      return ShownValue(value: choices.compactMap(\.value).min { $0.json.isBefore($1.json) })
    case .once:
      let first = choices.filter { $0.value != nil }.min {
        $0.stamp == $1.stamp ? $1.isBefore($0) : $0.stamp < $1.stamp
      }
      return ShownValue(value: first?.value)
    case .delivery:
      let longest = choices.filter { choice in
        !choices.contains { choice.isContinued(by: $0) }
      }
      return Self.first(of: longest) { ($0.deliveryRank, $0.stamp) < ($1.deliveryRank, $1.stamp) }
    case .elements(_, showsFuller: true):
      return Self.first(of: choices) { ($0.memberCount, $0.stamp) < ($1.memberCount, $1.stamp) }
    case .siblings, .elements, .collection:
      return Self.first(of: choices) { $0.stamp < $1.stamp }
    }
  }

  private static func first(
    of choices: [Choice], by areInOrder: (Choice, Choice) -> Bool
  ) -> ShownValue {
    let sorted = choices.sorted { left, right in
      // A value that says something stands before one that says nothing.
      if left.isBlank != right.isBlank { return right.isBlank }
      if areInOrder(right, left) { return true }
      if areInOrder(left, right) { return false }
      return right.isBefore(left)
    }
    guard let shown = sorted.first else { return ShownValue() }
    return ShownValue(value: shown.value, others: sorted.dropFirst().map(\.value))
  }
}

/// A value that some siblings have.
private struct Choice {
  var value: CellValue?
  var stamp: Int64

  var isBlank: Bool { value?.isBlank ?? true }

  func isBefore(_ other: Choice) -> Bool {
    guard let value = other.value?.json else { return false }
    return self.value.map { $0.json.isBefore(value) } ?? true
  }

  var memberCount: Int { value?.json.object?.count ?? 0 }

  /// Whether another delivery begins with all of this one and goes on.
  func isContinued(by other: Choice) -> Bool {
    let changes = value?.json.array ?? []
    let longer = other.value?.json.array ?? []
    return changes.count < longer.count && longer.starts(with: changes)
  }

  /// The progress of a delivery, as a number.
  var deliveryRank: Int {
    value?.json.array?.last?["state"]?.string.flatMap(DeliveryState.init(rawValue:))?.progress ?? 0
  }
}

extension RecordState {
  /// The values that the record shows.
  package func shownCells(_ table: MergeTable) -> [CellKey: CellValue] {
    var shown: [CellKey: CellValue] = [:]
    for (key, siblings) in cells {
      if let value = table.rule(key).shown(siblings).value { shown[key] = value }
    }
    return shown
  }

  /// The members that the record shows.
  package func fields(_ table: MergeTable) -> JSONObject {
    table.fields(of: shownCells(table))
  }

  /// The cells in which concurrent changes left several values, in order.
  package func conflicts(_ table: MergeTable) -> [(key: CellKey, shown: ShownValue)] {
    cells.compactMap { key, siblings in
      guard siblings.count > 1 else { return nil }
      let shown = table.rule(key).shown(siblings)
      return shown.isConflict ? (key, shown) : nil
    }.sorted { $0.key < $1.key }
  }
}
