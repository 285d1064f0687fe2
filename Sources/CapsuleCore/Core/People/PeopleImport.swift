/// An import of vCards among the people of a store: planned first, then written, all of them or none.
package struct PeopleImport {
  package let steps: [ContactImport.Step]
  /// The people there were; `nil` where there is no store. A person who cannot be read there is
  /// linked to no card.
  package let index: RecordIndex?
  private let store: Store?
  private let now: Instant
  /// The first person of each name there was.
  private var namesakes: [NameKey: Brief<Beneficiary>] = [:]

  /// The result of the import for one card.
  package struct Result {
    package enum Problem {
      case card(ContactImport.Problem)
      /// The person was changed meanwhile, is gone, or is damaged.
      case store(Fault)
    }

    package let step: ContactImport.Step
    package let outcome: ImportOutcome<Beneficiary, Problem>
    /// Another person of the name, who was there before this one was added.
    package let namesake: Brief<Beneficiary>?
  }

  /// Plans the import; nothing is written.
  ///
  /// - Parameters:
  ///   - store: `nil` where there is none and nothing will be written.
  ///   - acceptsRecipients: whether a card may replace the age recipient of a person who has one.
  ///   - acceptsAddresses: whether a card may replace the mail address of a person who has one.
  /// - Throws: `.noRandomness`; `.io` where the system does not let people be read, who would be added again.
  package init(
    _ file: ContactFile, into store: Store?, acceptsRecipients: Bool, acceptsAddresses: Bool,
    now: Instant
  ) throws(Fault) {
    self.store = store
    self.now = now
    var people: [Brief<Beneficiary>] = []
    var index = try store?.index.whole(.beneficiary, now: now)
    index?.forEach(.ascending) { entry in
      if let summary = Brief<Beneficiary>(entry) {
        people.append(summary)
      }
      return true
    }
    self.index = index
    for person in people where namesakes[NameKey(person.record.name)] == nil {
      namesakes[NameKey(person.record.name)] = person
    }
    var plan = ContactImport(
      people: people, acceptsRecipients: acceptsRecipients, acceptsAddresses: acceptsAddresses)
    steps = try plan.steps(
      file,
      newHeader: { () throws(Fault) in
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
  package func run(isDry: Bool, each: (Result) -> Void) throws(Fault) {
    var batch = ModelBatch<Beneficiary>(plannedBy: index)
    var outcomes: [ImportOutcome<Beneficiary, Result.Problem>] = []
    for step in steps {
      do {
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
      var namesake: Brief<Beneficiary>?
      if case .added(let person) = outcome { namesake = namesakes[NameKey(person.name)] }
      each(Result(step: step, outcome: outcome, namesake: namesake))
    }
  }

  private func take(
    _ step: ContactImport.Step, isDry: Bool, into batch: inout ModelBatch<Beneficiary>
  ) throws(Fault) -> ImportOutcome<Beneficiary, Result.Problem> {
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

extension Fault {
  /// Whether the error is about one person's record, and leaves the import of the others as it is.
  fileprivate var isOfOnePerson: Bool {
    switch code {
    case .recordGone, .recordDamaged, .newerRecord: true
    default: false
    }
  }
}

/// The changes that a file of vCards makes to the people in the store.
///
/// A card is linked to a person by its UID; one without, by its name to a person who has no card's
/// UID, when exactly one fits. Nothing is written here: the caller writes each step, in their order.
package struct ContactImport {
  /// The effect of one card.
  package struct Step: Sendable {
    /// The physical line on which the card begins.
    package let line: Int
    /// The name on the card, where it could be read.
    package let name: String?
    /// The header of a person who is added is the caller's to make.
    package let kind: ImportOutcome<Beneficiary, Problem>
    package let hasUnusableRecipient: Bool
    /// The age recipient on the card, where the person keeps another one.
    package var refusedRecipient: String?
    /// The mail address on the card, where the person keeps another one.
    package var refusedAddress: String?
  }

  package enum Problem: Hashable, Sendable {
    case fault(VCardFault.Cause)
    /// A card further down, on that line, has the same UID, and counts.
    case replaced(line: Int)
    /// Several people of that name have no card, and the card would change each.
    case severalOfName(String)
    /// Several people are linked to this card.
    case severalOfUID(String)
    /// The record of a person who may be meant cannot be read.
    case unreadable(RecordID)
  }

  private struct Known {
    let id: RecordID
    /// The person as they will be after the steps so far; read when first needed.
    var person: Beneficiary?
    /// Whether a card without a UID is its already.
    var isTaken = false
  }

  /// The most people of one name among whom the one who is meant is looked for.
  private static let sameNameLimit = 100

  /// Whether a card may replace the age recipient of a person who has one.
  private let acceptsRecipients: Bool
  /// Whether a card may replace the mail address of a person who has one.
  private let acceptsAddresses: Bool
  private var known: [Known] = []
  private var byUID: [String: [Int]] = [:]
  private var byName: [NameKey: [Int]] = [:]

  /// An import among some people.
  ///
  /// - Parameters:
  ///   - people: everyone in the store.
  ///   - acceptsRecipients: whether a card may replace the age recipient of a person who has one;
  ///     otherwise the known one stays, and the step says so.
  ///   - acceptsAddresses: the same of the mail address.
  package init(people: [Brief<Beneficiary>], acceptsRecipients: Bool, acceptsAddresses: Bool) {
    (self.acceptsRecipients, self.acceptsAddresses) = (acceptsRecipients, acceptsAddresses)
    for person in people {
      note(Known(id: person.id), uid: person.record.cardUID, name: person.record.name)
    }
  }

  /// Finds the steps, one a card, in the file's order.
  ///
  /// - Parameters:
  ///   - newHeader: makes the header of a person who is added.
  ///   - read: reads a person's record; `nil` when it cannot be changed.
  package mutating func steps<Failure: Error>(
    _ file: ContactFile, newHeader: () throws(Failure) -> RecordHeader,
    read: (RecordID) -> Beneficiary?
  ) throws(Failure) -> [Step] {
    var last: [String: Int] = [:]
    for case .card(let card) in file.entries {
      if let uid = card.uid { last[Self.link(uid)] = card.line }
    }
    var steps: [Step] = []
    for entry in file.entries {
      switch entry {
      case .fault(let fault):
        steps.append(
          Step(
            line: fault.line, name: nil, kind: .skipped(.fault(fault.cause)),
            hasUnusableRecipient: false))
      case .card(let card):
        let kind: ImportOutcome<Beneficiary, Problem>
        if let uid = card.uid, let line = last[Self.link(uid)], line != card.line {
          kind = .skipped(.replaced(line: line))
        } else {
          kind = try step(card, newHeader, read)
        }
        var step = Step(
          line: card.line, name: card.name, kind: kind,
          hasUnusableRecipient: card.hasUnusableRecipient)
        switch kind {
        case .updated(_, let person), .unchanged(let person):
          if person.isAskedToReplaceRecipient(by: card) { step.refusedRecipient = card.recipient }
          if person.isAskedToReplaceAddress(by: card) { step.refusedAddress = card.email }
        case .added, .skipped: break
        }
        steps.append(step)
      }
    }
    return steps
  }

  private mutating func step<Failure: Error>(
    _ card: ContactCard, _ newHeader: () throws(Failure) -> RecordHeader,
    _ read: (RecordID) -> Beneficiary?
  ) throws(Failure) -> ImportOutcome<Beneficiary, Problem> {
    let places = card.uid.map { byUID[Self.link($0)] ?? [] } ?? byName[NameKey(card.name)] ?? []
    guard places.count <= Self.sameNameLimit else { return .skipped(.severalOfName(card.name)) }
    var fitting: [(place: Int, old: Beneficiary, isSame: Bool)] = []
    for place in places {
      let old: Beneficiary
      if let person = known[place].person ?? read(known[place].id) {
        old = person
        known[place].person = person
      } else {
        return .skipped(.unreadable(known[place].id))
      }
      fitting.append((place, old, old == updated(old, by: card, keepsReach: false)))
    }
    if card.uid == nil {
      // The one whom the card leaves as he is, before one whom it would change.
      if let same = fitting.first(where: { $0.isSame }) {
        fitting = [same]
      } else {
        fitting.removeAll { known[$0.place].isTaken }
      }
    }
    guard fitting.count <= 1 else {
      return .skipped(card.uid.map { .severalOfUID($0) } ?? .severalOfName(card.name))
    }
    guard let (place, old, _) = fitting.first else {
      let person = updated(
        Beneficiary(header: try newHeader(), name: card.name), by: card, keepsReach: false)
      var added = Known(id: person.id, person: person)
      added.isTaken = true
      note(added, uid: card.uid, name: card.name)
      return .added(person)
    }
    let new = updated(old, by: card, keepsReach: true)
    known[place].person = new
    known[place].isTaken = true
    return old == new ? .unchanged(old) : .updated(from: old, to: new)
  }

  private mutating func note(_ person: Known, uid: String?, name: String) {
    if let uid {
      byUID[Self.link(uid), default: []].append(known.count)
    } else {
      byName[NameKey(name), default: []].append(known.count)
    }
    known.append(person)
  }

  /// Returns the text by which two spellings of one UID are the same: of a UUID in capitals or not,
  /// with or without `urn:uuid:` (the card's version decides).
  static func link(_ uid: String) -> String {
    let bare = (uid.behind("urn:uuid:") ?? uid).lowercased()
    let isUUID =
      bare.utf8.count == 36
      && bare.utf8.allSatisfy {
        $0.isASCIIDigit || (0x61...0x66).contains($0) || $0 == UInt8(ascii: "-")
      }
    return isUUID ? bare : uid
  }
}

extension Beneficiary {
  /// Whether a card has another age recipient than the one that the person has.
  fileprivate func isAskedToReplaceRecipient(by card: ContactCard) -> Bool {
    !recipient.isEmpty && !card.recipient.isEmpty && recipient.lowercased() != card.recipient
  }

  /// Whether a card has another mail address than the one that the person has.
  fileprivate func isAskedToReplaceAddress(by card: ContactCard) -> Bool {
    !email.isEmpty && !card.email.isEmpty && email.lowercased() != card.email.lowercased()
  }
}

extension ContactImport {
  /// Returns the person with the card's fields; those that it has not stay.
  ///
  /// - Parameter keepsReach: whether a known age recipient and a known mail address stay unless others are
  ///   accepted: anybody who can send a card would otherwise get what is left to the person.
  private func updated(
    _ old: Beneficiary, by card: ContactCard, keepsReach: Bool
  ) -> Beneficiary {
    var person = old
    func put(_ text: String, into field: WritableKeyPath<Beneficiary, String>) {
      if !text.isEmpty { person[keyPath: field] = text }
    }
    put(card.name, into: \.name)
    if !keepsReach || acceptsAddresses || !old.isAskedToReplaceAddress(by: card) {
      put(card.email, into: \.email)
    }
    put(card.phone, into: \.phone)
    put(card.contact, into: \.contact)
    if !keepsReach || acceptsRecipients || !old.isAskedToReplaceRecipient(by: card),
      old.recipient.lowercased() != card.recipient
    {
      put(card.recipient, into: \.recipient)
    }
    put(card.notes, into: \.notes)
    if person.cardUID == nil { person.cardUID = card.uid }
    return person
  }
}
