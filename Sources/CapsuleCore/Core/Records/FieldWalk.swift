/// A walk through the fields of one JSON object.
///
/// A record names each field once, in ``RecordPart/walk(_:)``, with what else is to be known of it. That one
/// list reads and writes the record (``FieldReader``, ``FieldWriter``), is what the index keeps of it
/// (``Brief``), what a search looks through, how two versions are merged (``MergeTable``), and the record's
/// shape in the documents (``RecordShape``).
package protocol FieldWalk {
  /// The error of a field that cannot be read; `Never` for a walk that reads nothing.
  associatedtype Failure: Error

  /// Goes to a field that always has a value. Where it is absent or `null`, the value stays what it is.
  ///
  /// - Parameter isRequired: whether it must be there.
  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool) throws(Failure)

  /// Goes to a field that may be absent or `null`.
  ///
  /// - Parameter writesNull: whether `nil` is written, as `null`.
  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool) throws(Failure)

  /// Goes to the members that no call before has named: those of a newer version, or of another
  /// program. They survive a rewrite.
  mutating func rest(_ members: inout JSONObject)

  /// Refuses fields that do not go together; only a walk that reads refuses.
  func refuse(_ key: String, _ problem: FieldError.Problem) throws(Failure)

  /// Refuses a record whose fields are known and break a rule. A walk that does not read whole records asks
  /// for nothing.
  func require(
    _ holds: @autoclosure () -> Bool, _ key: String,
    _ problem: @autoclosure () -> FieldError.Problem
  ) throws(Failure)
}

/// What is to be known of a field besides its name and its value.
package struct FieldFacts: Sendable {
  package let traits: FieldTraits
  /// `nil` for a member of an object in a record: that is merged as one.
  package let merge: FieldMerge?
}

/// What lists and searches are to know of a field.
package struct FieldTraits: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The index keeps it, for lists.
  package static let listed = FieldTraits(rawValue: 1)
  /// The index keeps its beginning: at most ``BriefText/limit`` bytes.
  package static let listedCut = FieldTraits(rawValue: 2)
  /// The title or name, which the index keeps in front.
  package static let title = FieldTraits(rawValue: 4)
  /// A search looks through it.
  package static let searched = FieldTraits(rawValue: 8)
  /// It is never changed: two records in which it differs are not one record.
  package static let fixed = FieldTraits(rawValue: 16)
  /// Answers in JSON have it under its own name. An empty text that may be absent is `null` there.
  package static let answered = FieldTraits(rawValue: 32)
}

/// How two versions of a field are merged.
package struct FieldMerge: Hashable, Sendable {
  package let rule: MergeRule
  /// The name of the fields that are merged as one with it; `nil` for itself alone.
  package let unit: String?

  private init(_ rule: MergeRule, unit: String? = nil) { (self.rule, self.unit) = (rule, unit) }

  package static let siblings = FieldMerge(.siblings)
  package static let greatest = FieldMerge(.greatest)
  package static let least = FieldMerge(.least)
  package static let once = FieldMerge(.once)
  package static let delivery = FieldMerge(.delivery)
  package static let elements = FieldMerge(.elements(known: []))

  package static func elements(
    knownBy members: String..., showsFuller: Bool = false
  ) -> FieldMerge {
    FieldMerge(.elements(known: members, showsFuller: showsFuller))
  }

  package static func collection(knownBy members: String...) -> FieldMerge {
    FieldMerge(.collection(known: members))
  }

  /// Returns the same for a field that is nothing without the others of a unit.
  package func of(_ unit: String) -> FieldMerge { FieldMerge(rule, unit: unit) }
}

extension FieldWalk {
  /// Goes to a field of a record that must be there.
  mutating func field<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ traits: FieldTraits, _ merge: FieldMerge
  ) throws(Failure) {
    try self.value(key, &value, FieldFacts(traits: traits, merge: merge), isRequired: true)
  }

  /// Goes to a field of a record that may be absent or `null`: the value then stays what it is.
  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ traits: FieldTraits, _ merge: FieldMerge
  ) throws(Failure) {
    try self.value(key, &value, FieldFacts(traits: traits, merge: merge), isRequired: false)
  }

  /// Goes to a field of a record that may be absent or `null`.
  mutating func optional<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ traits: FieldTraits, _ merge: FieldMerge,
    writesNull: Bool = true
  ) throws(Failure) {
    try self.value(
      key, &value, FieldFacts(traits: traits, merge: merge), writesNull: writesNull)
  }

  /// Goes to a flag of a record that is absent where it does not hold.
  mutating func flag(
    _ key: String, _ value: inout Bool, _ traits: FieldTraits, _ merge: FieldMerge
  ) throws(Failure) {
    var found: Bool? = value ? true : nil
    try optional(key, &found, traits, merge, writesNull: false)
    value = found ?? false
  }

  /// Goes to a list of a record that is absent where it is empty.
  mutating func list<Element: FieldValue>(
    _ key: String, _ values: inout [Element], _ traits: FieldTraits, _ merge: FieldMerge
  ) throws(Failure) {
    var found: [Element]? = values.isEmpty ? nil : values
    try optional(key, &found, traits, merge, writesNull: false)
    values = found ?? []
  }

  /// Goes to a member of an object in a record that must be there.
  mutating func member<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ traits: FieldTraits = []
  ) throws(Failure) {
    try self.value(key, &value, FieldFacts(traits: traits, merge: nil), isRequired: true)
  }

  /// Goes to a member of an object in a record that may be absent or `null`: the value then stays what it is.
  mutating func optionalMember<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ traits: FieldTraits = []
  ) throws(Failure) {
    try self.value(key, &value, FieldFacts(traits: traits, merge: nil), isRequired: false)
  }

  /// Goes to a member of an object in a record that may be absent or `null`.
  mutating func optionalMember<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ traits: FieldTraits = [], writesNull: Bool = true
  ) throws(Failure) {
    try self.value(key, &value, FieldFacts(traits: traits, merge: nil), writesNull: writesNull)
  }

  /// Refuses a text that is longer than its field may be.
  func limit(_ key: String, _ text: String, to limit: Int) throws(Failure) {
    try require(text.utf8.count <= limit, key, .invalid("over \(limit) bytes"))
  }

  /// Requires a date of the years 1 to 9999.
  ///
  /// - Note: Two of these in one function became two instructions whose order differed from build to build.
  @inline(never)
  func limit(_ key: String, _ date: CivilDate?) throws(Failure) {
    guard let date else { return }
    try require(date.isRepresentable, key, .invalid(date.description))
  }

  package func refuse(_ key: String, _ problem: FieldError.Problem) throws(Failure) {}

  package func require(
    _ holds: @autoclosure () -> Bool, _ key: String,
    _ problem: @autoclosure () -> FieldError.Problem
  ) throws(Failure) {}

  package mutating func rest(_ members: inout JSONObject) {}
}

/// The fields of one JSON object that are read. Those that nobody asks for are left over.
struct FieldReader: FieldWalk {
  private var object: JSONObject

  init(_ object: JSONObject) {
    self.object = object
  }

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) throws(FieldError) {
    var found: Value?
    try self.value(key, &found, facts, writesNull: false)
    if let found { value = found } else if isRequired { try refuse(key, .missing) }
  }

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
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

  func require(
    _ holds: @autoclosure () -> Bool, _ key: String,
    _ problem: @autoclosure () -> FieldError.Problem
  ) throws(FieldError) {
    if !holds() { try refuse(key, problem()) }
  }
}

/// The fields of one JSON object that is written.
struct FieldWriter: FieldWalk {
  typealias Failure = Never

  private(set) var object: JSONObject = [:]

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) {
    object[key] = value.json
  }

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
  ) {
    if let json = value?.json ?? (writesNull ? .null : nil) { object[key] = json }
  }

  mutating func rest(_ members: inout JSONObject) {
    for member in members where object[member.key] == nil { object[member.key] = member.value }
  }
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
