/// The changes that a person asks of a capsule; parts that are not named stay.
package struct CapsuleChange: Sendable {
  package var title: String?
  package var notes: String?
  package var addedTags: [String] = []
  package var removedTags: [String] = []
  /// A later unlock time, and the IANA zone that it was given in.
  package var unlock: (at: Instant, zone: String)?
  /// Whether a later unlock time may lock a capsule that was opened.
  package var locksAgain = false
  /// A sealed copy of the key for trustees, ``CapsuleOpening/spare(to:with:beacons:)``.
  package var spare: TrusteeSpare?
  /// Whether the copy for trustees goes, and older versions in this device's journal with it.
  package var dropsSpare = false

  package init() {}

  /// Sees to it that the change may be made to a capsule.
  ///
  /// - Throws: `.forbidden`: for an earlier unlock time, and for a later one of a capsule that was opened,
  ///   unless ``locksAgain``.
  package func requireAllowed(on capsule: Capsule) throws(StoreError) {
    var changed = capsule
    apply(to: &changed)
    try changed.requireAllowed(after: capsule, locksAgain: locksAgain)
  }

  fileprivate func apply(to capsule: inout Capsule) {
    if let title { capsule.title = title }
    if let notes { capsule.notes = notes }
    let removed = removedTags.map { NameKey($0) }
    capsule.tags = (capsule.tags + addedTags).unique.filter { !removed.contains(NameKey($0)) }
    if dropsSpare { capsule.lock.take(spare: nil) }
    if let spare { capsule.lock.take(spare: spare.key) }
    if let unlock { (capsule.unlockAt, capsule.unlockZone) = (unlock.at, unlock.zone) }
  }
}

extension StoreCapsules {
  /// Changes a capsule that was read before. Where another process changed it meanwhile, the change is
  /// made to what that one wrote.
  ///
  /// - Returns: the capsule as it is then; of the same revision where there was nothing to change.
  /// - Throws: `.store`: `.forbidden` as ``CapsuleChange/requireAllowed(on:)`` does, and as ``Store/update(_:now:blobs:forgetsOlder:locksAgain:)`` does.
  package func change(
    _ record: StoredRecord<Capsule>, _ change: CapsuleChange, now: Instant
  ) throws(CapsuleError) -> Capsule {
    try requireIntact(record)
    var current = record
    defer {
      if let spare = change.spare {
        KnownLocks(store).keep(spare: spare.key, for: spare.recipient, of: record.model.id)
      }
    }
    while true {
      do throws(StoreError) {
        var changed = current
        change.apply(to: &changed.model)
        if changed.model == current.model { return current.model }
        return try store.update(
          changed, now: now, forgetsOlder: change.dropsSpare, locksAgain: change.locksAgain
        ).model
      } catch {
        guard case .changedMeanwhile = error else { throw .store(error) }
      }
      do throws(StoreError) {
        current = try store.readIntact(Capsule.self, record.model.id)
      } catch {
        throw .store(error)
      }
    }
  }
}
