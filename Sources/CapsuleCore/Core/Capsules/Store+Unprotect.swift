// To take the protection off.
extension StoreProtection {
  /// Puts the identities of an opened store back in the clear; `store.json` commits it. Of a store that is
  /// not protected what an interrupted run left is removed.
  ///
  /// Locks stay as they are: the identity that they are sealed to is one of those that are put back.
  ///
  /// - Throws: `.closed`, `.store`.
  package func unprotect() throws(ProtectionFault) -> (store: Store, report: ProtectionReport) {
    var report = ProtectionReport()
    report.wasProtected = header.isProtected
    if isClosed { throw .closed }
    do throws(StoreError) {
      let after = try store.whileLocked { () throws(StoreError) in
        if header.isProtected {
          try store.trust.recipients()
          let own = store.keys.shared.map { StoreIdentity($0) }
          try putBack(openedIdentities(), own: own.map(\.recipient))
          let next = header.unprotected(with: own)
          try store.trust.vouch(forNext: next)
          try write(next)
        }
        guard let after = try Store.open(at: layout.root, environment: environment) else {
          throw .headerDamaged(path: layout.header.text)
        }
        try after.protection.removeSealedIdentities()
        _ = try? after.trust.recipients()
        after.copies.keep()
        return after
      }
      return (after, report)
    } catch {
      throw .store(error)
    }
  }

  /// Writes identities in the clear, and reads them back.
  ///
  /// - Parameter own: the recipients of those that the store had before; the others came with archives.
  private func putBack(
    _ identities: [AgeIdentity], own: [String]
  ) throws(StoreError) {
    for identity in identities {
      let known = StoreIdentity(OpenedIdentity(identity))
      let isOwn =
        own.contains(known.recipient)
        || known.recipient == header.identities.first?.recipient
      let file = isOwn ? known : known.imported(from: header.id)
      // Every file in the folder is tried, whatever its name; a post-quantum recipient is too long for one.
      let path =
        RecipientText.isX25519(file.recipient)
        ? layout.identity(file.recipient)
        : layout.identities.appending("\(KnownLocks.digest(file.recipient).prefix(32)).key.txt")
      let bytes = Array(file.file.utf8)
      let temporary = layout.temporary.appending(try environment.temporaryName())
      let written = try storeIO { () throws(FileSystemError) in
        try files.createDirectories(layout.identities)
        try files.replace(path, bytes, mode: 0o400, by: temporary)
        try files.synchronizeDirectory(layout.root)
        return try files.readFile(path, limit: KeyLines.maximumByteCount)
      }
      guard written == bytes else { throw .headerDamaged(path: path.text) }
    }
  }

  /// Removes sealed identities from a store that is not protected: those whose keys lie beside them in the
  /// clear, and no other, which may be what something is sealed to. Under the lock.
  private func removeSealedIdentities() throws(StoreError) {
    let clear = store.keys.stored().filter(\.holdsKey).map(\.recipient)
    try storeIO { () throws(FileSystemError) in
      var isChanged = false
      for entry in try files.contentsIfPresent(ofDirectory: layout.identities) {
        let name = String(decoding: entry.name, as: UTF8.self)
        guard clear.contains(where: { name == "\($0).age" || name == "\($0).trustees.age" }) else {
          continue
        }
        try files.unlink(layout.identities.appending(bytes: entry.name))
        isChanged = true
      }
      if isChanged { try files.synchronizeDirectory(layout.identities) }
      // Copies of a protected header would be taken for the newer ones.
      for machine in try store.journal.machines()
      where machine != store.journal.own(creating: false)?.name {
        let path = layout.headerCopy(machine)
        guard let copy = HeaderCopies.one(layout, files, machine),
          let text = copy.files["store.json"], let header = StoreHeader(bytes: Array(text.utf8)),
          header.isProtected, let own = header.identities.first, clear.contains(own.recipient)
        else { continue }
        try files.unlink(path)
        try files.synchronizeDirectory(path.parent)
      }
    }
  }
}
