import CapsuleCore

/// One run of `beneficiary import`: plans what each card changes, writes it, and keeps what became
/// of it.
struct BeneficiaryImport {
  private(set) var results: [BeneficiaryImportResult] = []
  private(set) var code = ExitCode.ok
  private let session: Session
  private let store: Store?
  private let isDry: Bool

  init(_ session: Session, store: Store?, isDry: Bool) {
    self.session = session
    self.store = store
    self.isDry = isDry
  }

  mutating func run(_ cards: ContactFile) throws {
    let people = people()
    var plan = ContactImport(people: people)
    let (session, store) = (session, store)
    let steps = try plan.steps(
      cards,
      newHeader: { () in
        guard let store else {
          return RecordHeader(id: RecordID(high: 0, low: 0), createdAt: session.now)
        }
        return try session.newHeader(in: store)
      },
      read: { id in
        guard let record = try? store?.read(Beneficiary.self, id), record.integrity == nil else {
          return nil
        }
        return record.model
      })
    let namesakes = Dictionary(
      people.map { (NameKey($0.name), $0) }, uniquingKeysWith: { first, _ in first })
    let progress = session.progress("Importing", total: Int64(steps.count), unit: .items)
    defer { progress.end() }
    for step in steps {
      do {
        try take(step, namesakes)
      } catch {
        var failure = Failure(error)
        if results.contains(where: { $0.state == .added || $0.state == .updated }) {
          failure.hint = "the cards before line \(step.line) are done; importing again goes on"
        }
        throw failure
      }
      progress.advance(by: 1)
    }
    if let store, !isDry { session.noteFirstUse(of: store) }
  }

  /// Everyone there is; says what cannot be read, and so cannot be linked.
  private mutating func people() -> [BeneficiarySummary] {
    guard let store else { return [] }
    var index = store.index(.beneficiary, now: session.now)
    var people: [BeneficiarySummary] = []
    index.forEach(.ascending) { entry in
      if let summary = BeneficiarySummary(id: entry.id, encoded: entry.summary) {
        people.append(summary)
      }
      return true
    }
    if session.warn(of: &index) { code = .partial }
    return people
  }

  private mutating func take(
    _ step: ContactImport.Step, _ namesakes: [NameKey: BeneficiarySummary]
  ) throws {
    var result = BeneficiaryImportResult(step)
    defer { results.append(result) }
    do throws(StoreError) {
      switch step.kind {
      case .skip(let problem):
        result.problem = problem.words
        let (message, hint) = (problem.message(line: step.line), problem.hint)
        if case .replaced = problem {
          session.console.warning(message, hint: hint)
        } else {
          fail(Failure(.partial, message, hint: hint))
        }
        return
      case .unchanged: break
      case .add(let person):
        if isDry {
          result.person = nil
        } else {
          try store?.insert(person)
        }
        if let other = namesakes[NameKey(person.name)] { note(other, person.cardUID) }
      case .update(let old, let new): result.person = try update(old, new)
      }
    } catch {
      let failure = Failure(error)
      switch error {
      case .changedMeanwhile, .notFound, .damaged:
        result = BeneficiaryImportResult(skipped: step, problem: failure.message)
        return fail(failure)
      default: throw failure
      }
    }
    guard step.hasUnusableRecipient else { return }
    result.problem = "its age recipient is none that can be used, and is left out"
    session.console.warning(
      "the age recipient of the card on line \(step.line) is none that can be used, and is left out",
      hint: "a recipient begins with 'age1'; only X25519 keys are known here")
  }

  /// That somebody of the name was there before, and how the two become one.
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

  /// Writes a person, when the record still is what the plan was made from.
  private func update(
    _ old: Beneficiary, _ new: Beneficiary
  ) throws(StoreError) -> Beneficiary {
    guard !isDry, let store else { return new }
    var record = try store.read(Beneficiary.self, old.id)
    guard record.model == old else { throw .changedMeanwhile(.beneficiary, old.id) }
    record.model = new
    return try store.update(record, now: session.now).model
  }

  /// What was done, in a sentence.
  var summary: String {
    if results.isEmpty { return "There is no card in it." }
    let counts = BeneficiaryImportResult.State.allCases.map { state in
      "\(results.count { $0.state == state }) \(state.rawValue)"
    }
    let text = counts.joined(separator: ", ")
    return isDry ? "It would be: \(text)." : "\(text)."
  }
}

/// What became of one card.
struct BeneficiaryImportResult {
  enum State: String, CaseIterable { case added, updated, unchanged, skipped }

  let state: State
  /// The physical line on which the card begins.
  let line: Int
  let name: String?
  /// As the store has the person now; `nil` where there is none.
  var person: Beneficiary?
  let changes: [FieldChange]
  /// Why it was skipped, or what was left out.
  var problem: String?

  init(_ step: ContactImport.Step) {
    line = step.line
    name = step.name
    switch step.kind {
    case .add(let person): (state, self.person, changes) = (.added, person, [])
    case .unchanged(let person): (state, self.person, changes) = (.unchanged, person, [])
    case .skip: (state, person, changes) = (.skipped, nil, [])
    case .update(let old, let new):
      (state, person) = (.updated, new)
      changes = FieldChange.between(old, new, Beneficiary.editableFields)
    }
  }

  init(skipped step: ContactImport.Step, problem: String) {
    (state, line, name, changes) = (.skipped, step.line, step.name, [])
    self.problem = problem
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
    guard state == .added || state == .updated else { return }
    let id = person.map(\.id.description) ?? ""
    if isQuiet {
      if !isDry { out.line("\(id)") }
      return
    }
    let verb: String
    switch (state, isDry) {
    case (.added, true): verb = "Would add"
    case (.updated, true): verb = "Would update"
    case (.added, false): verb = "Added"
    default: verb = "Updated"
    }
    let name = person?.name ?? name ?? ""
    out.line(id.isEmpty ? "\(verb) \(name, .bold)" : "\(verb) \(name, .bold) \(id)")
    for change in changes { out.line(change.line) }
  }
}
