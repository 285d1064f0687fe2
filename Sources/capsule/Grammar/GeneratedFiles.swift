import CapsuleCore

/// The files of the repository that are made from the table, from that of dates and from the models.
struct GeneratedFiles: Sendable {
  private let table: CommandTable

  init(_ table: CommandTable) {
    self.table = table
  }

  /// The files' paths from the root of the repository.
  var paths: [String] {
    Self.tables.map(\.path) + ["docs/reference/commands.md"]
      + Shell.allCases.map { "completions/" + $0.fileName }
      + manual.map { "man/" + $0.fileName } + RecordFormat.all.map(\.path)
  }

  /// Returns the content of a file; `nil` for any other path.
  func content(_ path: String) -> String? {
    if path == "docs/reference/commands.md" { return markdown }
    if let table = Self.tables.first(where: { $0.path == path }) { return table.text }
    if let shell = Shell.allCases.first(where: { "completions/" + $0.fileName == path }) {
      return shell.script
    }
    if let version = RecordFormat.all.first(where: { $0.path == path }) { return version.page }
    return manual.first { "man/" + $0.fileName == path }?.text(version: Version.text)
  }

  private var manual: [ManualPage] { ManualPage.all(table) }

  /// The pages that are tables, which no command is needed for.
  private static var tables: [(path: String, text: String)] {
    [
      ("docs/reference/dates.md", DateGrammar.markdown),
      ("docs/reference/settings.md", ReferenceTables.settings),
      ("docs/reference/exit-statuses.md", ReferenceTables.exitStatuses),
    ]
  }

  private var pages: [ReferencePage] {
    [ReferencePage(overviewOf: table)]
      + table.visibleGroups.flatMap { group, commands in
        (group.noun == nil ? [] : [ReferencePage(noun: group)])
          + commands.map { ReferencePage($0) }
      }
  }

  private var markdown: String {
    let start = """
      <!-- Made from the table of commands by Scripts/generate. -->

      # Reference


      """
    let topics = table.topics.map {
      ReferencePage($0).markdown(level: 2, heading: "Topic: \($0.name)")
    }
    return start + (pages.map { $0.markdown(level: 2) } + topics).joined(separator: "\n")
  }
}
