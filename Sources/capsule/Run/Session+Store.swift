import CapsuleCore

extension Session {
  /// The environment of a store: all that it reaches outside itself.
  var storeEnvironment: StoreEnvironment {
    let host = host
    return StoreEnvironment(
      fileSystem: host.files, random: host.random,
      patience: LockPatience(limit: options.lockTimeout * 1000) { milliseconds in
        host.wait(.max, Int64(milliseconds) * 1_000_000)
      },
      cacheHome: places.cache, stateHome: places.state,
      holder: "\(host.identity()): capsule \(verb)\n",
      clock: StoreClock({ [now] in now }, nanoseconds: host.wallClock))
  }

  /// The store, for a command that only reads; `nil` where there is none, which answers as an empty
  /// one does.
  func existingStore() throws -> Store? {
    let path = try storePath()
    let store = try Store.open(at: path, environment: storeEnvironment)
    guard let store else {
      if places.storeIsNamed {
        console.warning(
          "there is no store in '\(path.text)'",
          hint: "check the path, or that the disk is mounted; the first 'create' makes a store")
      }
      return nil
    }
    noteUse(of: store)
    return store
  }

  /// The store, for a command that names something in it.
  func requiredStore(
    for reference: String, among kinds: [RecordKind] = [.capsule]
  ) throws -> Store {
    guard let store = try existingStore() else {
      throw Failure.notFound(reference, among: kinds)
    }
    return store
  }

  /// The store, for a command that puts something into it: made where there is none.
  func storeForChange() throws -> Store {
    let path = try storePath()
    let store = try Store.openOrCreate(at: path, environment: storeEnvironment, now: now)
    noteUse(of: store)
    return store
  }

  /// Warns of what matters whenever a store is used: a damaged header, and a clock that went back.
  private func noteUse(of store: Store) {
    switch store.headerProblem?.kind {
    case nil: break
    case .unreadable:
      console.warning(
        "'\(store.layout.header.text)' cannot be read: a copy of it is used",
        hint: "the disk may be failing: 'capsule backup' first, then 'capsule verify'")
    default:
      console.warning(
        "'\(store.layout.header.text)' is not what was written",
        hint: "'capsule verify' says what is damaged, 'capsule repair' mends it")
    }
    warnOfOthers(in: store)
    // A passphrase whose time is over does not wait for the next use of it.
    if store.header.isProtected { HeldPassphrase.place(self, of: store)?.dropExpired() }
    if let state = store.stateDirectory,
      let seen = LastSeen(state, environment: store.environment).note(now)
    {
      console.warning(
        "the clock stands before the last time seen here, \(dateTime(seen))",
        hint: "if the clock is wrong, set it; what is locked stays locked by the clock",
        details: ["lastSeenAt": .string(seen.rfc3339)])
    }
  }

  /// The store's settings; where their file cannot be used, a warning and the defaults.
  func storeSettings(_ store: Store?) -> StoreSettings {
    guard let store else { return StoreSettings() }
    do throws(StoreError) {
      let (settings, integrity) = try store.readSettings()
      if let integrity { warnOfSettings(store, words: integrity.words) }
      return settings
    } catch {
      warnOfSettings(store, words: "cannot be read")
      return StoreSettings()
    }
  }

  private func warnOfSettings(_ store: Store, words: String) {
    console.warning(
      "'\(store.layout.settings.text)' \(words)",
      hint: "'capsule repair' puts back what was written; 'capsule settings set' changes it")
  }
}
