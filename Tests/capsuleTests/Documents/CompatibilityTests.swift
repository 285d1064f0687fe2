import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What docs/reference/compatibility.md promises to scripts: what a released version has, every later one has.
@Suite struct CompatibilityTests {
  private static let path = "Tests/capsuleTests/Golden/0.1.0/surface.txt"

  /// Commands, options, their choices, exit statuses, faults, settings and members of JSON, a line each.
  private static func surface() throws -> [String] {
    var lines: [String] = []
    let table = CommandTable.capsule
    let words = Set(table.visibleCommands.map(\.name)).union(table.firstWords)
    lines += words.map { "command \($0)" }
    for command in table.visibleCommands {
      for option in command.options {
        lines.append("option \(command.name) --\(option.name)")
        if let short = option.short { lines.append("option \(command.name) -\(short)") }
        if case .choices(let choices) = option.completion {
          lines += choices.map { "choice \(command.name) --\(option.name) \($0)" }
        }
      }
      if command.outputs.contains(.json) { lines.append("output \(command.name) --json") }
      if command.outputs.contains(.ndjson) { lines.append("output \(command.name) --ndjson") }
    }
    lines += GlobalOptions.leading.map { "option capsule --\($0.name)" }
    for code in ExitCode.allCases {
      lines += code.kinds.map { "status \(code.rawValue) \($0)" }
    }
    lines += Fault.Code.allCases.map { "fault \($0.rawValue)" }
    lines += Setting.all.map { "setting \($0.name)" }
    for file in RepositoryFile.names(in: "docs/schema") where file.hasSuffix(".schema.json") {
      let text = try require(RepositoryFile.content("docs/schema/" + file))
      let name = String(file.dropLast(".schema.json".count))
      lines += members(of: try JSON.parse(Array(text.utf8)), at: "json \(name)")
    }
    return Set(lines).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// The members that a schema names, with their types, and what it takes from the definitions.
  private static func members(of schema: JSON, at place: String) -> [String] {
    guard let object = schema.object else {
      return schema.array?.flatMap { members(of: $0, at: place) } ?? []
    }
    var lines: [String] = []
    if let reference = schema["$ref"]?.string { lines.append("\(place) = \(reference)") }
    let types =
      schema["type"]?.array?.compactMap(\.string) ?? [schema["type"]?.string].compactMap(\.self)
    lines += types.map { "\(place): \($0)" }
    for member in object where member.value.object != nil || member.value.array != nil {
      switch member.key {
      case "properties", "$defs":
        for property in member.value.object ?? [:] {
          lines += members(of: property.value, at: "\(place).\(property.key)")
        }
      case "items": lines += members(of: member.value, at: place + "[]")
      default: lines += members(of: member.value, at: place)
      }
    }
    return lines
  }

  /// `CAPSULE_SURFACE=write` writes it anew: only until the version is released.
  @Test func `what the first version has is still there`() throws {
    let now = try Self.surface()
    if getenv("CAPSULE_SURFACE") != nil, getenv("CI") == nil {
      try RepositoryFile.write(now.joined(separator: "\n") + "\n", to: Self.path)
    }
    let first = try require(RepositoryFile.content(Self.path)).split(separator: "\n").map(
      String.init)
    expect(first.count > 1_000, "\(first.count) lines")
    let gone = Set(first).subtracting(now).sorted()
    expect(gone.isEmpty, "gone: \(gone.prefix(20).joined(separator: "; "))")
  }

  @Test func `version, changelog, citation and documents agree`() throws {
    let version = Version.text
    let log = try require(RepositoryFile.content("CHANGELOG.md"))
    let newest = try require(log.split(separator: "\n").first { $0.hasPrefix("## [") })
    expect(newest.hasPrefix("## [\(version)] – ") || newest == "## [Unreleased]", "\(newest)")
    let released = log.split(separator: "\n").first { $0.hasPrefix("## [\(version)] – ") }
    let date = try require(released?.suffix(10))
    expect(date.filter(\.isNumber).count, is: 8, "a date: \(date)")
    let citation = try require(RepositoryFile.content("CITATION.cff"))
    expect(citation.contains("\nversion: \(version)\n"), "CITATION.cff")
    expect(citation.contains("\ndate-released: \(date)\n"), "CITATION.cff")
    for page in ["README.md", "docs/how-to/install.md"] {
      let text = try require(RepositoryFile.content(page))
      let named = text.matches(of: /capsule[-_](\d+\.\d+\.\d+)/).map { String($0.1) }
      expect(Set(named), is: [version], "\(page)")
    }
  }
}
