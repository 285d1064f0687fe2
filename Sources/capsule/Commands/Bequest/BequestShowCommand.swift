import CapsuleCore

/// `capsule bequest show`.
enum BequestShowCommand {
  static let command = Command(
    "bequest", "show", summary: "Show the details of a bequest",
    operands: [BequestOptions.reference], outputs: .json,
    examples: [
      Example("capsule bequest show 'Gold ring'", "See who receives the ring, and when")
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[BequestOptions.reference]
    let (store, record) = try session.records.required(Bequest.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about a bequest.
  static func show(
    _ record: StoredRecord<Bequest>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let code = session.records.report(damageOf: record, in: store)
    let view = BequestView(
      record.model.summary, problem: record.problem, names: RecordNames(store, now: session.now),
      passing: session.stores.settings(of: store).passing, in: session)
    return try session.console.render(
      ending: code, json: .object(view.members(of: record.model)),
      text: { text(record.model, view, session, $0) })
  }

  private static func text(
    _ bequest: Bequest, _ view: BequestView, _ session: Session, _ out: TextOutput
  ) {
    let sheet = FieldSheet(out, width: 9)
    out.line("\(view.title, .bold)")
    sheet.field("Id", bequest.id.description)
    sheet.field("What", "\(view.subjectText), \(bequest.subject.kind.word)" as StyledText)
    sheet.field("To", view.personText)
    sheet.field("Access", view.ruleText)
    sheet.field("State", view.stateText)
    for change in bequest.delivery {
      let notes = change.notes.isEmpty ? "" : ", \(change.notes)"
      sheet.field("", "\(change.state.words) \(session.dates.text(change.at))\(notes)")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(bequest.createdAt)), \(session.dates.relative(bequest.createdAt))")
    sheet.block(bequest.message)
  }
}
