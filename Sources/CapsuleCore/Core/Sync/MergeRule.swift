/// The rule by which the values of a part of a record are merged that two machines changed without
/// knowing of each other.
package enum MergeRule: Hashable, Sendable {
  /// All stay until somebody resolves them; one is shown.
  case siblings
  /// The greatest counts: nothing moves an unlock time earlier.
  case greatest
  /// The least counts.
  case least
  /// The first one stays.
  case once
  /// The longer of two deliveries of which one continues the other; else all stay, and the one that came
  /// further is shown.
  case delivery
  /// A list whose elements are merged one by one: adding wins over removing. The names are the members
  /// by which an element is known again; without them all of it counts. Of several values the later one is
  /// shown, or that which has more members.
  case elements(known: [String], showsFuller: Bool = false)
  /// A list to which elements are only added.
  case collection(known: [String])
}

/// A part of a record that is merged as one.
package struct MergedField: Hashable, Sendable {
  /// The name of its cell.
  package let name: String
  /// The members of the record that it is made of.
  package fileprivate(set) var members: [String]
  package let rule: MergeRule

  init(_ name: String, _ members: [String], _ rule: MergeRule) {
    self.name = name
    self.members = members
    self.rule = rule
  }
}

/// The thing that one state is kept of: a record, or the settings.
package enum SyncSubject: Hashable, Sendable {
  case record(RecordReference)
  case settings

  package var kind: RecordKind? {
    if case .record(let record) = self { record.kind } else { nil }
  }

  /// `capsule/<id>`, or `settings`.
  package var text: String {
    switch self {
    case .record(let record): "\(record.kind.rawValue)/\(record.id)"
    case .settings: "settings"
    }
  }

  package init?(_ text: String) {
    self.init(utf8: Array(text.utf8)[...])
  }

  // Hot: a sync reads one of each record.
  init?(utf8 text: ArraySlice<UInt8>) {
    guard let slash = text.firstIndex(of: UInt8(ascii: "/")) else {
      guard text.elementsEqual("settings".utf8) else { return nil }
      self = .settings
      return
    }
    guard let kind = RecordKind(rawValue: String(decoding: text[..<slash], as: UTF8.self)),
      let id = RecordID(utf8: text[(slash + 1)...])
    else { return nil }
    self = .record(RecordReference(kind, id))
  }
}

/// The rules by which each part of one kind of record is merged, as its fields name them. Members that are not here,
/// those that this program does not know among them, are each merged as siblings.
package struct MergeTable: Sendable {
  package let fields: [MergedField]
  /// The members that the kind's records always have: `null` in one of them says as much as its absence.
  let known: Set<String>
  private let rules: [String: MergeRule]

  /// The member of a capsule's lock that comes later than the lock.
  static let beacon = MergedField("lock.timelock.beacon", [], .once)

  /// What a record says of the single occurrences of an event: `except` and `moved`, apart from each other in the
  /// record, are one to machines that both change them.
  static let occurrence = MergedField(
    "occurrence", [], .elements(known: [occurrenceKey], showsFuller: true))

  /// The table of a kind; of the settings without one.
  package init(_ kind: RecordKind?) {
    var fields: [MergedField] = []
    for member in kind?.shape.members ?? [] {
      guard let merge = member.facts.merge, merge != .siblings, member.name != "id" else {
        continue
      }
      let name = merge.unit ?? member.name
      if let place = fields.firstIndex(where: { $0.name == name }) {
        fields[place].members.append(member.name)
      } else {
        fields.append(MergedField(name, [member.name], merge.rule))
      }
      if kind == .capsule, member.name == "lock" { fields.append(Self.beacon) }
      if kind == .event, member.name == "moved" { fields.append(Self.occurrence) }
    }
    self.fields = fields
    known = kind.map { Set($0.model.blank.fields.keys) } ?? []
    rules = Dictionary(fields.map { ($0.name, $0.rule) }) { first, _ in first }
  }

  /// The members by which parts of a record are named that some members are in.
  func firstMembers(of names: [String]) -> [String] {
    names.map { name in fields.first { $0.members.contains(name) }?.members[0] ?? name }.unique
  }

  package func rule(_ key: CellKey) -> MergeRule { rules[key.member] ?? .siblings }

  /// The tables of all kinds.
  package static let all: [RecordKind: MergeTable] = Dictionary(
    uniqueKeysWithValues: RecordKind.allCases.map { ($0, MergeTable($0)) })
  package static let settings = MergeTable(nil)

  package static func of(_ kind: RecordKind) -> MergeTable { all[kind] ?? settings }

  package static func of(_ subject: SyncSubject) -> MergeTable {
    subject.kind.flatMap { all[$0] } ?? settings
  }
}

extension JSON {
  /// Whether a value is less than another one: numbers by their size, all else by the bytes of its text.
  /// Times in a record have one form, in which that is their order.
  func isBefore(_ other: JSON) -> Bool {
    if case .integer(let left) = self, case .integer(let right) = other { return left < right }
    return encoded(.compact).lexicographicallyPrecedes(other.encoded(.compact))
  }
}
