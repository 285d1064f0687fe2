import CapsuleCore

/// `capsule item import`.
enum ItemImportCommand {
  static let file = Parameter.operand("FILE", .path, "A table (CSV), or `-` for standard input")
  static let map = Parameter.options(
    "map", value: "COLUMN=FIELD", .text, "Read a column that has another name: 'Price=value'")
  static let currency = Parameter.option(
    "currency", value: "CODE", .text, "The currency of amounts without one, such as EUR")
  static let filesFrom = Parameter.options(
    "files-from", value: "DIR", .directory,
    "Also allow files in this folder, not only in the table's")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
  static let skipBad = Parameter.flag("skip-bad", "Skip invalid lines, and import the rest")

  static let command = Command(
    "item", "import", summary: "Add and update items from a table (CSV)",
    discussion: """
      The first line names the columns, in any order: \
      \(ItemColumn.names.map { "`\($0)`" }.joined(separator: ", ")). Columns are separated by \
      commas (RFC 4180), semicolons or tabs. Columns with other names are ignored and listed, \
      unless you map them with `--map`.

      A line updates the item with its `id`, or else the item with its name. If there is no such \
      item, the line adds one. An empty cell removes what the item has in that field. Fields \
      without a column, the history and the reminder stay as they are.

      - Amounts: a currency code of ISO 4217 and a number, such as 'EUR 1200.50'. A number alone \
      is in `--currency`.
      - Tags and `files`: separate several by `;`. Write a backslash before a semicolon that is \
      part of a tag or path.
      - Files: the item keeps its attachments, and the files are added. Paths are relative to the \
      table's folder.
      - Other folders: a table can name only files in its own folder and below, unless \
      `--files-from` allows another folder. A path that leads elsewhere, also through a link, \
      makes its line invalid.
      - Standard input: paths are relative to the working directory, and `--files-from .` allows \
      that folder.
      - Apostrophes: `item export` writes one before `=`, `+`, `-`, `@`, a tab or a line break. \
      The import removes it.
      - Homebox: its columns (`HB.name`, `HB.location`, `HB.labels`, …) are read. Facts without a \
      field here, such as the maker or the warranty, become lines of the notes.
      - Errors: each invalid line is reported with its file and line, and nothing is imported. \
      With `--skip-bad` the rest is imported (exit status 3).
      - Size: at most 64 MiB and 100,000 lines.
      """,
    operands: [file], options: [map, currency, filesFrom, dryRun, skipBad],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule item import household.csv --dry-run", "See what an import would change"),
      Example(
        "capsule item import insurance.csv --map Object=name --map Price=value --currency EUR",
        "Import a table with other column names"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let path = invocation[file]
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
      try session.files.read(path, limit: CommaSeparated.byteLimit, hint: "import it in parts"))
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
    return try session.console.render(
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
