import CapsuleCore

/// `capsule versions`.
enum VersionsCommand {
  static let reference = Parameter.operand(
    "REF", .text(completing: .record), "The record: an id, the start of one, or a title")
  static let restore = Parameter.option(
    "restore", value: "N", .integer(1...), "Restore version N of the list")

  static let command = Command(
    "versions", summary: "List the versions of a record, or restore one",
    discussion: """
      The journal always keeps the newest version of a record. It keeps older versions for a year, up to 100 \
      of them and 1 MiB. `--restore` makes one of them a new edit.

      Some things never go back:

      - A capsule keeps its later unlock time, the time of its first opening, its lock and its contents. It \
      does get back missing contents and a lock that was replaced.
      - A bequest keeps its deliveries.

      If a file of the version is gone or damaged, nothing is written. Get the file from a copy first: \
      `capsule repair --from`.
      """,
    operands: [reference], options: [restore], outputs: [.json, .ndjson],
    examples: [
      Example("capsule versions 'Tax return'", "List the versions, newest first"),
      Example("capsule versions 'Tax return' --restore 2", "Undo the last edit"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[reference]
    let store = try session.stores.required(for: reference, among: RecordKind.allCases)
    let found = try find(reference, in: store, session)
    let versions = try store.journal.versions(of: found.kind, found.id)
    if let number = invocation[restore] {
      guard versions.indices.contains(number - 1) else {
        throw Fault(
          .notFound, "'\(reference)' has no version \(number)",
          hint: "list the versions: capsule versions \(found.id)")
      }
      let written = try restore(versions[number - 1], found, in: store, session)
      return Answer(rows: [written], quiet: .nothing, json: \.self) { out in
        out.line(
          "Wrote version \(number) of \(found.kind.word) \(found.id.description) again, as revision "
            + "\(written["rev"]?.integer.map { String($0) } ?? "")")
      }
    }
    return Answer(
      rows: versions.enumerated(),
      columns: [
        .text("N", .trailing) { String($0.offset + 1) },
        RowColumn("REV", .trailing) { StyledText(String($0.element.revision), .dim) },
        RowColumn("DATE") { session.dates.cell($0.element.writtenAt) },
        .text("BY") { $0.element.origin.word },
        .title("TITLE") { StyledText($0.element.title ?? "", .bold) },
        .text("CHANGED") { row in
          (changed(row.offset, versions) ?? []).map { FieldWords.name($0) }.joined(separator: ", ")
        },
      ],
      json: { members($0.element, number: $0.offset + 1, changed: changed($0.offset, versions)) }
    )
    .noting(versions.isEmpty ? "No versions." : nil)
  }

  /// Finds a record; of one that is deleted or missing it is said how it comes back.
  private static func find(
    _ reference: String, in store: Store, _ session: Session
  ) throws -> FoundRecord {
    do {
      return try session.records.find(reference, among: RecordKind.allCases, in: store)
    } catch let failure as Fault where failure.kind == .notFound {
      if let entry = try? TrashListing(store, now: session.now).find(reference) {
        let name = entry.title.isEmpty ? "" : " '\(entry.title)'"
        throw Fault(
          .notFound, "the \(entry.record.kind.word)\(name) is in the trash",
          hint: "restore it: capsule restore \(entry.record.id)",
          details: failure.details)
      }
      let isPrefix = reference.utf8.count >= RecordID.shortestPrefix
      let missing = store.journal.missingRecords().first {
        $0.title == reference
          || isPrefix && $0.id.description.hasPrefix(reference.lowercased())
      }
      guard let missing else { throw failure }
      throw Fault(
        .notFound, "\(missing.words(session)) is missing from the store",
        hint: "restore it from the journal: capsule repair", details: failure.details)
    }
  }

  private static func restore(
    _ version: RecordVersion, _ found: FoundRecord, in store: Store, _ session: Session
  ) throws -> JSONObject {
    try restore(found.kind.model, version, found.id, in: store, session)
  }

  private static func restore<Model: RecordModel>(
    _ type: Model.Type, _ version: RecordVersion, _ id: RecordID, in store: Store,
    _ session: Session
  ) throws -> JSONObject {
    let record = try store.readIntact(type, id)
    let written = try store.journal.restore(version, of: record, now: session.now)
    return [
      "kind": Model.kind.rawValue.json, "id": id.json,
      "rev": written.model.header.revision.json, "restored": version.revision.json,
    ]
  }

  /// The members that a version has differently than the one before it; `nil` for the first that is known.
  private static func changed(_ index: Int, _ versions: [RecordVersion]) -> [String]? {
    versions.indices.contains(index + 1)
      ? versions[index].differences(from: versions[index + 1]) : nil
  }

  private static func members(
    _ version: RecordVersion, number: Int, changed: [String]?
  ) -> JSONObject {
    [
      "changed": changed.map { $0.json } ?? .null,
      "number": number.json, "rev": version.revision.json,
      "writtenAt": version.writtenAt.json, "origin": version.origin.word.json,
      "record": (try? JSON.parse(version.bytes)) ?? .null,
    ]
  }
}

extension RecordVersion {
  /// The title or name that it has.
  fileprivate var title: String? {
    guard case .object(let fields)? = try? JSON.parse(bytes),
      case .string(let text)? = fields["title"] ?? fields["name"]
    else { return nil }
    return text
  }
}

extension JournalFrame.Origin {
  /// The word for who wrote it.
  var word: String {
    switch self {
    case .person: "edit"
    case .repair: "repair"
    case .synchroniser: "sync"
    case .filling: "found"
    }
  }
}
