extension StoreBlobs {
  /// Reads the facts in the header of a file that was taken in just now.
  package func facts(of blob: StagedBlob) -> MediaFacts {
    guard let file = try? files.open(blob.temporary, .read) else { return MediaFacts() }
    defer { try? files.close(file) }
    let files = files
    return MediaProbe(size: blob.size) { offset, count in
      let bytes = try? files.chunk(file, at: offset, count: count)
      return bytes?.count == count ? bytes : nil
    }.facts()
  }

  /// Writes a record that names some blobs no more, and removes those that no record, in the trash
  /// or not, names any longer. They stay where a record cannot be read, which may name them.
  package func update<Model: RecordModel>(
    _ record: StoredRecord<Model>, now: Instant, freeing freed: Set<BlobName>
  ) throws(StoreError) -> StoredRecord<Model> {
    let updated = try store.update(record, now: now, forgetsOlder: true)
    var references = try BlobReferences(of: store, excluding: [])
    try store.whileLocked { () throws(StoreError) in
      try references.refresh()
      guard references.unreadable.isEmpty, references.foreign.isEmpty else { return }
      for name in freed where !references.contains(name) {
        let path = layout.blob(name)
        do throws(FileSystemError) {
          try files.unlink(path)
          try files.synchronizeDirectory(path.parent)
        } catch {
          if error.condition != .notFound { throw .io(error) }
        }
      }
    }
    return updated
  }
}
