/// The reason why a store cannot be protected, or why a protected one does not open.
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
}

// To open a protected store.
extension StoreProtection {
  /// Whether its identities are sealed, and its passphrase was not given.
  package var isClosed: Bool { header.isProtected && store.opened == nil }

  /// Returns the store with its identities opened; one that is not protected as it is.
  ///
  /// - Throws: `.wrongPassphrase`, `.damaged`, `.seal`.
  package func opened(with passphrase: Passphrase) throws(ProtectionFault) -> Store {
    guard header.isProtected else { return store }
    var isWrong = false
    for text in sealedTexts() {
      do throws(AgeFailure) {
        var plain = try Self.openSealed(text, with: [Self.ownIdentity(passphrase)])
        defer { wipe(&plain) }
        if let store = opened(by: plain) { return store }
      } catch {
        switch error {
        case .noMatch: isWrong = true
        case .memory, .tooMuchWork: throw .seal(error)
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
      do throws(AgeFailure) {
        var plain = try Self.openSealed(copy, with: identities)
        defer { wipe(&plain) }
        if let store = opened(by: plain) { return store }
        isDamaged = true
      } catch {
        if case .noMatch = error { continue }
        isDamaged = true
      }
    }
    if isDamaged { throw .damaged(path: store.keys.trusteesCopy.text) }
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
