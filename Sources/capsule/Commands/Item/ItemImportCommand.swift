import CapsuleCore

/// `capsule item import`.
enum ItemImportCommand {
  static let file = Operand("FILE", .path, "A table (CSV); `-` is standard input")
  static let map = RepeatableOption(
    "map", value: "COLUMN=FIELD", .text, "Take a column of another name: 'Kaufpreis=value'")
  static let currency = Option(
    "currency", value: "CODE", .text, "The currency of amounts that name none, as EUR")
  static let filesFrom = RepeatableOption(
    "files-from", value: "DIR", .directory, "Take files from this folder too, besides the table's")
  static let dryRun = Flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
  static let skipBad = Flag("skip-bad", "Pass over lines that are wrong, and import the rest")

  static let command = Command(
    "item", "import", summary: "Add and change items from a table (CSV)",
    discussion: """
      The table is comma-separated (RFC 4180), or separated by semicolons or tabs as spreadsheets \
      write it. Its first line names the columns, in any order: \
      \(ItemColumn.names.map { "`\($0)`" }.joined(separator: ", ")). \
      Columns of other names are taken with `--map`, and otherwise left out and named. Homebox's \
      columns (`HB.name`, `HB.location`, `HB.labels`, …) are taken too; what an item has no place for, \
      as the maker or the warranty, becomes a line of the notes.

      A line changes the item of its `id`, else the item of its name, else it adds one. A column that \
      the table has wins: an empty cell takes away what the item has. Columns that it has not stay, and \
      so do history and reminder.

      An amount is a code of ISO 4217 and a number, as 'EUR 1200.50'; a number alone is of \
      `--currency`. Tags, and paths in `files`, are separated by `;`, and a backslash stands before one \
      that is part of them. Files are kept with the item, beside those that it has; paths are relative \
      to the table's folder.

      A table can name only files in its own folder and below. `--files-from DIR` allows another folder. \
      A path that leads elsewhere, also by a link, is a wrong line. A table on standard input has no \
      folder: its paths are relative to the working directory, and `--files-from .` allows that one.

      An apostrophe before `=`, `+`, `-`, `@`, a tab or a line break is not part of the text: \
      `item export` puts it there.

      All of it is imported, or nothing: each wrong line is told with its file and line, and \
      `--skip-bad` passes over it and ends with 3. A table has at most 64 MiB and 100,000 lines.
      """,
    operands: [file], options: [map, currency, filesFrom, dryRun, skipBad],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule item import household.csv --dry-run", "See what it would do"),
      Example(
        "capsule item import liste.csv --map Bezeichnung=name --map Kaufpreis=value --currency EUR",
        "Import a table with columns of your own"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let path = try invocation[file]
    let mapped = try mappings(invocation[map])
    let amounts = try invocation[currency].map { code in
      guard let known = Currency(code) else {
        throw Failure.usage(
          "'\(code.shortened)' is no currency of ISO 4217", hint: "give its code, as EUR")
      }
      return known
    }
    for directory in invocation[filesFrom] {
      guard try session.host.files.statusFollowingLinks(directory).kind == .directory else {
        throw Failure.usage(
          "'\(directory.text)' is not a directory", hint: "'--files-from' takes a directory")
      }
    }
    let name = path.inputName
    let table = CommaSeparated(
      try session.input(path, limit: CommaSeparated.byteLimit, hint: "import it in parts"))
    let folder = path.isStandardInput ? nil : path.parent
    var work = ItemTableImport(
      session, name: name, currency: amounts, directory: folder ?? FilePath("."),
      sources: (folder.map { [$0] } ?? []) + invocation[filesFrom],
      isDry: invocation[dryRun], skipsBad: invocation[skipBad])
    let items: ItemTable
    do throws(ItemTable.HeaderProblem) { items = try ItemTable(table, map: mapped) } catch {
      throw error.failure(of: name)
    }
    try work.run(items)
    return try session.render(
      ending: work.code, list: work.results, json: { .object($0.members(session)) },
      text: { out in
        for result in work.results {
          result.write(to: out, isDry: invocation[dryRun], isQuiet: session.isQuiet)
        }
        session.console.note("\(work.summary)")
      })
  }

  /// Reads each `COLUMN=FIELD`; the column's name may have a `=` itself.
  private static func mappings(_ texts: [String]) throws -> [(name: String, column: ItemColumn)] {
    var mapped: [(name: String, column: ItemColumn)] = []
    for text in texts {
      let parts = text.parts(at: "=")
      guard parts.count >= 2, let field = parts.last, let column = ItemColumn(name: field.trimmed)
      else {
        throw Failure.usage(
          "'\(text.shortened)' takes no column for a field of an item",
          hint: "give it as 'Kaufpreis=value', with one of "
            + ItemColumn.names.joined(separator: ", "))
      }
      let name = parts.dropLast().joined(separator: "=").trimmed
      if mapped.contains(where: { NameKey($0.name) == NameKey(name) }) {
        throw Failure.usage(
          "'--map' takes the column '\(name.shortened)' twice", hint: "a column is one field")
      }
      mapped.append((name, column))
    }
    return mapped
  }
}
