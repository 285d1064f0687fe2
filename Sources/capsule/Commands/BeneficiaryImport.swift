import CapsuleCore

/// `capsule beneficiary import`.
enum BeneficiaryImportCommand {
  static let file = Parameter.operand("FILE", .path, "A file of vCards, or `-` for standard input")
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
      - Contact: one line for each other address, number, web page, account and relative, the \
      organization, the nickname, the birthday and the anniversary.
      - A card without a name gets its address or number as the name. A group of cards is skipped. Both \
      are reported.
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
    operands: [file], options: [ImportOptions.dryRun, acceptRecipients, acceptAddresses],
    outputs: [.json, .ndjson],
    examples: [
      Example(
        "capsule beneficiary import contacts.vcf --dry-run", "See what an import would change"),
      Example("cat contacts/*.vcf | capsule beneficiary import -", "Import a folder of cards"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let isDry = invocation[ImportOptions.dryRun]
    let cards = ContactFile(
      try session.files.read(
        invocation[file], limit: ContactFile.byteLimit,
        hint: "export it without photos, or in parts"))
    let answer = ImportAnswer<Beneficiary>(
      entry: "card", member: "beneficiary", fields: BeneficiaryKind.kind.told,
      record: { BeneficiaryView($0.brief, in: session).members(of: $0) },
      members: { step in
        let words = step.problemWords
        return [
          "name": step.name.json,
          "problem": words.isEmpty ? .null : words.joined(separator: "; ").json,
        ]
      },
      subject: { step, problem in
        guard case .skipped = step.outcome else { return "the card on line \(step.line) " }
        let isCard = problem.fault.cause as? VCardFault.Cause != .noCard
        return "\(isCard ? "the card on " : "")line \(step.line) is skipped: "
      },
      refusal: nil)
    var acceptsAddresses = invocation[acceptAddresses]
    var isAsked = isDry || !session.ask.isPossible
    func plan(_ store: Store?) throws -> ImportPlan<PeopleImport> {
      let work = try ImportPlan(
        PeopleImport(
          cards, acceptsRecipients: invocation[acceptRecipients],
          acceptsAddresses: acceptsAddresses),
        into: store, now: session.now)
      if isAsked { return work }
      isAsked = true
      let changes = work.steps.flatMap(\.remarks)
        .compactMap { $0.fault.cause as? PeopleImport.AddressChange }
      guard try isAccepted(changes, session) else { return work }
      acceptsAddresses = true
      return try plan(store)
    }
    return try answer.run(session, isDry: isDry, plan: plan)
  }

  /// Asks at a terminal whether cards may replace the addresses that mail goes to: once for all of them.
  private static func isAccepted(
    _ changes: [PeopleImport.AddressChange], _ session: Session
  ) throws -> Bool {
    guard let first = changes.first else { return false }
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
}
