/// A change of a record taken out of what it is today: each part that is still as the change left it gets its
/// former value, and a part that somebody changed since stays. The parts are those by which machines merge.
struct ThreeWay {
  /// The members as they are then.
  private(set) var fields: JSONObject
  /// The names of parts that were changed since, and stay.
  private(set) var changedSince: [String] = []

  /// - Parameters:
  ///   - former: the members before the change.
  ///   - left: those that it left.
  ///   - today: those of today.
  init(_ table: MergeTable, former: JSONObject, left: JSONObject, today: JSONObject) {
    fields = today
    var done: Set<String> = []
    let ignored: Set = ["rev", "updatedAt", "schema", "checksum"]
    for key in Set(former.keys + left.keys).subtracting(ignored).sorted()
    where !done.contains(key) {
      let unit =
        table.fields.first { $0.members.contains(key) } ?? MergedField(key, [key], .siblings)
      done.formUnion(unit.members)
      func value(_ object: JSONObject) -> [JSON?] { unit.members.map { Self.value(object[$0]) } }
      if value(former) == value(left) || value(today) == value(former) { continue }
      if value(today) == value(left) {
        for member in unit.members { fields[member] = former[member] }
      } else if case .elements(let known, _) = unit.rule {
        let list = Self.elements(known, former[key], left[key], today[key])
        fields[key] = list.isEmpty && today[key] == nil ? nil : .array(list.elements)
        if list.isChangedSince { changedSince.append(key) }
      } else {
        changedSince.append(unit.members[0])
      }
    }
  }

  /// The value of a member; `nil` where it is absent or empty.
  private static func value(_ json: JSON?) -> JSON? {
    switch json {
    case nil, .null, .string(""), .array([]): nil
    case let json?: json
    }
  }

  private struct Elements {
    var elements: [JSON]
    var isChangedSince = false
    var isEmpty: Bool { elements.isEmpty }
  }

  /// A list, element by element: those that the change brought go, those that it took come back where they stood,
  /// and those that it made others are again what they were.
  private static func elements(
    _ known: [String], _ former: JSON?, _ left: JSON?, _ today: JSON?
  ) -> Elements {
    func key(_ element: JSON) -> JSON {
      known.isEmpty ? element : .array(known.map { element[$0] ?? .null })
    }
    func table(_ list: JSON?) -> [JSON: JSON] {
      Dictionary((list?.array ?? []).map { (key($0), $0) }) { first, _ in first }
    }
    let (before, after) = (table(former), table(left))
    var result = Elements(elements: [])
    for element in today?.array ?? [] {
      let key = key(element)
      guard let brought = after[key] else {
        result.elements.append(element)
        continue
      }
      switch before[key] {
      case nil where element == brought: continue
      case let old? where old != brought && element == brought: result.elements.append(old)
      case let old where old != brought:
        result.isChangedSince = true
        result.elements.append(element)
      default: result.elements.append(element)
      }
    }
    let there = Set(result.elements.map(key))
    // One that it made another one, and that somebody took out since.
    for (key, brought) in after where !there.contains(key) {
      if let old = before[key], old != brought { result.isChangedSince = true }
    }
    for (place, element) in (former?.array ?? []).enumerated()
    where after[key(element)] == nil && !there.contains(key(element)) {
      result.elements.insert(element, at: min(place, result.elements.count))
    }
    return result
  }
}
