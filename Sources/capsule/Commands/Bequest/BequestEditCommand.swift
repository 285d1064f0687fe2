import CapsuleCore

/// `capsule bequest edit`.
enum BequestEditCommand {
  static let command = Command(
    "bequest", "edit", summary: "Change the access rule or the message of a bequest",
    discussion: """
      Only what you give changes. An empty `--message` removes the message. A bequest that was \
      sent cannot be changed: revoke it, and leave the item or capsule again.
      """,
    operands: [BequestOptions.reference], options: BequestOptions.options, outputs: .json,
    examples: [
      Example(
        "capsule bequest edit 'Gold ring' --access upon-passing",
        "Leave the ring only after your death"),
      Example("capsule bequest edit 3f2a --message-edit", "Write the message in an editor"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[BequestOptions.reference]
    try invocation.requireAny(of: BequestOptions.options, session)
    var (store, record) = try session.records.required(Bequest.self, reference, intact: true)
    try record.model.requireNotSent()
    let before = record.model
    if let rule = try BequestOptions.rule(invocation, session) { record.model.access = rule }
    let message = try BequestOptions.message(
      invocation, before: before.message, session, store)
    if let message { record.model.message = message.text }
    let changed = record
    let bequest = try (message?.drafts ?? []).keeping(session) {
      if changed.model == before { return before }
      return try store.update(changed, now: session.now).model
    }
    return try session.answers.changed(bequest, store) { out, view in
      if bequest == before {
        session.console.note("Nothing changed.")
        return
      }
      out.line("Changed '\(view.title, .bold)': \(bequest.id.description)")
      if bequest.access != before.access { out.line("  \("access", .dim)  \(view.ruleText)") }
      if bequest.message != before.message { out.line("  \("message", .dim)  changed") }
    }
  }
}
