/// What records have to do with others: references, names, and what is there once.
package struct StoreRelations: StoreSubject {
  package let store: Store
}

/// Records that name other records: those must be there, and stay while they are named.
extension StoreRelations {
  /// Sees to it, under the lock, that everything a record names is live.
  ///
  /// - Throws: `.missingReference`.
  func requireReferences(of model: some RecordModel) throws(StoreError) {
    for reference in model.references {
      let status = try storeIO { () throws(FileSystemError) in
        try files.statusIfPresent(layout.record(reference.kind, reference.id))
      }
      guard status != nil else {
        throw .missingReference(
          from: RecordReference(type(of: model).kind, model.header.id), to: reference)
      }
    }
  }

  /// Sees to it, under the lock, that no live record says the same.
  ///
  /// - Throws: `.twin`; `.io` where another record may say it, and the system does not let it be read.
  func requireNoTwin(of model: some RecordModel, now: Instant) throws(StoreError) {
    guard model.twinKey != nil else { return }
    var index = try store.index.whole(type(of: model).kind, now: now)
    if let twin = twin(of: model, in: &index) { throw .twin(twin) }
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
  ) throws(StoreError) -> [RecordReference] {
    try dependents(of: [target], now: now)[target] ?? []
  }

  /// Does the same for several records at once.
  func dependents(
    of targets: Set<RecordReference>, now: Instant
  ) throws(StoreError) -> [RecordReference: [RecordReference]] {
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
      if let failure = index.failures.first { throw .io(failure) }
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
    case .bequest: BequestSummary(id: entry.id, encoded: entry.summary)?.twinKey
    case .beneficiary: BeneficiarySummary(id: entry.id, encoded: entry.summary)?.cardUID
    case .capsule, .event, .item, .trustees: nil
    }
  }

  /// Returns the records that a record names, as the index knows it.
  func references(of entry: IndexEntry) -> [RecordReference] {
    guard self == .bequest else { return [] }
    return BequestSummary(id: entry.id, encoded: entry.summary)?.references ?? []
  }
}
