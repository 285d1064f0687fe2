/// Why a store cannot be protected, or a protected one does not open.
package enum ProtectionFault: Error {
  /// Another passphrase was chosen, or it was typed wrong.
  case wrongPassphrase
  /// No identity that was given is the store's own, or that of the trustees who have a copy.
  case wrongIdentity
  /// The sealed identity opens, or ought to, and is not what was written.
  case damaged(path: String)
  /// An identity cannot be read, so that what it opens would be lost.
  case lostIdentity(path: String)
  /// No passphrase was given.
  case closed
  case seal(AgeFailure)
  case store(StoreError)
}

/// The outcome of protecting a store, or of taking its protection off.
package struct ProtectionReport: Sendable {
  /// Whether the store was protected before.
  package fileprivate(set) var wasProtected = false
  /// How many honor locks were sealed anew.
  package fileprivate(set) var sealed = 0
  /// Records whose honor locks could not be sealed anew: they are damaged, or of an identity that is not
  /// here.
  package fileprivate(set) var unsealed: [FilePath] = []
  /// Files with an identity in the clear that were removed.
  package fileprivate(set) var removed: [FilePath] = []
  /// Files with an identity in the clear that stay: they are none of the store's.
  package fileprivate(set) var left: [FilePath] = []
  /// The copy that is sealed to trustees; `nil` for none.
  package fileprivate(set) var copy: FilePath?
}

// To open a protected store.
extension Store {
  /// Whether its identities are sealed, and its passphrase was not given.
  package var isClosed: Bool { header.isProtected && opened == nil }

  /// Returns the store with its identities opened; one that is not protected as it is.
  ///
  /// - Throws: `.wrongPassphrase`, `.damaged`, `.seal`.
  package func opened(with passphrase: Passphrase) throws(ProtectionFault) -> Store {
    guard header.isProtected else { return self }
    var isWrong = false
    for text in sealedTexts() {
      do throws(AgeFailure) {
        var plain = try Self.open(text, with: [ScryptIdentity(passphrase)])
        defer { wipe(&plain) }
        if let store = opened(by: plain) { return store }
      } catch {
        switch error {
        case .noMatch: isWrong = true
        case .memory: throw .seal(error)
        default: continue
        }
      }
    }
    if isWrong { throw .wrongPassphrase }
    throw .damaged(path: header.identities.first.map { layout.file(of: $0).text } ?? "")
  }

  /// Returns the store opened without its passphrase: by its own identity, or by the key of the trustees who
  /// have a copy.
  ///
  /// - Throws: `.wrongIdentity`, `.damaged`.
  package func opened(with identities: [AgeIdentity]) throws(ProtectionFault) -> Store {
    guard header.isProtected else { return self }
    var text: [UInt8] = []
    defer { wipe(&text) }
    let own = identities.filter {
      $0.recipient.description == header.identities.first?.recipient
    }
    for identity in own + identities {
      text += IdentityFile.text(identity, comments: [])
    }
    if !own.isEmpty, let store = opened(by: text) { return store }
    guard let copy = try? files.readFile(trusteesCopy, limit: KeyLines.maximumByteCount) else {
      throw .wrongIdentity
    }
    do throws(AgeFailure) {
      var plain = try Self.open(copy, with: identities)
      defer { wipe(&plain) }
      if let store = opened(by: plain) { return store }
    } catch {
      if case .noMatch = error { throw .wrongIdentity }
    }
    throw .damaged(path: trusteesCopy.text)
  }

  /// Returns the store with the identities of an identity file, where they are its own: the key of the
  /// recipient that it seals to stands first.
  package func opened(by text: [UInt8]) -> Store? {
    guard let identities = try? IdentityFile(text).identities, let own = identities.first,
      own.recipient.description == header.identities.first?.recipient
    else { return nil }
    var store = self
    store.opened = identities.map(StoreIdentity.init)
    // Whoever knows the passphrase has made it: what is sealed from now on is compared with this.
    KnownLocks(self).keep(own.recipient.description, ofStore: header.id)
    return store
  }

  /// The copies of the sealed identity, each once.
  private func sealedTexts() -> [[UInt8]] {
    guard let own = header.identities.first else { return [] }
    let files = identityFiles().filter { $0.recipient == own.recipient }
    let copies = copiedIdentities().filter { $0.recipient == own.recipient }
    return (files + [own] + copies).map(\.file).unique.map { Array($0.utf8) }
  }

  private static func open(
    _ sealed: [UInt8], with identities: [any Identity]
  ) throws(AgeFailure) -> [UInt8] {
    var sink = LimitedSink(limit: KeyLines.maximumByteCount)
    var reader = try AgeReader(MemorySource(sealed))
    let key = try reader.unlock(with: identities)
    _ = try reader.open(with: key, to: &sink, threads: 1)
    return sink.take()
  }

  /// The identities of a protected store that was opened: those under its passphrase, and those that came
  /// later and were sealed to it.
  func openedIdentities() -> [AgeIdentity] {
    let own = (opened ?? []).flatMap {
      (try? IdentityFile(Array($0.file.utf8)).identities) ?? []
    }
    guard !own.isEmpty else { return [] }
    var all = own
    for file in identityFiles() + copiedIdentities() where !file.isSealedWithPassphrase {
      guard var text = try? Self.open(Array(file.file.utf8), with: own) else { continue }
      defer { wipe(&text) }
      for identity in (try? IdentityFile(text).identities) ?? []
      where !all.contains(where: { $0.recipient == identity.recipient }) {
        all.append(identity)
      }
    }
    return all
  }
}

extension StoreIdentity {
  fileprivate init(_ identity: AgeIdentity) {
    let recipient = identity.recipient.description
    self.init(
      recipient: recipient, file: "# public key: \(recipient)\n\(identity.secretText)\n")
  }
}

// To protect a store.
extension Store {
  /// Seals the store's identities with a passphrase, and every honor lock to a fresh one of them; where that
  /// was done or begun before, it is finished.
  ///
  /// `store.json` commits it: before, nothing has changed; afterwards every identity is sealed, and what is
  /// left to do is done by calling it again (`docs/decisions/0038`).
  ///
  /// - Parameters:
  ///   - workFactor: as ``ScryptRecipient`` has it.
  ///   - trustees: who get a copy that they open without the passphrase.
  package func protect(
    with passphrase: Passphrase, workFactor: Int, copyFor trustees: AgeRecipient? = nil,
    now: Instant
  ) throws(ProtectionFault) -> (store: Store, report: ProtectionReport) {
    if header.isProtected {
      return try opened(with: passphrase).protectWholly(copyFor: trustees, now: now)
    }
    let store = try sealIdentities(with: passphrase, workFactor: workFactor, now: now)
    var result = try store.protectWholly(copyFor: trustees, now: now)
    result.report.wasProtected = false
    return result
  }

  /// Does what is left to do in a protected store that was opened: nothing of an identity stays in the clear,
  /// and no honor lock as it was sealed before.
  package func protectWholly(
    copyFor trustees: AgeRecipient? = nil, now: Instant
  ) throws(ProtectionFault) -> (store: Store, report: ProtectionReport) {
    guard opened != nil else { throw .closed }
    var report = ProtectionReport()
    report.wasProtected = true
    do throws(StoreError) {
      if let trustees { report.copy = try writeCopy(for: trustees) }
      try whileLocked { () throws(StoreError) in
        try requireSealedFile()
        try sealNewcomers()
        // Only what is proved to open sealed is taken away in the clear.
        (report.removed, report.left) = try removeClearCopies(
          of: openedIdentities().map(StoreIdentity.init))
      }
      try sealLocksAnew(now: now, &report)
      return (try finishProtection(), report)
    } catch {
      throw .store(error)
    }
  }

  /// Every identity that the store has in the clear.
  private func clearIdentities() throws(ProtectionFault) -> [AgeIdentity] {
    if headerProblem != nil { throw .damaged(path: layout.header.text) }
    if case .unreadableFile(let path, _)? = unreadableCopy() { throw .lostIdentity(path: path) }
    var all = identities()
    for copy in copiedIdentities() {
      for identity in (try? IdentityFile(Array(copy.file.utf8)).identities) ?? []
      where !all.contains(where: { $0.recipient == identity.recipient }) {
        all.append(identity)
      }
    }
    // What is damaged would be removed as a copy in the clear, and with it what might be mended.
    let named = header.identities.map(\.recipient) + identityFiles().map(\.recipient)
    for recipient in named
    where !all.contains(where: { $0.recipient.description == recipient }) {
      throw .lostIdentity(path: layout.identity(recipient).text)
    }
    return all
  }

  /// Makes the fresh identity, seals it with all that are there, and commits the header that says so.
  private func sealIdentities(
    with passphrase: Passphrase, workFactor: Int, now: Instant
  ) throws(ProtectionFault) -> Store {
    let before = try clearIdentities()
    let fresh: StoreIdentity
    do throws(StoreError) { fresh = try environment.newIdentity(now: now) } catch {
      throw .store(error)
    }
    var text = Array(fresh.file.utf8)
    defer { wipe(&text) }
    for identity in before {
      text += IdentityFile.text(identity, comments: ["public key: \(identity.recipient)"])
    }
    let sealed: [UInt8]
    do throws(AgeFailure) {
      let recipient = ScryptRecipient(passphrase, workFactor: workFactor)
      sealed = try AgeWriter(to: [recipient], random: environment.random).seal(text, armor: true)
      // Read again before anything rests on it: an error of the memory would lose every honor capsule.
      var proof = try Self.open(sealed, with: [ScryptIdentity(passphrase)])
      defer { wipe(&proof) }
      guard proof == text else { throw AgeFailure.headerMAC }
    } catch {
      throw .seal(error)
    }
    let identity = StoreIdentity(
      recipient: fresh.recipient, file: String(decoding: sealed, as: UTF8.self))
    do throws(StoreError) {
      return try whileLocked { () throws(StoreError) in
        // Another process may have brought one in meanwhile.
        let known = Set(before.map(\.recipient.description))
        guard known.isSuperset(of: identities().map(\.recipient.description)) else {
          throw .protectionChanged(path: layout.identities.text)
        }
        try write(header.protected(by: identity))
        guard let store = try Store.open(at: layout.root, environment: environment),
          let opened = store.opened(by: text)
        else { throw .headerDamaged(path: layout.header.text) }
        return opened
      }
    } catch {
      throw .store(error)
    }
  }

  private func write(_ identity: StoreIdentity, mode: UInt32) throws(StoreError) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try storeIO { () throws(FileSystemError) in
      try files.createDirectories(layout.identities)
      try files.replace(
        layout.file(of: identity), Array(identity.file.utf8), mode: mode, by: temporary)
      try files.synchronizeDirectory(layout.root)
    }
  }

  private func write(_ header: StoreHeader) throws(StoreError) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try storeIO { () throws(FileSystemError) in
      try files.replace(
        layout.header, RecordFile.encode(header.fields), mode: 0o600, by: temporary)
    }
  }

  /// Makes the file of the sealed identity where it is not as the header has it, and reads both back: nothing
  /// in the clear is removed before each of them is safe. Under the lock.
  private func requireSealedFile() throws(StoreError) {
    guard let own = header.identities.first else { return }
    func bytes() -> [UInt8]? {
      try? files.readFile(layout.file(of: own), limit: KeyLines.maximumByteCount)
    }
    if bytes() != Array(own.file.utf8) { try write(own, mode: 0o400) }
    guard bytes() == Array(own.file.utf8) else {
      throw .headerDamaged(path: layout.file(of: own).text)
    }
    let header = try? files.readFile(layout.header, limit: RecordFile.sizeLimit)
    guard header.flatMap({ Self.header($0) })?.identities.first == own else {
      throw .headerDamaged(path: layout.header.text)
    }
  }

  /// Seals identities that came in the clear since the store was protected. Under the lock.
  private func sealNewcomers() throws(StoreError) {
    let known = openedIdentities().map(\.recipient)
    guard let own = known.first else { return }
    for identity in Self.identityFiles(layout, files, sealed: false)
    where identity.holdsKey && !known.contains(where: { $0.description == identity.recipient }) {
      do throws(AgeFailure) {
        let sealed = try AgeWriter(to: [own], random: environment.random)
          .seal(Array(identity.file.utf8), armor: true)
        let file = String(decoding: sealed, as: UTF8.self)
        do throws(StoreError) {
          try write(StoreIdentity(recipient: identity.recipient, file: file), mode: 0o400)
        } catch {
          throw AgeFailure.sink(error)
        }
      } catch {
        if case .sink(let cause as StoreError) = error { throw cause }
        throw .headerDamaged(path: layout.identity(identity.recipient).text)
      }
    }
  }

  /// Seals the identities to trustees, beside the one that the passphrase opens.
  private func writeCopy(for trustees: AgeRecipient) throws(StoreError) -> FilePath {
    var text: [UInt8] = []
    defer { wipe(&text) }
    for identity in openedIdentities() {
      text += IdentityFile.text(identity, comments: ["public key: \(identity.recipient)"])
    }
    let sealed: [UInt8]
    do throws(AgeFailure) {
      sealed = try AgeWriter(to: [trustees], random: environment.random).seal(text, armor: true)
    } catch {
      if case .random(let failure) = error { throw .random(failure) }
      throw .headerDamaged(path: layout.identities.text)
    }
    let path = trusteesCopy
    return try whileLocked { () throws(StoreError) in
      let temporary = layout.temporary.appending(try environment.temporaryName())
      try storeIO { () throws(FileSystemError) in
        try files.replace(path, sealed, mode: 0o400, by: temporary)
      }
      return path
    }
  }

  /// The copy of the identities that is sealed to trustees.
  package var trusteesCopy: FilePath {
    layout.identities.appending("\(header.identities.first?.recipient ?? "").trustees.age")
  }

  /// Writes the header without the mark of what is not done yet.
  private func finishProtection() throws(StoreError) -> Store {
    guard header.isUnfinished != nil else { return self }
    return try whileLocked { () throws(StoreError) in
      try write(header.finished())
      copyHeader()
      var store = try Store.open(at: layout.root, environment: environment)
      store?.opened = opened
      return store ?? self
    }
  }
}

// Honor locks, sealed anew.
extension Store {
  /// How many records are written together.
  private static let sealedTogether = 256
  /// How often the store is gone through while others go on changing it.
  private static let mostRounds = 8

  /// Seals every honor lock that is not sealed to the fresh identity, live or in the trash.
  private func sealLocksAnew(
    now: Instant, _ report: inout ProtectionReport
  ) throws(StoreError) {
    let all = openedIdentities()
    guard let own = all.first else { return }
    for _ in 0..<Self.mostRounds {
      report.unsealed = []
      let before = report.sealed
      var isDisturbed = false
      try sealLive(to: own, with: all, now: now, &report, &isDisturbed)
      for record in try trash(.capsule) {
        try sealTrashed(record, to: own, with: all, now: now, &report, &isDisturbed)
      }
      // What came while the first round went is found by the next, which finds nothing in the end.
      if report.sealed == before, !isDisturbed { return }
    }
  }

  private func sealLive(
    to own: AgeIdentity, with all: [AgeIdentity], now: Instant,
    _ report: inout ProtectionReport, _ isDisturbed: inout Bool
  ) throws(StoreError) {
    var batch = ModelBatch<Capsule>()
    for (shard, directory) in try shards(.capsule) {
      let entries = try storeIO { () throws(FileSystemError) in
        try files.contentsIfPresent(ofDirectory: directory)
      }
      for entry in entries {
        guard case .record(let id) = RecordFileName(entry.name, shard: shard) else { continue }
        let path = layout.record(.capsule, id)
        let record: StoredRecord<Capsule>
        do throws(StoreError) {
          record = try readIntact(Capsule.self, id)
        } catch {
          if case .notFound = error { continue }
          report.unsealed.append(path)
          continue
        }
        switch sealedAnew(record.model, to: own, with: all) {
        case .stays: continue
        case .cannot: report.unsealed.append(path)
        case .key(let key):
          var changed = record
          changed.model.lock.take(keySealedAnew: key)
          batch.update(changed)
          if batch.updates.count == Self.sealedTogether {
            try write(&batch, now: now, &report, &isDisturbed)
          }
        }
      }
    }
    try write(&batch, now: now, &report, &isDisturbed)
  }

  private func write(
    _ batch: inout ModelBatch<Capsule>, now: Instant, _ report: inout ProtectionReport,
    _ isDisturbed: inout Bool
  ) throws(StoreError) {
    let updates = batch.updates
    guard !updates.isEmpty else { return }
    do throws(StoreError) {
      report.sealed += try write(batch, now: now).count
    } catch {
      switch error {
      case .changedMeanwhile, .notFound:
        // One of them was changed by another process: the next round takes what it wrote.
        isDisturbed = true
      case .newerFormat, .refused, .recordTooLarge:
        // One that this program must not write keeps none of the others back.
        if updates.count == 1 {
          report.unsealed.append(layout.record(.capsule, updates[0].model.id))
        } else {
          for update in updates {
            var one = ModelBatch<Capsule>()
            one.update(update)
            try write(&one, now: now, &report, &isDisturbed)
          }
        }
      default: throw error
      }
    }
    batch = ModelBatch()
  }

  private func sealTrashed(
    _ trashed: TrashedRecord, to own: AgeIdentity, with all: [AgeIdentity], now: Instant,
    _ report: inout ProtectionReport, _ isDisturbed: inout Bool
  ) throws(StoreError) {
    var isSealed = false
    var isUnsealed = false
    do throws(StoreError) {
      try whileLocked { () throws(StoreError) in
        let bytes = try storeIO { () throws(FileSystemError) in
          try files.readFile(trashed.path, limit: RecordFile.sizeLimit)
        }
        var record = try decode(bytes, as: Capsule.self, id: trashed.id, path: trashed.path)
        guard record.integrity == nil else {
          isUnsealed = true
          return
        }
        switch sealedAnew(record.model, to: own, with: all) {
        case .stays: return
        case .cannot: isUnsealed = true
        case .key(let key):
          record.model.lock.take(keySealedAnew: key)
          try rewrite(trashed, as: record, now: now)
          isSealed = true
        }
      }
    } catch {
      switch error {
      case .io(let failure) where failure.condition == .notFound: isDisturbed = true
      case .damaged, .newerFormat, .refused, .recordTooLarge: isUnsealed = true
      default: throw error
      }
    }
    if isSealed { report.sealed += 1 }
    if isUnsealed { report.unsealed.append(trashed.path) }
  }

  private enum Resealing {
    case stays
    case key(String)
    case cannot
  }

  /// Seals the key file in an honor lock once more, as it is. Nothing of it comes out.
  private func sealedAnew(
    _ capsule: Capsule, to own: AgeIdentity, with all: [AgeIdentity]
  ) -> Resealing {
    guard capsule.lock.kind == .honor else { return .stays }
    guard let lock = try? lock(of: capsule) else { return .cannot }
    if (try? lock.sealedKey(with: [own])) != nil { return .stays }
    guard let key = try? lock.sealedKey(with: all),
      let sealed = try? key.sealedAgain(to: [[own.recipient]], random: environment.random)
    else { return .cannot }
    return .key(sealed)
  }
}

// To take the protection off.
extension Store {
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
      let store = try whileLocked { () throws(StoreError) in
        if header.isProtected {
          try putBack(openedIdentities())
          let own = sharedIdentities
          try write(header.unprotected(with: own))
        }
        guard let store = try Store.open(at: layout.root, environment: environment) else {
          throw .headerDamaged(path: layout.header.text)
        }
        try store.removeSealedIdentities()
        store.copyHeader()
        if let own = store.header.identities.first {
          KnownLocks(store).keep(own.recipient, ofStore: store.header.id)
        }
        return store
      }
      return (store, report)
    } catch {
      throw .store(error)
    }
  }

  /// Writes identities in the clear, and reads them back.
  private func putBack(_ identities: [AgeIdentity]) throws(StoreError) {
    for identity in identities {
      let file = StoreIdentity(identity)
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
    let clear = identityFiles().filter(\.holdsKey).map(\.recipient)
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
      for machine in try journalMachines() where machine != ownJournal(creating: false)?.name {
        let path = layout.headerCopy(machine)
        guard let copy = Self.headerCopy(layout, files, machine),
          let text = copy.files["store.json"], let header = Self.header(Array(text.utf8)),
          header.isProtected, let own = header.identities.first, clear.contains(own.recipient)
        else { continue }
        try files.unlink(path)
        try files.synchronizeDirectory(path.parent)
      }
    }
  }
}
