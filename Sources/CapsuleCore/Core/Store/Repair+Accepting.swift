/// Changes made by hand that are taken for good.
extension Repair {
  /// The capsule that the journal has, for a comparison.
  private func twin(of id: RecordID) throws(StoreError) -> Capsule? {
    guard known[id]?.newest != nil,
      let bytes = try store.journal.versions(of: .capsule, id).first?.bytes
    else { return nil }
    return try? RecordFile.decode(bytes, as: Capsule.self, id: id).model
  }

  /// A timelocked capsule that the user vouches for: nothing here can look into its lock.
  private func vouched(_ capsule: Capsule) -> Capsule? {
    capsule.lock.timelock != nil && accepted.contains(capsule.id) ? capsule : nil
  }

  /// Accepts a record as it stands, live or in the trash: from there it may come back.
  mutating func accept<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID, _ path: FilePath
  ) throws(StoreError) {
    let kind = Model.kind
    try backUp(path)
    let bytes = try storeIO { () throws(FileSystemError) in
      try files.readFile(path, limit: RecordFile.sizeLimit)
    }
    var record = try StoredRecord<Model>(bytes, id: id, path: path)
    if let capsule = record.model as? Capsule,
      let refusal = judge(capsule, try twin(of: id) ?? vouched(capsule))
    {
      actions.append(.refusedRecord(kind, id, refusal))
      return
    }
    // An older one would be taken for outdated, and replaced by what it is to replace.
    record.model.header.revision = max(record.model.header.revision, newestRevision(kind, id))
    let time = record.model.header.updatedAt
    if let trashed = TrashedRecord(kind: kind, path: path) {
      try store.whileLocked { () throws(StoreError) in
        let current = try storeIO { () throws(FileSystemError) in
          try files.readFile(path, limit: RecordFile.sizeLimit)
        }
        guard current == bytes else { throw .changedMeanwhile(kind, id) }
        try store.trash.rewrite(trashed, as: record, now: time)
      }
    } else {
      _ = try store.update(record, now: time)
    }
    settled.insert(id)
    actions.append(.acceptedRecord(kind, id))
  }

  /// The highest revision of a record that a journal names, or that another copy has.
  private func newestRevision(_ kind: RecordKind, _ id: RecordID) -> Int64 {
    let copied = copies.compactMap { $0.newestBytes(kind, id) }.map { RecordFile.revision(of: $0) }
    return max(known[id]?.revision ?? 0, copied.max() ?? 0)
  }
}
