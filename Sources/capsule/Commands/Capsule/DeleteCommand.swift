import CapsuleCore

/// `capsule delete`.
enum DeleteCommand {
  static let references = RepeatableOperand(
    "REF", .reference(.capsule), minimum: 1, "An id, the start of one, or a title")
  static let yes = Flag("yes", short: "y", "Do not ask")

  static let command = Command(
    "delete", summary: "Move capsules to the trash",
    discussion: """
      Nothing is lost: `capsule restore` brings a capsule back, with its contents, until \
      `capsule purge` removes it for good.
      """,
    operands: [references], options: [yes], outputs: .json,
    examples: [Example("capsule delete 3f2a --yes", "Move a capsule to the trash")],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    try delete(
      invocation[references], kind: .capsule, isConfirmed: invocation[yes], session)
  }

  /// Moves records of one kind to the trash.
  static func delete(
    _ references: [String], kind: RecordKind, isConfirmed: Bool, _ session: Session
  ) throws(Failure) -> ExitCode {
    let store = try session.requiredStore(for: references.first ?? "", among: [kind])
    var found: [FoundRecord] = []
    for reference in references {
      let record = try session.find(reference, among: [kind], in: store)
      if !found.contains(where: { $0.id == record.id }) { found.append(record) }
    }
    try session.confirm(
      found.count == 1
        ? "Move '\(found[0].title)' to the trash?"
        : "Move \(found.count) \(kind.word)s to the trash?",
      unless: isConfirmed)
    var code = ExitCode.ok
    var deleted: [FoundRecord] = []
    for record in found {
      do throws(StoreError) {
        try store.delete(record.kind, record.id, now: session.now)
        deleted.append(record)
      } catch {
        let failure = Failure(error)
        session.console.report(failure)
        code = deleted.isEmpty && found.count == 1 ? failure.kind.exitCode : .partial
      }
    }
    return try session.render(
      ending: code,
      json: .array(
        deleted.map {
          .object([
            "id": .string($0.id.description), "kind": .string($0.kind.rawValue),
            "title": .string($0.title),
          ])
        })
    ) { out in
      guard !session.isQuiet else { return }
      for record in deleted {
        out.line("Moved '\(record.title, .bold)' to the trash: \(record.id.description)")
      }
    }
  }
}

extension Session {
  /// Asks before something is taken away; `--yes` answers.
  package func confirm(_ question: String, unless isAnswered: Bool) throws(Failure) {
    if isAnswered { return }
    let isConfirmed = try console.confirm(
      question,
      unanswered: Failure(
        .refused, "it has to be confirmed, and nothing may be asked", hint: "'--yes' confirms it"))
    guard isConfirmed else { throw Failure(.refused, "nothing was done", hint: nil) }
  }
}
