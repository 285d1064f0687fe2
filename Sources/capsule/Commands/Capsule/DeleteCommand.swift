import CapsuleCore

/// `capsule delete`.
enum DeleteCommand {
  static let references = Parameter.operands(
    "REF", .reference(.capsule), minimum: 1, "An id, the start of one, or a title")
  static let yes = Parameter.flag("yes", short: "y", "Do not ask for confirmation")
  static let withBequests = Parameter.flag(
    "with-bequests", "Also move the bequests that refer to them to the trash")

  static let command = Command(
    "delete", summary: "Move capsules to the trash",
    discussion: """
      Nothing is lost: `capsule restore` restores a capsule with its contents, until `capsule purge` \
      removes it for good.

      A capsule that is left to somebody needs `--with-bequests`. Its bequests then move to the trash \
      too, and are restored together with it.
      """,
    operands: [references], options: [yes, withBequests], outputs: .json,
    examples: [Example("capsule delete 3f2a --yes", "Delete a capsule without being asked")],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    try delete(
      invocation[references], kind: .capsule, isConfirmed: invocation[yes],
      withBequests: invocation[withBequests], session)
  }

  /// Moves records of one kind to the trash.
  static func delete(
    _ references: [String], kind: RecordKind, isConfirmed: Bool, withBequests: Bool = false,
    _ session: Session
  ) throws -> ExitCode {
    let store = try session.stores.required(for: references.first ?? "", among: [kind])
    var found: [FoundRecord] = []
    for record in try session.records.find(references, among: [kind], in: store) {
      if !found.contains(where: { $0.id == record.id }) { found.append(record) }
    }
    let targets = found.map { RecordReference($0.kind, $0.id) }
    let hanging = BequestView.all(of: Set(targets), in: store, session).map {
      FoundRecord(kind: .bequest, id: $0.summary.id, title: $0.title)
    }
    let titles = Dictionary(hanging.map { ($0.id, $0.title) }, uniquingKeysWith: { $1 })
    if !hanging.isEmpty, !withBequests { throw Failure.hanging(hanging, on: found) }
    try session.ask.confirm(question(found, hanging), unless: isConfirmed)
    var code = ExitCode.ok
    var deleted: [FoundRecord] = []
    let deletion = store.delete(targets, withDependents: withBequests, now: session.now)
    for (record, outcome) in zip(found, deletion.outcomes) {
      do throws(StoreError) {
        let gone = try outcome.get()
        deleted += gone.map {
          FoundRecord(kind: $0.kind, id: $0.id, title: titles[$0.id] ?? "")
        }
        deleted.append(record)
      } catch {
        let failure = Failure(error)
        session.console.report(failure)
        code = deleted.isEmpty && found.count == 1 ? failure.kind.exitCode : .partial
      }
    }
    if let end = deletion.end {
      if deletion.outcomes.isEmpty { throw end }
      session.console.report(Failure(end))
      code = .partial
    }
    return try session.console.render(
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

extension DeleteCommand {
  private static func question(_ found: [FoundRecord], _ hanging: [FoundRecord]) -> String {
    let what = ListedNames(found.map { ($0.kind, $0.title) }).text
    let with =
      hanging.isEmpty
      ? "" : " with \(String.counting(hanging.count, "bequest"))"
    return "Move \(what)\(with) to the trash?"
  }
}

extension Failure {
  /// Bequests hang on what was to go.
  fileprivate static func hanging(_ bequests: [FoundRecord], on found: [FoundRecord]) -> Failure {
    let names = bequests.prefix(5).map { "'\($0.title)'" }.joined(separator: ", ")
    let more = bequests.count > 5 ? " and \(bequests.count - 5) more" : ""
    let subject = found.count == 1 ? "'\(found[0].title)'" : "them"
    return Failure(
      .refused,
      "\(String.counting(bequests.count, "bequest hangs", "bequests hang")) on \(subject): "
        + names + more,
      hint: "'--with-bequests' moves \(bequests.count == 1 ? "it" : "them") to the trash too",
      details: ["bequests": .array(bequests.map { .string($0.id.description) })])
  }
}
