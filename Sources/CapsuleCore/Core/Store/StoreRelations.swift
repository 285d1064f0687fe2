/// What records have to do with others: references, names, and what is there once.
package struct StoreRelations: StoreSubject {
  package let store: Store
}

/// Records that name other records: those must be there, and stay while they are named.
extension StoreRelations {
  /// Sees to it, under the lock, that everything a record names is live, or about to be.
  func requireReferences(
    of model: some RecordModel, besides coming: Set<RecordReference> = []
  ) throws(Fault) {
    for reference in model.references where !coming.contains(reference) {
      let status = try files.statusIfPresent(layout.record(reference.kind, reference.id))
      guard status != nil else {
        throw .missingReference(
          from: RecordReference(type(of: model).kind, model.header.id), to: reference)
      }
    }
  }

  /// Returns the live record that says the same as another one: a thing is left to a person once, and
  /// a vCard is one person of its name.
  ///
  /// Only what has the same hash in the index is looked at: an import is not slower for those there are.
  package func twin(of model: some RecordModel, now: Instant) -> RecordReference? {
    guard model.twinKey != nil else { return nil }
    var index = store.index.open(type(of: model).kind, now: now)
    return twin(of: model, in: &index)
  }

  /// Does the same with an index that was opened before.
  func twin(of model: some RecordModel, in index: inout RecordIndex) -> RecordReference? {
    guard let key = model.twinKey else { return nil }
    let kind = type(of: model).kind
    let twin = index.entries(nameHash: model.indexContribution.nameHash).first {
      $0.id != model.header.id && kind.twinKey(of: $0) == key
    }
    return twin.map { RecordReference(kind, $0.id) }
  }

  /// Returns the live records that name a record, in the order in which they were made.
  ///
  /// - Parameter now: the real time, for the index.
  /// - Throws: `.io` where some of the records cannot be listed, `.unreadableReferences` where some
  ///   cannot be read: one of them may name it.
  package func dependents(
    of target: RecordReference, now: Instant
  ) throws(Fault) -> [RecordReference] {
    try dependents(of: [target], now: now)[target] ?? []
  }

  /// Does the same for several records at once.
  func dependents(
    of targets: Set<RecordReference>, now: Instant
  ) throws(Fault) -> [RecordReference: [RecordReference]] {
    var found: [RecordReference: [RecordReference]] = [:]
    let named = Set(targets.map(\.kind))
    for kind in RecordKind.allCases where !kind.namedKinds.isDisjoint(with: named) {
      var index = store.index.open(kind, now: now)
      index.forEach(.ascending) { entry in
        for target in kind.references(of: entry) where targets.contains(target) {
          found[target, default: []].append(RecordReference(kind, entry.id))
        }
        return true
      }
      if let failure = index.failures.first { throw failure }
      let unknown = index.problems().filter { $0.summary.isEmpty }
      if !unknown.isEmpty {
        throw .unreadableReferences(paths: unknown.map { layout.record(kind, $0.id).text })
      }
    }
    return found
  }
}

extension RecordKind {
  /// The kinds that records of this kind name.
  package var namedKinds: Set<RecordKind> {
    self == .bequest ? Set(Bequest.subjectKinds + [.beneficiary]) : []
  }

  /// Returns the key that no other live record of the kind may have, as the index knows it.
  func twinKey(of entry: IndexEntry) -> String? {
    switch self {
    case .bequest: Brief<Bequest>(entry)?.twinKey
    case .beneficiary: Brief<Beneficiary>(entry)?.record.cardUID
    case .capsule, .event, .item, .trustees: nil
    }
  }

  /// Returns the records that a record names, as the index knows it.
  func references(of entry: IndexEntry) -> [RecordReference] {
    guard self == .bequest else { return [] }
    return Brief<Bequest>(entry)?.record.references ?? []
  }
}

extension StoreRelations {
  /// Sees to it, under the lock, that no other record of the kind has the model's name.
  ///
  /// - Parameter now: the real time, for the index.
  /// - Throws: `.nameTaken`; `.io` where another record may have the name, and the system does not let it be
  ///   read.
  func requireUniqueName(of model: some RecordModel, now: Instant) throws(Fault) {
    guard model.uniqueName != nil else { return }
    let kind = type(of: model).kind
    var index = try store.index.whole(kind, now: now)
    if let holder = holders(ofNameOf: model, in: &index).first {
      throw .nameTaken(kind, name: holder.title, holder.id)
    }
  }

  /// Returns the other records of the kind that have the model's name, as a synchroniser may leave them.
  func holders(
    ofNameOf model: some RecordModel, in index: inout RecordIndex
  ) -> [(id: RecordID, title: String)] {
    guard let key = model.uniqueName.map({ NameKey($0) }) else { return [] }
    return index.entries(nameHash: key.hash).filter { entry in
      entry.id != model.header.id && NameKey(entry.title) == key
    }.map { ($0.id, $0.title) }
  }
}

/// The groups of trustees.
package struct StoreTrustees: StoreSubject {
  package let store: Store

  /// Returns the groups of trustees that can be read, in the order in which they were made.
  ///
  /// - Parameter now: the real time, for the index.
  package func groups(now: Instant) -> [TrusteeGroup] {
    var index = store.index.open(.trustees, now: now)
    var groups: [TrusteeGroup] = []
    index.forEach(.ascending) { entry in
      if let group = try? store.read(TrusteeGroup.self, entry.id).model { groups.append(group) }
      return true
    }
    return groups
  }

  /// Refuses, under the lock, that the group goes which the setting names: what is sealed then would have
  /// nobody besides its owner. Of several that have the name, one that is intact has to stay.
  ///
  /// - Parameter going: all that goes in one step.
  func requireNotNamed(_ going: Set<RecordReference>, now: Instant) throws(Fault) {
    guard going.contains(where: { $0.kind == .trustees }),
      let name = try store.settings.read().settings.trustees
    else { return }
    let groups = named(name, now: now)
    let staying = groups.filter { !going.contains(RecordReference(.trustees, $0.id)) }
    guard staying.count < groups.count, !staying.contains(where: { $0.problem == .none })
    else { return }
    throw .namedBySetting(.trustees, name: name)
  }

  /// Returns the groups of a name: one, unless somebody else wrote to the store, or to one that it meets.
  func named(_ name: String, now: Instant) -> [IndexEntry] {
    var index = store.index.open(.trustees, now: now)
    let key = NameKey(name)
    return index.entries(nameHash: key.hash).filter { NameKey($0.title) == key }
  }
}

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
  package func gap(in kinds: Set<RecordKind>) -> Fault? {
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

  /// Returns the title of a record, of a bequest the thing and the person, wherever it lies; `nil` where it is gone.
  package func title(anywhere reference: RecordReference) -> String? {
    guard reference.kind == .bequest else { return title(reference) }
    let paths = [store.layout.record(.bequest, reference.id), trash.path(of: reference)]
    for case let path? in paths {
      if let bytes = try? store.files.readFile(path, limit: RecordFile.sizeLimit),
        let bequest = RecordKind.bequest.examine(bytes, id: reference.id).model as? Bequest
      {
        return title(bequest)
      }
    }
    return nil
  }

  /// Returns the title of a bequest: the thing and the person.
  package func title(_ bequest: Bequest) -> String {
    let subject = title(bequest.subject) ?? "?"
    let person = title(RecordReference(.beneficiary, bequest.beneficiary)) ?? "?"
    return "\(subject) to \(person)"
  }

  /// Returns the title of any record by its index entry.
  package func title(of entry: IndexEntry, _ kind: RecordKind) -> String {
    guard kind == .bequest else { return entry.title }
    return Brief<Bequest>(entry).map { title($0.record) } ?? ""
  }
}

extension IndexEntry {
  /// The title or name; every kind writes it first into its summary.
  package var title: String {
    BriefReader.title(of: summary)
  }
}

/// The one place that knows which model each kind of record has.
extension RecordKind {
  package var model: any RecordModel.Type {
    switch self {
    case .capsule: Capsule.self
    case .event: Event.self
    case .item: Item.self
    case .beneficiary: Beneficiary.self
    case .bequest: Bequest.self
    case .trustees: TrusteeGroup.self
    }
  }

  /// The members that a record of the kind has.
  package var shape: RecordShape {
    func shape<Model: RecordModel>(_ type: Model.Type) -> RecordShape { RecordShape(type) }
    return shape(model)
  }

  /// Reads a record of the kind: its model, as far as it can be read, and the damage of its bytes;
  /// `nil` when they are those written.
  package func examine(
    _ bytes: [UInt8], id: RecordID
  ) -> (model: (any RecordModel)?, damage: RecordDamage?) {
    Self.examine(bytes, as: model, id: id)
  }

  /// Returns the index's entry of a record.
  package func indexEntry(_ id: RecordID, _ bytes: [UInt8]) -> IndexEntry {
    Self.indexEntry(bytes, as: model, id: id)
  }

  private static func examine<Model: RecordModel>(
    _ bytes: [UInt8], as type: Model.Type, id: RecordID
  ) -> (model: (any RecordModel)?, damage: RecordDamage?) {
    do {
      let (model, integrity) = try RecordFile.decode(bytes, as: type, id: id)
      return (model, integrity)
    } catch {
      return (nil, error)
    }
  }

  private static func indexEntry(
    _ bytes: [UInt8], as type: (some RecordModel).Type, id: RecordID
  ) -> IndexEntry {
    do {
      let (model, integrity) = try RecordFile.decode(bytes, as: type, id: id)
      return IndexEntry(
        id: id, contribution: model.indexContribution,
        problem: integrity.map { IndexProblem($0) } ?? .none)
    } catch {
      return IndexEntry(id: id, problem: IndexProblem(error))
    }
  }
}
