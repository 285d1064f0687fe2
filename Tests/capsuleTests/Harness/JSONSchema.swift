import CapsuleCore
import TestSupport
import Testing

/// A schema of `docs/schema`, in the part of JSON Schema 2020-12 that those use.
///
/// Objects are open for users, as additions may come; here a member that no schema names is a
/// problem too, so that nothing is added without being described.
struct JSONSchema {
  private let file: String
  private let root: JSON

  /// - Parameter name: the file's, without `.schema.json`: a command's name with hyphens.
  init(_ name: String) throws {
    try self.init(file: name + ".schema.json")
  }

  private init(file: String) throws {
    self.file = file
    let text = try require(
      RepositoryFile.content("docs/schema/" + file), "docs/schema/\(file) is missing")
    root = try JSON.parse(Array(text.utf8))
  }

  /// What is wrong with a value, each problem with its place; empty when nothing is.
  func problems(of value: JSON) throws -> [String] {
    var check = Check()
    _ = try check.evaluate(value, root, self, at: "$", isClosed: true)
    return check.problems
  }

  private struct Check {
    var problems: [String] = []

    /// Evaluates a value and gives the members that the schema names.
    mutating func evaluate(
      _ value: JSON, _ schema: JSON, _ document: JSONSchema, at place: String, isClosed: Bool
    ) throws -> Set<String> {
      var named: Set<String> = []
      let members = try require(schema.object, "a schema is an object")
      for member in members {
        switch member.key {
        case "$schema", "$id", "title", "description", "$defs": break
        case "$ref":
          let (target, home) = try document.target(of: try require(member.value.string))
          named.formUnion(try evaluate(value, target, home, at: place, isClosed: false))
        case "type": checkType(value, member.value, place)
        case "const":
          if value != member.value { problems.append("\(place) is another constant") }
        case "enum":
          if member.value.array?.contains(value) != true {
            problems.append("\(place) is no choice")
          }
        case "pattern": checkPattern(value, try require(member.value.string), place)
        case "minimum":
          if let minimum = member.value.integer, let number = value.integer, number < minimum {
            problems.append("\(place) is less than \(minimum)")
          }
        case "required":
          for key in member.value.array ?? [] where value[key.string ?? ""] == nil {
            problems.append("\(place).\(key.string ?? "") is missing")
          }
        case "properties":
          for property in member.value.object ?? [:] {
            named.insert(property.key)
            guard let inner = value[property.key] else { continue }
            _ = try evaluate(
              inner, property.value, document, at: "\(place).\(property.key)", isClosed: true)
          }
        case "items":
          for (index, element) in (value.array ?? []).enumerated() {
            _ = try evaluate(
              element, member.value, document, at: "\(place)[\(index)]", isClosed: true)
          }
        case "allOf":
          for part in member.value.array ?? [] {
            named.formUnion(try evaluate(value, part, document, at: place, isClosed: false))
          }
        case "anyOf":
          named.formUnion(try evaluateAny(value, member.value.array ?? [], document, at: place))
        default: Issue.record("the keyword \(member.key) is not known")
        }
      }
      if isClosed, let object = value.object {
        for key in object.keys where !named.contains(key) {
          problems.append("\(place).\(key) is in no schema")
        }
      }
      return named
    }

    private mutating func evaluateAny(
      _ value: JSON, _ parts: [JSON], _ document: JSONSchema, at place: String
    ) throws -> Set<String> {
      var all: [String] = []
      for part in parts {
        var check = Check()
        let named = try check.evaluate(value, part, document, at: place, isClosed: false)
        if check.problems.isEmpty { return named }
        all += check.problems
      }
      problems.append("\(place) is none of the forms (\(all.joined(separator: "; ")))")
      return []
    }

    private mutating func checkType(_ value: JSON, _ type: JSON, _ place: String) {
      let names = type.array?.compactMap(\.string) ?? [type.string].compactMap { $0 }
      let name =
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
      if !names.contains(name) { problems.append("\(place) is of type \(name)") }
    }

    private mutating func checkPattern(_ value: JSON, _ pattern: String, _ place: String) {
      guard let text = value.string else { return }
      guard let regex = try? Regex(pattern) else {
        Issue.record("the pattern \(pattern) cannot be read")
        return
      }
      if text.firstMatch(of: regex) == nil { problems.append("\(place) is not as \(pattern)") }
    }
  }

  /// What a `$ref` names: `file#/$defs/name`.
  private func target(of reference: String) throws -> (JSON, JSONSchema) {
    let parts = reference.split(separator: "#", omittingEmptySubsequences: false)
    let document =
      parts[0] == file || parts[0].isEmpty ? self : try JSONSchema(file: String(parts[0]))
    var target = document.root
    for step in (parts.count > 1 ? parts[1] : "").split(separator: "/") {
      target = try require(target[String(step)], "\(reference) names nothing")
    }
    return (target, document)
  }
}
