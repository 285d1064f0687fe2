/// An import of vCards among the people of a store: planned first, then written, all of them or none.
package struct PeopleImport {
  package let steps: [ContactImport.Step]
  /// The people there were; `nil` where there is no store. A person who cannot be read there is
  /// linked to no card.
  package let index: RecordIndex?
  private let store: Store?
  private let now: Instant
  /// The first person of each name there was.
  private var namesakes: [NameKey: BeneficiarySummary] = [:]

  /// The result of the import for one card.
  package struct Result {
    package enum Problem {
      case card(ContactImport.Problem)
      /// The person was changed meanwhile, is gone, or is damaged.
      case store(StoreError)
    }

    package let step: ContactImport.Step
    package let outcome: ImportOutcome<Beneficiary, Problem>
    /// Another person of the name, who was there before this one was added.
    package let namesake: BeneficiarySummary?
  }

  /// Plans the import; nothing is written.
  ///
  /// - Parameters:
  ///   - store: `nil` where there is none and nothing will be written.
  ///   - acceptsRecipients: whether a card may replace the age recipient of a person who has one.
  ///   - acceptsAddresses: whether a card may replace the mail address of a person who has one.
  /// - Throws: `.random`; `.io` where the system does not let people be read, who would be added again.
  package init(
    _ file: ContactFile, into store: Store?, acceptsRecipients: Bool, acceptsAddresses: Bool,
    now: Instant
  ) throws(StoreError) {
    self.store = store
    self.now = now
    var people: [BeneficiarySummary] = []
    var index = try store?.index.whole(.beneficiary, now: now)
    index?.forEach(.ascending) { entry in
      if let summary = BeneficiarySummary(id: entry.id, encoded: entry.summary) {
        people.append(summary)
      }
      return true
    }
    self.index = index
    for person in people where namesakes[NameKey(person.name)] == nil {
      namesakes[NameKey(person.name)] = person
    }
    var plan = ContactImport(
      people: people, acceptsRecipients: acceptsRecipients, acceptsAddresses: acceptsAddresses)
    steps = try plan.steps(
      file,
      newHeader: { () throws(StoreError) in
        try store?.newHeader(now: now)
          ?? RecordHeader(id: RecordID(high: 0, low: 0), createdAt: now)
      },
      read: { try? store?.readIntact(Beneficiary.self, $0).model })
  }

  /// Writes what the steps change, all of it at once.
  ///
  /// - Parameters:
  ///   - isDry: `true` to find what would become of each card, and to write nothing.
  ///   - each: called for each card, in their order, when all is done.
  /// - Throws: the error of the store, which has nothing of the import then: `.changedMeanwhile` where it has
  ///   other people than when this was planned.
  package func run(isDry: Bool, each: (Result) -> Void) throws(StoreError) {
    var batch = ModelBatch<Beneficiary>(plannedBy: index)
    var outcomes: [ImportOutcome<Beneficiary, Result.Problem>] = []
    for step in steps {
      do throws(StoreError) {
        outcomes.append(try take(step, isDry: isDry, into: &batch))
      } catch {
        guard error.isOfOnePerson else { throw error }
        outcomes.append(.skipped(.store(error)))
      }
    }
    if !isDry, let store {
      let written = try batch.write(to: store, now: now)
      outcomes = outcomes.map { $0.asWritten(written) }
    }
    for (step, outcome) in zip(steps, outcomes) {
      var namesake: BeneficiarySummary?
      if case .added(let person) = outcome { namesake = namesakes[NameKey(person.name)] }
      each(Result(step: step, outcome: outcome, namesake: namesake))
    }
  }

  private func take(
    _ step: ContactImport.Step, isDry: Bool, into batch: inout ModelBatch<Beneficiary>
  ) throws(StoreError) -> ImportOutcome<Beneficiary, Result.Problem> {
    switch step.kind {
    case .skipped(let problem): return .skipped(.card(problem))
    case .unchanged(let person): return .unchanged(person)
    case .added(let person):
      batch.add(person)
      return .added(person)
    case .updated(let old, let new):
      if !isDry, let store {
        var record = try StoredRecord(planned: old, in: store)
        record.model = new
        batch.update(record)
      }
      return .updated(from: old, to: new)
    }
  }
}

extension StoreError {
  /// Whether the error is about one person's record, and leaves the import of the others as it is.
  fileprivate var isOfOnePerson: Bool {
    switch self {
    case .notFound, .damaged: true
    default: false
    }
  }
}
