import CapsuleCore

/// The records in the trash, with the titles as far as they can be read.
struct TrashListing {
  struct Entry {
    let record: TrashedRecord
    let title: String

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
      for record in try store.trash(kind) {
        let bytes = try? store.files.readFile(record.path, limit: RecordFile.sizeLimit)
        let title = bytes.map { names.title(of: kind.indexEntry(record.id, $0), kind) } ?? ""
        entries.append(Entry(record, title))
      }
    }
    self.entries = entries
    titles = Dictionary(
      entries.map { ($0.record.path, $0.title) }, uniquingKeysWith: { first, _ in first })
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
        hint: "'capsule restore' without a word lists the trash",
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
