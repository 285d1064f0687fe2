extension Store {
  /// Returns the groups of trustees that can be read, in the order in which they were made.
  ///
  /// - Parameter now: the real time, for the index.
  package func trusteeGroups(now: Instant) -> [TrusteeGroup] {
    var index = index(.trustees, now: now)
    var groups: [TrusteeGroup] = []
    index.forEach(.ascending) { entry in
      if let group = try? read(TrusteeGroup.self, entry.id).model { groups.append(group) }
      return true
    }
    return groups
  }

  /// The group that the setting `trustees` names, which gets a spare of every new capsule that can have
  /// one; `nil` where it names none.
  ///
  /// - Throws: `.settingNamesNothing` for a group that is not there, and the errors of reading it.
  package func spareTrustees(
    _ settings: StoreSettings, now: Instant
  ) throws(StoreError) -> TrusteeGroup? {
    guard let name = settings.trustees else { return nil }
    guard let id = trustees(named: name, now: now) else {
      throw .settingNamesNothing(.trustees, name: name)
    }
    return try readIntact(TrusteeGroup.self, id).model
  }

  /// Refuses, under the lock, that a group goes which the setting names: what is sealed then would have
  /// nobody besides its owner.
  func requireNotNamed(_ record: RecordReference, now: Instant) throws(StoreError) {
    guard record.kind == .trustees, let name = try readSettings().settings.trustees,
      trustees(named: name, now: now) == record.id
    else { return }
    throw .namedBySetting(.trustees, name: name)
  }

  private func trustees(named name: String, now: Instant) -> RecordID? {
    var index = index(.trustees, now: now)
    let key = NameKey(name)
    return index.entries(nameHash: key.hash).first { NameKey($0.title) == key }?.id
  }
}
