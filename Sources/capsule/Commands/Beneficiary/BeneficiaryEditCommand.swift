import CapsuleCore

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
    if invocation.has(BeneficiaryOptions.recipient) { store.vouch(forOwn: person) }
    let changes = FieldChange.between(change.before, person, Beneficiary.editableFields)
    let view = BeneficiaryView(person.summary, in: session)
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
