/// A record before and after a change.
package struct RecordChange<Model: RecordModel>: Sendable {
  package let before: Model
  package let after: Model
  /// Whether something was written: nothing is where the record would say the same, to the byte.
  package let isWritten: Bool
}

extension Store {
  /// Reads, changes and writes a record. Where another process changes it at the same time, all of it is
  /// done again on what that one wrote.
  ///
  /// - Parameter change: changes the model, and adds the blobs that it names anew.
  /// - Throws: the error of `change`, and ``StoreError`` as ``readIntact(_:_:)`` and
  ///   ``update(_:now:blobs:forgetsOlder:locksAgain:)`` do; the blobs are gone then.
  package func change<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID, now: Instant,
    _ change: (inout Model, inout [StagedBlob]) throws -> Void
  ) throws -> RecordChange<Model> {
    while true {
      var record = try readIntact(type, id)
      let before = record.model
      var blobs: [StagedBlob] = []
      do {
        try change(&record.model, &blobs)
        guard record.isChanged else {
          discard(blobs)
          return RecordChange(before: before, after: before, isWritten: false)
        }
        let written = try update(record, now: now, blobs: blobs)
        return RecordChange(before: before, after: written.model, isWritten: true)
      } catch {
        discard(blobs)
        guard case StoreError.changedMeanwhile = error else { throw error }
      }
    }
  }
}

extension StoredRecord {
  /// Whether the file of the record would say something else than it did.
  fileprivate var isChanged: Bool {
    RecordFile.encode(model.fields) != RecordFile.encode(original.fields)
  }
}
