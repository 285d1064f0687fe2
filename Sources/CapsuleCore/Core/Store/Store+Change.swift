/// A record before and after a change.
package struct RecordChange<Model: RecordModel>: Sendable {
  package let before: Model
  package let after: Model
  /// Whether something was written: nothing is where the record would say the same, to the byte.
  package let isWritten: Bool
}

extension Store {
  /// Reads, changes and writes a record. Where another process changes it at the same time, the change is
  /// made again on what that one wrote.
  ///
  /// - Parameter change: changes the model.
  /// - Throws: the error of `change`, and ``StoreError`` as ``readIntact(_:_:)`` and
  ///   ``update(_:now:blobs:forgetsOlder:locksAgain:)`` do.
  package func change<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID, now: Instant, _ change: (inout Model) throws -> Void
  ) throws -> RecordChange<Model> {
    try self.change(type, id, now: now, staging: { _ in }) { model, _ in try change(&model) }
  }

  /// Does the same with blobs that the record names anew.
  ///
  /// - Parameters:
  ///   - stage: takes the blobs in, and adds each to the array that it gets. It is called once: a stream cannot
  ///     be read again.
  ///   - change: changes the model, with what `stage` returned.
  /// - Throws: the errors of `stage` too; the blobs are gone then.
  package func change<Model: RecordModel, Staged>(
    _ type: Model.Type, _ id: RecordID, now: Instant,
    staging stage: (inout [StagedBlob]) throws -> Staged,
    _ change: (inout Model, Staged) throws -> Void
  ) throws -> RecordChange<Model> {
    var staged: Staged?
    // Those that are not in their places yet.
    var blobs: [StagedBlob] = []
    while true {
      var record = try readIntact(type, id)
      let before = record.model
      do {
        let value = try staged ?? stage(&blobs)
        staged = value
        try change(&record.model, value)
        guard record.isChanged else {
          self.blobs.discard(blobs)
          return RecordChange(before: before, after: before, isWritten: false)
        }
        let written = try update(record, now: now, blobs: blobs)
        return RecordChange(before: before, after: written.model, isWritten: true)
      } catch {
        self.blobs.discard(blobs)
        // That is found when the blobs are in their places.
        guard case StoreError.changedMeanwhile = error else { throw error }
        blobs = []
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
