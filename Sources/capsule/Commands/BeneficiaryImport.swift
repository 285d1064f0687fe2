import CapsuleCore

/// `capsule beneficiary import`.
enum BeneficiaryImportCommand {
  static let file = Parameter.operand("FILE", .path, "A file of vCards, or `-` for standard input")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
  static let acceptRecipients = Parameter.flag(
    "accept-recipients", "Let cards replace age recipients that people already have")
  static let acceptAddresses = Parameter.flag(
    "accept-addresses", "Let cards replace email addresses that people already have")

  static let command = Command(
    "beneficiary", "import", summary: "Add and update people from vCards",
    discussion: """
      The file is the export of an address book, of one person or of everybody. Its vCards have \
      version 3.0 or 4.0, or 2.1 from older programs and phones.

      A card is linked to a person by its UID, so importing the card again updates the person. A \
      card without a UID updates the person with the same name, if exactly one person without a \
      UID has that name. The card's fields win. The relationship and the fields that are not in \
      the card stay as they are.

      - Email and phone: the preferred one, or else the first. A fax number does not count as a \
      phone.
      - Contact: one line for each other address, number, web page, account, the organization and \
      the birthday.
      - Age recipient: from `X-AGE-RECIPIENT`, or from a `KEY` that begins with age1.
      - Photos: skipped.

      Limits:

      - A card does not replace a recipient that the person already has. The command reports the \
      card's recipient (exit status 3); `--accept-recipients` accepts it.
      - The same is true of the email address, to which letters go. At a terminal the command \
      asks; elsewhere `--accept-addresses` accepts the new address.
      - If two cards in a file have the same UID, the later one counts.
      - A card that cannot be read is reported with its line and skipped (exit status 3).
      - People are written together: if that fails, nobody is imported.
      - A file has at most 64 MiB and 50,000 cards. The text of a card has at most 1 MiB.
      """,
    operands: [file], options: [dryRun, acceptRecipients, acceptAddresses],
    outputs: [.json, .ndjson],
    examples: [
      Example(
        "capsule beneficiary import contacts.vcf --dry-run", "See what an import would change"),
      Example("cat contacts/*.vcf | capsule beneficiary import -", "Import a folder of cards"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let path = invocation[file]
    let isDry = invocation[dryRun]
    let cards = ContactFile(
      try session.files.read(
        path, limit: ContactFile.byteLimit, hint: "export it without photos, or in parts"))
    let hasCards = cards.entries.contains { if case .card = $0 { true } else { false } }
    var work = BeneficiaryImport(
      session, isDry: isDry, acceptsRecipients: invocation[acceptRecipients],
      acceptsAddresses: invocation[acceptAddresses])
    try work.run(
      cards,
      into: isDry || !hasCards ? try session.stores.existing() : try session.stores.forChange())
    return try session.console.render(
      ending: work.code, list: work.results, json: { .object($0.members(session)) },
      text: { out in
        for result in work.results { result.write(to: out, isDry: isDry, isQuiet: session.isQuiet) }
        session.console.note("\(work.summary)")
      })
  }
}

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
      func plan() throws(Fault) -> PeopleImport {
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
    let nothingDone = Fault.canceled()
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
        fail(Fault(.partial, message, hint: hint))
      }
      return
    case .skipped(.store(let error)):
      let failure = Fault(error)
      shown.problem = failure.message(in: session.zone)
      return fail(failure)
    case .added(let person):
      if let other = result.namesake { note(other, person.cardUID) }
    case .updated, .unchanged: break
    }
    if let other = result.step.refusedRecipient {
      omissions.append("a different age recipient, which was not used")
      fail(
        Fault(
          .partial,
          "the card on line \(line) has a different age recipient for '\(result.step.name ?? "")', "
            + "'\(other)', which was not used",
          hint: "ask the person, then import again: --accept-recipients"))
    }
    if let other = result.step.refusedAddress {
      omissions.append("a different email address, which was not used")
      fail(
        Fault(
          .partial,
          "the card on line \(line) has a different email address for '\(result.step.name ?? "")', "
            + "'\(other)', which was not used",
          hint: "ask the person, then import again: --accept-addresses"))
    }
    guard result.step.hasUnusableRecipient else { return }
    omissions.append("an invalid age recipient, which was skipped")
    session.console.warning(
      "the card on line \(line) has an invalid age recipient, which was skipped",
      hint: "use a recipient that begins with 'age1' or 'age1pq1'")
  }

  /// Notes that somebody of the name was there before, and how the two become one.
  private func note(_ other: Brief<Beneficiary>, _ uid: String?) {
    let id = other.id.description
    guard other.record.cardUID == nil, let uid else {
      return session.console.note(
        "Another person is already called '\(other.record.name)': \(id).")
    }
    session.console.note(
      "Another person is already called '\(other.record.name)', without a card: \(id). If it is the same person, "
        + "delete the new one and link the card: "
        + "capsule beneficiary edit \(id) --card-uid '\(uid)'")
  }

  private mutating func fail(_ failure: Fault) {
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
    changes = result.outcome.changes(BeneficiaryKind.kind.told)
  }

  func members(_ session: Session) -> JSONObject {
    [
      "state": .string(state.rawValue), "line": .integer(Int64(line)),
      "name": name.map { .string($0) } ?? .null,
      "beneficiary": person.map { person in
        .object(BeneficiaryView(person.brief, in: session).members(of: person))
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

extension ContactImport.Problem {
  /// The reason why the card is skipped, behind "the card on line 3 is skipped:".
  var words: String {
    switch self {
    case .fault(let cause): "\(cause.message)"
    case .replaced(let line): "the card on line \(line) has the same UID and is used instead"
    case .severalOfName(let name):
      "several people are called '\(name)', and the card has no UID"
    case .severalOfUID: "several people come from a card with this UID"
    case .unreadable(let id): "the record '\(id)' of the person cannot be read"
    }
  }

  /// The whole sentence.
  func message(line: Int) -> String {
    if case .fault(.noCard) = self { return "line \(line) is skipped: \(words)" }
    return "the card on line \(line) is skipped: \(words)"
  }

  var hint: String? {
    switch self {
    case .fault(let cause): cause.hint
    case .replaced: nil
    case .severalOfName: "edit the right person: capsule beneficiary edit"
    case .severalOfUID: "delete the extra people: capsule beneficiary delete"
    case .unreadable: "list the damage: capsule verify; then fix it: capsule repair"
    }
  }
}
