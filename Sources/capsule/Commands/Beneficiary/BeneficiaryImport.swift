import CapsuleCore

/// One run of `beneficiary import`: reports what became of each card, and keeps it for the answer.
struct BeneficiaryImport {
  private(set) var results: [BeneficiaryImportResult] = []
  private(set) var code = ExitCode.ok
  private let session: Session
  private let isDry: Bool
  private let acceptsRecipients: Bool
  private var acceptsAddresses: Bool

  init(_ session: Session, isDry: Bool, acceptsRecipients: Bool, acceptsAddresses: Bool) {
    self.session = session
    self.isDry = isDry
    (self.acceptsRecipients, self.acceptsAddresses) = (acceptsRecipients, acceptsAddresses)
  }

  mutating func run(_ cards: ContactFile, into store: Store?) throws {
    try ImportRetry.run { number in
      func plan() throws(StoreError) -> PeopleImport {
        try PeopleImport(
          cards, into: store, acceptsRecipients: acceptsRecipients,
          acceptsAddresses: acceptsAddresses, now: session.now)
      }
      var work = try plan()
      if number == 0, try isAccepted(work.steps.compactMap(AddressChange.init)) {
        acceptsAddresses = true
        work = try plan()
      }
      // A person who cannot be read cannot be linked.
      if number == 0, var index = work.index, session.records.warn(of: &index) { code = .partial }
      try work.run(isDry: isDry) { take($0) }
    }
    if let store, !isDry { session.stores.noteFirstUse(of: store) }
  }

  /// A mail address that a card would replace.
  private struct AddressChange {
    let name: String
    let old: String
    let new: String

    init?(_ step: ContactImport.Step) {
      guard let new = step.refusedAddress else { return nil }
      switch step.kind {
      case .updated(let person, _), .unchanged(let person):
        (name, old, self.new) = (person.name, person.email, new)
      case .added, .skipped: return nil
      }
    }
  }

  /// Asks at a terminal whether cards may replace the addresses that mail goes to: once for all of them.
  private func isAccepted(_ changes: [AddressChange]) throws -> Bool {
    guard !isDry, let first = changes.first, session.ask.isPossible else { return false }
    let nothingDone = Failure(.refused, "nothing was done", hint: nil)
    let question: String
    if changes.count == 1 {
      question = "Send mail for '\(first.name)' to '\(first.new)' instead of '\(first.old)'?"
    } else {
      for change in changes {
        session.console.note("'\(change.name)': '\(change.old)' → '\(change.new)'")
      }
      question = "Replace the mail addresses of these \(changes.count) people?"
    }
    return try session.ask.isYes(question, unanswered: nothingDone, ended: nothingDone)
  }

  private mutating func take(_ result: PeopleImport.Result) {
    var shown = BeneficiaryImportResult(result, isDry: isDry)
    defer { results.append(shown) }
    // What is left out of a card that counts.
    var omissions: [String] = []
    defer { if !omissions.isEmpty { shown.problem = omissions.joined(separator: "; ") } }
    let line = result.step.line
    switch result.outcome {
    case .skipped(.card(let problem)):
      shown.problem = problem.words
      let (message, hint) = (problem.message(line: line), problem.hint)
      if case .replaced = problem {
        session.console.warning(message, hint: hint)
      } else {
        fail(Failure(.partial, message, hint: hint))
      }
      return
    case .skipped(.store(let error)):
      let failure = Failure(error)
      shown.problem = failure.message
      return fail(failure)
    case .added(let person):
      if let other = result.namesake { note(other, person.cardUID) }
    case .updated, .unchanged: break
    }
    if let other = result.step.refusedRecipient {
      omissions.append("it has another age recipient, which is not taken")
      fail(
        Failure(
          .partial,
          "the card on line \(line) has another age recipient for '\(result.step.name ?? "")', "
            + "'\(other)'; the known one stays",
          hint: "where the person confirms it, import again with '--accept-recipients'"))
    }
    if let other = result.step.refusedAddress {
      omissions.append("it has another mail address, which is not taken")
      fail(
        Failure(
          .partial,
          "the card on line \(line) has another mail address for '\(result.step.name ?? "")', "
            + "'\(other)'; the known one stays",
          hint: "where the person confirms it, import again with '--accept-addresses'"))
    }
    guard result.step.hasUnusableRecipient else { return }
    omissions.append("its age recipient is none that can be used, and is left out")
    session.console.warning(
      "the age recipient of the card on line \(line) is none that can be used, and is left out",
      hint: "a recipient begins with 'age1' or 'age1pq1'")
  }

  /// Notes that somebody of the name was there before, and how the two become one.
  private func note(_ other: BeneficiarySummary, _ uid: String?) {
    let id = other.id.description
    guard other.cardUID == nil, let uid else {
      return session.console.note(
        "There is another '\(other.name)' already, \(id); ids tell them apart.")
    }
    session.console.note(
      "There is another '\(other.name)' already, \(id), without a card. Where that is the same person, "
        + "delete the new one, and link the card's UID '\(uid)' by "
        + "'capsule beneficiary edit \(id) --card-uid UID'.")
  }

  private mutating func fail(_ failure: Failure) {
    session.console.report(failure)
    code = ExitCode.worst(code, failure.kind == .damaged ? .damaged : .partial)
  }

  /// The counts of the outcomes, in a sentence.
  var summary: String {
    if results.isEmpty { return "There is no card in it." }
    return ImportedRow.summary(of: results.map(\.state), isDry: isDry)
  }
}

/// The outcome of one card, as JSON and as text.
struct BeneficiaryImportResult {
  let state: ImportedRow.State
  /// The physical line on which the card begins.
  let line: Int
  let name: String?
  /// The person as the store has them now; `nil` where there is none.
  var person: Beneficiary?
  let changes: [FieldChange]
  /// The reason why it was skipped, or the parts that were left out.
  var problem: String?

  init(_ result: PeopleImport.Result, isDry: Bool) {
    line = result.step.line
    name = result.step.name
    (state, person) = (result.outcome.state, result.outcome.record(isDry: isDry))
    changes = result.outcome.changes(Beneficiary.editableFields)
  }

  func members(_ session: Session) -> JSONObject {
    [
      "state": .string(state.rawValue), "line": .integer(Int64(line)),
      "name": name.map { .string($0) } ?? .null,
      "beneficiary": person.map { person in
        .object(BeneficiaryView(person.summary, in: session).members(of: person))
      } ?? .null,
      "changes": .array(changes.map { .object($0.members) }),
      "problem": problem.map { .string($0) } ?? .null,
    ]
  }

  func write(to out: TextOutput, isDry: Bool, isQuiet: Bool) {
    ImportedRow(
      state: state, name: person?.name ?? name ?? "", id: person?.id.description ?? "",
      changes: changes
    ).write(to: out, isDry: isDry, isQuiet: isQuiet)
  }
}
