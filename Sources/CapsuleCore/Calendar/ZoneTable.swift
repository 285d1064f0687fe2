/// The parts of a zone's rules: a table of changes, and a rule for the time behind it.
final class ZoneTable: Sendable {
  let identifier: String
  /// The moments at which the clocks change, in seconds since the epoch, in order.
  let transitions: [Int64]
  /// The place in `types` of the time that holds from each of these moments on.
  private let typeIndexes: [UInt8]
  /// The types of local time, not empty where there is no rule; the first holds before all moments.
  private let types: [LocalTimeType]
  let rule: PosixZone?
  /// The difference in seconds between the largest offset from UTC that the zone ever has and the
  /// smallest.
  let offsetSpread: Int

  init(
    identifier: String, transitions: [Int64], typeIndexes: [UInt8], types: [LocalTimeType],
    rule: PosixZone?
  ) {
    self.identifier = identifier
    self.transitions = transitions
    self.typeIndexes = typeIndexes
    self.types = types
    self.rule = rule
    let ruled = [rule?.standard, rule?.daylight?.type].compactMap { $0?.seconds }
    let offsets = types.map(\.seconds) + ruled
    offsetSpread = (offsets.max() ?? 0) - (offsets.min() ?? 0)
  }

  /// Returns the same table under another name.
  func named(_ identifier: String) -> ZoneTable {
    ZoneTable(
      identifier: identifier, transitions: transitions, typeIndexes: typeIndexes, types: types,
      rule: rule)
  }

  /// Returns the local time at `seconds` since the epoch.
  func type(at seconds: Int64) -> LocalTimeType {
    guard let first = transitions.first, let last = transitions.last else {
      return rule?.type(at: seconds) ?? types[0]
    }
    if seconds < first { return types[0] }
    if seconds >= last {
      return rule?.type(at: seconds) ?? types[Int(typeIndexes[typeIndexes.count - 1])]
    }
    return types[Int(typeIndexes[indexOfTransition(atOrBefore: seconds)])]
  }

  /// Returns the changes after `start` and up to `end` (seconds since the epoch), in order.
  func changes(after start: Int64, through end: Int64) -> [ZoneTransition] {
    var found: [ZoneTransition] = []
    guard let first = transitions.first, let last = transitions.last else {
      return rule?.transitions(after: start, through: end) ?? []
    }
    if start < last, end >= first {
      var index = start < first ? 0 : indexOfTransition(atOrBefore: start) + 1
      while index < transitions.count, transitions[index] <= end {
        let before = index == 0 ? types[0] : types[Int(typeIndexes[index - 1])]
        let at = transitions[index]
        let after = type(at: at)
        if before != after { found.append(ZoneTransition(at: at, before: before, after: after)) }
        index += 1
      }
    }
    if end > last, let rule {
      found += rule.transitions(after: max(start, last), through: end)
    }
    return found
  }

  /// Returns the offset from UTC that holds from `start` through `end` (seconds since the epoch); `nil`
  /// where the clocks may change after `start`.
  func offset(throughout start: Int64, _ end: Int64) -> Int? {
    guard let first = transitions.first, let last = transitions.last else {
      return rule == nil ? types[0].seconds : rule?.type(throughout: start, end)?.seconds
    }
    if start >= last, let rule { return rule.type(throughout: start, end)?.seconds }
    guard start >= first, end < last else { return nil }
    let index = indexOfTransition(atOrBefore: start)
    return transitions[index + 1] > end ? types[Int(typeIndexes[index])].seconds : nil
  }

  // The largest index whose transition is at or before `seconds`, which is not before the first.
  // Hot: every local time is looked up with it.
  @_optimize(speed)
  private func indexOfTransition(atOrBefore seconds: Int64) -> Int {
    transitions.withUnsafeBufferPointer { transitions in
      var (low, high) = (0, transitions.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if transitions[middle] <= seconds { low = middle } else { high = middle }
      }
      return low
    }
  }
}

extension ZoneTable: Hashable {
  static func == (left: ZoneTable, right: ZoneTable) -> Bool {
    left === right
      || left.identifier == right.identifier && left.transitions == right.transitions
        && left.typeIndexes == right.typeIndexes && left.types == right.types
        && left.rule == right.rule
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(transitions.last)
  }
}
