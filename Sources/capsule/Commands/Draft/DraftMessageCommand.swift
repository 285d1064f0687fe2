import CapsuleCore

/// `capsule draft message`.
enum DraftMessageCommand {
  static let include = Parameter.options(
    "include", value: "PART",
    ValueType<DraftRequest.Inclusion>.choice(among: [.notes]),
    "Also send your notes on the person and on the thing")

  static let command = Command(
    "draft", "message", summary: "Let a program draft the message of a bequest",
    discussion: Assistant.help + """
      \n
      You edit the draft; only the text that you save is stored.
      """,
    operands: [BequestOptions.reference],
    options: [Assistant.with, include, Assistant.dryRun, Assistant.timeLimit], outputs: .json,
    examples: [
      Example("capsule draft message 'Gold ring' --dry-run", "See what the program would get"),
      Example(
        "capsule draft message 'Gold ring' --with contrib/assistants/template",
        "Start from a template"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[BequestOptions.reference]
    var (store, record) = try session.records.required(Bequest.self, reference, intact: true)
    try record.model.requireNotSent()
    let person = try store.readIntact(Beneficiary.self, record.model.beneficiary).model
    let id = record.model.subject.id
    let subject: DraftSubject =
      record.model.subject.kind == .item
      ? .item(try store.readIntact(Item.self, id).model)
      : .capsule(try store.readIntact(Capsule.self, id).model)
    let request = DraftRequest.message(
      of: record.model, owner: try store.intactSettings().owner, to: person, subject: subject,
      including: Set(invocation[include]))
    if invocation[Assistant.dryRun] { return try Assistant.show(request, session) }
    let draft = try Assistant(invocation, session).ask(request).text
    let place = record.model.message.isEmpty ? "" : ", in the place of the present one"
    let question = "Edit it, and keep what you save as the message for '\(person.name)'\(place)?"
    return try Assistant.take(
      session,
      draft,
      as: ["bequest": .string(record.model.id.description), "draft": .string(draft)],
      question: question, in: store
    ) { text in
      try RecordFault.check(text, .message, limit: Bequest.messageLimit)
      record.model.message = text
      let bequest = try store.update(record, now: session.now).model
      return try session.answers.changed(bequest, store) { out, view in
        out.line("Kept it as the message of '\(view.title, .bold)': \(bequest.id.description)")
      }
    }
  }
}
