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
        "There is another '\(other.name)' already, \(other.id.description); ids tell them apart.")
    }
    let view = BeneficiaryView(person.summary, in: session)
    return try session.answers.changed(view.members(of: person), person.id) { out in
      out.line("Added '\(view.nameText)' \(person.id.description)")
    }
  }
}
