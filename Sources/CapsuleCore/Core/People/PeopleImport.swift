/// An import of vCards among the people of a store.
///
/// A card is linked to a person by its UID; one without, by its name to a person who has no card's
/// UID, when exactly one fits. A person whose record cannot be read is linked to no card.
package struct PeopleImport: Importer {
  /// A mail address that a card would replace.
  package struct AddressChange: Sendable {
    package let name: String
    package let old: String
    package let new: String
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

  private let file: ContactFile
  /// Whether a card may replace the age recipient of a person who has one.
  private let acceptsRecipients: Bool
  /// Whether a card may replace the mail address of a person who has one.
  private let acceptsAddresses: Bool
  private var known: [Known] = []
  private var byUID: [String: [Int]] = [:]
  private var byName: [NameKey: [Int]] = [:]
  /// The first person of each name there was.
  private var namesakes: [NameKey: Brief<Beneficiary>] = [:]

  /// - Parameters:
  ///   - acceptsRecipients: whether a card may replace the age recipient of a person who has one;
  ///     otherwise the known one stays, and the step says so.
  ///   - acceptsAddresses: the same of the mail address.
  package init(_ file: ContactFile, acceptsRecipients: Bool, acceptsAddresses: Bool) {
    self.file = file
    (self.acceptsRecipients, self.acceptsAddresses) = (acceptsRecipients, acceptsAddresses)
  }

  package mutating func note(_ record: IndexEntry) {
    if let person = Brief<Beneficiary>(record) { note(person) }
  }

  mutating func note(_ person: Brief<Beneficiary>) {
    note(Known(id: person.id), uid: person.record.cardUID, name: person.record.name)
    if namesakes[NameKey(person.record.name)] == nil {
      namesakes[NameKey(person.record.name)] = person
    }
  }

  package mutating func steps(
    in target: ImportTarget
  ) throws(Fault) -> [ImportStep<Beneficiary>] {
    try steps(
      newHeader: { () throws(Fault) in try target.newHeader() },
      read: { target.read(Beneficiary.self, $0) })
  }

  /// Finds the steps, one a card, in the file's order.
  ///
  /// - Parameters:
  ///   - newHeader: makes the header of a person who is added.
  ///   - read: reads a person's record; `nil` when it cannot be changed.
  mutating func steps<Failure: Error>(
    newHeader: () throws(Failure) -> RecordHeader, read: (RecordID) -> Beneficiary?
  ) throws(Failure) -> [ImportStep<Beneficiary>] {
    var last: [String: Int] = [:]
    for case .card(let card) in file.entries {
      if let uid = card.uid { last[Self.link(uid)] = card.line }
    }
    var steps: [ImportStep<Beneficiary>] = []
    for entry in file.entries {
      switch entry {
      case .fault(let fault):
        let problem = ImportProblem(
          fault.cause == .group ? .remark : .bad, at: fault.line, Fault(fault.cause))
        steps.append(ImportStep(line: fault.line, outcome: .skipped(problem)))
      case .card(let card):
        let outcome: ImportOutcome<Beneficiary>
        if let uid = card.uid, let line = last[Self.link(uid)], line != card.line {
          outcome = .skipped(
            ImportProblem(
              .remark, at: card.line,
              "the card on line \(line) has the same UID and is used instead"))
        } else {
          outcome = try self.outcome(of: card, newHeader, read)
        }
        steps.append(
          ImportStep(
            line: card.line, name: card.name, outcome: outcome, remarks: remarks(on: card, outcome))
        )
      }
    }
    return steps
  }

  /// Returns what a card has that its person does not get, and that an added person has another's name.
  private func remarks(
    on card: ContactCard, _ outcome: ImportOutcome<Beneficiary>
  ) -> [ImportProblem] {
    var remarks: [ImportProblem] = []
    func refuse(_ thing: String, _ value: String, _ option: String, _ cause: AddressChange? = nil) {
      remarks.append(
        ImportProblem(
          .loss, at: card.line,
          Fault(
            .partial,
            "has a different \(thing) for '\(card.name)', '\(value)', which was not used",
            hint: "ask the person, then import again: \(option)", cause: cause),
          brief: "a different \(thing), which was not used"))
    }
    func compare(_ person: Beneficiary, was old: Beneficiary) {
      if person.isAskedToReplaceRecipient(by: card) {
        refuse("age recipient", card.recipient, "--accept-recipients")
      }
      if person.isAskedToReplaceAddress(by: card) {
        refuse(
          "email address", card.email, "--accept-addresses",
          AddressChange(name: old.name, old: old.email, new: card.email))
      }
    }
    switch outcome {
    case .skipped, .removed: return []
    case .added(let person):
      if let other = namesakes[NameKey(person.name)] {
        remarks.append(ImportProblem(.note, at: card.line, Self.words(on: other, person.cardUID)))
      }
    case .updated(let old, let new): compare(new, was: old)
    case .unchanged(let person): compare(person, was: person)
    }
    if card.isNamedByAddress {
      remarks.append(
        ImportProblem(
          .remark, at: card.line,
          Fault(.partial, "has no name, so '\(card.name)' was used as one"), brief: "no name"))
    }
    if card.hasUnusableRecipient {
      remarks.append(
        ImportProblem(
          .remark, at: card.line,
          Fault(
            .partial, "has an invalid age recipient, which was skipped",
            hint: "use a recipient that begins with 'age1' or 'age1pq1'"),
          brief: "an invalid age recipient, which was skipped"))
    }
    return remarks
  }

  /// The words for somebody of the name who was there before, and how the two become one.
  private static func words(on other: Brief<Beneficiary>, _ uid: String?) -> Fault.Message {
    guard other.record.cardUID == nil, let uid else {
      return "Another person is already called '\(other.record.name)': \(other.id)."
    }
    return
      "Another person is already called '\(other.record.name)', without a card: \(other.id). If it is the same person, delete the new one and link the card: capsule beneficiary edit \(other.id) --card-uid '\(uid)'"
  }

  private mutating func outcome<Failure: Error>(
    of card: ContactCard, _ newHeader: () throws(Failure) -> RecordHeader,
    _ read: (RecordID) -> Beneficiary?
  ) throws(Failure) -> ImportOutcome<Beneficiary> {
    func bad(_ message: Fault.Message, hint: String) -> ImportOutcome<Beneficiary> {
      .skipped(ImportProblem(.bad, at: card.line, message, hint: hint))
    }
    func severalOfName() -> ImportOutcome<Beneficiary> {
      bad(
        "several people are called '\(card.name)', and the card has no UID",
        hint: "edit the right person: capsule beneficiary edit")
    }
    let places = card.uid.map { byUID[Self.link($0)] ?? [] } ?? byName[NameKey(card.name)] ?? []
    guard places.count <= Self.sameNameLimit else { return severalOfName() }
    var fitting: [(place: Int, old: Beneficiary, isSame: Bool)] = []
    for place in places {
      let old: Beneficiary
      if let person = known[place].person ?? read(known[place].id) {
        old = person
        known[place].person = person
      } else {
        return .skipped(
          ImportProblem(
            .bad, at: card.line, .unreadableForImport(known[place].id, of: "person")))
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
      return card.uid == nil
        ? severalOfName()
        : bad(
          "several people come from a card with this UID",
          hint: "delete the extra people: capsule beneficiary delete")
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

extension PeopleImport {
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
