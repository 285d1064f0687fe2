import CapsuleCore

/// One run of `item import`: reports what became of each line, and keeps it for the answer.
struct ItemTableImport {
  private(set) var results: [ItemImportResult] = []
  private(set) var code = ExitCode.ok
  private let session: Session
  private let name: String
  private let currency: Currency?
  private let directory: FilePath
  private let isDry: Bool
  private let skipsBad: Bool

  /// - Parameters:
  ///   - name: the name of the table, for messages.
  ///   - directory: the directory that paths of files are relative to.
  init(
    _ session: Session, name: String, currency: Currency?, directory: FilePath, isDry: Bool,
    skipsBad: Bool
  ) {
    (self.session, self.name, self.currency) = (session, name, currency)
    (self.directory, self.isDry, self.skipsBad) = (directory, isDry, skipsBad)
  }

  mutating func run(_ table: ItemTable) throws {
    // One that is about to be made is none to warn of.
    let existing = isDry ? try session.existingStore() : try session.existingStoreQuietly()
    report(table)
    var work = try plan(table, existing)
    let bad = work.steps.count { $0.isBad }
    for step in work.steps { report(step) }
    if bad > 0, !skipsBad {
      throw Failure(
        .refused,
        "\(String.counting(bad, "line is", "lines are")) wrong; nothing \(isDry ? "would be" : "was") imported",
        hint: "mend the table, or pass over what is wrong: '--skip-bad'")
    }
    if !isDry, work.steps.contains(where: \.isChange) {
      let store = try session.storeForChange()
      if existing == nil { work = try plan(table, store) }
      try work.write()
      session.noteFirstUse(of: store)
    }
    results = work.steps.map { ItemImportResult($0, file: name, isDry: isDry) }
  }

  private mutating func plan(_ table: ItemTable, _ store: Store?) throws -> ItemImport {
    let work = try ItemImport(
      table, into: store,
      ItemImport.Terms(
        currency: currency, directory: directory,
        fileLimit: session.storeSettings(store).maxFileSize, now: session.now),
      session.host.files)
    // An item that cannot be read is known by no name.
    if var index = work.index, session.warn(of: &index) { code = .partial }
    return work
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
      Failure(.partial, "\(name):\(step.line): \(subject)\(problem.words)", hint: problem.hint))
    code = ExitCode.worst(code, .partial)
  }

  /// The counts of the outcomes, in a sentence.
  var summary: String {
    if results.isEmpty { return "There is no item in it." }
    return ImportedRow.summary(of: results.map(\.state), isDry: isDry)
  }
}

extension ItemImport.Step {
  fileprivate var isBad: Bool { if case .skipped = kind { true } else { false } }

  fileprivate var isChange: Bool {
    switch kind {
    case .added, .updated: true
    case .unchanged, .skipped: false
    }
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
    switch step.kind {
    // An item that is added only in a dry run has no id.
    case .added(let item):
      (state, self.item, changes, problems) = (.added, isDry ? nil : item, [], [])
    case .unchanged(let item): (state, self.item, changes, problems) = (.unchanged, item, [], [])
    case .updated(let old, let new):
      (state, item, problems) = (.updated, new, [])
      changes = FieldChange.between(old, new, ItemEditCommand.fields)
    case .skipped(let problem):
      (state, item, changes) = (.skipped, nil, [])
      problems = [problem.words]
    }
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
