import CapsuleCore

extension ImportPlan {
  /// Runs an import: all of it, or nothing where an entry is bad and bad ones are not passed over.
  ///
  /// - Parameters:
  ///   - session: the run of the command.
  ///   - plan: plans it for a store; once more where the store is made for it.
  ///   - report: says what of an entry is bad, is left out, or is taken otherwise.
  ///   - refusal: the failure where that many entries are bad.
  /// - Returns: the plan, written unless it is dry; and whether records that were there cannot be read.
  static func run(
    _ session: Session, isDry: Bool, skipsBad: Bool, plan: (Store?) throws -> Self,
    report: (Step) -> Void, refusal: (Int) -> Fault
  ) throws -> (plan: Self, isPartial: Bool) {
    // A store that is about to be made is none to warn of.
    let existing = try isDry ? session.stores.existing() : session.stores.existingQuietly()
    var isPartial = false
    func planned(_ store: Store?) throws -> Self {
      let work = try plan(store)
      // A record that cannot be read takes part in nothing.
      if var index = work.index, session.records.warn(of: &index) { isPartial = true }
      return work
    }
    var work = try planned(existing)
    for step in work.steps { report(step) }
    func requireGood() throws {
      let bad = work.badCount
      if bad > 0, !skipsBad { throw refusal(bad) }
    }
    try requireGood()
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
    return (work, isPartial)
  }
}

/// The line of a record that an import added or changed, with what it changed in it.
struct ImportedRow {
  /// The result of an import for an entry.
  enum State: String, CaseIterable { case added, updated, unchanged, skipped }

  let state: State
  let name: String
  /// The id; empty where the record is not made yet.
  let id: String
  let changes: [FieldChange]

  /// Writes it; nothing for what was not changed.
  func write(to out: TextOutput, isDry: Bool, isQuiet: Bool) {
    let verb: String
    switch (state, isDry) {
    case (.unchanged, _), (.skipped, _): return
    case (.added, true): verb = "Would add"
    case (.updated, true): verb = "Would update"
    case (.added, false): verb = "Added"
    case (.updated, false): verb = "Updated"
    }
    if isQuiet {
      if !isDry { out.line("\(id)") }
      return
    }
    out.line(id.isEmpty ? "\(verb) '\(name, .bold)'" : "\(verb) '\(name, .bold)' \(id)")
    for change in changes { out.line(change.line) }
  }

  /// The counts of the outcomes, in a sentence.
  static func summary(of states: [State], isDry: Bool) -> String {
    let counts = State.allCases.map { state in
      "\(states.count { $0 == state }) \(state.rawValue)"
    }
    let text = counts.joined(separator: ", ")
    return isDry ? "It would be: \(text)." : "\(text)."
  }
}

extension ImportOutcome {
  var state: ImportedRow.State {
    switch self {
    case .added: .added
    case .updated: .updated
    case .unchanged: .unchanged
    case .skipped: .skipped
    }
  }

  /// The record as the store has it now; `nil` where there is none, as for one that a dry run would add.
  func record(isDry: Bool) -> Model? {
    switch self {
    case .added(let model): isDry ? nil : model
    case .updated(_, let model), .unchanged(let model): model
    case .skipped: nil
    }
  }

  /// The fields that it changes.
  func changes(_ fields: [(String, (Model) -> String)]) -> [FieldChange] {
    guard case .updated(let old, let new) = self else { return [] }
    return FieldChange.between(old, new, fields)
  }

  var problem: Problem? {
    if case .skipped(let problem) = self { problem } else { nil }
  }
}
