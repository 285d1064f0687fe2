import CapsuleCore

/// `capsule restore`.
enum RestoreCommand {
  static let references = RepeatableOperand(
    "REF", .text(completing: .trash), "An id, the start of one, or a title; none lists the trash")

  static let command = Command(
    "restore", summary: "Bring deleted records back from the trash",
    discussion: """
      Without a word for any it lists what lies in the trash. With a beneficiary, an item or a \
      capsule the bequests come back that were deleted with it, where their other side is there; \
      others that lie in the trash are named.
      """,
    operands: [references], outputs: [.json, .ndjson],
    examples: [
      Example("capsule restore", "List the trash"),
      Example("capsule restore 3f2a", "Bring a capsule back"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let references = invocation[references]
    guard let first = references.first else { return try list(session) }
    let store = try session.requiredStore(for: first)
    let listing = try TrashListing(store, now: session.now)
    var wanted: [TrashListing.Entry] = []
    for reference in references {
      let entry = try listing.find(reference)
      if !wanted.contains(where: { $0.record == entry.record }) { wanted.append(entry) }
    }
    // What bequests name comes back before them.
    wanted.sort { $0.record.kind != .bequest && $1.record.kind == .bequest }
    var restored: [TrashListing.Entry] = []
    var failures: [Failure] = []
    for entry in wanted {
      do throws(StoreError) {
        try store.restore(entry.record, now: session.now)
        restored.append(entry)
      } catch {
        failures.append(Failure(error))
      }
    }
    if let failure = failures.first, restored.isEmpty, failures.count == 1 { throw failure }
    for failure in failures { session.console.report(failure) }
    try restoreBequests(of: &restored, listing, store, session)
    return try session.render(
      ending: failures.isEmpty ? .ok : .partial,
      json: .array(restored.map { .object(TrashListing.members($0, session)) })
    ) { out in
      guard !session.isQuiet else { return }
      for entry in restored {
        out.line("Restored '\(entry.title, .bold)' \(entry.record.id.description)")
      }
    }
  }

  /// Brings back the bequests that were deleted with one of these, where they can be, and names those
  /// that stay.
  private static func restoreBequests(
    of restored: inout [TrashListing.Entry], _ listing: TrashListing, _ store: Store,
    _ session: Session
  ) throws {
    let named = restored.map { RecordReference($0.record.kind, $0.record.id) }
    let times = Set(restored.map(\.record.deletedAt))
    var staying: [TrashListing.Entry] = []
    for entry in listing.entries where entry.record.kind == .bequest {
      let id = entry.record.id
      guard !restored.contains(where: { $0.record.id == id }),
        !staying.contains(where: { $0.record.id == id }),
        let bytes = try? store.files.readFile(entry.record.path, limit: RecordFile.sizeLimit),
        let summary = BequestSummary(
          id: id, encoded: RecordKind.bequest.indexEntry(id, bytes).summary),
        summary.references.contains(where: named.contains)
      else { continue }
      guard times.contains(entry.record.deletedAt) else {
        staying.append(entry)
        continue
      }
      do throws(StoreError) {
        try store.restore(entry.record, now: session.now)
        restored.append(entry)
      } catch {
        switch error {
        // Its other side was deleted too, or the same was left anew.
        case .missingReference, .twin: staying.append(entry)
        default: throw error
        }
      }
    }
    for entry in staying {
      session.console.note(
        "'\(entry.title)' stays in the trash; to bring it back too: capsule restore \(entry.record.id.description)"
      )
    }
  }

  private static func list(_ session: Session) throws -> ExitCode {
    let entries = try session.existingStore().map { store in
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
