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

  /// The members that the index keeps, as one text.
  package var listed: String {
    members.filter { !$0.facts.traits.isDisjoint(with: [.listed, .listedCut, .title]) }
      .map { "\($0.name):\($0.type):\($0.facts.traits.rawValue)(\($0.part?.listed ?? ""))" }
      .joined(separator: ",")
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
