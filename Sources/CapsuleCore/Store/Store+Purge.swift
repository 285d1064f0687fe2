/// The records and blobs that a purge removed.
package struct Purged: Hashable, Sendable {
  package var records: [TrashedRecord] = []
  package var blobs = 0
  package var bytes: Int64 = 0

  package init() {}
}

extension Store {
  /// How long a blob that no record names is kept, in seconds: it may be named by a record that a
  /// synchroniser has not brought yet.
  package static let orphanAge: Int64 = 7 * 86_400

  /// Removes records from the trash for good, with the blobs that only they name, and the blobs that
  /// nobody has named for a week.
  ///
  /// - Throws: `.cannotPurge` while a record cannot be read or a conflict copy is there: the blobs that
  ///   they name are not known.
  package func purge(_ records: [TrashedRecord]) throws(StoreError) -> Purged {
    var references = try BlobReferences(of: self, excluding: Set(records.map(\.path)))
    var purged = Purged()
    try whileLocked { () throws(StoreError) in
      try references.refresh()
      guard references.unreadable.isEmpty, references.foreign.isEmpty else {
        throw .cannotPurge(
          unreadable: references.unreadable.map(\.text).sorted(),
          conflicts: references.foreign.map(\.text).sorted())
      }
      let kept = references.all
      var freed: Set<BlobName> = []
      for record in records {
        let bytes: [UInt8]
        do throws(FileSystemError) {
          bytes = try files.readFile(record.path, limit: RecordFile.sizeLimit)
          try files.unlink(record.path)
        } catch {
          // Another process purged or restored it meanwhile.
          if error.condition == .notFound { continue }
          throw .io(error)
        }
        purged.records.append(record)
        freed.formUnion(BlobReferences.names(in: bytes))
      }
      try storeIO { () throws(FileSystemError) in
        for directory in Set(purged.records.map(\.path.parent)) {
          try files.synchronizeDirectory(directory)
        }
      }
      // A crash from here on leaves blobs that nobody names, which go after a week.
      try removeBlobs(kept: kept, freed: freed, into: &purged)
    }
    return purged
  }

  private func removeBlobs(
    kept: Set<BlobName>, freed: Set<BlobName>, into purged: inout Purged
  ) throws(StoreError) {
    try storeIO { () throws(FileSystemError) in
      let now = try files.status(layout.lock).modified
      for shard in try files.contentsIfPresent(ofDirectory: layout.blobs) {
        let directory = layout.blobs.appending(bytes: shard.name)
        guard try files.status(directory).kind == .directory else { continue }
        for entry in try files.contents(ofDirectory: directory) {
          guard let name = BlobName(digits: entry.name[...]), !kept.contains(name) else { continue }
          let path = directory.appending(bytes: entry.name)
          let status = try files.status(path)
          let age = now.seconds(since: max(status.modified, status.changed))
          guard freed.contains(name) || age > Store.orphanAge else { continue }
          try files.unlink(path)
          purged.blobs += 1
          purged.bytes += status.size
        }
      }
    }
  }
}
