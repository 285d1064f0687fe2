import CapsuleCore

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
