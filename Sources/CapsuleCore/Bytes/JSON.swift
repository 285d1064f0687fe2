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

  // The value as each type; `nil` where it is of another one.

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

/// The members of a JSON object, in the order of their keys' UTF-8 bytes.
///
/// Keys are told apart by their bytes: `é` as one character and as two are two keys, which Swift's
/// own comparison of strings would merge.
package struct JSONObject: Hashable, Sendable {
  /// A key and its value.
  package struct Member: Hashable, Sendable {
    package let key: String
    package var value: JSON

    package init(key: String, value: JSON) {
      self.key = key
      self.value = value
    }

    package static func == (left: Member, right: Member) -> Bool {
      left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
  }

  private var members: [Member]

  package init() {
    members = []
  }

  /// An object of these members; the last of several with one key counts.
  package init(_ elements: some Sequence<(String, JSON)>) {
    members = []
    for (key, value) in elements { self[key] = value }
  }

  /// Members that are already sorted, and whose keys differ.
  init(sorted members: [Member]) {
    self.members = members
  }

  /// The value of a key. Setting `nil` removes the member.
  package subscript(key: String) -> JSON? {
    get {
      let index = position(of: key)
      return has(key, at: index) ? members[index].value : nil
    }
    set {
      let index = position(of: key)
      switch (newValue, has(key, at: index)) {
      case (let value?, true): members[index].value = value
      case (let value?, false): members.insert(Member(key: key, value: value), at: index)
      case (nil, true): members.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The keys, in order.
  package var keys: [String] {
    members.map(\.key)
  }

  /// Takes a member out and returns its value; `nil` where there is none.
  package mutating func removeValue(forKey key: String) -> JSON? {
    let index = position(of: key)
    return has(key, at: index) ? members.remove(at: index).value : nil
  }

  private func has(_ key: String, at index: Int) -> Bool {
    index < members.count && members[index].key.utf8.elementsEqual(key.utf8)
  }

  /// Returns the index at which a key is, or would be inserted.
  private func position(of key: String) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if Self.areInOrder(members[middle].key, key) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Whether the first key stands before the second.
  static func areInOrder(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}

extension JSONObject: RandomAccessCollection {
  package var startIndex: Int { members.startIndex }
  package var endIndex: Int { members.endIndex }

  package subscript(position: Int) -> Member {
    members[position]
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements)
  }
}

/// A JSON number by its text (RFC 8259 §6), kept as it was written.
package struct JSONNumber: Hashable, Sendable {
  /// The text in the document, such as `1.50` or `-2e+3`: ASCII, in the grammar of RFC 8259.
  package let text: String

  /// A number from its text; `nil` for a text that is not one in the grammar.
  package init?(_ text: String) {
    guard let value = try? JSON.parse(Array(text.utf8)) else { return nil }
    switch value {
    case .integer, .number: break
    default: return nil
    }
    // The parser allows white space around a value.
    if text.utf8.contains(where: { $0 <= 0x20 }) { return nil }
    self.text = text
  }

  /// Text that the parser has found to be a number.
  package init(checked text: String) {
    self.text = text
  }
}
