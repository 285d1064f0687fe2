import CapsuleCore

/// `capsule beneficiary import`.
enum BeneficiaryImportCommand {
  static let file = Operand("FILE", .path, "A file of vCards; `-` is standard input")
  static let dryRun = Flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
  static let acceptRecipients = Flag(
    "accept-recipients", "Let cards replace the age recipients of people who have one")
  static let acceptAddresses = Flag(
    "accept-addresses", "Let cards replace the mail addresses of people who have one")

  static let command = Command(
    "beneficiary", "import", summary: "Add and update people from vCards",
    discussion: """
      It reads vCards of versions 3.0 and 4.0, and 2.1 as older programs and phones write them: \
      the export of an address book, of one person or of all.

      A card's UID is the link: importing it again updates the person and adds nobody. A card \
      without a UID is linked by its name to a person who has none either, when exactly one fits. \
      The card's fields win; those that it has not stay, and so do the relationship and whoever the \
      card leaves as they are. Of two cards with one UID in a file the later one counts.

      The preferred email address and phone number, else the first of each, are the person's; a \
      fax is none. All other addresses, numbers, web pages and accounts, the organisation and the \
      birthday become lines of the contact. An age recipient is taken from `X-AGE-RECIPIENT`, or \
      from a `KEY` that begins with age1. A person who has one keeps it, whatever a card says: the \
      card's is named, and the command ends with 3; `--accept-recipients` takes it. The same is true \
      of the mail address, to which letters go: at a terminal the command asks, and elsewhere \
      `--accept-addresses` takes it. Photos are left out.

      A card that cannot be read is told with its line and skipped, and the command ends with 3. \
      The people are written together: where that fails, nobody is imported. A file \
      has at most 64 MiB and 50,000 cards, the text of a card at most 1 MiB.
      """,
    operands: [file], options: [dryRun, acceptRecipients, acceptAddresses],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule beneficiary import contacts.vcf --dry-run", "See what it would do"),
      Example("cat contacts/*.vcf | capsule beneficiary import -", "Import a folder of cards"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let path = try invocation[file]
    let isDry = invocation[dryRun]
    let cards = ContactFile(
      try session.input(
        path, limit: ContactFile.byteLimit, hint: "export it without photos, or in parts"))
    let hasCards = cards.entries.contains { if case .card = $0 { true } else { false } }
    var work = BeneficiaryImport(
      session, isDry: isDry, acceptsRecipients: invocation[acceptRecipients],
      acceptsAddresses: invocation[acceptAddresses])
    try work.run(
      cards,
      into: isDry || !hasCards ? try session.existingStore() : try session.storeForChange())
    return try session.render(
      ending: work.code, list: work.results, json: { .object($0.members(session)) },
      text: { out in
        for result in work.results { result.write(to: out, isDry: isDry, isQuiet: session.isQuiet) }
        session.console.note("\(work.summary)")
      })
  }
}
