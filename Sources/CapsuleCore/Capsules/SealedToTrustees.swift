/// A capsule that the trustees of a group can open, or may be able to.
package struct SealedToTrustees: Hashable, Sendable {
  package enum Way: String, Hashable, Sendable {
    /// They are an escrow of its timelock.
    case escrow
    /// It has a spare of its key, which does not say for whom.
    case spare
    /// It is sealed to recipients, and its record does not say to whom.
    case recipients
  }

  package let id: RecordID
  package let title: String
  package let way: Way
  /// Its spare, where it has one.
  fileprivate let spare: String?
}

extension Store {
  /// Returns the capsules that are sealed to a key of trustees, or may be: a sealed file names no
  /// recipient.
  ///
  /// - Parameter now: the real time, for the index.
  package func capsules(sealedTo recipient: String, now: Instant) -> [SealedToTrustees] {
    var index = index(.capsule, now: now)
    var found: [SealedToTrustees] = []
    index.forEach(.ascending) { entry in
      guard let capsule = try? read(Capsule.self, entry.id).model else { return true }
      let lock = capsule.lock
      let way: SealedToTrustees.Way? =
        if lock.usableSpare != nil {
          .spare
        } else if lock.timelock?.escrow.contains(recipient) == true {
          .escrow
        } else if (lock.timelock?.inner ?? lock.kind) == .recipients {
          .recipients
        } else {
          nil
        }
      if let way {
        found.append(
          SealedToTrustees(id: entry.id, title: capsule.title, way: way, spare: lock.usableSpare))
      }
      return true
    }
    return found
  }
}

/// The capsules that were sealed to a key of trustees which another has replaced.
package struct SpareRenewals: Sendable {
  /// The capsules with a spare for the new key in the place of the one before.
  package fileprivate(set) var renewed: [SealedToTrustees] = []
  /// The capsules that the key before still opens, or may open.
  package fileprivate(set) var left: [SealedToTrustees] = []
}

extension Store {
  /// Whether there never was a key of trustees besides that of one group and the one that it replaced.
  package func hasOneGroupOfTrustees(now: Instant) -> Bool {
    trusteeGroups(now: now).flatMap(\.withFormer).count == 2
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
    sealedTo recipient: String, with former: AgeIdentity?, to trustees: AgeRecipient, now: Instant
  ) -> SpareRenewals {
    let areAllTheirs = hasOneGroupOfTrustees(now: now)
    let known = KnownLocks(self)
    var renewals = SpareRenewals()
    for capsule in capsules(sealedTo: recipient, now: now) {
      let isTheirs =
        capsule.spare.flatMap { known.knows(spare: $0, for: recipient, of: capsule.id) }
        ?? (areAllTheirs ? true : nil)
      if capsule.way == .spare, isTheirs == false { continue }
      guard capsule.way == .spare, former != nil || isTheirs == true else {
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
