/// The looks that records need which come into the store together, under the lock: whether all that they name is
/// there, and nothing says the same or has their name. Each index is opened once, and only where it is asked.
struct Admission {
  private let store: Store
  private var indexes: OpenIndexes
  /// The keys of those that came, which the indexes do not know yet.
  private var twins: [RecordKind: [String: RecordID]] = [:]
  private var names: [RecordKind: [NameKey: RecordID]] = [:]
  /// Records that are about to come, and may be named.
  var coming: Set<RecordReference> = []
  /// Records that are changed together: names that they free and take count as they will be.
  var changing: Set<RecordID> = []

  /// - Parameter now: the real time, for the indexes.
  init(_ store: Store, now: Instant) {
    self.store = store
    indexes = OpenIndexes(store, now: now)
  }

  /// Whether the index of a kind is still the one that a plan was made by.
  mutating func isPlanned(_ kind: RecordKind, by stamp: UInt64) -> Bool {
    indexes.ask(kind) { $0.stamp() } == stamp
  }

  /// Looks at a record.
  ///
  /// - Parameter original: the record that it takes the place of; `nil` for one that comes.
  /// - Throws: `.missingReference`, `.duplicate`, `.nameTaken`, and `.io` where the system does not let another
  ///   record be read that may say the same.
  mutating func admit<Model: RecordModel>(
    _ model: Model, inPlaceOf original: Model? = nil
  ) throws(Fault) {
    let (store, kind, id) = (store, Model.kind, model.header.id)
    let isNew = original == nil
    if isNew { try store.relations.requireReferences(of: model, besides: coming) }
    let key = isNew ? model.twinKey : nil
    let name = model.uniqueName
    let isNamed = name != nil && (isNew || name != original?.uniqueName)
    if key != nil || isNamed, let gap = indexes.gap(in: kind) { throw gap }
    if let key {
      let came = twins[kind]?[key].map { RecordReference(kind, $0) }
      if let twin = came ?? indexes.ask(kind, { store.relations.twin(of: model, in: &$0) }) {
        throw .twin(twin)
      }
    }
    if let name {
      if let taken = names[kind]?[NameKey(name)] { throw .nameTaken(kind, name: name, taken) }
      if isNamed {
        let changing = changing
        let holder = indexes.ask(kind) { store.relations.holders(ofNameOf: model, in: &$0) }
          .first { !changing.contains($0.id) }
        if let holder { throw .nameTaken(kind, name: holder.title, holder.id) }
      }
      names[kind, default: [:]][NameKey(name)] = id
    }
    if let key { twins[kind, default: [:]][key] = id }
  }

  /// Sees to it that the file of a record is still the one that was read.
  ///
  /// - Throws: `.recordGone`, `.changedMeanwhile`.
  func requireUnchanged(_ record: RecordReference, _ digest: [UInt8]) throws(Fault) {
    let current: [UInt8]
    do {
      current = try store.files.readFile(
        store.layout.record(record.kind, record.id), limit: RecordFile.sizeLimit)
    } catch {
      if error.condition == .notFound { throw .notFound(record.kind, record.id) }
      throw error
    }
    guard SHA256.hash(current) == digest else { throw .changedMeanwhile(record.kind, record.id) }
  }
}
