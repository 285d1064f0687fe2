import CapsuleCore

/// A beneficiary as lists and JSON show it.
struct BeneficiaryView: KindView {
  let summary: Brief<Beneficiary>
  let problem: IndexProblem
  let session: Session

  init(_ summary: Brief<Beneficiary>, problem: IndexProblem = .none, in session: Session) {
    self.summary = summary
    self.problem = problem
    self.session = session
  }

  init(_ brief: Brief<Beneficiary>, problem: IndexProblem, of store: Store, in session: Session) {
    self.init(brief, problem: problem, in: session)
  }

  /// The name as lists show it.
  var titleText: StyledText {
    problem.mark ?? StyledText(summary.record.name, .bold)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<BeneficiaryView>] {
    [RowColumn("CREATED") { session.dates.cell($0.summary.record.createdAt) }]
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<BeneficiaryView>] {
    [
      .id(session), .title("NAME") { $0.titleText },
      .text("RELATIONSHIP", flexible: true, detail: .tags) { $0.summary.record.relationship },
      .text("EMAIL", flexible: true, detail: .state) { $0.summary.record.email },
      .text("PHONE", flexible: true, detail: .contents) { $0.summary.record.phone },
    ]
  }

  func writePage(of person: Beneficiary, _ settings: StoreSettings, to out: TextOutput) {
    let sheet = FieldSheet(out, width: 12)
    out.line("\(person.name, .bold)")
    sheet.field("Id", person.id.description)
    BeneficiaryKind.kind.writeRows(of: person, session, to: sheet)
    sheet.field(
      "Created",
      "\(session.dates.text(person.createdAt)), \(session.dates.relative(person.createdAt))")
    sheet.block(person.notes)
  }
}

/// People on the command line.
enum BeneficiaryKind {
  static let kind = Kind<BeneficiaryView>(
    "beneficiary", operand: "BENEFICIARY", "An id, the start of one, or a name",
    completing: .beneficiary,
    fields: [
      .text(
        .option("name", value: "NAME", .text, "A new name"), isEditedOnly: true, \.name, name),
      .text(
        .option(
          "relationship", value: "WORD", .text, "What the person is to you, such as 'daughter'"),
        \.relationship
      ) { text in
        try RecordFault.check(text.trimmed, .relationship, limit: Beneficiary.nameLimit)
        return text.trimmed
      }.row("Relationship"),
      .text(.option("email", value: "ADDRESS", .text, "An email address"), \.email) { text in
        try Beneficiary.check(email: text.trimmed)
        return text.trimmed
      }.row("Email"),
      .text(.option("phone", value: "NUMBER", .text, "A phone number"), \.phone) { text in
        try Beneficiary.check(phone: text.trimmed)
        return text.trimmed
      }.row("Phone"),
      .text(
        .option("contact", value: "TEXT", .text, "Any other way to reach the person"), \.contact
      ).row("Contact") { person, _ in
        person.contact.split(whereSeparator: \.isNewline).map(String.init)
      },
      .text(recipient, \.recipient) { text in
        text.trimmed.isEmpty ? "" : try AgeRecipient(named: text.trimmed).description
      }.row("Recipient") { person, _ in [RecipientText.shortened(person.recipient)] },
      .text(.option("notes", value: "TEXT", .text, "Notes about the person"), \.notes),
      KindField(nil, editing: [cardUID], told: ("cardUID", { $0.cardUID ?? "" })) {
        invocation, person in
        guard let text = invocation[cardUID]?.trimmed else { return }
        try RecordFault.check(text, .cardUID, limit: Beneficiary.cardUIDLimit)
        person.cardUID = text.isEmpty ? nil : text
      }.row("Card"),
    ])

  private static let recipient = Parameter.option(
    "recipient", value: "RECIPIENT", .text,
    "The person's age recipient (a public key: `age1…`, `age1pq1…`), to seal deliveries")
  private static let cardUID = Parameter.option(
    "card-uid", value: "UID", .text, "Link the person to the vCard with this UID")

  /// A name that can be kept, without white space at its ends.
  private static func name(_ text: String) throws -> String {
    try RecordFault.check(name: text.trimmed, of: .beneficiary)
    return text.trimmed
  }

  static let add = kind.add(
    .operand("NAME", .text, "The person's name, at most 1 KiB"),
    summary: "Add a person, such as a beneficiary or emergency contact",
    discussion: """
      Two people may have the same name, such as father and son. Use their ids to tell them apart.

      Other users of the computer can see these options in `ps`, and your shell keeps them in its \
      history. `capsule beneficiary import` reads a file instead.
      """,
    examples: [
      Example(
        "capsule beneficiary add Zoe --relationship sister --email zoe@example.org",
        "Add your sister"),
      Example(
        "capsule beneficiary add 'Dr Okoye' --contact 'Lawyer, 12 Mill Lane, Leeds'",
        "Add your lawyer, with a postal address"),
    ],
    exitCodes: [.damaged, .busy, .version],
    naming: { $1.name = try name($0) },
    remark: { person, store, session in
      session.records.beneficiaries(named: person.name, in: store).first.map {
        "Another person is already called '\($0.record.name)': \($0.id.description)."
      }
    })

  private static let search = ListOptions.search("Only people with this text in any field")
  private static let sort: Parameter<BeneficiaryQuery.Order?> = ListOptions.sort(.beneficiarySort)

  static let list = kind.list(
    summary: "List people by name",
    discussion: """
      `--sort created` and `--sort updated` list the latest first. A search covers the name, \
      relationship, contact details and notes, and ignores case and accents.
      """,
    options: [
      search, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain, ListOptions.exitCode,
    ],
    examples: [
      Example(
        "capsule beneficiary list --sort updated --limit 5", "List the five people changed last"),
      Example("capsule beneficiary list --search daughter", "Find a person by relationship"),
    ],
    setting: .beneficiaryColumns,
    query: { request, remarks in
      var query = BeneficiaryQuery()
      query.text = request.invocation.search(search)
      query.take(sort, .beneficiarySort, otherwise: .name, request)
      if query.text == nil {
        remarks.whenEmpty = "There is nobody here; 'capsule beneficiary add' adds a person."
      }
      return query
    },
    columns: { BeneficiaryView.columns($0.session) }, more: BeneficiaryView.moreColumns,
    view: { BeneficiaryView($0.summary, problem: $0.problem, in: $1.session) })

  static let show = kind.show(
    summary: "Show a person, and what they receive",
    examples: [
      Example("capsule beneficiary show Mia", "See what Mia receives")
    ])

  static let edit = kind.edit(
    summary: "Change a person's details",
    discussion: """
      Only the fields that you give change, and the answer lists the changes. An empty text \
      removes a field.

      An imported person stays linked to a vCard: importing the card again puts its fields back. \
      `--card-uid` links a person whom you added by hand to a card. An empty UID removes the link.
      """,
    examples: [
      Example("capsule beneficiary edit Zoe --phone '+44 20 7946 0000'", "Change a phone number"),
      Example("capsule beneficiary edit Zoe --email ''", "Remove the email address"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version]
  ) { person, invocation, store in
    // Also where the record said so already, as after a sync.
    if invocation.has(recipient) { store.trust.vouch(forOwn: person) }
  }

  static let delete = kind.delete(
    summary: "Move people to the trash",
    discussion: """
      `capsule restore` puts a person back, until `capsule purge` removes the record for good. A \
      person who inherits something is deleted only with `--with-bequests`. Those bequests go and \
      come back with the person.
      """, isLeft: true,
    examples: [
      Example("capsule beneficiary delete Lena --yes", "Move a person to the trash")
    ])
}
