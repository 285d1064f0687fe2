#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The store's own files: its header, identities, settings and journal.
extension Repair {
  mutating func mendHeader(_ problem: StoreProblem) throws(StoreError) {
    let header = store.header
    // The identities are held against their files first: a copy that was changed must not become
    // the truth.
    for identity in header.identities where store.headerDamage != nil {
      let file = try? files.readFile(layout.identity(identity.recipient), limit: 1 << 16)
      guard file == nil || file == Array(identity.file.utf8), identity.holdsKey else {
        actions.append(.cannotMend(problem))
        return
      }
    }
    // What could not be read of it would be lost.
    if case .field? = store.headerDamage {
      actions.append(.cannotMend(problem))
      return
    }
    try rewrite(layout.header, mode: 0o600) { () throws(StoreError) in
      RecordFile.encode(header.fields)
    }
    actions.append(.rewroteHeader)
  }

  mutating func mendIdentity(
    _ recipient: String, _ problem: StoreProblem
  ) throws(StoreError) {
    // The name becomes a path: nothing but a recipient may be one.
    guard RecipientText.isX25519(recipient),
      let copy = (store.header.identities + store.headerCopies().flatMap(\.identities))
        .first(where: { $0.recipient == recipient && $0.holdsKey })
    else {
      actions.append(.cannotMend(problem))
      return
    }
    try storeIO { () throws(FileSystemError) in try files.createDirectories(layout.identities) }
    try rewrite(layout.identity(recipient), mode: 0o400) { () throws(StoreError) in
      Array(copy.file.utf8)
    }
    actions.append(.restoredIdentity(recipient))
  }

  mutating func mendSettings(_ damage: RecordDamage) throws(StoreError) {
    let bytes = try? files.readFile(layout.settings, limit: 1 << 20)
    let twins = store.headerCopies().compactMap {
      $0.files["settings.json"].map { Array($0.utf8) }
    }
    let isReadable = damage == .checksum || damage == .noChecksum
    // The checksum of another file that was put in its place proves nothing.
    let proven = bytes.flatMap {
      RecordFile.integrity(of: $0) == nil ? nil : RecordFile.proven($0, twins: twins)?.bytes
    }
    if let mended = proven ?? (isReadable ? nil : twins.first) {
      try rewrite(layout.settings, mode: 0o600) { () throws(StoreError) in mended }
      actions.append(.mendedSettings)
    } else if damage == .checksum || damage == .noChecksum {
      try rewrite(layout.settings, mode: 0o600) { () throws(StoreError) in
        RecordFile.encode(try store.readSettings().settings.values)
      }
      actions.append(.acceptedSettings)
    } else {
      try store.whileLocked { () throws(StoreError) in
        try backUp(layout.settings)
        try storeIO { () throws(FileSystemError) in
          try files.unlink(layout.settings)
          try files.synchronizeDirectory(layout.root)
        }
      }
      actions.append(.resetSettings)
    }
  }

  /// Puts a file aside that stands where a shard's directory should.
  mutating func mendDirectory(_ path: FilePath) throws(StoreError) {
    let folders = RecordKind.allCases.map { layout.folder($0) } + [layout.blobs]
    guard folders.contains(path.parent) else {
      actions.append(.cannotMend(.unreadableFile(path: path.text, code: ENOTDIR)))
      return
    }
    try store.whileLocked { () throws(StoreError) in
      try makeBackup()
      try storeIO { () throws(FileSystemError) in
        guard try files.statusIfPresent(path)?.kind != .directory else { return }
        try files.rename(path, to: try freeCopy(of: path))
        try files.synchronizeDirectory(backup)
      }
      try store.prepareShard(path)
    }
    actions.append(.madeDirectory(path: path.text))
  }

  mutating func mendJournal(_ path: FilePath) throws(StoreError) {
    guard let machine = store.ownJournal(creating: false),
      path.parent == layout.journal(machine.name),
      let shard = Store.shard(ofLog: path.lastComponent)
    else { return }
    try store.whileLocked { () throws(StoreError) in
      try storeIO { () throws(FileSystemError) in
        try store.compact(machine, [shard], now: now, forgetting: [])
      }
    }
    actions.append(.mendedJournal(path: path.text))
  }
}
