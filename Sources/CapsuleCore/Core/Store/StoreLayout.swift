/// The place of each thing in a store (`docs/reference/format.md`).
package struct StoreLayout: Hashable, Sendable {
  package let root: FilePath

  package init(root: FilePath) {
    // What lies below it is named by what follows.
    self.root = root.withoutEndingSlash
  }

  package var header: FilePath { root.appending("store.json") }
  package var lock: FilePath { root.appending("lock") }
  package var settings: FilePath { root.appending("settings.json") }
  package var identities: FilePath { root.appending("identities") }
  package var blobs: FilePath { root.appending("blobs") }
  package var trash: FilePath { root.appending("trash") }
  package var temporary: FilePath { root.appending("tmp") }
  package var backups: FilePath { root.appending("backups") }
  package var journal: FilePath { root.appending("journal") }

  package func folder(_ kind: RecordKind) -> FilePath {
    root.appending(kind.folder)
  }

  package func shard(_ kind: RecordKind, _ shard: UInt8) -> FilePath {
    folder(kind).appending(Hex.encode([shard]))
  }

  package func record(_ kind: RecordKind, _ id: RecordID) -> FilePath {
    shard(kind, id.shard).appending("\(id).json")
  }

  package func blobShard(_ name: BlobName) -> FilePath {
    blobs.appending(name.shard)
  }

  package func blob(_ name: BlobName) -> FilePath {
    blobShard(name).appending(name.description)
  }

  package func trash(_ kind: RecordKind) -> FilePath {
    trash.appending(kind.folder)
  }

  package func journal(_ machine: String) -> FilePath {
    journal.appending(machine)
  }

  package func identity(_ recipient: String) -> FilePath {
    identities.appending("\(recipient).txt")
  }

  /// The path of the same identity, sealed.
  package func sealedIdentity(_ recipient: String) -> FilePath {
    identities.appending("\(recipient).age")
  }

  /// The file of an identity, by its form.
  package func file(of identity: StoreIdentity) -> FilePath {
    identity.isSealed ? sealedIdentity(identity.recipient) : self.identity(identity.recipient)
  }

  /// The directories of a complete store, parents first.
  package var directories: [FilePath] {
    [identities] + RecordKind.allCases.map(folder) + [blobs, trash]
      + RecordKind.allCases.map(trash) + [temporary]
  }

  /// The names that may stand in a store's directory before its header does.
  package static let names: Set<String> =
    Set(
      RecordKind.allCases.map(\.folder)
        + [
          "identities", "blobs", "trash", "tmp", "lock", "settings.json", "store.json", "backups",
          "journal",
          // Of an archive that was unpacked by hand.
          "archive.json", "archive.sha256",
        ])
}

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

/// The name of a file that stands for one that iCloud has taken off this machine: `.NAME.icloud`.
package enum AwayName {
  /// Returns the name of the file that is away; `nil` for the name of any other file.
  package static func original(of name: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    let suffix = ".icloud".utf8
    guard name.first == UInt8(ascii: "."), name.count > suffix.count + 1,
      name.suffix(suffix.count).elementsEqual(suffix)
    else { return nil }
    return Array(name.dropFirst().dropLast(suffix.count))
  }

  /// Returns the record that is away; `nil` where the name stands for none.
  package static func record(_ name: some BidirectionalCollection<UInt8>) -> RecordID? {
    original(of: name).flatMap { RecordID(fileName: $0) }
  }

  /// Returns the name that stands for a file.
  static func placeholder(of path: FilePath) -> FilePath {
    path.parent.appending(
      bytes: [UInt8(ascii: ".")] + path.lastComponent + Array(".icloud".utf8))
  }
}

/// The directories of the records, and `tmp/`.
package struct StoreFolders: StoreSubject {
  package let store: Store

  /// The shards of a kind that exist, in order.
  package func shards(_ kind: RecordKind) throws(Fault) -> [(UInt8, FilePath)] {
    let folder = layout.folder(kind)
    let entries: [DirectoryEntry]
    do {
      entries = try files.contents(ofDirectory: folder)
    } catch {
      if error.condition == .notFound { return [] }
      throw error
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
    _ kind: RecordKind, _ body: (FilePath, RecordFileName) throws(Fault) -> Void
  ) throws(Fault) {
    for (shard, directory) in try shards(kind) { try forEachFile(in: directory, shard, body) }
  }

  /// Every name in the directory of a shard.
  func forEachFile(
    in directory: FilePath, _ shard: UInt8,
    _ body: (FilePath, RecordFileName) throws(Fault) -> Void
  ) throws(Fault) {
    let entries = try files.contents(ofDirectory: directory)
    for entry in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      try body(directory.appending(bytes: entry.name), RecordFileName(entry.name, shard: shard))
    }
  }
}
