import CapsulePlatform

/// The store's own files: its header, identities, settings and journal.
extension Repair {
  /// Whether something that the store's own files are made of cannot be read now: nothing is made anew
  /// without it.
  private mutating func lacksCopies() -> Bool {
    guard let unreadable = store.copies.unreadable() else { return false }
    actions.append(.cannotMend(unreadable))
    return true
  }

  mutating func mendHeader(_ problem: Finding) throws(Fault) {
    if lacksCopies() { return }
    let header = store.header
    // A copy that could not be read when the store was opened may say another id.
    let isFile = try files.statusIfPresent(layout.header)?.kind == .regular
    let bytes = isFile ? try files.readFile(layout.header, limit: RecordFile.sizeLimit) : nil
    let again = HeaderCopies.recoveredHeader(layout, store.environment, from: bytes)
    if let again, again.id != header.id || again.createdAt != header.createdAt {
      actions.append(.cannotMend(problem))
      return
    }
    // The identities are held against their files first: a copy that was changed must not become
    // the truth.
    for identity in header.identities where store.headerProblem != nil {
      let file = try? files.readFile(layout.file(of: identity), limit: 1 << 16)
      guard file == nil || file == Array(identity.file.utf8), identity.isUsable else {
        actions.append(.cannotMend(problem))
        return
      }
    }
    // The parts of the header that could not be read would be lost.
    if case .damage(.field)? = store.headerProblem?.detail {
      actions.append(.cannotMend(problem))
      return
    }
    try rewrite(layout.header, mode: 0o600) { () throws(Fault) in
      RecordFile.encode(header.fields)
    }
    store.trust.vouchForMadeHeader()
    actions.append(store.copies.isHeaderMade ? .madeHeader : .rewroteHeader)
  }

  mutating func mendIdentity(
    _ recipient: String, _ problem: Finding
  ) throws(Fault) {
    if lacksCopies() { return }
    // The name becomes a path: nothing but a recipient may be one.
    guard RecipientText.isX25519(recipient),
      let copy =
        (store.header.identities.filter(\.isUsable)
        + store.copies.identities().filter(\.isIntact)
        + store.keys.stored().compactMap(\.mended))
        .first(where: { $0.recipient == recipient })
    else {
      actions.append(.cannotMend(problem))
      return
    }
    try files.createDirectories(layout.identities)
    try rewrite(layout.file(of: copy), mode: 0o400) { () throws(Fault) in
      Array(copy.file.utf8)
    }
    actions.append(.restoredIdentity(recipient))
  }

  mutating func mendTrusteesCopy(_ problem: Finding) throws(Fault) {
    guard let copy = store.header.trusteesCopy, store.headerProblem == nil else {
      actions.append(.cannotMend(problem))
      return
    }
    try files.createDirectories(layout.identities)
    try rewrite(store.keys.trusteesCopy, mode: 0o400) { () throws(Fault) in Array(copy.utf8) }
    actions.append(.restoredTrusteesCopy)
  }

  mutating func mendSettings(_ damage: RecordDamage) throws(Fault) {
    if lacksCopies() { return }
    var bytes: [UInt8]?
    do {
      bytes = try files.readFile(layout.settings, limit: 1 << 20)
    } catch {
      if error.isRefusal { throw error }
    }
    let twins =
      try store.copies.readableSettings()
      + copies.compactMap(\.settings)
    let isReadable =
      (damage == .checksum || damage == .noChecksum)
      && bytes.map { (try? RecordFile.decode($0)) != nil } ?? false
    // The checksum of another file that was put in its place proves nothing.
    let proven = bytes.flatMap {
      RecordFile.integrity(of: $0) == nil ? nil : RecordFile.proven($0, twins: twins)?.bytes
    }
    if let mended = proven ?? (isReadable ? nil : twins.first) {
      try rewrite(layout.settings, mode: 0o600) { () throws(Fault) in mended }
      actions.append(.mendedSettings)
    } else if isReadable {
      try rewrite(layout.settings, mode: 0o600) { () throws(Fault) in
        RecordFile.encode(try store.settings.read().settings.values)
      }
      actions.append(.acceptedSettings)
    } else {
      try store.whileLocked { () throws(Fault) in
        try backUp(layout.settings)
        if try files.statusIfPresent(layout.settings) != nil { try files.unlink(layout.settings) }
        try files.synchronizeDirectory(layout.root)
      }
      actions.append(.resetSettings)
    }
  }

  /// Puts a file aside that stands where a shard's directory should.
  mutating func mendDirectory(_ path: FilePath, _ problem: Finding) throws(Fault) {
    let folders = RecordKind.allCases.map { layout.folder($0) } + [layout.blobs]
    guard folders.contains(path.parent) else {
      actions.append(.cannotMend(problem))
      return
    }
    try store.whileLocked { () throws(Fault) in
      try makeBackup()
      guard try files.statusIfPresent(path)?.kind != .directory else { return }
      try files.rename(path, to: try freeCopy(of: path))
      try files.synchronizeDirectory(backup)
      try store.folders.prepare([path])
    }
    actions.append(.madeDirectory(path: path.text))
  }

  mutating func mendJournal(_ path: FilePath) throws(Fault) {
    guard let machine = store.journal.own(creating: false),
      path.parent == layout.journal(machine.name),
      let shard = StoreJournal.shard(ofLog: path.lastComponent)
    else { return }
    var isDamaged = false
    try store.whileLocked { () throws(Fault) in
      isDamaged = try !store.journal.log(of: machine.name, shard).forEachEntry { _ in }.isEmpty
      try store.journal.compact(machine, [shard], now: now, forgetting: [])
    }
    // A log that is gone is written by the verification that missed it.
    if isDamaged { actions.append(.mendedJournal(path: path.text)) }
  }
}

extension StoreCare {
  fileprivate func filesInPlaceOfDirectories() throws(Fault) -> [FilePath] {
    var found: [FilePath] = []
    // Parents come first: below a file nothing is looked for.
    for directory in layout.directories + [layout.journal]
    where !found.contains(directory.parent) {
      if try files.statusIfPresent(directory)?.kind == .regular { found.append(directory) }
    }
    return found
  }

  /// Puts aside what stands where the log of a journal should and is no file: nothing could be noted in it.
  func putAsideLogs(now: Instant) throws(Fault) -> [RepairAction] {
    guard header.isKnown else { return [] }
    // What cannot be looked at is named by the verification.
    var stray: [FilePath] = []
    for machine in (try? store.journal.machines()) ?? [] {
      let folder = layout.journal(machine)
      for entry in (try? files.contentsIfPresent(ofDirectory: folder)) ?? []
      where StoreJournal.shard(ofLog: entry.name) != nil {
        let path = folder.appending(bytes: entry.name)
        if let kind = try? files.status(path).kind, kind != .regular { stray.append(path) }
      }
    }
    let found = stray
    if found.isEmpty { return [] }
    return try store.whileLocked { () throws(Fault) in
      let backup = try makeBackup(now: now)
      for path in found {
        try files.rename(path, to: try files.freeName(of: path.lastComponent, in: backup))
      }
      try files.synchronizeDirectory(backup)
      return found.map { .mendedJournal(path: $0.text) }
    }
  }

  /// Returns this store with the header of another copy, where its own is lost and was made of the
  /// identities alone: its id would be another than that of the backups and carriers.
  ///
  /// - Returns: `nil` where the header is there, or no copy has the same identities.
  func adoptingHeader(of copies: [Store], now: Instant) throws(Fault) -> Store? {
    guard store.copies.isHeaderMade else { return nil }
    let own = Set(header.identities.map(\.recipient))
    let copy = copies.first { copy in
      copy.headerProblem == nil && copy.header.isKnown && copy.header.id != header.id
        && copy.header.isProtected == header.isProtected
        && own.isSubset(of: copy.header.identities.map(\.recipient))
    }
    guard let copy else { return nil }
    return try replacingHeader(with: RecordFile.encode(copy.header.fields), now: now)
  }

  /// Puts back the header that says what this device knows of whom the store seals to, where a machine's copy of it
  /// is there; the one in its place goes to `backups/`.
  ///
  /// - Returns: the store with that header; `nil` where nothing is to be done, or can be.
  func restoringKnownHeader(isAsked: Bool, now: Instant) throws(Fault) -> Store? {
    guard store.copies.unreadable() == nil, let bytes = store.trust.knownHeader(isAsked: isAsked)
    else {
      return nil
    }
    return try replacingHeader(with: bytes, now: now)
  }

  private func replacingHeader(with bytes: [UInt8], now: Instant) throws(Fault) -> Store? {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try store.folders.requireTemporary()
    let lock = try files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    defer { files.release(lock) }
    if let old = try files.statusIfPresent(layout.header) {
      let backup = try makeBackup(now: now)
      let free = try files.freeName(of: layout.header.lastComponent, in: backup)
      if old.kind == .regular {
        let bytes = try files.readFile(layout.header, limit: RecordFile.sizeLimit)
        try files.writeTemporary(free, bytes, mode: 0o600)
      } else {
        try files.rename(layout.header, to: free)
      }
      try files.synchronizeDirectory(backup)
    }
    try files.replace(layout.header, bytes, mode: 0o600, by: temporary)
    return try Store.open(at: layout.root, environment: environment)
  }

  /// Puts files aside that stand where the store's own directories should; links are refused, as ever.
  func makeOwnDirectories(now: Instant) throws(Fault) -> [RepairAction] {
    guard header.isKnown, try !filesInPlaceOfDirectories().isEmpty
    else {
      return []
    }
    let lock = try files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    defer { files.release(lock) }
    var actions: [RepairAction] = []
    for directory in try filesInPlaceOfDirectories() {
      let backup = try makeBackup(now: now)
      let name = String(decoding: directory.lastComponent, as: UTF8.self)
      try files.renameExclusively(directory, to: backup.appending("\(name).file"))
      try files.synchronizeDirectory(backup)
      try files.createDirectory(directory, mode: 0o700)
      try files.synchronizeDirectory(directory.parent)
      actions.append(.madeDirectory(path: directory.text))
    }
    return actions
  }
}
