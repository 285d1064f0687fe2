import CapsuleCore

/// `capsule beneficiary add`.
enum BeneficiaryAddCommand {
  static let name = Parameter.operand("NAME", .text, "The person's name, at most 1 KiB")

  static let command = Command(
    "beneficiary", "add", summary: "Add a person, such as a beneficiary or emergency contact",
    discussion: """
      Two people may have the same name, such as father and son. Use their ids to tell them apart.

      Other users of the computer can see these options in `ps`, and your shell keeps them in its \
      history. `capsule beneficiary import` reads a file instead.
      """,
    operands: [name], options: BeneficiaryOptions.all, outputs: .json,
    examples: [
      Example(
        "capsule beneficiary add Zoe --relationship sister --email zoe@example.org",
        "Add your sister"),
      Example(
        "capsule beneficiary add 'Dr Okoye' --contact 'Lawyer, 12 Mill Lane, Leeds'",
        "Add your lawyer, with a postal address"),
    ],
    exitCodes: [.damaged, .busy, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var person = Beneficiary(
      header: RecordHeader(id: RecordID(high: 0, low: 0), createdAt: session.now),
      name: try BeneficiaryOptions.name(invocation[name]))
    try BeneficiaryOptions.apply(invocation, to: &person)
    let store = try session.stores.forChange()
    let others = session.records.beneficiaries(named: person.name, in: store)
    person.header = try store.newHeader(now: session.now)
    try store.insert(person)
    session.stores.noteFirstUse(of: store)
    if let other = others.first {
      session.console.note(
        "Another person is already called '\(other.record.name)': \(other.id.description).")
    }
    let view = BeneficiaryView(person.brief, in: session)
    return try session.answers.changed(view.members(of: person), person.id) { out in
      out.line("Added '\(view.nameText)' \(person.id.description)")
    }
  }
}

/// `capsule beneficiary list`.
enum BeneficiaryListCommand {
  static let search = ListOptions.search("Only people with this text in any field")
  static let sort: Parameter<BeneficiaryQuery.Order?> = ListOptions.sort(.beneficiarySort)

  static let command = Command(
    "beneficiary", "list", summary: "List people by name",
    discussion: """
      `--sort created` and `--sort updated` list the latest first. A search covers the name, \
      relationship, contact details and notes, and ignores case and accents.
      """,
    options: [
      search, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain, ListOptions.exitCode,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example(
        "capsule beneficiary list --sort updated --limit 5", "List the five people changed last"),
      Example("capsule beneficiary list --search daughter", "Find a person by relationship"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var query = BeneficiaryQuery()
    query.text = invocation.search(search)
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    query.order = invocation.sortOrder(sort, settings, .beneficiarySort) ?? .name
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks()
    if query.text == nil {
      remarks.whenEmpty = "There is nobody here; 'capsule beneficiary add' adds a person."
    }
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        BeneficiaryView.columns(session), more: BeneficiaryView.moreColumns(session),
        .beneficiaryColumns, settings)
    ) { BeneficiaryView($0.summary, problem: $0.problem, in: session) }
  }
}

/// `capsule beneficiary show`.
enum BeneficiaryShowCommand {
  static let command = Command(
    "beneficiary", "show", summary: "Show a person, and what they receive",
    operands: [BeneficiaryOptions.reference], outputs: .json,
    examples: [
      Example("capsule beneficiary show Mia", "See what Mia receives")
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[BeneficiaryOptions.reference]
    let (store, record) = try session.records.required(Beneficiary.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about a person.
  static func show(
    _ record: StoredRecord<Beneficiary>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let person = record.model
    let code = session.records.report(damageOf: record, in: store)
    let view = BeneficiaryView(person.brief, problem: record.problem, in: session)
    let bequests = BequestSection(of: RecordReference(.beneficiary, person.id), session, store)
    var members = view.members(of: person)
    members["bequests"] = bequests.json
    return try session.console.render(
      ending: code, json: .object(members),
      text: { out in
        text(person, session, out)
        bequests.text(out)
      })
  }

  private static func text(_ person: Beneficiary, _ session: Session, _ out: TextOutput) {
    let sheet = FieldSheet(out, width: 12)
    out.line("\(person.name, .bold)")
    sheet.field("Id", person.id.description)
    sheet.field("Relationship", ifAny: person.relationship)
    sheet.field("Email", ifAny: person.email)
    sheet.field("Phone", ifAny: person.phone)
    for (number, line) in person.contact.split(whereSeparator: \.isNewline).enumerated() {
      sheet.field(number == 0 ? "Contact" : "", ifAny: String(line))
    }
    sheet.field("Recipient", ifAny: RecipientText.shortened(person.recipient))
    sheet.field("Card", ifAny: person.cardUID ?? "")
    sheet.field(
      "Created",
      "\(session.dates.text(person.createdAt)), \(session.dates.relative(person.createdAt))")
    sheet.block(person.notes)
  }
}

/// `capsule beneficiary edit`.
enum BeneficiaryEditCommand {
  static let name = Parameter.option("name", value: "NAME", .text, "A new name")
  static let cardUID = Parameter.option(
    "card-uid", value: "UID", .text, "Link the person to the vCard with this UID")

  private static let changes: Parameters =
    [name] + BeneficiaryOptions.all + [cardUID]

  static let command = Command(
    "beneficiary", "edit", summary: "Change a person's details",
    discussion: """
      Only the fields that you give change, and the answer lists the changes. An empty text \
      removes a field.

      An imported person stays linked to a vCard: importing the card again puts its fields back. \
      `--card-uid` links a person whom you added by hand to a card. An empty UID removes the link.
      """,
    operands: [BeneficiaryOptions.reference], options: changes, outputs: .json,
    examples: [
      Example("capsule beneficiary edit Zoe --phone '+44 20 7946 0000'", "Change a phone number"),
      Example("capsule beneficiary edit Zoe --email ''", "Remove the email address"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[BeneficiaryOptions.reference]
    try invocation.requireAny(of: changes, session)
    let store = try session.stores.required(for: reference, among: [.beneficiary])
    let change = try session.records.change(Beneficiary.self, reference, in: store) { person in
      if let text = invocation[name] { person.name = try BeneficiaryOptions.name(text) }
      try BeneficiaryOptions.apply(invocation, to: &person)
      if let text = invocation[cardUID]?.trimmed {
        try RecordFault.check(text, .cardUID, limit: Beneficiary.cardUIDLimit)
        person.cardUID = text.isEmpty ? nil : text
      }
    }
    let person = change.after
    // Also where the record said so already, as after a sync.
    if invocation.has(BeneficiaryOptions.recipient) { store.trust.vouch(forOwn: person) }
    let changes = FieldChange.between(change.before, person, Beneficiary.editableFields)
    let view = BeneficiaryView(person.brief, in: session)
    return try session.answers.changed(
      view.members(of: person), person.id, view.nameText, with: changes)
  }
}

extension Beneficiary {
  /// The fields that people change, by name.
  static var editableFields: [(String, (Beneficiary) -> String)] {
    [
      ("name", { $0.name }), ("relationship", { $0.relationship }), ("email", { $0.email }),
      ("phone", { $0.phone }), ("contact", { $0.contact }), ("recipient", { $0.recipient }),
      ("notes", { $0.notes }), ("cardUID", { $0.cardUID ?? "" }),
    ]
  }
}

/// `capsule beneficiary delete`.
enum BeneficiaryDeleteCommand {
  static let references = Parameter.operands(
    "BENEFICIARY", .reference(.beneficiary), minimum: 1, "An id, the start of one, or a name")

  static let command = Command(
    "beneficiary", "delete", summary: "Move people to the trash",
    discussion: """
      `capsule restore` puts a person back, until `capsule purge` removes the record for good. A \
      person who inherits something is deleted only with `--with-bequests`. Those bequests go and \
      come back with the person.
      """,
    operands: [references], options: [DeleteCommand.yes, DeleteCommand.withBequests],
    outputs: .json,
    examples: [
      Example("capsule beneficiary delete Lena --yes", "Move a person to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .beneficiary, isConfirmed: invocation[DeleteCommand.yes],
      withBequests: invocation[DeleteCommand.withBequests], session)
  }
}
