import CapsuleCore

/// `capsule restore`.
enum RestoreCommand {
  static let references = Parameter.operands(
    "REF", .text(completing: .trash),
    "An id, the start of one, or a title; without it, the trash is listed")

  static let command = Command(
    "restore", summary: "Restore deleted records from the trash",
    discussion: """
      Without REF, the command lists the trash.

      A person, an item or a capsule comes back with the bequests that were deleted with it, if the \
      other side of the bequest exists. The command lists other bequests that stay in the trash.
      """,
    operands: [references], outputs: [.json, .ndjson],
    examples: [
      Example("capsule restore", "See what is in the trash"),
      Example("capsule restore 3f2a", "Restore a capsule"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let references = invocation[references]
    guard let first = references.first else { return try list(session) }
    guard let store = try session.stores.existing() else { throw Failure.notInTrash(first) }
    let listing = try TrashListing(store, now: session.now)
    var wanted: [TrashListing.Entry] = []
    for reference in references {
      let entry = try listing.one(reference)
      if !wanted.contains(where: { $0.record == entry.record }) { wanted.append(entry) }
    }
    let restoration = try store.restore(wanted.map(\.record), now: session.now)
    let failures = restoration.failures
    if let failure = failures.first, restoration.restored.isEmpty, failures.count == 1 {
      throw failure
    }
    for failure in failures { session.console.report(failure) }
    for record in restoration.staying {
      let title = listing.entry(record).title
      session.console.note(
        store.isLeftAnew(record, now: session.now)
          ? "'\(title)' stays in the trash: the same was left anew"
          : "'\(title)' stays in the trash; to bring it back too: capsule restore \(record.id.description)"
      )
    }
    let restored = restoration.restored.map(listing.entry)
    let isPartial = session.records.warn(of: restored) || !failures.isEmpty
    return try session.console.render(
      ending: isPartial ? .partial : .ok,
      json: .array(restored.map { .object($0.members(in: session.localZone)) })
    ) { out in
      guard !session.isQuiet else { return }
      for entry in restored {
        let name: StyledText =
          entry.title.isEmpty ? "the \(entry.record.kind.word)" : "'\(entry.title, .bold)'"
        let mark: StyledText = entry.problem.mark.map { " (\($0))" } ?? ""
        out.line("Restored \(name) \(entry.record.id.description)\(mark)")
      }
    }
  }

  /// The title, and a mark where the record has a problem.
  private static func title(of entry: TrashListing.Entry) -> StyledText {
    let title = StyledText(entry.title, .bold)
    guard let mark = entry.problem.mark else { return title }
    return title.isEmpty ? mark : "\(title) (\(mark))"
  }

  static func list(_ session: Session) throws -> ExitCode {
    let entries = try session.stores.existing().map { store in
      try TrashListing(store, now: session.now).entries
    }
    let isPartial = session.records.warn(of: entries ?? [])
    return try session.console.render(
      ending: isPartial ? .partial : .ok, list: entries ?? [],
      json: { .object($0.members(in: session.localZone)) },
      text: { out in
        var table = Table([
          .init("ID"), .init("KIND"), .init("TITLE", room: .title), .init("DATE"),
        ])
        for entry in entries ?? [] {
          table.row(
            session.answers.shown(entry.record.id), StyledText(entry.record.kind.word),
            title(of: entry),
            session.dates.cell(entry.record.deletedAt))
        }
        out.table(table)
        if entries?.isEmpty ?? true { session.console.note("The trash is empty.") }
      })
  }
}
