/// A place for the members of a JSON object, in any order: text that is written, for long lists, or an object that
/// is kept.
package protocol MemberWriter {
  mutating func member(_ key: String, _ value: JSON)
  mutating func member(_ key: String, _ value: String)
  mutating func member(_ key: String, _ value: Int64)
  mutating func member(_ key: String, _ value: Bool)
  mutating func member(_ key: String, _ values: [String])
  /// Writes a text that needs no escapes: `write` fills a buffer of `count` bytes.
  mutating func member(
    _ key: String, plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void)
  /// Writes the fields that answers have under their own names (``FieldTraits/answered``).
  mutating func fields(of record: some RecordModel)
  /// Writes an object within the object.
  mutating func object(_ key: String, _ write: (inout Self) -> Void)
}

extension MemberWriter {
  /// Writes a text; `null` for none.
  package mutating func member(_ key: String, _ value: String?) {
    if let value { member(key, value) } else { member(key, JSON.null) }
  }

  /// Writes a number; `null` for none.
  package mutating func member(_ key: String, _ value: Int64?) {
    if let value { member(key, value) } else { member(key, JSON.null) }
  }

  /// Writes a text; `null` for an empty one.
  package mutating func member(_ key: String, ifAny value: String) {
    member(key, value.isEmpty ? nil : value)
  }

  package mutating func member(_ key: String, _ id: RecordID) {
    member(key, plainCount: RecordID.textCount) { id.write(to: $0) }
  }
}

extension JSONTextWriter: MemberWriter {
  package mutating func fields(of record: some RecordModel) { record.writeAnswered(to: &self) }

  package mutating func member(_ key: String, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { self.value(value) }
    endArray()
  }

  package mutating func member(
    _ key: String, plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.key(key)
    value(plainCount: count, write)
  }

  package mutating func object(_ key: String, _ write: (inout JSONTextWriter) -> Void) {
    self.key(key)
    beginSortedObject()
    write(&self)
    endSortedObject()
  }
}

extension JSONObject: MemberWriter {
  package mutating func fields(of record: some RecordModel) { record.writeAnswered(to: &self) }

  package mutating func member(_ key: String, _ value: JSON) { self[key] = value }
  package mutating func member(_ key: String, _ value: String) { self[key] = value.json }
  package mutating func member(_ key: String, _ value: Int64) { self[key] = value.json }
  package mutating func member(_ key: String, _ value: Bool) { self[key] = value.json }

  package mutating func member(_ key: String, _ values: [String]) {
    self[key] = values.json
  }

  package mutating func member(
    _ key: String, plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    self[key] = String(plainCount: count, write).json
  }

  package mutating func object(_ key: String, _ write: (inout JSONObject) -> Void) {
    var object = JSONObject()
    write(&object)
    self[key] = .object(object)
  }
}

extension String {
  /// A text of so many bytes, which `write` fills in.
  package init(plainCount count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
    self.init(unsafeUninitializedCapacity: count) { buffer in
      write(
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      return count
    }
  }
}

/// Writes the fields of a record that answers have under their own names.
private struct AnswerWalk<Writer: MemberWriter>: FieldWalk {
  typealias Failure = Never

  let writer: UnsafeMutablePointer<Writer>

  /// A text that may be absent is `null` where it is empty.
  func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) {
    guard facts.traits.contains(.answered) else { return }
    if let text = value as? String {
      writer.pointee.member(key, isRequired || !text.isEmpty ? text : nil)
    } else {
      writer.pointee.member(key, value.json)
    }
  }

  func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
  ) {
    guard facts.traits.contains(.answered) else { return }
    writer.pointee.member(key, value?.json ?? .null)
  }
}

// These two stand side by side so that each is compiled for its writer and each kind.
extension RecordModel {
  package func writeAnswered(to writer: inout JSONTextWriter) { answer(to: &writer) }
  package func writeAnswered(to object: inout JSONObject) { answer(to: &object) }

  @inline(__always)
  private func answer<Writer: MemberWriter>(to writer: inout Writer) {
    var record = self
    withUnsafeMutablePointer(to: &writer) {
      var walk = AnswerWalk(writer: $0)
      record.walk(&walk)
    }
  }
}
