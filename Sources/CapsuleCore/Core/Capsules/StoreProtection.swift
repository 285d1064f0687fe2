/// The reason why a store cannot be protected, or why a protected one does not open.
extension Fault {
  /// Another passphrase was chosen, or it was typed wrong.
  package static let wrongStorePassphrase = Fault(
    .wrongStorePassphrase, "wrong passphrase for the store")
  /// No identity that was given is the store's own, or that of the trustees who have a copy.
  package static let wrongIdentity = Fault(
    .key, "no given identity opens the store",
    hint: "use the store's own identity, or that of the trustees who have a copy")
  /// No passphrase was given, and none may be asked for.
  package static let storeClosed = Fault(
    .storeClosed, "the store is protected, and its passphrase was not given",
    hint:
      "use --passphrase-file FILE or --passphrase-command COMMAND if the command has "
      + "them; or keep the passphrase for a while: capsule store remember")

  /// The sealed identity opens, or ought to, and is not what was written.
  package static func sealedIdentityDamaged(path: String) -> Fault {
    Fault(
      .damaged, "'\(path)' is damaged",
      hint: "look for a copy: capsule repair; otherwise restore the file from a backup", path: path)
  }

  /// An identity cannot be read, so that what it opens would be lost.
  package static func lostIdentity(path: String) -> Fault {
    Fault(
      .damaged, "'\(path)' is missing or damaged, and what it opens would be lost",
      hint: "look for a copy: capsule repair; or type it from paper: capsule identity import",
      path: path)
  }
}

/// The outcome of protecting a store, or of taking its protection off.
package struct ProtectionReport: Sendable {
  /// Whether the store was protected before.
  package internal(set) var wasProtected = false
  /// The number of honor locks that were sealed anew.
  package internal(set) var sealed = 0
  /// Records whose honor locks could not be sealed anew: they are damaged, or of an identity that is not
  /// here.
  package internal(set) var unsealed: [FilePath] = []
  /// Files with an identity in the clear that were removed.
  package internal(set) var removed: [FilePath] = []
  /// Files with an identity in the clear that stay: they are none of the store's.
  package internal(set) var left: [FilePath] = []
  /// The copy that is sealed to trustees; `nil` for none.
  package internal(set) var copy: FilePath?
}

extension Store {
  /// The passphrase of a store.
  package var protection: StoreProtection { StoreProtection(store: self) }
}

/// The passphrase of a store.
package struct StoreProtection: StoreSubject {
  package let store: Store

  // To open a protected store.

  /// Whether its identities are sealed, and its passphrase was not given.
  package var isClosed: Bool { header.isProtected && store.opened == nil }

  /// Returns the store with its identities opened; one that is not protected as it is.
  package func opened(with passphrase: Passphrase) throws(Fault) -> Store {
    guard header.isProtected else { return store }
    var isWrong = false
    for text in sealedTexts() {
      do {
        var plain = try Self.openSealed(text, with: [Self.ownIdentity(passphrase)])
        defer { wipe(&plain) }
        if let store = opened(by: plain) { return store }
      } catch {
        switch error {
        case .noMatch: isWrong = true
        case .memory, .tooMuchWork: throw .seal(error, path: "")
        default: continue
        }
      }
    }
    if isWrong { throw .wrongStorePassphrase }
    throw .sealedIdentityDamaged(
      path: header.identities.first.map { layout.file(of: $0).text } ?? "")
  }

  /// Returns the store opened without its passphrase: by its own identity, or by the key of the trustees who
  /// have a copy.
  package func opened(with identities: [AgeIdentity]) throws(Fault) -> Store {
    guard header.isProtected else { return store }
    var text: [UInt8] = []
    defer { wipe(&text) }
    let own = identities.filter {
      $0.recipient.description == header.identities.first?.recipient
    }
    for identity in own + identities {
      text += IdentityFile.text(identity, comments: [])
    }
    if !own.isEmpty, let store = opened(by: text) { return store }
    var isDamaged = false
    for copy in store.keys.trusteesCopies() {
      do {
        var plain = try Self.openSealed(copy, with: identities)
        defer { wipe(&plain) }
        if let store = opened(by: plain) { return store }
        isDamaged = true
      } catch {
        if case .noMatch = error { continue }
        isDamaged = true
      }
    }
    if isDamaged { throw .sealedIdentityDamaged(path: store.keys.trusteesCopy.text) }
    throw .wrongIdentity
  }

  /// Returns the store with the identities of an identity file, where they are its own: the key of the
  /// recipient that it seals to stands first.
  package func opened(by text: [UInt8]) -> Store? {
    guard let identities = try? IdentityFile(text).identities, let own = identities.first,
      own.recipient.description == header.identities.first?.recipient
    else { return nil }
    var store = store
    store.opened = identities.map { OpenedIdentity($0) }
    // Whoever knows the passphrase has made it; another than the one that is known is refused where it seals.
    _ = try? store.trust.recipients()
    return store
  }

  /// The copies of the sealed identity, each once.
  private func sealedTexts() -> [[UInt8]] {
    guard let own = header.identities.first else { return [] }
    let files = store.keys.stored().filter { $0.recipient == own.recipient }
    let copies = store.copies.identities().filter { $0.recipient == own.recipient }
    return (files + [own] + copies).map(\.file).unique.map { Array($0.utf8) }
  }

  /// The identity that opens what this store sealed, whatever work that asks for.
  static func ownIdentity(_ passphrase: Passphrase) -> ScryptIdentity {
    ScryptIdentity(passphrase, upTo: ScryptIdentity.highestLimit)
  }

  static func openSealed(
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
    let own = (store.opened ?? []).flatMap(\.keys)
    guard !own.isEmpty else { return [] }
    var all = own
    for file in store.keys.stored() + store.copies.identities() where !file.isSealedWithPassphrase {
      guard var text = try? Self.openSealed(Array(file.file.utf8), with: own) else { continue }
      defer { wipe(&text) }
      for identity in (try? IdentityFile(text).identities) ?? []
      where !all.contains(where: { $0.recipient == identity.recipient }) {
        all.append(identity)
      }
    }
    return all
  }
}

extension OpenedIdentity {
  init(_ identity: AgeIdentity) {
    let recipient = identity.recipient.description
    var text = IdentityFile.text(identity, comments: ["public key: \(recipient)"])
    self.init(recipient: recipient, file: SecretBytes(taking: &text))
  }

  /// The secret keys in its file.
  var keys: [AgeIdentity] {
    var text = file.bytes
    defer { wipe(&text) }
    return (try? IdentityFile(text).identities) ?? []
  }
}

/// What became of the copy of a store's identities whose trustees got another key.
package enum CopyRenewal: String, Sendable {
  /// It is sealed to the new key.
  case renewed
  /// It is sealed to the key before, or may be.
  case left
}

// To protect a store.
extension StoreProtection {
  /// Seals the store's identities with a passphrase, and every honor lock to a fresh one of them; where that
  /// was done or begun before, it is finished.
  ///
  /// `store.json` commits it: before, nothing has changed; afterwards every identity is sealed, and what is
  /// left to do is done by calling it again (`docs/internals/decisions/0038`).
  ///
  /// - Parameters:
  ///   - workFactor: the work factor, as ``ScryptRecipient`` has it.
  ///   - trustees: the trustees who get a copy that they open without the passphrase.
  package func protect(
    with passphrase: Passphrase, workFactor: Int, copyFor trustees: VouchedTrustees? = nil,
    now: Instant
  ) throws(Fault) -> (store: Store, report: ProtectionReport) {
    if header.isProtected {
      return try opened(with: passphrase).protection.protectWholly(copyFor: trustees, now: now)
    }
    let store = try sealIdentities(with: passphrase, workFactor: workFactor, now: now)
    var result = try store.protection.protectWholly(copyFor: trustees, now: now)
    result.report.wasProtected = false
    return result
  }

  /// Does what is left to do in a protected store that was opened: nothing of an identity stays in the clear,
  /// and no honor lock as it was sealed before.
  package func protectWholly(
    copyFor trustees: VouchedTrustees? = nil, now: Instant
  ) throws(Fault) -> (store: Store, report: ProtectionReport) {
    guard store.opened != nil else { throw .storeClosed }
    var report = ProtectionReport()
    report.wasProtected = true
    try store.trust.recipients()
    var store = store
    if let trustees {
      store = try writeCopy(for: trustees.recipient)
      report.copy = store.keys.trusteesCopy
    } else if let copy = unlistedCopy() {
      store = try take(copy)
    }
    try store.whileLocked { () throws(Fault) in
      try store.protection.requireSealedFile()
      try store.protection.sealNewcomers()
      // Only what is proved to open sealed is taken away in the clear.
      (report.removed, report.left) = try store.keys.removeClearCopies(
        of: openedIdentities().map { OpenedIdentity($0) })
    }
    try store.protection.sealLocksAnew(now: now, &report)
    return (try store.protection.finishProtection(), report)
  }

  /// Every identity that the store has in the clear.
  private func clearIdentities() throws(Fault) -> [AgeIdentity] {
    if store.headerProblem != nil { throw .sealedIdentityDamaged(path: store.layout.header.text) }
    if let path = store.copies.unreadable()?.path { throw .lostIdentity(path: path) }
    var all = store.keys.all()
    for copy in store.copies.identities() {
      for identity in (try? IdentityFile(Array(copy.file.utf8)).identities) ?? []
      where !all.contains(where: { $0.recipient == identity.recipient }) {
        all.append(identity)
      }
    }
    // A damaged identity, which might be mended, would be removed as a copy in the clear.
    let named = header.identities.map(\.recipient) + store.keys.stored().map(\.recipient)
    for recipient in named
    where !all.contains(where: { $0.recipient.description == recipient }) {
      throw .lostIdentity(path: layout.identity(recipient).text)
    }
    return all
  }

  /// Makes the fresh identity, seals it with all that are there, and commits the header that says so.
  private func sealIdentities(
    with passphrase: Passphrase, workFactor: Int, now: Instant
  ) throws(Fault) -> Store {
    try store.trust.recipients()
    let before = try clearIdentities()
    let fresh = try environment.newIdentity(now: now)
    var text = Array(fresh.file.utf8)
    defer { wipe(&text) }
    for identity in before {
      text += IdentityFile.text(identity, comments: ["public key: \(identity.recipient)"])
    }
    let sealed: [UInt8]
    do throws(AgeFailure) {
      let recipient = ScryptRecipient(passphrase, workFactor: workFactor)
      sealed = try AgeWriter(to: [recipient], random: environment.random).seal(text, armor: true)
      // It is read again before anything rests on it: an error of the memory would lose every honor
      // capsule.
      var proof = try Self.openSealed(sealed, with: [Self.ownIdentity(passphrase)])
      defer { wipe(&proof) }
      guard proof == text else { throw AgeFailure.headerMAC }
    } catch {
      throw .seal(error, path: "")
    }
    let identity = StoreIdentity(
      recipient: fresh.recipient, file: String(decoding: sealed, as: UTF8.self))
    return try store.whileLocked { () throws(Fault) in
      // Another process may have brought one in meanwhile.
      let known = Set(before.map(\.recipient.description))
      guard known.isSuperset(of: store.keys.all().map(\.recipient.description)) else {
        throw .protectionChanged(path: layout.identities.text)
      }
      let next = header.protected(by: identity)
      try store.trust.vouch(forNext: next)
      try write(next)
      guard let store = try Store.open(at: layout.root, environment: environment),
        let opened = store.protection.opened(by: text)
      else { throw .headerDamaged(path: layout.header.text) }
      try opened.trust.recipients()
      return opened
    }
  }

  private func write(_ identity: StoreIdentity, mode: UInt32) throws(Fault) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try files.createDirectories(layout.identities)
    try files.replace(
      layout.file(of: identity), Array(identity.file.utf8), mode: mode, by: temporary)
    try files.synchronizeDirectory(layout.root)
  }

  func write(_ header: StoreHeader) throws(Fault) {
    let temporary = layout.temporary.appending(try environment.temporaryName())
    try files.replace(
      layout.header, RecordFile.encode(header.fields), mode: 0o600, by: temporary)
  }

  /// Makes the file of the sealed identity where it is not as the header has it, and reads both back: nothing
  /// in the clear is removed before each of them is safe. Under the lock.
  private func requireSealedFile() throws(Fault) {
    guard let own = header.identities.first else { return }
    func bytes() -> [UInt8]? {
      try? files.readFile(layout.file(of: own), limit: KeyLines.maximumByteCount)
    }
    if bytes() != Array(own.file.utf8) { try write(own, mode: 0o400) }
    guard bytes() == Array(own.file.utf8) else {
      throw .headerDamaged(path: layout.file(of: own).text)
    }
    let header = try? files.readFile(layout.header, limit: RecordFile.sizeLimit)
    guard header.flatMap({ StoreHeader(bytes: $0) })?.identities.first == own else {
      throw .headerDamaged(path: layout.header.text)
    }
  }

  /// Seals identities that came in the clear since the store was protected. Under the lock.
  private func sealNewcomers() throws(Fault) {
    let known = openedIdentities().map(\.recipient)
    guard let own = known.first else { return }
    for identity in StoreKeys.stored(layout, files, sealed: false)
    where identity.holdsKey && !known.contains(where: { $0.description == identity.recipient }) {
      do throws(AgeFailure) {
        let sealed = try AgeWriter(to: [own], random: environment.random)
          .seal(Array(identity.file.utf8), armor: true)
        let file = String(decoding: sealed, as: UTF8.self)
        do {
          try write(StoreIdentity(recipient: identity.recipient, file: file), mode: 0o400)
        } catch {
          throw AgeFailure.sink(error)
        }
      } catch {
        if case .sink(let cause as Fault) = error { throw cause }
        throw .headerDamaged(path: layout.identity(identity.recipient).text)
      }
    }
  }

  /// Seals the identities to trustees, beside the one that the passphrase opens.
  private func writeCopy(for trustees: AgeRecipient) throws(Fault) -> Store {
    var text: [UInt8] = []
    defer { wipe(&text) }
    for identity in openedIdentities() {
      text += IdentityFile.text(identity, comments: ["public key: \(identity.recipient)"])
    }
    return try writeCopy(text, for: trustees)
  }

  private func writeCopy(
    _ text: [UInt8], for trustees: AgeRecipient
  ) throws(Fault) -> Store {
    let sealed: [UInt8]
    do {
      sealed = try AgeWriter(to: [trustees], random: environment.random).seal(text, armor: true)
    } catch {
      if case .random(let fault) = error { throw fault }
      throw .headerDamaged(path: layout.identities.text)
    }
    return try take(sealed)
  }

  /// Makes a file the copy for trustees, and keeps it in the header too.
  private func take(_ copy: [UInt8]) throws(Fault) -> Store {
    try store.whileLocked { () throws(Fault) in
      // Another process may have changed the header since this one read it.
      guard let current = try Store.open(at: layout.root, environment: environment),
        current.header.isProtected, current.header.identities == header.identities
      else { throw .protectionChanged(path: layout.header.text) }
      try write(current.header.with(trusteesCopy: String(decoding: copy, as: UTF8.self)))
      try store.keys.writeTrusteesCopy(copy)
      store.copies.keep()
      var store = try Store.open(at: layout.root, environment: environment)
      store?.opened = self.store.opened
      return store ?? self.store
    }
  }

  /// The file for trustees of a store whose header has no copy of it yet; nil where it is no age file.
  private func unlistedCopy() -> [UInt8]? {
    guard header.trusteesCopy == nil, let copy = store.keys.trusteesCopies().first,
      (try? AgeReader(MemorySource(copy), encoding: .armor)) != nil
    else { return nil }
    return copy
  }

  /// Seals the copy for trustees whose key another replaces anew, where that can be done without a question.
  ///
  /// - Parameters:
  ///   - former: their key before; nil where it is not at hand.
  ///   - now: the real time, for the index.
  /// - Returns: nil where there is no copy, or it is for others.
  /// - Throws: ``Fault`` of what is written.
  package func renewTrusteesCopy(
    with former: AgeIdentity?, to trustees: VouchedTrustees, now: Instant
  ) throws(Fault) -> CopyRenewal? {
    guard store.keys.hasTrusteesCopy else { return nil }
    guard let former else {
      // Another group's copy is not taken away.
      guard store.capsules.hasOneGroupOfTrustees(now: now), store.opened != nil else {
        return .left
      }
      _ = try writeCopy(for: trustees.recipient)
      return .renewed
    }
    for copy in store.keys.trusteesCopies() {
      guard var text = try? Self.openSealed(copy, with: [former]) else { continue }
      defer { wipe(&text) }
      _ = try writeCopy(text, for: trustees.recipient)
      return .renewed
    }
    // Where there is one group, it is for a key that the group had earlier still.
    return store.trustees.groups(now: now).count == 1 ? .left : nil
  }

  /// Writes the header without the mark of what is not done yet.
  private func finishProtection() throws(Fault) -> Store {
    guard header.isUnfinished != nil else { return store }
    return try store.whileLocked { () throws(Fault) in
      try write(header.finished())
      store.copies.keep()
      var store = try Store.open(at: layout.root, environment: environment)
      store?.opened = self.store.opened
      return store ?? self.store
    }
  }
}
