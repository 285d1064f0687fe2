/// The records in the trash, with the titles as far as they can be read.
package struct TrashListing: Sendable {
  /// A record in the trash and its title or name; empty where that cannot be read.
  package struct Entry: Sendable {
    package let record: TrashedRecord
    package private(set) var title = ""
    package private(set) var problem = IndexProblem.none
    /// The place among records of one second.
    fileprivate private(set) var madeAt: Int64 = 0

    /// - Parameter known: what an index would have of it.
    fileprivate init(_ record: TrashedRecord, _ known: IndexEntry, _ names: RecordNames) {
      self.record = record
      title = names.title(of: known, record.kind)
      (problem, madeAt) = (known.problem, known.madeAt)
    }

    fileprivate init(_ record: TrashedRecord) {
      self.record = record
    }
  }

  /// The entries by kind; of each kind the last deleted first, of one second in the order in which they
  /// were made.
  package let entries: [Entry]
  private let byRecord: [TrashedRecord: Entry]

  /// - Throws: `.io` where the trash cannot be read.
  package init(_ store: Store, now: Instant) throws(StoreError) {
    var entries: [Entry] = []
    let names = RecordNames(store, now: now)
    for kind in RecordKind.allCases {
      var found: [Entry] = []
      for record in try store.trash.records(kind) {
        guard let known = store.trash.entry(of: record) else { continue }
        found.append(Entry(record, known, names))
      }
      entries += Self.asMade(found)
    }
    self.entries = entries
    byRecord = Dictionary(
      entries.map { ($0.record, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether some of the records have a problem.
  package var hasDamage: Bool { entries.contains { $0.problem != .none } }

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

  /// Returns a record as it was when the trash was read, wherever it is by now.
  package func entry(_ record: TrashedRecord) -> Entry {
    byRecord[record] ?? Entry(record)
  }

  /// Returns the record that a word means: an id, the start of one, or an exact title. Of a record that
  /// was deleted twice the last time counts.
  ///
  /// - Throws: `.notFound` and `.ambiguous`.
  package func find(_ word: String) throws(FindError) -> Entry {
    let key = NameKey(word)
    let start = word.lowercased()
    let isPrefix = word.utf8.count >= RecordID.shortestPrefix
    let found = entries.filter { entry in
      let id = entry.record.id.description
      return NameKey(entry.title) == key || id == start || (isPrefix && id.hasPrefix(start))
    }
    guard let first = found.first else {
      throw .notFound(word, among: [], hasUnreadable: hasDamage)
    }
    guard found.allSatisfy({ $0.record.id == first.record.id }) else {
      throw .ambiguous(
        word,
        found.map { FoundRecord(kind: $0.record.kind, id: $0.record.id, title: $0.title) })
    }
    return first
  }
}
