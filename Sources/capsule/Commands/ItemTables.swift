import CapsuleCore

/// `capsule item export`.
enum ItemExportCommand {
  enum Format: String, CaseIterable, Sendable { case csv }

  static let format = Parameter.operand("FORMAT", ValueType<Format>.choice, "The format: `csv`")

  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path, "Write the table to a file")

  static let command = Command(
    "item", "export", summary: "Export all items as a table (CSV)",
    discussion: """
      The table is in UTF-8 (RFC 4180), with a line for each item in the order in which they were \
      added. Its columns are \(ItemField.written.map { "`\($0)`" }.joined(separator: ", ")).

      `item import` reads the table again. An unchanged table changes nothing; a changed line \
      changes the item with its `id`.

      - Attachments, history and reminders are not in the table; `export archive` writes \
      everything.
      - A text that begins with `=`, `+`, `-`, `@`, a tab or a line break gets an apostrophe in \
      front. Otherwise a spreadsheet would read the text as a formula. `item import` removes the \
      apostrophe.
      - Numbers and amounts are written as they are.
      """,
    operands: [format], options: [output],
    examples: [
      Example("capsule item export csv --output items.csv", "Export all items to a file")
    ],
    exitCodes: [.partial, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store = try session.stores.existing()
    var code = ExitCode.ok
    try session.files.export(to: invocation[output], of: ("item", "items")) {
      sink in
      let (count, end) = try write(store, session, to: sink)
      code = end
      return count
    }
    return .ended(code)
  }

  /// Writes the table in pieces that end with whole lines.
  ///
  /// - Returns: the number of items in it, and whether some cannot be read.
  private static func write(
    _ store: Store?, _ session: Session, to sink: ([UInt8]) throws -> Void
  ) throws -> (count: Int, code: ExitCode) {
    var piece = CommaSeparated.line(ItemField.written)
    var (count, code) = (0, ExitCode.ok)
    if let store {
      var index = store.index.open(.item, now: session.now)
      var ids: [RecordID] = []
      index.forEach(.ascending) { entry in
        ids.append(entry.id)
        return true
      }
      if session.records.warn(of: &index) { code = .partial }
      for id in ids {
        // One that cannot be read was named above.
        guard let item = try? store.read(Item.self, id).model else { continue }
        count += 1
        piece += CommaSeparated.line(item.tableCells)
        guard piece.count >= 65_536 else { continue }
        try sink(piece)
        piece.removeAll(keepingCapacity: true)
      }
    }
    try sink(piece)
    return (count, code)
  }
}

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
  static let skipBad = Parameter.flag("skip-bad", "Skip invalid lines, and import the rest")

  static let command = Command(
    "item", "import", summary: "Add and update items from a table (CSV)",
    discussion: """
      The first line names the columns, in any order: \
      \(ItemField.names.map { "`\($0)`" }.joined(separator: ", ")). Columns are separated by \
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
      - Amounts: `$1,129.99` and `1.129,99 €` are read. A symbol that several currencies have needs \
      `--currency`.
      - Quantities: the whole part is used, and a line with decimals is reported.
      - Separators: a first line `sep=;` names one, as in Excel.
      - Homebox: its columns (`HB.name`, `HB.location`, `HB.labels`, …) are read. Facts without a \
      field here, such as the maker or the warranty, become lines of the notes. \
      Items of one name get numbers: 'Chair (2)'.
      - Errors: each invalid line is reported with its file and line, and nothing is imported. \
      With `--skip-bad` the rest is imported (exit status 3).
      - Size: at most 64 MiB and 100,000 lines.
      """,
    operands: [file], options: [map, currency, filesFrom, ImportOptions.dryRun, skipBad],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule item import household.csv --dry-run", "See what an import would change"),
      Example(
        "capsule item import insurance.csv --map Object=name --map Price=value --currency EUR",
        "Import a table with other column names"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let path = invocation[file]
    let mapped = try mappings(invocation[map])
    let amounts = try invocation[currency].map { code in
      guard let known = Currency(code) else {
        throw Fault.usage(
          "invalid currency code '\(code.shortened)'", hint: "use a code of ISO 4217, such as EUR")
      }
      return known
    }
    for directory in invocation[filesFrom] {
      guard try session.host.files.statusFollowingLinks(directory).kind == .directory else {
        throw Fault.usage(
          "'\(directory.text)' is not a directory", hint: "choose a directory: --files-from DIR")
      }
    }
    let name = path.inputName
    let rows = CommaSeparated(
      try session.files.read(path, limit: CommaSeparated.byteLimit, hint: "import it in parts"))
    let folder = path.isStandardInput ? nil : path.parent
    let table: ItemTable
    do { table = try ItemTable(rows, map: mapped) } catch { throw error.naming(name) }
    report(table, name, session)
    let answer = ImportAnswer<Item>(
      entry: "item", member: "item", fields: ItemKind.kind.told,
      record: { ItemView($0.brief, in: session).members(of: $0) },
      members: { step in
        [
          "file": name.json, "name": step.name.json,
          "files": step.files.map(\.text).json,
          "problems": step.problemWords.json,
        ]
      },
      subject: { step, _ in
        let subject = step.name.map { $0.trimmed.isEmpty ? "" : "'\($0.shortened)': " } ?? ""
        return "\(name):\(step.line): \(subject)"
      },
      refusal: { bad in
        (
          "\(String.counting(bad, "line has", "lines have")) errors",
          hint: "fix the table, or skip bad lines: --skip-bad"
        )
      })
    return try answer.run(
      session, isDry: invocation[ImportOptions.dryRun], skipsBad: invocation[skipBad]
    ) {
      store in
      let terms = ItemImport.Terms(
        currency: amounts, directory: folder ?? FilePath("."),
        sources: (folder.map { [$0] } ?? []) + invocation[filesFrom],
        fileLimit: session.stores.settings(of: store).maxFileSize, now: session.now)
      return try ImportPlan(
        ItemImport(table, terms, session.host.files), into: store, now: session.now)
    }
  }

  /// Reads each `COLUMN=FIELD`; the column's name may have a `=` itself.
  private static func mappings(_ texts: [String]) throws -> [(name: String, column: String)] {
    var mapped: [(name: String, column: String)] = []
    for text in texts {
      let parts = text.parts(at: "=")
      guard parts.count >= 2, let field = parts.last, let column = ItemField.name(field.trimmed)
      else {
        throw Fault.usage(
          "invalid value for --map: '\(text.shortened)'",
          hint: "write COLUMN=FIELD with one of the fields "
            + ItemField.names.joined(separator: ", "))
      }
      let name = parts.dropLast().joined(separator: "=").trimmed
      if mapped.contains(where: { NameKey($0.name) == NameKey(name) }) {
        throw Fault.usage(
          "the column '\(name.shortened)' is mapped twice", hint: "map each column once")
      }
      mapped.append((name, column))
    }
    return mapped
  }

  /// Says how the table as a whole is taken.
  private static func report(_ table: ItemTable, _ name: String, _ session: Session) {
    if table.isLatin1 {
      session.console.warning(
        "\(name): not UTF-8, so it was read as Latin-1", hint: "save the table in UTF-8")
    }
    guard let first = table.leftOut.first else { return }
    let names = table.leftOut.map { $0.isEmpty ? "one without a name" : "'\($0.shortened)'" }
    session.console.warning(
      first.isEmpty && table.leftOut.count == 1
        ? "\(name): a column without a name was skipped"
        : "\(name): \(table.leftOut.count == 1 ? "a column was" : "columns were") skipped: "
          + names.joined(separator: ", "),
      hint: "import one with --map COLUMN=FIELD; the fields are "
        + ItemField.names.joined(separator: ", "))
  }
}
