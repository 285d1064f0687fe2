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
    do { value = try Value(json: json) } catch { throw error.inside(key) }
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

/// A value that a field of a record can hold.
package protocol FieldValue {
  /// Reads the field's JSON.
  ///
  /// - Throws: ``FieldError``, whose path begins at the value.
  init(json: JSON) throws(FieldError)
  /// The JSON that the field holds.
  var json: JSON { get }
}

/// A value that a field holds as text.
package protocol FieldText: FieldValue {
  init?(fieldText: String)
  var fieldText: String { get }
}

extension FieldText {
  package init(json: JSON) throws(FieldError) {
    let text = try String(json: json)
    guard let value = Self(fieldText: text) else { throw FieldError(.invalid(text)) }
    self = value
  }

  package var json: JSON { .string(fieldText) }
}

extension FieldText where Self: RawRepresentable<String> {
  package init?(fieldText: String) { self.init(rawValue: fieldText) }
  package var fieldText: String { rawValue }
}

extension FieldText where Self: LosslessStringConvertible {
  package init?(fieldText: String) { self.init(fieldText) }
  package var fieldText: String { description }
}

extension String: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .string(let text) = json else { throw FieldError(.notA("string")) }
    self = text
  }

  package var json: JSON { .string(self) }
}

extension Int64: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .integer(let number) = json else { throw FieldError(.notA("integer")) }
    self = number
  }

  package var json: JSON { .integer(self) }
}

extension Int: FieldValue {
  package init(json: JSON) throws(FieldError) { self.init(clamping: try Int64(json: json)) }
  package var json: JSON { .integer(Int64(self)) }
}

extension Bool: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .bool(let flag) = json else { throw FieldError(.notA("boolean")) }
    self = flag
  }

  package var json: JSON { .bool(self) }
}

extension Array: FieldValue where Element: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .array(let elements) = json else { throw FieldError(.notA("array")) }
    self = []
    reserveCapacity(elements.count)
    for (position, element) in elements.enumerated() {
      do { append(try Element(json: element)) } catch {
        throw error.inside("[\(position)]")
      }
    }
  }

  package var json: JSON { .array(map { $0.json }) }
}

/// An instant is RFC 3339 in UTC.
extension Instant: FieldText {
  package init?(fieldText: String) { self.init(rfc3339: fieldText) }
  package var fieldText: String { rfc3339 }
}

/// A file's time is RFC 3339 in UTC, with nine digits of fraction unless they are zero.
extension FileTime: FieldText {
  package init?(fieldText: String) { self.init(rfc3339: fieldText) }
  package var fieldText: String { rfc3339 }
}

/// A date is `YYYY-MM-DD`.
extension CivilDate: FieldText {
  package init?(fieldText: String) { self.init(iso8601: fieldText) }
  package var fieldText: String { description }
}

/// A time of day is `HH:MM`.
extension CivilTime: FieldText {
  package init?(fieldText: String) {
    guard let minutes = Setting.minutes(fieldText) else { return nil }
    self.init(hour: minutes / 60, minute: minutes % 60)
  }

  package var fieldText: String { shortText }
}

/// A local time is RFC 3339 with its offset.
extension LocalTime: FieldText {}

/// A day of the week is its English word.
extension Weekday: FieldText {
  package init?(fieldText: String) {
    guard let day = Self.allCases.first(where: { $0.fieldText == fieldText }) else { return nil }
    self = day
  }

  package var fieldText: String { name.lowercased() }
}

/// A unit of time is its English word.
extension DurationUnit: FieldText {
  package init?(fieldText: String) {
    guard let unit = Self.allCases.first(where: { $0.name == fieldText }) else { return nil }
    self = unit
  }

  package var fieldText: String { name }
}

/// A fault of one field of a record, and the place of the field.
public struct FieldError: Error, Hashable, Sendable {
  /// The kinds of fault.
  public enum Problem: Hashable, Sendable {
    case missing
    /// The value is of another JSON type than the one named.
    case notA(String)
    /// The value is of the right type, but not allowed here.
    case invalid(String)
  }

  /// The field's place, as `contents[2].kind`.
  public let path: String
  public let problem: Problem
}

extension FieldError {
  /// A fault of a value that does not know where it stands.
  init(_ problem: Problem) {
    self.init(path: "", problem: problem)
  }

  /// Returns the same fault with a key, an index in brackets, or a point in front of its place.
  func inside(_ place: String) -> FieldError {
    FieldError(path: place + path, problem: problem)
  }
}

extension FieldError: CustomStringConvertible {
  /// The field and what is wrong with it, on one line and harmless.
  public var description: String { SafeText.line(words) }

  /// The field and what is wrong with it.
  package var words: String {
    switch problem {
    case .missing: "'\(path)' is missing"
    case .notA(let type):
      "'\(path)' is not a\(type.first.map { "aio".contains($0) } == true ? "n" : "") \(type)"
    case .invalid(let value): "'\(path)' cannot be '\(value.prefix(80))'"
    }
  }
}

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
