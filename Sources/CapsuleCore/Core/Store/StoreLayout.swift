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
