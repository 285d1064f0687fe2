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
      do throws(StoreError) {
        add(id, try store.read(Capsule.self, id).model, isInTrash: false)
      } catch {
        // It may have been deleted meanwhile.
        if case .notFound = error { return }
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
