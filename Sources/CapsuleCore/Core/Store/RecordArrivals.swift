/// The looks that records need which come back from the trash together, under the lock: whether all that
/// they name is there, and nothing says the same or has their name. Each index is opened once.
struct RecordArrivals {
  private let store: Store
  private var indexes: OpenIndexes
  /// The keys of those that came, which the indexes do not know yet.
  private var twins: [RecordKind: [String: RecordID]] = [:]
  private var names: [RecordKind: [NameKey: RecordID]] = [:]
  private var shards: Set<FilePath> = []

  /// - Parameter now: the real time, for the indexes.
  init(_ store: Store, now: Instant) {
    self.store = store
    indexes = OpenIndexes(store, now: now)
  }

  /// Looks at a record, and makes its place.
  ///
  /// - Returns: its `rev`; 0 where it cannot be read.
  /// - Throws: `.missingReference`, `.twin`, `.nameTaken`, `.notFound` where it is gone, and `.io` where the
  ///   system does not let another record be read that may say the same.
  mutating func admit(_ record: TrashedRecord) throws(StoreError) -> Int64 {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try store.files.readFile(record.path, limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      throw .io(error)
    }
    try look(at: bytes, of: record, as: record.kind.model)
    let shard = store.layout.record(record.kind, record.id).parent
    if shards.insert(shard).inserted { try store.folders.prepare(shard) }
    return RecordFile.revision(of: bytes)
  }

  private mutating func look<Model: RecordModel>(
    at bytes: [UInt8], of record: TrashedRecord, as type: Model.Type
  ) throws(StoreError) {
    let (store, kind) = (store, record.kind)
    // A record that cannot be decoded comes back as it is.
    guard let model = try? RecordFile.decode(bytes, as: type, id: record.id).model else { return }
    try store.relations.requireReferences(of: model)
    let name = model.uniqueName
    if name != nil || model.twinKey != nil, let gap = indexes.gap(in: kind) { throw gap }
    if let key = model.twinKey {
      let came = twins[kind]?[key].map { RecordReference(kind, $0) }
      if let twin = came ?? indexes.ask(kind, { store.relations.twin(of: model, in: &$0) }) {
        throw .twin(twin)
      }
    }
    if let name {
      if let taken = names[kind]?[NameKey(name)] { throw .nameTaken(kind, name: name, taken) }
      let holder = indexes.ask(kind) { store.relations.holder(ofNameOf: model, in: &$0) }
      if let holder { throw .nameTaken(kind, name: holder.title, holder.id) }
      names[kind, default: [:]][NameKey(name)] = record.id
    }
    if let key = model.twinKey { twins[kind, default: [:]][key] = record.id }
  }
}
