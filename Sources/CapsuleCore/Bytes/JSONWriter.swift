/// A layout of JSON text. Both write an object's keys in the order of their bytes.
package enum JSONStyle: Hashable, Sendable {
  /// Two spaces a level, one member or element a line.
  case pretty
  /// The style without any white space.
  case compact
}

extension JSON {
  /// The value's text; a pretty one ends with a newline.
  package func encoded(_ style: JSONStyle = .pretty) -> [UInt8] {
    var writer = JSONTextWriter(style)
    writer.value(self)
    if style == .pretty { writer.endLine() }
    return writer.takeBytes()
  }
}

extension JSONTextWriter {
  /// Writes a whole value.
  package mutating func value(_ value: JSON) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .integer(let value): self.value(value)
    case .number(let value): number(value)
    case .string(let value): self.value(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let object):
      beginObject()
      for member in object { self.member(member.key, member.value) }
      endObject()
    }
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: JSON) {
    self.key(key)
    self.value(value)
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: String) {
    self.key(key)
    self.value(value)
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: Int64) {
    self.key(key)
    self.value(value)
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: Int) {
    self.key(key)
    self.value(Int64(value))
  }

  /// Writes a member of the object that was begun.
  package mutating func member(_ key: String, _ value: Bool) {
    self.key(key)
    self.value(value)
  }
}
