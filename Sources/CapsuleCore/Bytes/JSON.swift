/// A JSON value (RFC 8259), as exact as its text: no number is rounded, no key is lost.
///
/// Equality is of bytes: strings that Unicode calls equivalent but writes differently are different.
package enum JSON: Sendable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits; `-0` does not count as one.
  case integer(Int64)
  /// Any other number, by its own text.
  case number(JSONNumber)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

/// The value as each type; `nil` where it is of another one.
extension JSON {
  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var array: [JSON]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var object: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// An object's member; `nil` where there is none, or this is no object.
  package subscript(key: String) -> JSON? {
    object?[key]
  }
}

extension JSON: Hashable {
  package static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    // Equal bytes are equal text, so the parts' own hashes agree with `==`.
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSON: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(stringLiteral value: String) { self = .string(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// The last of several members with one key counts.
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements))
  }
}
