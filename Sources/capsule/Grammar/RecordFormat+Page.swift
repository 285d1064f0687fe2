import CapsuleCore

extension RecordFormat {
  /// The path of the version's page from the root of the repository.
  var path: String { "docs/schema/history/V\(number).md" }

  /// The page about the version, in Markdown, made from the models.
  var page: String {
    """
    <!-- Made from the models by Scripts/generate. The page of a version that was followed by another stays
         as it is. -->

    # Record format \(number)

    Since \(program). \(summary)

    ## Changed

    \(changes)

    ## Objects

    Every kind of record with the members that this version has, and the objects in it.
    What each means stands in [format.md](../../reference/format.md).

    ```mermaid
    erDiagram
    \(diagram)
    ```

    ## Deleting

    \(deleting)

    ## Unique

    \(unique)

    ## Migration

    \(migration)

    """
  }

  private var changes: String {
    let lines = RecordKind.allCases.flatMap { kind in
      (members[kind] ?? []).map { "- `\(kind.folder)`: `\($0)`" }
    }
    if lines.isEmpty { return number == 1 ? "There was nothing before." : "No member." }
    return "Members that version \(number - 1) does not have:\n\n" + lines.joined(separator: "\n")
  }

  private var diagram: String {
    var lines: [String] = []
    for kind in RecordKind.allCases {
      for other in RecordKind.allCases where kind.namedKinds.contains(other) {
        lines.append("  \(Self.entity(kind)) }o--o| \(Self.entity(other)) : names")
      }
    }
    for kind in RecordKind.allCases {
      add(kind.shape, Self.entity(kind), [], of: kind, to: &lines)
    }
    return lines.joined(separator: "\n")
  }

  private static func entity(_ kind: RecordKind) -> String { kind.rawValue.uppercased() }

  private func add(
    _ shape: RecordShape, _ entity: String, _ path: [String], of kind: RecordKind,
    to lines: inout [String]
  ) {
    let later = laterMembers(of: kind)
    let members = shape.members.filter {
      !later.contains((path + [$0.name]).joined(separator: "."))
    }
    lines.append("  \(entity) {")
    if path.isEmpty { lines.append("    string checksum") }
    lines += members.map { "    \($0.type) \($0.name)" }
    lines.append("  }")
    for member in members {
      guard let part = member.part else { continue }
      let inner = "\(entity)_\(member.name.uppercased())"
      lines.append("  \(entity) ||--\(member.type == "array" ? "o{" : "o|") \(inner) : has")
      add(part, inner, path + [member.name], of: kind, to: &lines)
    }
  }

  private var deleting: String {
    let lines = RecordKind.allCases.compactMap { kind -> String? in
      let users = RecordKind.allCases.filter { $0.namedKinds.contains(kind) }
      guard !users.isEmpty else { return nil }
      let names = users.map { "`\($0.folder)`" }.joined(separator: " and ")
      return "- A record of `\(kind.folder)` stays as long as a live one of \(names) names it."
    }
    return """
      The objects in a record are deleted, restored and purged with it. A deleted record waits in `trash/`, \
      and comes back only where all that it names is live.

      """ + "\n" + lines.joined(separator: "\n")
  }

  private var unique: String {
    "Every `id`. Among the live records of a kind also:\n\n"
      + RecordKind.allCases.compactMap { kind in
        kind.uniqueness.map { "- `\(kind.folder)`: \($0)." }
      }.joined(separator: "\n")
  }

  private var migration: String {
    guard number > 1 else { return "None." }
    return """
      None: a record of version \(number - 1) is read as it is, and its bytes stay until it is changed. A \
      record is of version \(number) from the change on that needs it.
      """
  }
}
