import CapsuleCore

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
    let reference = try invocation[BeneficiaryOptions.reference]
    let (store, record) = try session.records.required(Beneficiary.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about a person.
  static func show(
    _ record: StoredRecord<Beneficiary>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let person = record.model
    let code = session.records.report(damageOf: record, in: store)
    let view = BeneficiaryView(person.summary, problem: record.problem, in: session)
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
