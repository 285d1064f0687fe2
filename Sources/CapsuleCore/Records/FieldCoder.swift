/// A walk through the fields of one JSON object: ``FieldReader`` fills them from the object, and
/// ``FieldWriter`` puts them into one.
///
/// A record names each field once, in ``RecordPart/code(with:)``; that list reads and writes.
package protocol FieldCoder {
  /// The error of a field that cannot be read; `Never` for a writer.
  associatedtype Failure: Error

  /// Codes a field that must be there.
  mutating func field<Value: FieldValue>(
    _ key: String, _ value: inout Value
  ) throws(Failure)

  /// Codes a field that may be absent or `null`: the value then stays what it is.
  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value
  ) throws(Failure)

  /// Codes a field that may be absent or `null`; `nil` is written as `null`.
  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?
  ) throws(Failure)

  /// Codes a field that may be absent or `null`; `nil` is not written.
  mutating func present<Value: FieldValue>(
    _ key: String, _ value: inout Value?
  ) throws(Failure)

  /// Codes the members that no call above has named: those of a newer version, or of another
  /// program. They survive a rewrite.
  mutating func rest(_ members: inout JSONObject)

  /// Refuses what was read. A writer has nothing to refuse.
  func refuse(_ key: String, _ problem: FieldError.Problem) throws(Failure)
}

extension FieldCoder {
  /// Refuses a text that is longer than its field may be.
  func limit(_ key: String, _ text: String, to limit: Int) throws(Failure) {
    guard text.utf8.count <= limit else {
      return try refuse(key, .invalid("over \(limit) bytes"))
    }
  }
}

/// The fields of one JSON object that are read. Those that nobody asks for are left over.
package struct FieldReader: FieldCoder {
  private var object: JSONObject

  package init(_ object: JSONObject) {
    self.object = object
  }

  private mutating func take<Value: FieldValue>(_ key: String) throws(FieldError) -> Value? {
    guard let json = object.removeValue(forKey: key) else { return nil }
    if case .null = json { return nil }
    do throws(FieldError) { return try Value(json: json) } catch { throw error.inside(key) }
  }

  package mutating func field<Value: FieldValue>(
    _ key: String, _ value: inout Value
  ) throws(FieldError) {
    guard let found: Value = try take(key) else { return try refuse(key, .missing) }
    value = found
  }

  package mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value
  ) throws(FieldError) {
    if let found: Value = try take(key) { value = found }
  }

  package mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?
  ) throws(FieldError) {
    value = try take(key)
  }

  package mutating func present<Value: FieldValue>(
    _ key: String, _ value: inout Value?
  ) throws(FieldError) {
    value = try take(key)
  }

  package mutating func rest(_ members: inout JSONObject) {
    members = object
  }

  package func refuse(_ key: String, _ problem: FieldError.Problem) throws(FieldError) {
    throw FieldError(path: key, problem: problem)
  }
}

/// The fields of one JSON object that is written.
package struct FieldWriter: FieldCoder {
  package private(set) var object: JSONObject = [:]

  package mutating func field<Value: FieldValue>(_ key: String, _ value: inout Value) {
    object[key] = value.json
  }

  package mutating func optional<Value: FieldValue>(_ key: String, _ value: inout Value) {
    object[key] = value.json
  }

  package mutating func optional<Value: FieldValue>(_ key: String, _ value: inout Value?) {
    object[key] = value?.json ?? .null
  }

  package mutating func present<Value: FieldValue>(_ key: String, _ value: inout Value?) {
    if let value { object[key] = value.json }
  }

  package mutating func rest(_ members: inout JSONObject) {
    for member in members where object[member.key] == nil { object[member.key] = member.value }
  }

  package func refuse(_ key: String, _ problem: FieldError.Problem) {}
}
