/// The places of records in the trash: each kind's is listed once, when it is first asked.
struct TrashPlaces {
  private let store: Store
  private var places: [RecordKind: [RecordID: FilePath]] = [:]

  init(_ store: Store) {
    self.store = store
  }

  /// Returns where a record lay when its kind was listed, as ``StoreTrash/records(_:)`` has it first; `nil` where
  /// it did not, or the trash cannot be listed.
  mutating func path(of record: RecordReference) -> FilePath? {
    if let known = places[record.kind] { return known[record.id] }
    let found = Dictionary(
      ((try? store.trash.records(record.kind)) ?? []).map { ($0.id, $0.path) },
      uniquingKeysWith: { first, _ in first })
    places[record.kind] = found
    return found[record.id]
  }
}
