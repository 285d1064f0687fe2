/// A version of a record that a journal holds.
package struct RecordVersion: Hashable, Sendable {
  package let revision: Int64
  /// The time at which it was written.
  package let writtenAt: Instant
  package let origin: JournalFrame.Origin
  /// The record's bytes.
  package let bytes: [UInt8]
}

extension Store {
  /// The versions of a record that the journals hold, the newest first.
  ///
  /// - Throws: `.io`.
  package func versions(
    of kind: RecordKind, _ id: RecordID
  ) throws(StoreError) -> [RecordVersion] {
    var found: [RecordVersion] = []
    try storeIO { () throws(FileSystemError) in
      for machine in try journalMachines() {
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
  /// - Throws: as ``update(_:now:blobs:forgetsOlder:)`` does; `.blobDamaged` where a file that it names anew
  ///   is missing or not what was written.
  package func restore<Model: RecordModel>(
    _ version: RecordVersion, of record: StoredRecord<Model>, now: Instant
  ) throws(StoreError) -> StoredRecord<Model> {
    var record = record
    let path = layout.record(Model.kind, record.model.id)
    let earlier = try decode(version.bytes, as: Model.self, id: record.model.id, path: path)
    record.model = earlier.model.edit(of: record.model)
    // A record that an earlier version names may have been deleted since.
    try requireReferences(of: record.model)
    for name in Set(record.model.blobs).subtracting(record.original.blobs).sorted() {
      guard let damage = try damage(of: name) else { continue }
      throw .blobDamaged(name, path: layout.blob(name).text, damage)
    }
    return try update(record, now: now)
  }
}
