/// One record out of two that were changed apart from one another, without a history that both share.
///
/// | field | merge |
/// | --- | --- |
/// | `unlockAt` with its zone, `rev`, `updatedAt`, `schema` | the later or greater |
/// | `createdAt`, `openedAt` | the earlier |
/// | `lock` | the same but for a beacon, which stays once known |
/// | `contents`, by id | all of both |
/// | `tags`, `alerts`, `media`, `history` | all of both |
/// | `delivery` | the one that goes on where the other ends; else the one that came further |
/// | every other, also those that this version does not know; a date with its zone as one | the one that says something; else that of the record that was changed later, else the greater bytes: a conflict |
package struct RecordMerge {
  /// The fields of the merged record, without a checksum.
  private(set) var fields: JSONObject
  /// The names of the fields of which one value had to give way.
  private(set) var conflicts: [String] = []
  private let theirs: JSONObject
  /// Whether the other record was changed later.
  private let areTheirsLater: Bool?

  /// The reason why two records cannot be merged into one.
  package enum Problem: Hashable, Sendable {
    /// A field that is written once differs.
    case other(field: String)
  }

  /// Merges two records of one id.
  package init(
    _ kind: RecordKind, _ mine: JSONObject, _ theirs: JSONObject
  ) throws(Fault) {
    fields = mine
    self.theirs = theirs
    let times = [mine, theirs].map { $0["updatedAt"]?.string ?? "" }
    // RFC 3339 in UTC: the order of the bytes is that of the times.
    areTheirsLater = times[0] == times[1] ? nil : times[0] < times[1]
    let units = MergeTable.of(kind).fields.filter { !$0.members.isEmpty }
    let fixed = kind.shape.members.filter { $0.facts.traits.contains(.fixed) }.map(\.name)
    var done: Set<String> = []
    for key in Set(mine.keys + theirs.keys).sorted() where !done.contains(key) {
      let unit = units.first { $0.members.contains(key) } ?? MergedField(key, [key], .siblings)
      done.formUnion(unit.members)
      let isSame = unit.members.allSatisfy { Self.value(mine[$0]) == Self.value(theirs[$0]) }
      if isSame { continue }
      if let field = unit.members.first(where: {
        fixed.contains($0) && Self.value(mine[$0]) != Self.value(theirs[$0])
      }) {
        throw Fault(Problem.other(field: field))
      }
      try merge(unit.members.filter { !fixed.contains($0) }, by: unit.rule)
    }
  }

  /// Whether the merged record says the same as one of the two, whatever its revision.
  static func isSame(_ one: JSONObject, _ other: JSONObject) -> Bool {
    let counted = ["rev", "updatedAt", "schema", "createdNanos", "checksum"]
    return Set(one.keys + other.keys).subtracting(counted).allSatisfy {
      value(one[$0]) == value(other[$0])
    }
  }

  /// Returns the value of a field; `nil` where it is absent or empty.
  private static func value(_ json: JSON?) -> JSON? {
    switch json {
    case nil, .null, .string(""), .array([]): nil
    case let json?: json
    }
  }

  /// Merges a part that differs, without a history that both share.
  private mutating func merge(_ part: [String], by rule: MergeRule) throws(Fault) {
    let key = part[0]
    let (mine, others) = (Self.value(fields[key]), Self.value(theirs[key]))
    switch rule {
    case .greatest: if Self.precedes(mine, others) { take(part) }
    case .least: if others != nil, mine == nil || Self.precedes(others, mine) { take(part) }
    // Besides the id, which is fixed, only a lock is made once.
    case .once: fields[key] = try Self.lock(mine, others)
    case .collection: try mergeContents(mine, others)
    case .elements(let known, _):
      fields[key] = Self.union(mine, others) { element in
        known.isEmpty ? element : .array(known.map { element[$0] ?? .null })
      }
      if !known.isEmpty, Self.haveOtherFacts(mine, others, known) { conflicts.append(key) }
    case .delivery: mergeDelivery(mine, others)
    case .siblings: choose(part)
    }
  }

  /// Takes the values of the other record.
  private mutating func take(_ unit: [String]) {
    for key in unit { fields[key] = theirs[key] }
  }

  /// Takes one of two values, each of which may be right.
  private mutating func choose(_ unit: [String]) {
    let mine = unit.map { Self.value(fields[$0]) }
    let others = unit.map { Self.value(theirs[$0]) }
    if mine.allSatisfy({ $0 == nil }) { return take(unit) }
    if others.allSatisfy({ $0 == nil }) { return }
    conflicts.append(unit[0])
    if areTheirsLater ?? Self.text(mine).lexicographicallyPrecedes(Self.text(others)) { take(unit) }
  }

  private static func text(_ values: [JSON?]) -> [UInt8] {
    JSON.array(values.map { $0 ?? .null }).encoded(.compact)
  }

  /// Whether a value comes before another: numbers by size, times by time, nothing before all.
  private static func precedes(_ one: JSON?, _ other: JSON?) -> Bool {
    switch (one, other) {
    case (_, nil): false
    case (nil, _): true
    case (.integer(let one)?, .integer(let other)?): one < other
    case (.string(let one)?, .string(let other)?):
      one.utf8.lexicographicallyPrecedes(other.utf8)
    default: false
    }
  }

  /// A lock is made once; what may come later is the beacon of its timelock, and a spare. The key of an honor
  /// lock is sealed anew when a store is protected: each copy keeps its own.
  private static func lock(_ mine: JSON?, _ others: JSON?) throws(Fault) -> JSON? {
    guard case .object(var lock)? = mine, case .object(let other)? = others else {
      throw Fault(Problem.other(field: "lock"))
    }
    if lock["spare"]?.string == nil { lock["spare"] = other["spare"] }
    if case .object(var timelock)? = lock["timelock"], let beacon = other["timelock"]?["beacon"],
      value(timelock["beacon"]) == nil
    {
      timelock["beacon"] = beacon
      lock["timelock"] = .object(timelock)
    }
    func fixed(_ lock: JSONObject) -> JSONObject {
      var lock = lock
      lock["spare"] = nil
      if lock["kind"] == .string(LockKind.honor.rawValue) { lock["key"] = nil }
      if case .object(var timelock)? = lock["timelock"] {
        timelock["beacon"] = nil
        lock["timelock"] = .object(timelock)
      }
      return lock
    }
    guard fixed(lock) == fixed(other) else { throw Fault(Problem.other(field: "lock")) }
    return .object(lock)
  }

  /// Contents are sealed for good: one that is in both is the same.
  private mutating func mergeContents(_ mine: JSON?, _ others: JSON?) throws(Fault) {
    var all = mine?.array ?? []
    for content in others?.array ?? [] {
      if let same = all.first(where: { $0["id"] == content["id"] }) {
        guard same == content else { throw Fault(Problem.other(field: "contents")) }
      } else {
        all.append(content)
      }
    }
    fields["contents"] = .array(all)
  }

  /// Returns all elements of both, each as often as in the one that has more of it.
  private static func union(_ mine: JSON?, _ others: JSON?, _ key: (JSON) -> JSON) -> JSON {
    var all = mine?.array ?? []
    var counts: [JSON: Int] = [:]
    for element in all { counts[key(element), default: 0] += 1 }
    for element in others?.array ?? [] {
      let left = counts[key(element)] ?? 0
      if left > 0 { counts[key(element)] = left - 1 } else { all.append(element) }
    }
    return .array(all)
  }

  /// Whether an element that is in both differs in what it is not known by, as a photo with another title.
  private static func haveOtherFacts(_ mine: JSON?, _ others: JSON?, _ known: [String]) -> Bool {
    let all = mine?.array ?? []
    return (others?.array ?? []).contains { other in
      !all.contains(other) && all.contains { one in known.allSatisfy { one[$0] == other[$0] } }
    }
  }

  /// Merges two histories of a delivery: a bequest that was delivered stays delivered.
  private mutating func mergeDelivery(_ mine: JSON?, _ others: JSON?) {
    let (one, other) = (mine?.array ?? [], others?.array ?? [])
    if other.starts(with: one) { return fields["delivery"] = .array(other) }
    if one.starts(with: other) { return }
    conflicts.append("delivery")
    if Self.rank(one) < Self.rank(other) { fields["delivery"] = .array(other) }
  }

  private static func rank(_ changes: [JSON]) -> Int {
    changes.last?["state"]?.string.flatMap(DeliveryState.init(rawValue:))?.progress ?? 0
  }
}

extension RecordMerge.Problem: FaultCause {
  package var code: Fault.Code { .refused }

  package var message: Fault.Message {
    switch self {
    case .other(let field): "the two versions differ in '\(field)', which cannot change"
    }
  }
}
