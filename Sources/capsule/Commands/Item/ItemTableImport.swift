import CapsuleCore

/// One run of `item import`: reports what became of each line, and keeps it for the answer.
struct ItemTableImport {
  private(set) var results: [ItemImportResult] = []
  private(set) var code = ExitCode.ok
  private let session: Session
  private let name: String
  private let currency: Currency?
  private let directory: FilePath
  private let sources: [FilePath]
  private let isDry: Bool
  private let skipsBad: Bool

  /// - Parameters:
  ///   - name: the name of the table, for messages.
  ///   - directory: the directory that paths of files are relative to.
  ///   - sources: the directories that files are taken from.
  init(
    _ session: Session, name: String, currency: Currency?, directory: FilePath,
    sources: [FilePath], isDry: Bool, skipsBad: Bool
  ) {
    (self.session, self.name, self.currency) = (session, name, currency)
    (self.directory, self.sources) = (directory, sources)
    (self.isDry, self.skipsBad) = (isDry, skipsBad)
  }

  mutating func run(_ table: ItemTable) throws {
    report(table)
    let run = try ItemImport.run(
      session,
      isDry: isDry, skipsBad: skipsBad,
      plan: { store in
        try ItemImport(
          table, into: store,
          ItemImport.Terms(
            currency: currency, directory: directory, sources: sources,
            fileLimit: session.stores.settings(of: store).maxFileSize, now: session.now),
          session.host.files)
      },
      report: { report($0) },
      refusal: { bad in
        Failure(
          .refused,
          "\(String.counting(bad, "line is", "lines are")) wrong; nothing \(isDry ? "would be" : "was") imported",
          hint: "mend the table, or pass over what is wrong: '--skip-bad'")
      })
    if run.isPartial { code = ExitCode.worst(code, .partial) }
    results = run.plan.steps.map { ItemImportResult($0, file: name, isDry: isDry) }
  }

  /// Says how the table as a whole is taken.
  private func report(_ table: ItemTable) {
    if table.isLatin1 {
      session.console.warning(
        "\(name): it is not in UTF-8, and read as Latin-1", hint: "save it in UTF-8")
    }
    guard let first = table.leftOut.first else { return }
    let names = table.leftOut.prefix(3).map {
      $0.isEmpty ? "one without a name" : "'\($0.shortened)'"
    }
    let more = table.leftOut.count - names.count
    session.console.warning(
      first.isEmpty && table.leftOut.count == 1
        ? "\(name): a column without a name is left out"
        : "\(name): \(table.leftOut.count == 1 ? "a column is" : "columns are") left out: "
          + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""),
      hint: "'--map COLUMN=NAME' takes one in; a name is one of "
        + ItemColumn.names.joined(separator: ", "))
  }

  private mutating func report(_ step: ItemImport.Step) {
    guard case .skipped(let problem) = step.kind else { return }
    let subject = step.name.map { $0.trimmed.isEmpty ? "" : "'\($0.shortened)': " } ?? ""
    session.console.report(
      // Where one is wrong nothing is imported, unless wrong ones are passed over.
      Failure(
        skipsBad ? .partial : .refused, "\(name):\(step.line): \(subject)\(problem.words)",
        hint: problem.hint))
    code = ExitCode.worst(code, .partial)
  }

  /// The counts of the outcomes, in a sentence.
  var summary: String {
    if results.isEmpty { return "There is no item in it." }
    return ImportedRow.summary(of: results.map(\.state), isDry: isDry)
  }
}

/// The outcome of one line, as JSON and as text.
struct ItemImportResult {
  let state: ImportedRow.State
  private let file: String
  /// The physical line on which it begins.
  private let line: Int
  private let name: String?
  /// The item as the store has it now; `nil` where there is none.
  private let item: Item?
  private let changes: [FieldChange]
  /// The files that are kept with the item from now on.
  private let files: [FilePath]
  /// The reasons why it was skipped.
  private let problems: [String]

  init(_ step: ItemImport.Step, file: String, isDry: Bool) {
    (self.file, line, name, files) = (file, step.line, step.name, step.files)
    (state, item) = (step.kind.state, step.kind.record(isDry: isDry))
    changes = step.kind.changes(ItemEditCommand.fields)
    problems = step.kind.problem.map { [$0.words] } ?? []
  }

  func members(_ session: Session) -> JSONObject {
    [
      "state": .string(state.rawValue), "file": .string(file), "line": .integer(Int64(line)),
      "name": name.map { .string($0) } ?? .null,
      "item": item.map { .object(ItemView($0.summary, in: session).members(of: $0)) } ?? .null,
      "changes": .array(changes.map { .object($0.members) }),
      "files": .array(files.map { .string($0.text) }),
      "problems": .array(problems.map { .string($0) }),
    ]
  }

  func write(to out: TextOutput, isDry: Bool, isQuiet: Bool) {
    ImportedRow(
      state: state, name: item?.name ?? name?.trimmed ?? "", id: item?.id.description ?? "",
      changes: changes + files.map { FieldChange(field: "file", from: "", to: $0.text) }
    ).write(to: out, isDry: isDry, isQuiet: isQuiet)
  }
}
