/// What is wrong with one field of a record, and where it stands.
public struct FieldError: Error, Hashable, Sendable {
  /// The kinds of fault.
  public enum Problem: Hashable, Sendable {
    case missing
    /// The value is of another JSON type than the one named.
    case notA(String)
    /// The value is of the right type, but not one that can stand here.
    case invalid(String)
  }

  /// The field's place, as `contents[2].kind`.
  public let path: String
  public let problem: Problem
}

/// Takes the fields of one JSON object apart, and knows at the end which were not asked for.
///
/// What is left over is kept by the model and written back, so that a field which a newer version
/// or another program has added survives a rewrite.
package struct FieldReader {
  private var object: JSONObject
  private let path: String

  package init(_ object: JSONObject, path: String = "") {
    self.object = object
    self.path = path
  }

  /// The fields that nobody has taken.
  package var rest: JSONObject { object }

  package func error(_ key: String, _ problem: FieldError.Problem) -> FieldError {
    FieldError(path: path.isEmpty ? key : "\(path).\(key)", problem: problem)
  }

  /// Takes a field whatever it is; a `null` counts as absent.
  package mutating func take(_ key: String) -> JSON? {
    guard let value = object[key] else { return nil }
    object[key] = nil
    return value == .null ? nil : value
  }

  package mutating func optionalString(_ key: String) throws(FieldError) -> String? {
    guard let value = take(key) else { return nil }
    guard case .string(let text) = value else { throw error(key, .notA("string")) }
    return text
  }

  package mutating func optionalInteger(_ key: String) throws(FieldError) -> Int64? {
    guard let value = take(key) else { return nil }
    guard case .integer(let number) = value else { throw error(key, .notA("integer")) }
    return number
  }

  package mutating func optionalBool(_ key: String) throws(FieldError) -> Bool? {
    guard let value = take(key) else { return nil }
    guard case .bool(let flag) = value else { throw error(key, .notA("boolean")) }
    return flag
  }

  package mutating func optionalArray(_ key: String) throws(FieldError) -> [JSON]? {
    guard let value = take(key) else { return nil }
    guard case .array(let elements) = value else { throw error(key, .notA("array")) }
    return elements
  }

  package mutating func optionalInstant(_ key: String) throws(FieldError) -> Instant? {
    guard let text = try optionalString(key) else { return nil }
    guard let instant = Instant(rfc3339: text) else { throw error(key, .invalid(text)) }
    return instant
  }

  /// Takes a nested object as a model of its own.
  package mutating func optionalModel<Model: RecordPart>(
    _ key: String, as type: Model.Type
  ) throws(FieldError) -> Model? {
    guard let value = take(key) else { return nil }
    return try model(value, key: key)
  }

  /// Takes an array of objects, each a model of its own; absent counts as empty.
  package mutating func models<Model: RecordPart>(
    _ key: String, of type: Model.Type
  ) throws(FieldError) -> [Model] {
    var models: [Model] = []
    for (position, element) in (try optionalArray(key) ?? []).enumerated() {
      models.append(try model(element, key: "\(key)[\(position)]"))
    }
    return models
  }

  package mutating func optionalStrings(_ key: String) throws(FieldError) -> [String]? {
    guard let elements = try optionalArray(key) else { return nil }
    var strings: [String] = []
    for (position, element) in elements.enumerated() {
      guard case .string(let text) = element else {
        throw error("\(key)[\(position)]", .notA("string"))
      }
      strings.append(text)
    }
    return strings
  }

  package mutating func string(_ key: String) throws(FieldError) -> String {
    guard let value = try optionalString(key) else { throw error(key, .missing) }
    return value
  }

  package mutating func integer(_ key: String) throws(FieldError) -> Int64 {
    guard let value = try optionalInteger(key) else { throw error(key, .missing) }
    return value
  }

  package mutating func instant(_ key: String) throws(FieldError) -> Instant {
    guard let value = try optionalInstant(key) else { throw error(key, .missing) }
    return value
  }

  package mutating func model<Model: RecordPart>(
    _ key: String, as type: Model.Type
  ) throws(FieldError) -> Model {
    guard let value = try optionalModel(key, as: type) else { throw error(key, .missing) }
    return value
  }

  package mutating func id(_ key: String) throws(FieldError) -> RecordID {
    let text = try string(key)
    guard let id = RecordID(text) else { throw error(key, .invalid(text)) }
    return id
  }

  /// One of an enumeration's raw values.
  package mutating func choice<Choice: RawRepresentable<String>>(
    _ key: String, as type: Choice.Type
  ) throws(FieldError) -> Choice {
    let text = try string(key)
    guard let choice = Choice(rawValue: text) else { throw error(key, .invalid(text)) }
    return choice
  }

  private func model<Model: RecordPart>(_ value: JSON, key: String) throws(FieldError) -> Model {
    guard case .object(let object) = value else { throw error(key, .notA("object")) }
    var reader = FieldReader(object, path: path.isEmpty ? key : "\(path).\(key)")
    return try Model(reading: &reader)
  }
}

/// A value that is a JSON object inside a record.
package protocol RecordPart {
  /// Takes its fields; what is left over in the reader is its `unknown`.
  init(reading reader: inout FieldReader) throws(FieldError)
  /// All of its fields, the unknown ones included.
  var fields: JSONObject { get }
}

extension JSON {
  /// An instant as records hold it: RFC 3339 in UTC.
  package static func instant(_ instant: Instant) -> JSON {
    .string(instant.rfc3339)
  }

  /// Objects in their order.
  package static func parts(_ parts: [some RecordPart]) -> JSON {
    .array(parts.map { .object($0.fields) })
  }
}
