/// Changes made by hand that are taken for good.
extension Repair {
  /// The capsule that the journal has, for a comparison.
  func twin(of id: RecordID) throws(StoreError) -> Capsule? {
    guard known[id]?.newest != nil, let bytes = try store.versions(of: .capsule, id).first?.bytes
    else { return nil }
    return try? RecordFile.decode(bytes, as: Capsule.self, id: id).model
  }

  /// A timelocked capsule that the user vouches for: nothing here can look into its lock.
  private func vouched(_ capsule: Capsule) -> Capsule? {
    capsule.lock.timelock != nil && accepted.contains(capsule.id) ? capsule : nil
  }

  mutating func accept(_ kind: RecordKind, _ id: RecordID) throws(StoreError) {
    try backUp(layout.record(kind, id))
    if kind == .capsule {
      let record = try store.read(Capsule.self, id)
      if let refusal = judge(record.model, try twin(of: id) ?? vouched(record.model)) {
        actions.append(.refusedRecord(kind, id, refusal))
        return
      }
      _ = try store.update(record, now: record.model.updatedAt)
    } else {
      try accept(kind.model, id)
    }
    actions.append(.acceptedRecord(kind, id))
  }

  func accept<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID
  ) throws(StoreError) {
    let record = try store.read(type, id)
    _ = try store.update(record, now: record.model.header.updatedAt)
  }

  /// Accepts a record in the trash in the same way: it may come back.
  mutating func acceptTrashed(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath
  ) throws(StoreError) {
    var refusal: RepairRefusal?
    let twin = try twin(of: id)
    try rewrite(path, mode: 0o600) { () throws(StoreError) -> [UInt8]? in
      let bytes = try storeIO { () throws(FileSystemError) in
        try files.readFile(path, limit: RecordFile.sizeLimit)
      }
      do throws(RecordDamage) {
        if kind == .capsule {
          let capsule = try RecordFile.decode(bytes, as: Capsule.self, id: id).model
          refusal = judge(capsule, twin ?? vouched(capsule))
        }
        return refusal == nil ? RecordFile.encode(try RecordFile.decode(bytes).fields) : nil
      } catch {
        throw .damaged(error, path: path.text)
      }
    }
    if let refusal {
      try backUp(path)
      actions.append(.refusedRecord(kind, id, refusal))
    } else {
      actions.append(.acceptedRecord(kind, id))
    }
  }
}
