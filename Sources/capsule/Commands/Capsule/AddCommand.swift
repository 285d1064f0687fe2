import CapsuleCore

/// `capsule add`.
enum AddCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")

  static let acceptRecipient = Parameter.flag(
    "accept-recipient",
    "Seal to the recipient in the record, even if this machine remembers another")

  static let command = Command(
    "add", summary: "Add files or texts to a capsule",
    discussion: """
      The new parts are sealed (encrypted) at once, to the capsule's own recipient. The capsule stays \
      closed, and you need no passphrase.

      - After the first opening, nothing can be added.
      - This machine remembers the recipient of each capsule that it created or added to. If the record \
      now has another recipient, somebody may have inserted their own. `add` then refuses with exit \
      status 7.
      """,
    operands: [reference, ContentOptions.operand],
    options: ContentOptions.options + [acceptRecipient],
    outputs: .json,
    examples: [
      Example("capsule add 'To Mia at 18' drawing.png", "Add a drawing to a letter"),
      Example("capsule add 3f2a --edit", "Write one more text in the editor"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    var plan = try ContentPlan(invocation)
    try plan.offerEditor(
      session, otherwise: "name a file, or give '--text TEXT', '--edit', or '-' for standard input")
    let store = try session.stores.required(for: reference)
    let record = try session.records.one(Capsule.self, reference, in: store)
    try record.model.requireUnopened()
    let settings = session.stores.settings(of: store)
    let (sources, drafts) = try plan.sources(session, in: store)
    let accepts = invocation[acceptRecipient]
    let isProven = !invocation[ContentOptions.noProof]
    let capsule = try drafts.keeping(session) {
      let progress = session.console.progress("Sealing")
      defer { progress.end() }
      return try store.addContents(
        sources, to: record, limit: settings.maxFileSize, now: session.now,
        acceptsRecipient: accepts, isProven: isProven, progress: progress.update)
    }
    let view = CapsuleView(capsule.summary, in: session)
    return try session.console.render(json: .object(ShowCommand.members(capsule, view, session))) {
      out in
      if session.isQuiet {
        out.line("\(capsule.id.description)")
      } else {
        out.line(
          "Added \(String.counting(sources.count, "content")) to '\(capsule.title, .bold)', which holds \(view.contentsText) now: \(capsule.id.description)"
        )
      }
    }
  }
}
