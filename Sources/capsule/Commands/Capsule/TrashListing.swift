import CapsuleCore

/// The records in the trash, with the titles as far as they can be read.
struct TrashListing {
  struct Entry {
    let record: TrashedRecord
    let title: String
    /// The place among records of one second.
    fileprivate var madeAt: Int64 = 0

    init(_ record: TrashedRecord, _ title: String) {
      self.record = record
      self.title = title
    }
  }

  let entries: [Entry]
  private let titles: [FilePath: String]

  init(_ store: Store, now: Instant) throws {
    var entries: [Entry] = []
    let names = RecordNames(store, now: now)
    for kind in RecordKind.allCases {
      var found: [Entry] = []
      for record in try store.trash(kind) {
        let bytes = try? store.files.readFile(record.path, limit: RecordFile.sizeLimit)
        let known = bytes.map { kind.indexEntry(record.id, $0) }
        var entry = Entry(record, known.map { names.title(of: $0, kind) } ?? "")
        entry.madeAt = known?.madeAt ?? 0
        found.append(entry)
      }
      entries += Self.asMade(found)
    }
    self.entries = entries
    titles = Dictionary(
      entries.map { ($0.record.path, $0.title) }, uniquingKeysWith: { first, _ in first })
  }

  /// Puts what was deleted in one second into the order in which it was made; the rest stays where it is.
  private static func asMade(_ entries: [Entry]) -> [Entry] {
    var ordered: [Entry] = []
    var rest = entries[...]
    while let first = rest.first {
      let burst = rest.prefix { $0.record.deletedAt == first.record.deletedAt }
      ordered += burst.enumerated().sorted { one, other in
        (one.element.madeAt, one.element.record.id, one.offset)
          < (other.element.madeAt, other.element.record.id, other.offset)
      }.map(\.element)
      rest = rest.dropFirst(burst.count)
    }
    return ordered
  }

  /// Returns the title of one of the records.
  func title(of record: TrashedRecord) -> String {
    titles[record.path] ?? ""
  }

  /// Returns the record that a word means: an id, the start of one, or an exact title.
  func find(_ reference: String) throws -> Entry {
    let key = NameKey(reference)
    let found = entries.filter { entry in
      let id = entry.record.id.description
      return NameKey(entry.title) == key || id == reference.lowercased()
        || (reference.utf8.count >= RecordID.shortestPrefix && id.hasPrefix(reference.lowercased()))
    }
    guard let first = found.first else {
      throw Failure(
        .notFound, "nothing in the trash has the id or title '\(reference)'",
        hint: "'capsule trash' lists what is in it",
        details: ["reference": .string(reference)])
    }
    // The same record deleted twice: the last time counts.
    guard found.allSatisfy({ $0.record.id == first.record.id }) else {
      throw Failure.ambiguous(
        reference,
        found.map { FoundRecord(kind: $0.record.kind, id: $0.record.id, title: $0.title) })
    }
    return first
  }

  /// The object of one entry.
  static func members(_ entry: Entry, _ session: Session) -> JSONObject {
    var members: JSONObject = [
      "id": .string(entry.record.id.description),
      "kind": .string(entry.record.kind.rawValue),
      "title": .string(entry.title),
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(entry.record.deletedAt, as: "deletedAt", to: &members)
    return members
  }
}
