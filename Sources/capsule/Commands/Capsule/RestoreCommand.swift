import CapsuleCore

/// `capsule restore`.
enum RestoreCommand {
  static let references = RepeatableOperand(
    "REF", .text(completing: .trash), "An id, the start of one, or a title; none lists the trash")

  static let command = Command(
    "restore", summary: "Bring deleted records back from the trash",
    discussion: """
      Without a word for any it lists what lies in the trash. With a beneficiary, an item or a \
      capsule the bequests come back that were deleted with it, where their other side is there.
      """,
    operands: [references], outputs: [.json, .ndjson],
    examples: [
      Example("capsule restore", "List the trash"),
      Example("capsule restore 3f2a", "Bring a capsule back"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    let references = invocation[references]
    guard let first = references.first else { return try list(session) }
    let store = try session.requiredStore(for: first)
    let listing = try TrashListing(store, now: session.now)
    var found: [TrashListing.Entry] = []
    for reference in references { found.append(try listing.find(reference)) }
    // What bequests name comes back before them.
    found.sort { $0.record.kind != .bequest && $1.record.kind == .bequest }
    for entry in found {
      do throws(StoreError) {
        try store.restore(entry.record, now: session.now)
      } catch {
        throw Failure(error)
      }
    }
    found += try restoreBequests(of: found, listing, store, session)
    return try session.render(
      json: .array(found.map { .object(TrashListing.members($0, session)) })
    ) { out in
      guard !session.isQuiet else { return }
      for entry in found {
        out.line("Restored '\(entry.title, .bold)' \(entry.record.id.description)")
      }
    }
  }

  /// Brings back the bequests that were deleted with one of these, where they can be.
  private static func restoreBequests(
    of found: [TrashListing.Entry], _ listing: TrashListing, _ store: Store, _ session: Session
  ) throws(Failure) -> [TrashListing.Entry] {
    var restored: [TrashListing.Entry] = []
    for entry in listing.entries
    where entry.record.kind == .bequest && !found.contains(where: { $0.record == entry.record }) {
      guard let bytes = try? store.files.readFile(entry.record.path, limit: RecordFile.sizeLimit),
        let summary = BequestSummary(
          id: entry.record.id,
          encoded: RecordKind.bequest.indexEntry(entry.record.id, bytes).summary),
        found.contains(where: { other in
          other.record.deletedAt == entry.record.deletedAt
            && summary.references.contains(RecordReference(other.record.kind, other.record.id))
        })
      else { continue }
      do throws(StoreError) {
        try store.restore(entry.record, now: session.now)
        restored.append(entry)
      } catch {
        // Its other side was deleted too: it waits for that one.
        if case .missingReference = error { continue }
        throw Failure(error)
      }
    }
    return restored
  }

  private static func list(_ session: Session) throws(Failure) -> ExitCode {
    let entries = try session.existingStore().map { store throws(Failure) in
      try TrashListing(store, now: session.now).entries
    }
    return try session.render(
      list: entries ?? [], json: { .object(TrashListing.members($0, session)) },
      text: { out in
        var table = Table([
          .init("ID"), .init("KIND"), .init("TITLE", flexible: true), .init("DELETED"),
        ])
        for entry in entries ?? [] {
          let id = entry.record.id.description
          table.row(
            StyledText(out.isTerminal ? String(id.prefix(8)) : id, .dim),
            StyledText(entry.record.kind.word), StyledText(entry.title, .bold),
            StyledText(session.dateTime(entry.record.deletedAt)))
        }
        out.table(table)
        if entries?.isEmpty ?? true { session.console.note("The trash is empty.") }
      })
  }
}
