/// A lock as it is asked for, before a passphrase is known: the keys that open it, and its trustees.
package struct LockPlan: Sendable {
  package var usesPassphrase = false
  package var recipients: [any Recipient] = []
  /// The trustees who can open it together; `nil` for none.
  package var trustees: VouchedTrustees?
  /// Whether it opens from a date on only.
  package var isTimelocked = false
  /// Whether a timelock asks for the trustees besides.
  package var asksForTrustees = false
  /// Whether the store seals against quantum computers.
  package let isPostQuantum: Bool

  package init(isPostQuantum: Bool) {
    self.isPostQuantum = isPostQuantum
  }

  /// The place of trustees in a lock.
  package enum TrusteesPlace: Sendable {
    /// In the place of a passphrase.
    case spare
    /// Beside the date, in its place.
    case escrow
    /// One more recipient.
    case recipient
  }

  /// Beside a passphrase trustees get a spare, beside a timelock alone they are its escrow; in every other
  /// lock they are one more recipient.
  package var trusteesPlace: TrusteesPlace {
    if usesPassphrase { return .spare }
    return isTimelocked && recipients.isEmpty && !asksForTrustees ? .escrow : .recipient
  }

  /// Refuses keys that make no lock together, before anybody types a passphrase.
  package func requirePossible() throws(Fault) {
    guard usesPassphrase else { return }
    guard recipients.isEmpty else { throw Fault.passphraseBesideRecipients }
    if let trustees, !trustees.recipient.isPostQuantum, isPostQuantum {
      throw Fault.weakTrustees(name: trustees.group.name)
    }
  }

  /// Returns the first of an escrow who is a recipient too, and so opens it alone at any time.
  package func recipient(among escrow: [AgeRecipient]) -> AgeRecipient? {
    let own = trusteesPlace == .recipient ? trustees?.recipient : nil
    return escrow.first { key in
      key == own || recipients.contains { $0 as? AgeRecipient == key }
    }
  }

  /// Returns the lock.
  ///
  /// - Parameters:
  ///   - passphrase: the passphrase that opens it, where one does.
  ///   - timelock: the chain, the unlock time, and who can lift the timelock at any time, where it has one.
  /// - Throws: ``Fault``, ``RecipientsFault``, ``RoundOutOfRange``.
  package func request(
    passphrase: ScryptRecipient?,
    timelock: (chain: TlockChain, until: Instant, escrow: [AgeRecipient])?
  ) throws -> LockRequest {
    try requirePossible()
    let key = trustees?.recipient
    let place = trusteesPlace
    var layer: [any Recipient] = recipients
    if let passphrase { layer.append(passphrase) }
    if let key, place == .recipient { layer.append(key) }
    var request = LockRequest.honor
    if !layer.isEmpty {
      try AgeWriter.check(layer)
      request = LockRequest(
        kind: passphrase == nil ? .recipients : .passphrase, layers: [layer],
        spareLayers: place == .spare ? key.map { [[$0]] } ?? [] : [], trustees: trustees)
    }
    guard let timelock else { return request }
    _ = try timelock.chain.roundTime(at: timelock.until)
    return request.timelocked(
      by: timelock.chain, until: timelock.until,
      escrow: timelock.escrow + (place == .escrow ? key.map { [$0] } ?? [] : []),
      trustees: trustees)
  }
}

extension LockRequest {
  /// Returns the lock inside a timelock: both are asked for.
  ///
  /// - Parameters:
  ///   - escrow: the recipients who can lift the timelock at any time.
  ///   - trustees: those whose key is among the recipients or the escrow.
  func timelocked(
    by chain: TlockChain, until instant: Instant, escrow: [AgeRecipient],
    trustees: VouchedTrustees? = nil
  ) -> LockRequest {
    let recipient = TlockRecipient(chain: chain, until: instant)
    let outer: [any Recipient] = [recipient] + escrow
    return LockRequest(
      kind: .timelock, layers: [outer] + layers,
      timelock: Timelock(
        chain: chain, round: recipient.round, inner: kind == .honor ? nil : kind,
        escrow: escrow.map(\.description)),
      spareLayers: spareLayers.isEmpty ? [] : [outer] + spareLayers,
      trustees: trustees ?? self.trustees)
  }
}

/// The use that a large quantum computer is to whoever has a copy of the store.
package enum QuantumStrength: Hashable, Sendable {
  /// Nothing is claimed: the key lies in the store.
  case unclaimed
  /// The computer opens the capsule.
  case readable
  /// The computer is of no use beyond guessing the passphrase, for which no date has to come.
  case passphrase
  /// The computer is of no use. It lifts a timelock early, but does not open what is inside.
  case secret
}

extension Capsule {
  /// The strength of the lock against quantum computers: that of the weakest part that the record
  /// shows.
  package var quantumStrength: QuantumStrength {
    guard lock.kind != .honor else { return .unclaimed }
    guard RecipientText.isMarkedHybrid(lock.recipient) else { return .readable }
    switch lock.timelock?.inner ?? lock.kind {
    case .passphrase:
      let isWeak = lock.timelock == nil && lock.usableSpare.map(Self.isSealedToOthers) ?? false
      return isWeak ? .readable : .passphrase
    case .recipients:
      return lock.timelock == nil && Self.isSealedToOthers(lock.key) ? .readable : .secret
    case .honor, .timelock: return .readable
    }
  }

  /// Whether some copy of the key in a layer is for another than a post-quantum recipient: another
  /// program may have sealed it so.
  private static func isSealedToOthers(_ layer: String) -> Bool {
    guard let reader = try? AgeReader(MemorySource(Array(layer.utf8))) else { return true }
    return !reader.header.stanzas.allSatisfy { $0.kind == KeyKind.hybrid.stanza }
  }
}

/// One key that a new capsule is sealed to.
package struct SealedTo: Sendable {
  package enum Role: String, Sendable {
    /// The store's own key: an honor lock.
    case store
    case passphrase
    case recipient
    /// A beacon of the drand network.
    case timelock
    /// Lifts the timelock at any time.
    case escrow
    /// A second copy of the capsule's key, in the place of the passphrase or of the store's key.
    case recoveryCopy
  }

  package let role: Role
  /// `age1…`; `nil` for a passphrase and a timelock.
  package let recipient: String?
  /// The trustees who hold its key; `nil` for others.
  package let trustees: TrusteeGroup?
}

extension LockRequest {
  /// Every key that a capsule with this lock is sealed to, the outermost layer first.
  ///
  /// - Parameter own: the recipients of the store.
  package func sealedTo(own: [String]) -> [SealedTo] {
    func entry(_ recipient: any Recipient, _ role: SealedTo.Role) -> SealedTo {
      if recipient is TlockRecipient {
        return SealedTo(role: .timelock, recipient: nil, trustees: nil)
      }
      guard let key = recipient as? AgeRecipient else {
        return SealedTo(role: .passphrase, recipient: nil, trustees: nil)
      }
      let group = trustees.flatMap { $0.recipient == key ? $0.group : nil }
      return SealedTo(role: role, recipient: key.description, trustees: group)
    }
    guard kind != .honor else {
      return own.map { SealedTo(role: .store, recipient: $0, trustees: nil) } + copies(entry)
    }
    return layers.flatMap { layer in
      let isTimelock = layer.contains { $0 is TlockRecipient }
      return layer.map { entry($0, isTimelock ? .escrow : .recipient) }
    } + copies(entry)
  }

  private func copies(
    _ entry: (any Recipient, SealedTo.Role) -> SealedTo
  ) -> [SealedTo] {
    (spareLayers.last ?? []).map { entry($0, .recoveryCopy) }
  }
}

extension Fault {
  package static let passphraseBesideRecipients = Fault(
    .usage, "a passphrase and recipients cannot be combined in one lock",
    hint: "choose one of the two; either would open the capsule alone")

  package static func weakTrustees(name: String) -> Fault {
    Fault(
      .refused,
      "the key of '\(name)' is not post-quantum, so a recovery copy would be the weakest part of the capsule",
      hint: "make a group with a post-quantum key, or leave out --trustees")
  }
}
