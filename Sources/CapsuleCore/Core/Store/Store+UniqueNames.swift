extension StoreRelations {
  /// Sees to it, under the lock, that no other record of the kind has the model's name.
  ///
  /// - Parameter now: the real time, for the index.
  /// - Throws: `.nameTaken`; `.io` where another record may have the name, and the system does not let it be
  ///   read.
  func requireUniqueName(of model: some RecordModel, now: Instant) throws(StoreError) {
    guard model.uniqueName != nil else { return }
    let kind = type(of: model).kind
    var index = try store.index.whole(kind, now: now)
    if let holder = holder(ofNameOf: model, in: &index) {
      throw .nameTaken(kind, name: holder.title, holder.id)
    }
  }

  /// Returns another record of the kind that has the model's name, which no two may have.
  func holder(
    ofNameOf model: some RecordModel, in index: inout RecordIndex
  ) -> (id: RecordID, title: String)? {
    holders(ofNameOf: model, in: &index).first
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
