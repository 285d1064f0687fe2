/// The titles and names of records that others name, each kind's index opened once.
package final class RecordNames {
  private let store: Store
  private let now: Instant
  private var indexes: [RecordKind: RecordIndex] = [:]
  private var trash: [RecordKind: [RecordID: FilePath]] = [:]

  package init(_ store: Store, now: Instant) {
    self.store = store
    self.now = now
  }

  /// The title or name of a live record; `nil` where there is none.
  package func live(_ reference: RecordReference) -> String? {
    var index = indexes[reference.kind] ?? store.index(reference.kind, now: now)
    // Taken out while it is used, so that it is not copied.
    indexes[reference.kind] = nil
    defer { indexes[reference.kind] = index }
    return index.entry(reference.id).map { entry in
      entry.summary.isEmpty ? "(damaged)" : reference.kind.title(of: entry)
    }
  }

  /// The same, from the trash where it is not live.
  package func title(_ reference: RecordReference) -> String? {
    if let title = live(reference) { return title }
    guard let path = trashed(reference.kind)[reference.id],
      let bytes = try? store.files.readFile(path, limit: RecordFile.sizeLimit)
    else { return nil }
    return reference.kind.title(of: reference.kind.indexEntry(reference.id, bytes))
  }

  /// Where the records of a kind lie in the trash, listed once; of several the one deleted last.
  private func trashed(_ kind: RecordKind) -> [RecordID: FilePath] {
    if let known = trash[kind] { return known }
    let found = Dictionary(
      ((try? store.trash(kind)) ?? []).map { ($0.id, $0.path) },
      uniquingKeysWith: { first, _ in first })
    trash[kind] = found
    return found
  }

  /// What a bequest is called: what is left to whom.
  package func title(_ bequest: BequestSummary) -> String {
    let subject = title(bequest.subject) ?? "?"
    let person = title(RecordReference(.beneficiary, bequest.beneficiary)) ?? "?"
    return "\(subject) to \(person)"
  }

  /// The title of any record by what the index keeps of it.
  package func title(of entry: IndexEntry, _ kind: RecordKind) -> String {
    guard kind == .bequest else { return kind.title(of: entry) }
    return BequestSummary(id: entry.id, encoded: entry.summary).map { title($0) } ?? ""
  }
}

extension RecordKind {
  /// The title or name in an index entry's summary; every kind writes it first.
  package func title(of entry: IndexEntry) -> String {
    SummaryReader.title(of: entry.summary)
  }
}
