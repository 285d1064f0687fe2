extension Store {
  /// Reads the facts in the header of a file that was taken in just now.
  package func mediaFacts(of blob: StagedBlob) -> MediaFacts {
    guard let file = try? files.open(blob.temporary, .read) else { return MediaFacts() }
    defer { try? files.close(file) }
    let files = files
    return MediaProbe(size: blob.size) { offset, count in
      var bytes = [UInt8](repeating: 0, count: count)
      let got = bytes.withUnsafeMutableBytes { try? files.read(file, at: offset, into: $0) }
      return got == count ? bytes : nil
    }.facts()
  }

  /// Writes a record that names some blobs no more, and removes those that no record, in the trash
  /// or not, names any longer. They stay where a record cannot be read, which may name them.
  package func update<Model: RecordModel>(
    _ record: StoredRecord<Model>, now: Instant, freeing freed: Set<BlobName>
  ) throws(StoreError) -> StoredRecord<Model> {
    let updated = try update(record, now: now, forgetsOlder: true)
    var references = try BlobReferences(of: self, excluding: [])
    try whileLocked { () throws(StoreError) in
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
