/// The titles and names of records that others name, each kind's index opened once.
package final class RecordNames {
  private let store: Store
  private var indexes: OpenIndexes
  private var trash: TrashPlaces

  package init(_ store: Store, now: Instant) {
    self.store = store
    indexes = OpenIndexes(store, now: now)
    trash = TrashPlaces(store)
  }

  /// Returns the title or name of a live record; `nil` where there is none.
  package func live(_ reference: RecordReference) -> String? {
    indexes.ask(reference.kind) { index in
      index.entry(reference.id).map { entry in
        guard entry.summary.isEmpty else { return entry.title }
        return entry.problem == .unreadable ? "(unreadable)" : "(damaged)"
      }
    }
  }

  /// Returns the error for which records of some kinds are missing here; `nil` where none are.
  package func gap(in kinds: Set<RecordKind>) -> StoreError? {
    kinds.lazy.compactMap { self.indexes.gap(in: $0) }.first
  }

  /// Returns the title or name of a record, from the trash where it is not live.
  package func title(_ reference: RecordReference) -> String? {
    if let title = live(reference) { return title }
    guard let path = trash.path(of: reference),
      let bytes = try? store.files.readFile(path, limit: RecordFile.sizeLimit)
    else { return nil }
    return reference.kind.indexEntry(reference.id, bytes).title
  }

  /// Returns the title of a bequest: the thing and the person.
  package func title(_ bequest: BequestSummary) -> String {
    let subject = title(bequest.subject) ?? "?"
    let person = title(RecordReference(.beneficiary, bequest.beneficiary)) ?? "?"
    return "\(subject) to \(person)"
  }

  /// Returns the title of any record by its index entry.
  package func title(of entry: IndexEntry, _ kind: RecordKind) -> String {
    guard kind == .bequest else { return entry.title }
    return BequestSummary(id: entry.id, encoded: entry.summary).map { title($0) } ?? ""
  }
}

extension IndexEntry {
  /// The title or name; every kind writes it first into its summary.
  package var title: String {
    SummaryReader.title(of: summary)
  }
}
