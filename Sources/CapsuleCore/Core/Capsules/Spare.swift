/// The reason for which a lock has no spare for trustees.
package enum SpareRefusal: Hashable, Sendable {
  /// It is sealed to recipients: trustees are one of them from the beginning, or not at all.
  case recipients
  /// Nothing but its date is asked for: a spare would be in the place of nothing.
  case timelock
  /// The key of the trustees is X25519 and the capsule is post-quantum: the spare would be its weakest
  /// part.
  case weaker
}

extension Lock {
  /// The reason for which a capsule's lock takes no spare for trustees; `nil` where it does.
  package func refusalOfSpare(to trustees: AgeRecipient) -> SpareRefusal? {
    SpareRefusal(
      kind, inside: timelock?.inner,
      isWeaker: RecipientText.isMarkedHybrid(recipient) && !trustees.isPostQuantum)
  }
}

extension LockRequest {
  /// Returns the lock with a spare for trustees, in the place of the passphrase or of the store's identity.
  ///
  /// - Parameter isPostQuantum: whether the store seals against quantum computers.
  package func withSpare(
    to trustees: VouchedTrustees, isPostQuantum: Bool
  ) throws(Fault) -> LockRequest {
    let isWeaker = isPostQuantum && keepsFromQuantumComputers && !trustees.recipient.isPostQuantum
    if let refusal = SpareRefusal(kind, inside: timelock?.inner, isWeaker: isWeaker) {
      throw .noSpare(refusal)
    }
    let outer = timelock == nil ? [] : Array(layers.prefix(1))
    return LockRequest(
      kind: kind, layers: layers, timelock: timelock, spareLayers: outer + [[trustees.recipient]],
      trustees: trustees)
  }
}

extension SpareRefusal {
  /// `nil` for a lock that can have a spare.
  fileprivate init?(_ kind: LockKind, inside: LockKind?, isWeaker: Bool) {
    switch inside ?? kind {
    case .recipients: self = .recipients
    case .timelock: self = .timelock
    case .passphrase, .honor:
      guard isWeaker else { return nil }
      self = .weaker
    }
  }
}

/// A sealed copy of a capsule's key for trustees.
package struct TrusteeSpare: Sendable {
  /// `lock.spare`.
  package let key: String
  /// The recipient that it is sealed to, which cannot be seen in it.
  package let recipient: String
}

/// Tells for whom a capsule's spare is: a sealed file names no recipient.
package struct SpareHolders: Sendable {
  package enum Holder: Hashable, Sendable {
    /// The spare is sealed to the group's present key.
    case theirs
    /// It is sealed to another group, or to a key that the group had before.
    case others
    /// It was made on another machine, and the store has had more than one key of trustees.
    case unknown
  }

  package let group: TrusteeGroup
  private let known: KnownLocks
  /// Whether the store never had another key of trustees.
  private let isOnlyKey: Bool

  /// - Parameter now: the real time, for the index.
  package init(of group: TrusteeGroup, in store: Store, now: Instant) {
    self.group = group
    known = KnownLocks(store)
    let keys = store.trustees.groups(now: now).flatMap(\.withFormer).map(\.recipient)
    isOnlyKey = keys.allSatisfy { $0 == group.recipient }
  }

  /// Returns whose the capsule's spare is; `nil` where it has none.
  package func holder(of capsule: Capsule) -> Holder? {
    guard let spare = capsule.lock.usableSpare else { return nil }
    return switch known.knows(spare: spare, for: group.recipient, of: capsule.id) {
    case true?: .theirs
    case false?: .others
    case nil: isOnlyKey ? .theirs : .unknown
    }
  }
}

/// A capsule that the trustees of a group can open, or may be able to.
package struct SealedToTrustees: Hashable, Sendable {
  package enum Way: String, Hashable, Sendable {
    /// They are an escrow of its timelock.
    case escrow
    /// It has a spare of its key, which does not say for whom.
    case spare
    /// It is sealed to recipients, and its record does not say to whom.
    case recipients
    /// Its record cannot be read: nobody knows.
    case unreadable
  }

  package let id: RecordID
  /// Its title; empty where it cannot be read.
  package let title: String
  package let way: Way
  /// Whether it lies in the trash, from where it can come back.
  package let isInTrash: Bool
  /// Its spare, where that is the way.
  fileprivate let spare: String?
}

extension StoreCapsules {
  /// Returns the capsules that are sealed to a key of trustees, or may be: a sealed file names no
  /// recipient. Those in the trash are the last, and one that is so in two ways is there twice.
  ///
  /// - Parameter now: the real time, for the index.
  package func all(sealedTo recipient: String, now: Instant) -> [SealedToTrustees] {
    var found: [SealedToTrustees] = []
    func add(_ id: RecordID, _ capsule: Capsule?, isInTrash: Bool) {
      let lock = capsule?.lock
      for way in lock.map({ Self.ways($0, to: recipient) }) ?? [.unreadable] {
        found.append(
          SealedToTrustees(
            id: id, title: capsule?.title ?? "", way: way, isInTrash: isInTrash,
            spare: way == .spare ? lock?.usableSpare : nil))
      }
    }
    var seen: Set<RecordID> = []
    func addLive(_ id: RecordID) {
      guard seen.insert(id).inserted else { return }
      do {
        add(id, try store.read(Capsule.self, id).model, isInTrash: false)
      } catch {
        // It may have been deleted meanwhile.
        if error.code == .recordGone { return }
        add(id, nil, isInTrash: false)
      }
    }
    var index = store.index.open(.capsule, now: now)
    for entry in index.problems() where entry.summary.isEmpty { addLive(entry.id) }
    index.forEach(.ascending) { entry in
      addLive(entry.id)
      return true
    }
    for record in (try? store.trash.records(.capsule)) ?? [] where seen.insert(record.id).inserted {
      let bytes = try? files.readFile(record.path, limit: RecordFile.sizeLimit)
      let capsule = bytes.flatMap {
        try? StoredRecord<Capsule>($0, id: record.id, path: record.path).model
      }
      add(record.id, capsule, isInTrash: true)
    }
    return found
  }

  /// Returns the ways in which trustees can open a lock, or may be able to.
  private static func ways(_ lock: Lock, to recipient: String) -> [SealedToTrustees.Way] {
    var ways: [SealedToTrustees.Way] = lock.usableSpare == nil ? [] : [.spare]
    if lock.timelock?.escrow.contains(recipient) == true {
      ways.append(.escrow)
    } else if (lock.timelock?.inner ?? lock.kind) == .recipients {
      ways.append(.recipients)
    }
    return ways
  }
}

/// The capsules that were sealed to a key of trustees which another has replaced.
package struct SpareRenewals: Sendable {
  /// The capsules with a spare for the new key in the place of the one before.
  package fileprivate(set) var renewed: [SealedToTrustees] = []
  /// The capsules that the key before still opens, or may open.
  package fileprivate(set) var left: [SealedToTrustees] = []
}

extension StoreCapsules {
  /// Whether there never was a key of trustees besides that of one group and the one that it replaced.
  package func hasOneGroupOfTrustees(now: Instant) -> Bool {
    store.trustees.groups(now: now).flatMap(\.withFormer).count == 2
  }

  /// Seals the spares of the capsules that a replaced key of trustees opens anew to the present one, where
  /// their keys can be had without a question.
  ///
  /// - Parameters:
  ///   - recipient: the recipient of the replaced key.
  ///   - former: that key; `nil` where it is not at hand. A spare is known for theirs then only where there
  ///     never was another key of trustees, or where this machine made it.
  ///   - now: the real time.
  package func renewSpares(
    sealedTo recipient: String, with former: AgeIdentity?, to trustees: VouchedTrustees,
    now: Instant
  ) -> SpareRenewals {
    let areAllTheirs = hasOneGroupOfTrustees(now: now)
    let known = KnownLocks(store)
    var renewals = SpareRenewals()
    for capsule in all(sealedTo: recipient, now: now) {
      let isTheirs =
        capsule.spare.flatMap { known.knows(spare: $0, for: recipient, of: capsule.id) }
        ?? (areAllTheirs ? true : nil)
      if capsule.way == .spare, isTheirs == false { continue }
      // What lies in the trash stays as it is; restored it opens as before.
      guard capsule.way == .spare, !capsule.isInTrash, former != nil || isTheirs == true else {
        renewals.left.append(capsule)
        continue
      }
      switch renewSpare(of: capsule.id, with: former, to: trustees, now: now) {
      case .done: renewals.renewed.append(capsule)
      case .otherGroup: break
      case .left: renewals.left.append(capsule)
      }
    }
    return renewals
  }
}

/// The outcome of sealing a spare anew to other trustees.
package enum SpareRenewal: Hashable, Sendable {
  case done
  /// The spare is another group's: it stays.
  case otherGroup
  /// Its key cannot be had now, or the record cannot be changed.
  case left
}

extension StoreCapsules {
  /// Seals the spare of a capsule anew, where its key can be had without a question: with the key of the
  /// trustees before, or with the store's identity.
  ///
  /// - Parameter former: the trustees' key before; `nil` where it is not at hand, and every spare is
  ///   theirs.
  package func renewSpare(
    of id: RecordID, with former: AgeIdentity?, to trustees: VouchedTrustees, now: Instant
  ) -> SpareRenewal {
    do {
      let record = try store.readIntact(Capsule.self, id)
      var opening = try CapsuleOpening(record, in: store)
      var change = CapsuleChange()
      if let former {
        let keys = TrusteeKeys(identity: former)
        change.spare = try opening.spare(to: trustees, with: keys, beacons: Keys.none)
      } else {
        change.spare = try opening.spare(to: trustees, with: Keys.none, beacons: Keys.none)
      }
      _ = try self.change(record, change, now: now)
      return .done
    } catch {
      if former != nil, case .noKey? = error.opening { return .otherGroup }
      return .left
    }
  }
}

/// The key of trustees, which opens the spares of a store.
private struct TrusteeKeys: KeySource {
  let identity: AgeIdentity

  var areOfTrustees: Bool { true }

  func identities() -> [any Identity] { [identity] }

  func passphrase(attempt: Int) -> Passphrase? { nil }
}

/// A group of trustees whose recipient this device knows, or sees for the first time: only such a one is sealed to.
package struct VouchedTrustees: Sendable {
  package let group: TrusteeGroup
  package let recipient: AgeRecipient

  fileprivate init(_ group: TrusteeGroup, _ recipient: AgeRecipient) {
    self.group = group
    self.recipient = recipient
  }
}

extension StoreTrust {
  /// Returns the group, where its recipient is the one that this device knows; the first use makes it known.
  ///
  /// - Throws: `.keyNotAccepted`, and `.recordDamaged` for a recipient that nothing can be sealed to.
  package func vouched(_ group: TrusteeGroup) throws(Fault) -> VouchedTrustees {
    let recipient: AgeRecipient
    do { recipient = try AgeRecipient(group.recipient) } catch {
      throw .damaged(
        .field(FieldError(path: "recipient", problem: .invalid(group.recipient))),
        path: layout.record(.trustees, group.id).text)
    }
    try requireVouched(group)
    return VouchedTrustees(group, recipient)
  }

  /// Returns the recipients of people, where they are those that this device knows, or sees for the first time; none
  /// of people who have none.
  ///
  /// - Throws: ``Fault/untrusted(_:path:)``, ``KeyFault``.
  package func recipients(
    of people: [Beneficiary]
  ) throws -> [RecordID: AgeRecipient] {
    let untrusted = try untrusted(among: people)
    var recipients: [RecordID: AgeRecipient] = [:]
    for person in people {
      if let error = untrusted[person.id] { throw error }
      if !person.recipient.isEmpty {
        recipients[person.id] = try AgeRecipient(person.recipient)
      }
    }
    return recipients
  }

  /// The group that the setting `trustees` names, which gets a spare of every new capsule that can have
  /// one; `nil` where it names none.
  ///
  /// - Throws: `.settingNamesNothing` for a group that is not there, `.keyNotAccepted`, `.ambiguous` where two groups
  ///   have its name, and the errors of reading it.
  package func spareTrustees(now: Instant) throws(Fault) -> VouchedTrustees? {
    guard let name = try sealing().settings.trustees else { return nil }
    let ids = store.trustees.named(name, now: now).map(\.id)
    guard let id = ids.first else { throw .settingNamesNothing(.trustees, name: name) }
    guard ids.count == 1 else {
      // Neither is meant, whichever of them this device knows.
      for problem in try problems() {
        guard let record = problem.record, record.kind == .trustees, ids.contains(record.id)
        else { continue }
        throw .untrusted(problem, path: layout.record(.trustees, record.id).text)
      }
      throw .severalGroups(name)
    }
    return try vouched(try store.readIntact(TrusteeGroup.self, id).model)
  }
}

extension SpareRefusal {
  /// The reason in words, behind "it".
  package var words: String {
    switch self {
    case .recipients:
      "the capsule is sealed to recipients, so a recovery copy would not replace a passphrase"
    case .timelock: "only the date opens the capsule, and a recovery copy cannot open it earlier"
    case .weaker:
      "the trustees' key is not post-quantum, so a recovery copy would be the weakest part of the capsule"
    }
  }

  var hint: String {
    switch self {
    case .recipients:
      "create the capsule again with both: --recipient and --trustees"
    case .timelock: "create the capsule again with both: --timelock and --trustees"
    case .weaker: "make another group with a post-quantum key: capsule trustees make"
    }
  }
}

extension Fault {
  /// A capsule that can have no spare for trustees.
  package static func noSpare(_ refusal: SpareRefusal) -> Fault {
    Fault(
      .noRecoveryCopy, "no recovery copy for trustees: \(refusal.words)", hint: refusal.hint,
      cause: refusal
    )
  }
}
