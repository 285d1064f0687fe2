import CapsuleCore

/// The files of the repository that are made from the table, from that of dates and from the models.
struct GeneratedFiles: Sendable {
  private typealias File = (path: String, text: @Sendable () -> String)
  private let files: [File]

  init(_ table: CommandTable) {
    let tables: [File] = [
      ("docs/reference/dates.md", { DateGrammar.markdown }),
      ("docs/reference/settings.md", { ReferenceTables.settings }),
      ("docs/reference/exit-statuses.md", { ReferenceTables.exitStatuses }),
      ("docs/reference/errors.md", { ReferenceTables.errors }),
      ("docs/reference/commands.md", { ReferenceTables.commands(table) }),
    ]
    let shells: [File] = Shell.allCases.map { shell in
      ("completions/" + shell.fileName, { shell.script })
    }
    let manual: [File] = ManualPage.all(table).map { page in
      ("man/" + page.fileName, { page.text(version: Version.text) })
    }
    let formats: [File] = RecordFormat.all.map { version in (version.path, { version.page }) }
    files = tables + shells + manual + formats
  }

  /// The files' paths from the root of the repository.
  var paths: [String] { files.map(\.path) }

  /// Returns the content of a file; `nil` for any other path.
  func content(_ path: String) -> String? { files.first { $0.path == path }?.text() }
}

/// The pages of the reference that are made from lists of the program.
enum ReferenceTables {
  /// The page about commands.
  static func commands(_ table: CommandTable) -> String {
    let groups = table.visibleGroups.flatMap { group in
      (group.noun == nil ? [] : [ReferencePage(noun: group)])
        + group.visibleCommands.map { ReferencePage($0) }
    }
    let pages = ([ReferencePage(overviewOf: table)] + groups).map { $0.markdown(level: 2) }
    let topics = table.topics.map {
      ReferencePage($0).markdown(level: 2, heading: "Topic: \($0.name)")
    }
    return """
      <!-- Made from the table of commands by Scripts/generate. -->

      # Reference


      """ + (pages + topics).joined(separator: "\n")
  }

  /// The page about errors.
  static var errors: String {
    let rows = Fault.Code.allCases.map { code in
      let (meaning, remedy) = code.reference
      return "| `\(code.rawValue)` | \(code.kind.exitCode.rawValue) | \(meaning) | \(remedy) |"
    }
    return """
      <!-- Made from the list of faults by Scripts/generate. -->

      # Errors

      A program can tell errors apart by the member `fault` of an error with `--json`. The hint of an error fits the
      case better than this table.

      | `fault` | exit status | meaning | what to do |
      | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      """
  }

  /// The page about settings.
  static var settings: String {
    let rows = Setting.all.sorted { $0.name < $1.name }.map { key in
      let fallback = key.fallback.string ?? key.fallback.integer.map { String($0) } ?? ""
      let shown = fallback.isEmpty ? "" : "`\(fallback.parts(at: ",").joined(separator: "`, `"))`"
      return "| `\(key.name)` | \(key.summary) | \(key.accepted) | \(shown) |"
    }
    let mail = MailSetting.all.sorted { $0.name < $1.name }.map { key in
      let shown = key.fallback.isEmpty ? "" : "`\(key.fallback)`"
      return "| `\(key.name)` | \(key.summary) | \(key.accepted) | \(shown) |"
    }
    return """
      <!-- Made from the list of settings by Scripts/generate. -->

      # Settings

      A setting belongs to the store, and so to every machine that uses the store.

      ```sh
      capsule settings list
      capsule settings set timeOfDay 09:00
      capsule settings unset timeOfDay
      ```

      | setting | decides | takes | default |
      | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      ## Mail

      Names of programs and addresses are never settings of the store. They are in
      [files of the machine](files-and-environment.md). These settings are lines of its file `mail`:

      ```sh
      capsule settings set mail.from 'Ada Berg <ada@example.org>'
      ```

      | setting | decides | takes | default |
      | --- | --- | --- | --- |
      \(mail.joined(separator: "\n"))

      """
  }

  /// The page about exit statuses.
  static var exitStatuses: String {
    let rows = ExitCode.allCases.map { code in
      let kinds = code.kinds.map { "`\($0)`" }.joined(separator: ", ")
      return "| \(code.rawValue) | \(code.meaning) | \(kinds) |"
    }
    return """
      <!-- Made from the list of exit statuses by Scripts/generate. -->

      # Exit statuses

      Each outcome has a status. Any other status means failure. If there are several outcomes, the worst counts: damage
      comes before every other failure, and partial success comes last.

      | status | meaning | `kind` in JSON |
      | --- | --- | --- |
      \(rows.joined(separator: "\n"))

      Every command can exit with status 0, 2, 10, 13 or 14. [Commands](commands.md) lists the others for each command.

      A list of a store that you named, and that this device never used, is empty with a warning and status 0: it may be
      the first run.

      """
  }
}

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
      newMembers(of: kind).map { "- `\(kind.folder)`: `\($0)`" }
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
