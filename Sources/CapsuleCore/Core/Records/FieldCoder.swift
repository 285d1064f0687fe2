/// A walk through the fields of one JSON object: ``FieldReader`` fills them from the object, and
/// ``FieldWriter`` puts them into one.
///
/// A record names each field once, in ``RecordPart/code(with:)``; that list reads and writes.
package protocol FieldCoder {
  /// The error of a field that cannot be read; `Never` for a writer.
  associatedtype Failure: Error

  /// Codes a field that may be absent or `null`.
  ///
  /// - Parameter writesNull: whether `nil` is written, as `null`.
  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?, writesNull: Bool
  ) throws(Failure)

  /// Codes the members that no call before has named: those of a newer version, or of another
  /// program. They survive a rewrite.
  mutating func rest(_ members: inout JSONObject)

  /// Refuses what was read. A writer has nothing to refuse.
  func refuse(_ key: String, _ problem: FieldError.Problem) throws(Failure)
}

extension FieldCoder {
  /// Codes a field that must be there.
  mutating func field<Value: FieldValue>(_ key: String, _ value: inout Value) throws(Failure) {
    var found: Value? = value
    try optional(key, &found)
    guard let found else { return try refuse(key, .missing) }
    value = found
  }

  /// Codes a field that may be absent or `null`: the value then stays what it is.
  mutating func optional<Value: FieldValue>(_ key: String, _ value: inout Value) throws(Failure) {
    var found: Value? = value
    try optional(key, &found)
    if let found { value = found }
  }

  /// Codes a field that may be absent or `null`; `nil` is written as `null`.
  mutating func optional<Value: FieldValue>(_ key: String, _ value: inout Value?) throws(Failure) {
    try optional(key, &value, writesNull: true)
  }

  /// Refuses a text that is longer than its field may be.
  func limit(_ key: String, _ text: String, to limit: Int) throws(Failure) {
    guard text.utf8.count <= limit else {
      return try refuse(key, .invalid("over \(limit) bytes"))
    }
  }
}

/// The fields of one JSON object that are read. Those that nobody asks for are left over.
struct FieldReader: FieldCoder {
  private var object: JSONObject

  init(_ object: JSONObject) {
    self.object = object
  }

  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?, writesNull: Bool
  ) throws(FieldError) {
    value = nil
    guard let json = object.removeValue(forKey: key) else { return }
    if case .null = json { return }
    do throws(FieldError) { value = try Value(json: json) } catch { throw error.inside(key) }
  }

  mutating func rest(_ members: inout JSONObject) {
    members = object
  }

  func refuse(_ key: String, _ problem: FieldError.Problem) throws(FieldError) {
    throw FieldError(path: key, problem: problem)
  }
}

/// The fields of one JSON object that is written.
struct FieldWriter: FieldCoder {
  private(set) var object: JSONObject = [:]

  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?, writesNull: Bool
  ) {
    if let json = value?.json ?? (writesNull ? .null : nil) { object[key] = json }
  }

  mutating func rest(_ members: inout JSONObject) {
    for member in members where object[member.key] == nil { object[member.key] = member.value }
  }

  func refuse(_ key: String, _ problem: FieldError.Problem) {}
}
