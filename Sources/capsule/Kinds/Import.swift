import CapsuleCore

/// The options that commands which import share.
enum ImportOptions {
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
}

/// What a command that imports a kind of file has of its own; ``run(_:isDry:skipsBad:plan:)`` is the same for all.
struct ImportAnswer<Model: RecordModel> {
  /// The word for an entry of the file.
  let entry: String
  /// The name of the record in JSON.
  let member: String
  /// The fields of a record that an import changes, by name.
  let fields: [(String, (Model) -> String)]
  /// Returns the record in JSON.
  let record: (Model) -> JSONObject
  /// Returns the members of an entry in JSON besides those that all have.
  let members: (ImportStep<Model>) -> JSONObject
  /// Returns the beginning of the sentence about a problem: its place and its subject.
  let subject: (ImportStep<Model>, ImportProblem) -> String
  /// Returns the place of an entry that counts instead of another.
  var place: (Int, Int) -> String = { _, line in "line \(line)" }
  /// The names of the files.
  var sources: [String] = []
  /// The words for one thing that is left out and for several, by its name in a file.
  var leftOutWords: [(name: String, one: String, several: String)] = []
  /// Returns the words for so many bad entries, and the way out; where it is `nil`, bad ones are passed over.
  let refusal: ((Int) -> (words: String, hint: String))?

  /// Runs an import: all of it, or nothing where an entry is bad and bad ones are not passed over.
  ///
  /// - Parameters:
  ///   - confirm: asked with the number of records that would go to the trash, before anything is written.
  ///   - plan: plans it for a store; once more where the store is made for it.
  func run<Source: Importer>(
    _ session: Session, isDry: Bool, skipsBad: Bool = true, confirm: ((Int) throws -> Void)? = nil,
    plan: (Store?) throws -> ImportPlan<Source>
  ) throws -> Answer where Source.Model == Model {
    // A store that is about to be made is none to warn of.
    let existing = try isDry ? session.stores.existing() : session.stores.existingQuietly()
    var code = ExitCode.ok
    func planned(_ store: Store?) throws -> ImportPlan<Source> {
      let work = try plan(store)
      // A record that cannot be read takes part in nothing.
      if var index = work.index, session.records.warn(of: &index) {
        code = .worst(code, .partial)
      }
      return work
    }
    var work = try planned(existing)
    for (source, problem) in work.problems {
      session.console.warning(
        "\(sources[source]):\(problem.line): \(problem.words)", hint: problem.fault.hint)
    }
    for step in work.steps {
      for problem in step.problems {
        code = .worst(code, report(problem, of: step, session, skipsBad: skipsBad))
      }
    }
    func requireGood() throws {
      let bad = work.badCount
      guard bad > 0, !skipsBad, let refusal = refusal?(bad) else { return }
      throw Fault(
        .refused, "\(refusal.words); nothing \(isDry ? "would be" : "was") imported",
        hint: refusal.hint)
    }
    try requireGood()
    let removed = work.steps.count { $0.outcome.state == .removed }
    if !isDry, removed > 0 { try confirm?(removed) }
    if !isDry, work.isChange {
      let store = try session.stores.forChange()
      if existing == nil { work = try planned(store) }
      try ImportRetry.run { number in
        if number > 0 {
          work = try plan(store)
          try requireGood()
        }
        try work.write()
      }
      session.stores.noteFirstUse(of: store)
    }
    let steps = work.steps
    let made =
      isDry ? [] : steps.filter { $0.outcome.state == .added || $0.outcome.state == .updated }
    return Answer(
      rows: steps, ending: code,
      quiet: .only { out in
        for record in made.compactMap({ $0.record(isDry: isDry) }) {
          out.line("\(record.header.id)")
        }
      }, json: { json($0, isDry: isDry) }
    ) { out in
      for step in steps { write(step, to: out, isDry: isDry) }
    }
    .noting("\(summary(of: steps, isDry: isDry))")
    .noting(leftOut(work.leftOut))
  }

  /// Says what of an entry is bad, is left out, or is taken otherwise.
  private func report(
    _ problem: ImportProblem, of step: ImportStep<Model>, _ session: Session, skipsBad: Bool
  ) -> ExitCode {
    let words = problem.words(rival: problem.rival.map { place($0.source, $0.line) } ?? "")
    let hint = problem.fault.hint
    switch problem.weight {
    case .note: session.console.note("\(words)")
    case .remark: session.console.warning(subject(step, problem) + words, hint: hint)
    case .loss, .bad:
      // Where one is bad nothing is imported, unless bad ones are passed over.
      let isRefused = problem.weight == .bad && !skipsBad
      session.console.report(
        Fault(isRefused ? .refused : .partial, subject(step, problem) + words, hint: hint))
      return .partial
    }
    return .ok
  }

  private func json(_ step: ImportStep<Model>, isDry: Bool) -> JSONObject {
    var members = members(step)
    members["state"] = step.outcome.state.rawValue.json
    members["line"] = step.line.json
    members[member] = step.record(isDry: isDry).map(record).json
    members["changes"] = changes(step).map(\.members).json
    return members
  }

  private func changes(_ step: ImportStep<Model>) -> [FieldChange] {
    guard case .updated(let old, let new) = step.outcome else { return [] }
    return FieldChange.between(old, new, fields)
  }

  /// Writes the line of a record that was added or changed, with what was changed in it.
  private func write(_ step: ImportStep<Model>, to out: TextOutput, isDry: Bool) {
    let verb: String
    switch (step.outcome.state, isDry) {
    case (.unchanged, _), (.skipped, _): return
    case (.added, true): verb = "Would add"
    case (.updated, true): verb = "Would update"
    case (.removed, true): verb = "Would delete"
    case (.removed, false): verb = "Deleted"
    case (.added, false): verb = "Added"
    case (.updated, false): verb = "Updated"
    }
    let record = step.record(isDry: isDry)
    let line: StyledText =
      "\(verb) '\(record?.displayTitle ?? step.name?.trimmed ?? "", .bold)'"
    out.line(record.map { "\(line) \($0.header.id)" } ?? line)
    for change in changes(step) { out.line(change.line) }
    for file in step.files { out.line(FieldChange(field: "file", from: "", to: file.text).line) }
  }

  /// The counts of what is left out, in a sentence; `nil` where that is nothing.
  private func leftOut(_ counts: [String: Int]) -> StyledText? {
    let parts = leftOutWords.compactMap { name, one, several in
      counts[name].map { String.counting($0, one, several) }
    }
    return parts.isEmpty ? nil : "Left out: \(parts.joined(separator: ", "))."
  }

  /// The counts of the outcomes, in a sentence.
  private func summary(of steps: [ImportStep<Model>], isDry: Bool) -> String {
    if steps.isEmpty { return "There is no \(entry) in it." }
    let counts = ImportState.allCases.compactMap { state -> String? in
      let count = steps.count { $0.outcome.state == state }
      return count == 0 && state == .removed ? nil : "\(count) \(state.rawValue)"
    }
    let text = counts.joined(separator: ", ")
    return isDry ? "It would be: \(text)." : "\(text)."
  }
}

/// The result of an import for an entry, as its answer names it.
private enum ImportState: String, CaseIterable { case added, updated, removed, unchanged, skipped }

extension ImportOutcome {
  fileprivate var state: ImportState {
    switch self {
    case .added: .added
    case .updated: .updated
    case .unchanged: .unchanged
    case .removed: .removed
    case .skipped: .skipped
    }
  }
}

extension ImportStep {
  /// The record as the store has it now; `nil` where there is none, as for one that a dry run would add.
  fileprivate func record(isDry: Bool) -> Model? {
    if isDry, case .added = outcome { nil } else { outcome.model }
  }

  /// The problems in JSON.
  var problemWords: [String] { problems.filter { $0.weight != .note }.map(\.words) }
}
