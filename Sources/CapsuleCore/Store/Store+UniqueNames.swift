extension Store {
  /// Sees to it, under the lock, that no other record of the kind has the model's name.
  ///
  /// - Parameter now: the real time, for the index.
  func requireUniqueName(of model: some RecordModel, now: Instant) throws(StoreError) {
    guard let name = model.uniqueName else { return }
    let kind = type(of: model).kind
    let key = NameKey(name)
    var index = index(kind, now: now)
    for entry in index.entries(nameHash: key.hash) where entry.id != model.header.id {
      let other = SummaryReader.title(of: entry.summary)
      guard NameKey(other) == key else { continue }
      throw .nameTaken(kind, name: other, entry.id)
    }
  }

  /// The same for a record that is about to come back from the trash.
  func requireUniqueName(of record: TrashedRecord, now: Instant) throws(StoreError) {
    func check<Model: RecordModel>(_ type: Model.Type) throws(StoreError) {
      // What cannot be decoded comes back as it is; what cannot be read may be anything.
      let bytes = try storeIO { () throws(FileSystemError) in
        try files.readFile(record.path, limit: RecordFile.sizeLimit)
      }
      guard let model = try? RecordFile.decode(bytes, as: type, id: record.id).model else { return }
      try requireUniqueName(of: model, now: now)
    }
    try check(record.kind.model)
  }
}
