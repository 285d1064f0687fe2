/// One file in a directory of records, by its name alone.
package enum RecordFileName: Hashable, Sendable {
  case record(RecordID)
  /// A copy that a synchroniser has put beside a record, or anything else that is not this store's:
  /// never read as a record, never deleted.
  case foreign

  package init(_ name: [UInt8], shard: UInt8) {
    guard name.count == 41, name.suffix(5).elementsEqual(".json".utf8),
      let id = RecordID(String(decoding: name.prefix(36), as: UTF8.self)), id.shard == shard
    else {
      self = .foreign
      return
    }
    self = .record(id)
  }
}

/// The directories of the records, and `tmp/`.
package struct StoreFolders: StoreSubject {
  package let store: Store
}

extension StoreFolders {
  /// The shards of a kind that exist, in order.
  package func shards(_ kind: RecordKind) throws(StoreError) -> [(UInt8, FilePath)] {
    let folder = layout.folder(kind)
    let entries: [DirectoryEntry]
    do throws(FileSystemError) {
      entries = try files.contents(ofDirectory: folder)
    } catch {
      if error.condition == .notFound { return [] }
      throw .io(error)
    }
    return entries.compactMap { entry in
      guard let value = Hex.decode(String(decoding: entry.name, as: UTF8.self))?.first,
        entry.name == Array(Hex.encode([value]).utf8)
      else { return nil }
      return (value, folder.appending(bytes: entry.name))
    }.sorted { $0.0 < $1.0 }
  }

  /// Every name in every shard of a kind.
  package func forEachFile(
    _ kind: RecordKind, _ body: (FilePath, RecordFileName) throws(StoreError) -> Void
  ) throws(StoreError) {
    for (shard, directory) in try shards(kind) { try forEachFile(in: directory, shard, body) }
  }

  /// Every name in the directory of a shard.
  func forEachFile(
    in directory: FilePath, _ shard: UInt8,
    _ body: (FilePath, RecordFileName) throws(StoreError) -> Void
  ) throws(StoreError) {
    let entries = try storeIO { () throws(FileSystemError) in
      try files.contents(ofDirectory: directory)
    }
    for entry in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      try body(directory.appending(bytes: entry.name), RecordFileName(entry.name, shard: shard))
    }
  }
}
