import CapsuleCore

/// A place for the members of a JSON object: text that is written in their order, for long lists, or
/// an object that is kept.
///
/// The members of a record are given in the order of their keys' bytes, so that one list of them
/// serves both.
protocol MemberWriter {
  mutating func member(_ key: String, _ value: JSON)
  mutating func member(_ key: String, _ value: String)
  mutating func member(_ key: String, _ value: Int64)
  mutating func member(_ key: String, _ value: Bool)
  mutating func member(_ key: String, _ values: [String])
  /// Writes a text that needs no escapes: `write` fills a buffer of `count` bytes.
  mutating func member(
    _ key: String, plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void)
  /// Writes an object within the object.
  mutating func object(_ key: String, _ write: (inout Self) -> Void)
}

extension MemberWriter {
  /// Writes a text; `null` for none.
  mutating func member(_ key: String, _ value: String?) {
    if let value { member(key, value) } else { member(key, JSON.null) }
  }

  /// Writes a number; `null` for none.
  mutating func member(_ key: String, _ value: Int64?) {
    if let value { member(key, value) } else { member(key, JSON.null) }
  }

  /// Writes a text; `null` for an empty one.
  mutating func member(_ key: String, ifAny value: String) {
    member(key, value.isEmpty ? nil : value)
  }

  mutating func member(_ key: String, _ id: RecordID) {
    member(key, plainCount: RecordID.textCount) { id.write(to: $0) }
  }
}

extension JSONTextWriter: MemberWriter {
  mutating func member(_ key: String, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { self.value(value) }
    endArray()
  }

  mutating func member(
    _ key: String, plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.key(key)
    value(plainCount: count, write)
  }

  mutating func object(_ key: String, _ write: (inout JSONTextWriter) -> Void) {
    self.key(key)
    beginObject()
    write(&self)
    endObject()
  }
}

extension JSONObject: MemberWriter {
  mutating func member(_ key: String, _ value: JSON) { self[key] = value }
  mutating func member(_ key: String, _ value: String) { self[key] = .string(value) }
  mutating func member(_ key: String, _ value: Int64) { self[key] = .integer(value) }
  mutating func member(_ key: String, _ value: Bool) { self[key] = .bool(value) }

  mutating func member(_ key: String, _ values: [String]) {
    self[key] = .array(values.map { .string($0) })
  }

  mutating func member(
    _ key: String, plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self[key] = .string(String(plainCount: count, write))
  }

  mutating func object(_ key: String, _ write: (inout JSONObject) -> Void) {
    var object = JSONObject()
    write(&object)
    self[key] = .object(object)
  }
}

extension String {
  /// A text of so many bytes, which `write` fills in.
  init(plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    self.init(unsafeUninitializedCapacity: count) { buffer in
      write(
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      return count
    }
  }
}
