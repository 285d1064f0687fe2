/// A version of a record that a journal holds.
package struct RecordVersion: Hashable, Sendable {
  package let revision: Int64
  /// The time at which it was written.
  package let writtenAt: Instant
  package let origin: JournalFrame.Origin
  /// The record's bytes.
  package let bytes: [UInt8]
}

extension StoreJournal {
  /// The versions of a record that the journals hold, the newest first.
  ///
  /// - Throws: `.io`.
  package func versions(
    of kind: RecordKind, _ id: RecordID
  ) throws(StoreError) -> [RecordVersion] {
    var found: [RecordVersion] = []
    try storeIO { () throws(FileSystemError) in
      for machine in try machines() {
        try log(of: machine, id.shard).forEachEntry { entry in
          let frame = entry.frame
          guard frame.event == .put, frame.id == id, frame.kind == kind,
            !found.contains(where: { $0.bytes == frame.body }),
            kind.examine(frame.body, id: id).damage == nil
          else { return }
          found.append(
            RecordVersion(
              revision: frame.revision, writtenAt: frame.time, origin: frame.origin,
              bytes: frame.body))
        }
      }
    }
    return found.sorted { ($1.revision, $1.writtenAt) < ($0.revision, $0.writtenAt) }
  }

  /// Writes what an earlier version says as a new edit. A capsule keeps its later unlock time, the
  /// first time it was opened, its lock and its contents; a bequest keeps its delivery.
  ///
  /// - Parameter base: returns the record as it ought to be today, of the earlier version and today's.
  /// - Throws: as ``Store/update(_:now:blobs:forgetsOlder:locksAgain:)`` does; `.blobDamaged` where a file that it names anew
  ///   is missing or not what was written.
  package func restore<Model: RecordModel>(
    _ version: RecordVersion, of record: StoredRecord<Model>, now: Instant,
    onto base: (_ earlier: Model, _ today: Model) throws(StoreError) -> Model
  ) throws(StoreError) -> StoredRecord<Model> {
    let path = layout.record(Model.kind, record.model.id)
    let earlier = try StoredRecord<Model>(version.bytes, id: record.model.id, path: path)
    // The rules for changes hold against what it ought to be.
    var restored = StoredRecord(
      model: try base(earlier.model, record.model), integrity: record.integrity,
      digest: record.digest)
    restored.model = earlier.model.edit(of: restored.model)
    // A record that an earlier version names may have been deleted since.
    try store.relations.requireReferences(of: restored.model)
    for name in Set(restored.model.blobs).subtracting(record.original.blobs).sorted() {
      guard let damage = try store.blobs.damage(of: name) else { continue }
      throw .blobDamaged(name, path: layout.blob(name).text, damage)
    }
    return try store.update(restored, now: now)
  }
}
