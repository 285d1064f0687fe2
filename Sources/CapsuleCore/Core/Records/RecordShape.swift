/// The members of an object in a record, as its one list of fields names them.
package struct RecordShape: Equatable, Sendable {
  package struct Member: Equatable, Sendable {
    package let name: String
    /// `string`, `integer`, `boolean`, `time`, `object` or `array`; `value` for another JSON value.
    package let type: String
    /// The object that it is, or of which it has several.
    package let part: RecordShape?
    package let facts: FieldFacts

    package static func == (one: Member, other: Member) -> Bool {
      (one.name, one.type, one.part) == (other.name, other.type, other.part)
    }
  }

  package let members: [Member]

  /// Finds the shape of a kind of object by going through the fields of an empty one.
  package init<Part: RecordPart>(_ type: Part.Type) {
    var walk = ShapeWalk()
    var blank = Part.blank
    blank.walk(&walk)
    members = walk.members
  }

  /// The paths of all members, those of an object in it behind its own: `lock`, `lock.spare`.
  package var paths: [String] {
    members.flatMap { member in
      [member.name] + (member.part?.paths ?? []).map { "\(member.name).\($0)" }
    }
  }
}

/// Notes the names and types of an object's fields, and what is to be known of them.
private struct ShapeWalk: FieldWalk {
  typealias Failure = Never

  private(set) var members: [RecordShape.Member] = []

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) {
    add(key, Value.self, facts)
  }

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
  ) {
    add(key, Value.self, facts)
  }

  private mutating func add(_ key: String, _ type: any FieldValue.Type, _ facts: FieldFacts) {
    let element = (type as? any ListOfValues.Type)?.element ?? type
    let part = element as? any RecordPart.Type
    members.append(
      RecordShape.Member(
        name: key, type: Self.name(of: type), part: part.map { Self.shape($0) }, facts: facts))
  }

  private static func shape<Part: RecordPart>(_ type: Part.Type) -> RecordShape {
    RecordShape(type)
  }

  private static func name(of type: any FieldValue.Type) -> String {
    switch type {
    case is Instant.Type: "time"
    case is Bool.Type: "boolean"
    case is Int.Type, is Int64.Type: "integer"
    case is any ListOfValues.Type: "array"
    case is any RecordPart.Type: "object"
    case is String.Type, is any FieldText.Type: "string"
    default: "value"
    }
  }
}

private protocol ListOfValues {
  static var element: any FieldValue.Type { get }
}

extension Array: ListOfValues where Element: FieldValue {
  fileprivate static var element: any FieldValue.Type { Element.self }
}

/// A number that differs wherever other fields have some traits.
package struct FieldFingerprint: FieldWalk {
  package typealias Failure = Never

  private let traits: FieldTraits
  /// FNV-1a of the names and the traits.
  package private(set) var value: UInt32 = 0x811c_9dc5

  /// Goes through the fields of every kind.
  package init(of traits: FieldTraits) {
    self.traits = traits
    for kind in RecordKind.allCases { kind.model.fingerprint(&self) }
  }

  private mutating func add(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 0x0100_0193 }

  private mutating func add(_ key: String, _ type: (some FieldValue).Type, _ facts: FieldFacts) {
    guard !facts.traits.isDisjoint(with: traits) else { return }
    for byte in key.utf8 { add(byte) }
    add(facts.traits.subtracting(.answered).rawValue)
    type.fingerprint(&self)
    add(0)
  }

  package mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) {
    add(key, Value.self, facts)
  }

  package mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
  ) {
    add(key, Value.self, facts)
  }
}
