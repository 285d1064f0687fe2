import CapsuleCore

/// `capsule purge`.
enum PurgeCommand {
  static let references = Parameter.operands(
    "REF", .text(completing: .trash), "An id, the start of one, or a title; without it, all")
  static let olderThan = Parameter.option(
    "older-than", value: "DURATION|DATE", .text,
    "Only records deleted at least this long ago, or before this date")
  static let yes = Parameter.flag("yes", short: "y", "Do not ask for confirmation")

  static let command = Command(
    "purge", summary: "Remove deleted records and their contents for good",
    discussion: """
      The command removes the records in the trash, and the contents that only they use. It also removes \
      contents that no record has used for a week.

      If a record cannot be read, or a conflict copy is in the store, nothing is purged: the contents \
      may still be needed.
      """,
    operands: [references], options: [olderThan, yes], outputs: .json,
    examples: [
      Example(
        "capsule purge --older-than 30d --yes", "Remove everything deleted more than a month ago"),
      Example("capsule purge 3f2a", "Remove one record for good"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let references = invocation[references]
    let limit = try invocation[olderThan].map { text in
      try session.dates.read(
        text, option: "--older-than", preferring: .past, requiring: .notFuture
      ).instant
    }
    guard let store = try session.stores.existing() else {
      if let reference = references.first { throw Failure.notInTrash(reference) }
      return try answer(Purged(), [], session)
    }
    let listing = try TrashListing(store, now: session.now)
    let ids =
      references.isEmpty
      ? nil : try references.map { try listing.one($0).record.id }
    let chosen = try store.trash(of: ids, deletedBefore: limit)
      .map(listing.entry)
    if !chosen.isEmpty {
      try session.ask.confirm(
        "Remove \(ListedNames(chosen.map { ($0.record.kind, $0.title) }).text) for good?",
        unless: invocation[yes])
    }
    let purged = try store.purge(chosen.map(\.record), now: session.now)
    return try answer(purged, chosen, session)
  }

  private static func answer(
    _ purged: Purged, _ chosen: [TrashListing.Entry], _ session: Session
  ) throws -> ExitCode {
    let gone = chosen.filter { entry in purged.records.contains(entry.record) }
    return try session.console.render(
      json: .object([
        "records": .array(gone.map { .object($0.members(in: session.localZone)) }),
        "blobs": .integer(Int64(purged.blobs)), "bytes": .integer(purged.bytes),
      ])
    ) { out in
      guard !session.isQuiet else { return }
      for entry in gone {
        out.line("Removed '\(entry.title, .bold)' \(entry.record.id.description)")
      }
      if purged.blobs > 0 {
        out.line(
          "Removed \(String.counting(purged.blobs, "content file")), \(ByteSize.text(purged.bytes))."
        )
      }
      if !purged.otherMachines.isEmpty {
        let count = purged.otherMachines.count
        session.console.note(
          "The \(count == 1 ? "journal" : "journals") of \(String.counting(count, "other machine")) "
            + "may hold older versions until capsule is next used there.")
      }
      if gone.isEmpty, purged.blobs == 0 { session.console.note("There is nothing to remove.") }
    }
  }
}
