/// An identity that comes back from paper.
package struct IdentityReturn: Sendable {
  package let recipient: String
  package let path: FilePath
  /// Whether it was not there.
  package let isNew: Bool
  /// Whether it is one that the store itself seals to.
  package let isOwn: Bool
}

extension StoreKeys {
  /// Puts an X25519 identity into `identities/` of a store, also of one whose header is lost: its header is made of
  /// its identities then.
  ///
  /// - Returns: `nil` where there is no store.
  package static func restore(
    _ identity: AgeIdentity, at place: FilePath, environment: StoreEnvironment, now: Instant
  ) throws(StoreError) -> IdentityReturn? {
    let recipient = identity.recipient.description
    let file = StoreIdentity(OpenedIdentity(identity))
    do throws(StoreError) {
      guard let store = try Store.open(at: place, environment: environment) else { return nil }
      let isOwn =
        store.header.identities.contains { $0.recipient == recipient }
        || store.header.former?.contains(recipient) == true
      // The passphrase of a protected store opens its own ones already.
      let isNew =
        !(isOwn && store.header.isProtected)
        && !store.keys.stored().contains { $0.recipient == recipient && $0.isUsable }
      // A copy of the file says what was written, to the comment.
      let copy = store.header.identities.first {
        $0.recipient == recipient && $0.isUsable && !$0.isSealed
      }
      if isNew { try store.keys.add([copy ?? file], now: now) }
      return IdentityReturn(
        recipient: recipient,
        path: store.header.isProtected
          ? store.layout.sealedIdentity(isOwn ? store.header.identities[0].recipient : recipient)
          : store.layout.identity(recipient),
        isNew: isNew, isOwn: isOwn)
    } catch {
      guard case .headerDamaged = error else { throw error }
    }
    // Nothing is left that says what the store was, but its records.
    let files = environment.fileSystem
    let layout = StoreLayout(
      root: try storeIO { () throws(FileSystemError) in try files.resolvingLinks(place) })
    let lock = try files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    defer { files.release(lock) }
    let path = layout.identity(recipient)
    let temporary = layout.root.appending("tmp").appending(try environment.temporaryName())
    try storeIO { () throws(FileSystemError) in
      try files.createDirectories(layout.temporary)
      try files.createDirectories(layout.identities)
      try files.replace(path, Array(file.file.utf8), mode: 0o400, by: temporary)
    }
    return IdentityReturn(recipient: recipient, path: path, isNew: true, isOwn: true)
  }
}
