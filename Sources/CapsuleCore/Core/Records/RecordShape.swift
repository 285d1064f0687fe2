/// The members of an object in a record, as its one list of fields names them.
package struct RecordShape: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package let name: String
    /// `string`, `integer`, `boolean`, `time`, `object` or `array`; `value` for another JSON value.
    package let type: String
    /// The object that it is, or of which it has several.
    package let part: RecordShape?
  }

  package let members: [Member]

  /// Finds the shape of a kind of object by going through the fields of an empty one.
  package init<Part: RecordPart>(_ type: Part.Type) {
    var coder = ShapeCoder()
    var blank = Part.blank
    blank.code(with: &coder)
    members = coder.members
  }

  /// The paths of all members, those of an object in it behind its own: `lock`, `lock.spare`.
  package var paths: [String] {
    members.flatMap { member in
      [member.name] + (member.part?.paths ?? []).map { "\(member.name).\($0)" }
    }
  }
}

/// Goes through the fields of an object, and notes their names and types.
private struct ShapeCoder: FieldCoder {
  typealias Failure = Never

  private(set) var members: [RecordShape.Member] = []

  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?, writesNull: Bool
  ) {
    let element = (Value.self as? any ListOfValues.Type)?.element ?? Value.self
    let part = element as? any RecordPart.Type
    members.append(
      RecordShape.Member(
        name: key, type: Self.name(of: Value.self), part: part.map { Self.shape($0) }))
  }

  mutating func rest(_ members: inout JSONObject) {}

  func refuse(_ key: String, _ problem: FieldError.Problem) {}

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
