import CapsuleCore

/// `capsule beneficiary show`.
enum BeneficiaryShowCommand {
  static let command = Command(
    "beneficiary", "show", summary: "Show all about a person, and what they receive",
    operands: [BeneficiaryOptions.reference], outputs: .json,
    examples: [Example("capsule beneficiary show 'Zoë Martin'", "Show a person")],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[BeneficiaryOptions.reference]
    let store = try session.requiredStore(for: reference, among: [.beneficiary])
    let record = try session.record(Beneficiary.self, reference, in: store)
    let person = record.model
    let failure = session.failure(of: record, in: store)
    if let failure { session.console.report(failure) }
    let view = BeneficiaryView(
      person.summary, problem: failure == nil ? .none : .altered, in: session)
    let bequests = BequestSection(of: RecordReference(.beneficiary, person.id), session, store)
    var members = view.members(of: person)
    members["bequests"] = bequests.json
    return try session.render(
      ending: failure == nil ? .ok : .damaged, json: .object(members),
      text: { out in
        text(person, session, out)
        bequests.text(out)
      })
  }

  private static func text(_ person: Beneficiary, _ session: Session, _ out: TextOutput) {
    func field(_ name: String, _ value: StyledText) {
      guard value.width > 0 else { return }
      let padding = String(repeating: " ", count: max(0, 12 - name.count))
      out.line("\(name, .dim)\(padding) \(value)")
    }
    out.line("\(person.name, .bold)")
    field("Id", StyledText(person.id.description))
    field("Relationship", StyledText(person.relationship))
    field("Email", StyledText(person.email))
    field("Phone", StyledText(person.phone))
    for (number, line) in person.contact.split(whereSeparator: \.isNewline).enumerated() {
      field(number == 0 ? "Contact" : "", StyledText(String(line)))
    }
    field("Recipient", StyledText(person.recipient))
    field("Card", StyledText(person.cardUID ?? ""))
    field("Created", "\(session.dateTime(person.createdAt)), \(session.relative(person.createdAt))")
    if !person.notes.isEmpty {
      out.line()
      out.block(person.notes)
    }
  }
}
