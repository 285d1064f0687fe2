/// The groups of trustees.
package struct StoreTrustees: StoreSubject {
  package let store: Store
}

extension StoreTrustees {
  /// Returns the groups of trustees that can be read, in the order in which they were made.
  ///
  /// - Parameter now: the real time, for the index.
  package func groups(now: Instant) -> [TrusteeGroup] {
    var index = store.index.open(.trustees, now: now)
    var groups: [TrusteeGroup] = []
    index.forEach(.ascending) { entry in
      if let group = try? store.read(TrusteeGroup.self, entry.id).model { groups.append(group) }
      return true
    }
    return groups
  }

  /// Refuses, under the lock, that a group goes which the setting names: what is sealed then would have
  /// nobody besides its owner.
  func requireNotNamed(_ record: RecordReference, now: Instant) throws(StoreError) {
    guard record.kind == .trustees, let name = try store.settings.read().settings.trustees,
      named(name, now: now) == record.id
    else { return }
    throw .namedBySetting(.trustees, name: name)
  }

  func named(_ name: String, now: Instant) -> RecordID? {
    var index = store.index.open(.trustees, now: now)
    let key = NameKey(name)
    return index.entries(nameHash: key.hash).first { NameKey($0.title) == key }?.id
  }
}
