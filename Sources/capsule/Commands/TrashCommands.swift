import CapsuleCore

/// What the commands that delete records have in common.
enum DeleteCommand {
  static let yes = Parameter.flag("yes", short: "y", "Do not ask for confirmation")
  static let withBequests = Parameter.flag(
    "with-bequests", "Also move the bequests that refer to them to the trash")

  /// Moves records of one kind to the trash.
  static func delete(
    _ references: [String], kind: RecordKind, isConfirmed: Bool, withBequests: Bool = false,
    _ session: Session
  ) throws -> Answer {
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
    if !hanging.isEmpty, !withBequests { throw Fault.hanging(hanging, on: found) }
    try session.ask.confirm(question(found, hanging), unless: isConfirmed)
    var code = ExitCode.ok
    var deleted: [FoundRecord] = []
    let deletion = store.trash.delete(targets, withDependents: withBequests, now: session.now)
    for (record, outcome) in zip(found, deletion.outcomes) {
      do {
        let gone = try outcome.get()
        deleted += gone.map {
          FoundRecord(kind: $0.kind, id: $0.id, title: titles[$0.id] ?? "")
        }
        deleted.append(record)
      } catch {
        let failure = Fault(error)
        session.console.report(failure)
        code = deleted.isEmpty && found.count == 1 ? failure.kind.exitCode : .partial
      }
    }
    if let end = deletion.end {
      if deletion.outcomes.isEmpty { throw end }
      session.console.report(Fault(end))
      code = .partial
    }
    return Answer(rows: deleted, ending: code, quiet: .nothing, json: \.members) { out in
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

extension Fault {
  /// Bequests hang on what was to go.
  fileprivate static func hanging(_ bequests: [FoundRecord], on found: [FoundRecord]) -> Fault {
    let names = bequests.prefix(5).map { "'\($0.title)'" }.joined(separator: ", ")
    let more = bequests.count > 5 ? " and \(bequests.count - 5) more" : ""
    let subject = found.count == 1 ? "'\(found[0].title)'" : "them"
    return Fault(
      .refused,
      "\(String.counting(bequests.count, "bequest refers", "bequests refer")) to \(subject): "
        + names + more,
      hint: "delete \(bequests.count == 1 ? "the bequest" : "the bequests") too: --with-bequests",
      details: ["bequests": bequests.map(\.id.description).json])
  }
}

/// `capsule trash`.
enum TrashCommand {
  static let command = Command(
    "trash", summary: "List deleted records that can be restored",
    discussion: "`capsule restore` restores a record; `capsule purge` removes it for good.",
    outputs: [.json, .ndjson],
    examples: [Example("capsule trash", "See what can be restored")],
    exitCodes: [.partial, .damaged, .version]
  ) { _, session in
    try RestoreCommand.list(session)
  }
}

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let references = invocation[references]
    guard let first = references.first else { return try list(session) }
    let store = try session.stores.existing(or: .notInTrash(first))
    let listing = try TrashListing(store, now: session.now)
    var wanted: [TrashListing.Entry] = []
    for reference in references {
      let entry = try listing.one(reference)
      if !wanted.contains(where: { $0.record == entry.record }) { wanted.append(entry) }
    }
    let restoration = try store.trash.restore(wanted.map(\.record), now: session.now)
    let failures = restoration.failures
    if let failure = failures.first, restoration.restored.isEmpty, failures.count == 1 {
      throw failure
    }
    for failure in failures { session.console.report(failure) }
    for record in restoration.staying {
      let title = listing.entry(record).title
      session.console.note(
        store.trash.isLeftAnew(record, now: session.now)
          ? "'\(title)' stays in the trash, because a newer bequest replaces it"
          : "'\(title)' stays in the trash; restore it too: capsule restore \(record.id.description)"
      )
    }
    let restored = restoration.restored.map(listing.entry)
    let isPartial = session.records.warn(of: restored) || !failures.isEmpty
    return Answer(
      rows: restored, ending: isPartial ? .partial : .ok, quiet: .nothing,
      json: { $0.members(session) }
    ) { out in
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

  static func list(_ session: Session) throws -> Answer {
    let entries =
      try session.stores.existing().map { store in
        try TrashListing(store, now: session.now).entries
      } ?? []
    let isPartial = session.records.warn(of: entries)
    return Answer(
      rows: entries, ending: isPartial ? .partial : .ok,
      columns: [
        RowColumn("ID") { session.answers.shown($0.record.id) },
        .text("KIND") { $0.record.kind.word }, .title("TITLE", title),
        RowColumn("DATE") { session.dates.cell($0.record.deletedAt) },
      ], json: { $0.members(session) }
    )
    .noting(entries.isEmpty ? "The trash is empty." : nil)
  }
}

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let references = invocation[references]
    let limit = try invocation[olderThan].map { text in
      try session.dates.read(
        text, option: "--older-than", preferring: .past, requiring: .notFuture
      ).instant
    }
    guard let store = try session.stores.existing() else {
      if let reference = references.first { throw Fault.notInTrash(reference) }
      return answer(Purged(), [], session)
    }
    let listing = try TrashListing(store, now: session.now)
    let ids =
      references.isEmpty
      ? nil : try references.map { try listing.one($0).record.id }
    let chosen = try store.trash.records(of: ids, deletedBefore: limit)
      .map(listing.entry)
    if !chosen.isEmpty {
      try session.ask.confirm(
        "Remove \(ListedNames(chosen.map { ($0.record.kind, $0.title) }).text) for good?",
        unless: invocation[yes])
    }
    let purged = try store.trash.purge(chosen.map(\.record), now: session.now)
    let drafts = KeptDrafts(session, store)
    for record in purged.records where record.kind == .capsule {
      drafts.remove(record.id.description)
    }
    return answer(purged, chosen, session)
  }

  private static func answer(
    _ purged: Purged, _ chosen: [TrashListing.Entry], _ session: Session
  ) -> Answer {
    let gone = chosen.filter { entry in purged.records.contains(entry.record) }
    let others = purged.otherMachines.count
    return Answer(
      [
        "records": gone.map { $0.members(session) }.json,
        "blobs": purged.blobs.json, "bytes": purged.bytes.json,
      ], quiet: .nothing
    ) { out in
      for entry in gone {
        out.line("Removed '\(entry.title, .bold)' \(entry.record.id.description)")
      }
      if purged.blobs > 0 {
        out.line(
          "Removed \(String.counting(purged.blobs, "content file")), \(ByteSize.text(purged.bytes))."
        )
      }
    }
    .noting(
      others == 0
        ? nil
        : "The \(others == 1 ? "journal" : "journals") of \(String.counting(others, "other device")) may keep older versions until capsule runs there again."
    )
    .noting(gone.isEmpty && purged.blobs == 0 ? "Nothing to remove." : nil)
  }
}

extension Fault {
  /// Returns the failure for a word that means nothing in the trash.
  static func notInTrash(_ reference: String, hasUnreadable: Bool = false) -> Fault {
    Fault(
      .notFound, "not found in the trash: '\(reference)'",
      hint: hasUnreadable
        ? "some records cannot be read; list the damage: capsule verify; then fix it: capsule repair"
        : "list the trash: capsule trash",
      details: ["reference": reference.json])
  }
}

extension TrashListing {
  /// Returns the record in the trash that a word means.
  func one(_ reference: String) throws -> Entry {
    do { return try find(reference) } catch {
      guard let missing = error.cause as? Fault.NoSuchRecord else { throw error }
      throw Fault.notInTrash(reference, hasUnreadable: missing.hasUnreadable)
    }
  }
}

extension TrashListing.Entry {
  /// Returns the object of a record in the trash.
  func members(_ session: Session) -> JSONObject {
    session.object(
      [
        "id": record.id.json, "kind": record.kind.rawValue.json, "title": title.json,
        "problem": problem.jsonName.json,
      ], at: ["deletedAt": record.deletedAt])
  }
}

/// The records that a question is about, by kind and title: the first of them, and how many more.
struct ListedNames {
  let text: String

  private static let limit = 5

  init(_ records: [(kind: RecordKind, title: String)]) {
    var names = records.prefix(Self.limit).map { "the \($0.kind.word) '\($0.title)'" }
    if records.count > Self.limit { names.append("\(records.count - Self.limit) more") }
    text = names.isEmpty ? "nothing" : names.listed()
  }
}
