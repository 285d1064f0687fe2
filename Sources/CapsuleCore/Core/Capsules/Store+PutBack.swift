/// The lock and the contents of a capsule, put back from what it was.
extension StoreJournal {
  /// Writes what an earlier version says as a new edit. A capsule gets back the lock and the contents of that
  /// version where those of today do not fit or are fewer.
  ///
  /// - Throws: as ``restore(_:of:now:onto:)`` does.
  package func restore<Model: RecordModel>(
    _ version: RecordVersion, of record: StoredRecord<Model>, now: Instant
  ) throws(StoreError) -> StoredRecord<Model> {
    try restore(version, of: record, now: now) { earlier, today throws(StoreError) in
      guard let earlier = earlier as? Capsule, let capsule = today as? Capsule else { return today }
      return try store.capsules.puttingBack(earlier, into: capsule) as? Model ?? today
    }
  }
}

extension StoreCapsules {
  /// Returns a capsule with what another version of it has: the lock where that of today is wrong, the contents
  /// that are missing, the later unlock time, and the earlier opening. The same one comes back where nothing
  /// is amiss.
  ///
  /// A lock is made once. So of several the one of the oldest version is right, of those that nothing disagrees with.
  func puttingBack(_ earlier: Capsule, into today: Capsule) throws(StoreError) -> Capsule {
    var result = today
    result.unlockAt = max(today.unlockAt, earlier.unlockAt)
    result.openedAt = [today.openedAt, earlier.openedAt].compactMap { $0 }.min()
    let hasAll = Set(today.contents).isSuperset(of: earlier.contents)
    if hasAll, today.lock == earlier.lock { return result }
    let identities = store.keys.all() as [any Identity]
    let known = KnownLocks(store).all(shard: today.id.shard)
    func isWrong(_ capsule: Capsule) -> Bool {
      if known.knows(capsule.lock.recipient, of: today.id) == false { return true }
      switch lockProblem(of: capsule, with: identities) {
      // The lock is right, and the record is not.
      case nil, .unlockEarlier: return false
      default: return true
      }
    }
    var versions = [today, earlier]
    for version in try store.journal.versions(of: .capsule, today.id) {
      let path = layout.record(.capsule, today.id)
      if let model = try? StoredRecord<Capsule>(version.bytes, id: today.id, path: path).model {
        versions.append(model)
      }
    }
    let right = versions.filter { !isWrong($0) }.min { $0.revision < $1.revision }
    guard let right, right.lock.isSame(as: earlier.lock), !isWrong(earlier) else { return result }
    if !today.lock.isSame(as: right.lock) || isWrong(today) { result.lock = earlier.lock }
    if today.lock.recipient == earlier.lock.recipient {
      let ids = Set(earlier.contents.map(\.id))
      if !hasAll {
        result.contents = earlier.contents + today.contents.filter { !ids.contains($0.id) }
      }
    } else {
      // What was sealed to another recipient opens with no key of this lock.
      result.contents = earlier.contents
    }
    if case .unlockEarlier(let sealed) = lockProblem(of: result, with: identities) {
      result.unlockAt = sealed
    }
    return result
  }
}

extension Lock {
  /// Whether it is the same lock, whatever each machine has of its own in it: the sealed key of an honor lock, the
  /// beacon of a timelock, and a spare.
  fileprivate func isSame(as other: Lock) -> Bool { bare == other.bare }

  private var bare: Lock {
    var lock = self
    if lock.kind == .honor { lock.take(keySealedAnew: "") }
    lock.timelock?.beacon = nil
    lock.take(spare: "")
    return lock
  }
}
