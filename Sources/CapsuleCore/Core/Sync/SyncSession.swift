extension Store {
  /// The state that this machine keeps of synchronising the store.
  package var sync: StoreSync { StoreSync(store: self) }
}

/// The state that this machine keeps of synchronising the store.
package struct StoreSync: StoreSubject {
  package let store: Store
}

extension StoreSync {
  /// Takes hold of the state that this machine keeps of synchronising the store, after what an interrupted
  /// sync was about to write is written.
  ///
  /// - Throws: the error of `body`, and `.storeBusy` where another process has it.
  package func hold<Value>(
    now: Instant, _ body: (inout SyncSession) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    // What machines exchange is sealed to the store's recipients.
    _ = try store.trust.recipients()
    let held = try begin(now: now)
    defer { files.release(held.lock) }
    var session = held.session
    return try body(&session)
  }

  /// Looks at the state that this machine keeps of synchronising the store: with hold of it, as ``withSync``
  /// has it, and without where the store or the state may not be written. `body` changes nothing.
  ///
  /// - Throws: the error of `body`, and `.storeBusy` where another process has it.
  package func look<Value>(
    now: Instant, _ body: (inout SyncSession) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    let held: (session: SyncSession, lock: HeldLock)?
    do {
      held = try begin(now: now)
    } catch {
      guard error.refusesWriting else { throw error }
      held = nil
    }
    defer { if let held { files.release(held.lock) } }
    var session: SyncSession
    if let held {
      session = held.session
    } else {
      let (directory, keys) = try place()
      session = SyncSession(
        store, keys, directory, started: FileTime(seconds: now.seconds),
        try SyncState(directory, files, environment.random), now: now)
    }
    return try body(&session)
  }

  /// Whether this machine keeps anything of synchronising the store.
  package var hasState: Bool {
    guard let path = store.intents.directory?.appending(SyncState.fileName) else { return false }
    return (try? files.statusIfPresent(path)) != nil
  }

  private func place() throws(Fault) -> (directory: FilePath, keys: SyncKeys) {
    guard let directory = store.intents.directory else { throw .noPlace }
    guard let keys = SyncKeys(store) else { throw .noIdentity }
    return (directory, keys)
  }

  private func begin(
    now: Instant
  ) throws(Fault) -> (session: SyncSession, lock: HeldLock) {
    let (directory, keys) = try place()
    try files.createDirectories(directory)
    let path = directory.appending("lock")
    let lock: HeldLock
    do {
      lock = try files.acquireLock(
        path, holder: Array(environment.holder.utf8),
        patience: LockPatience(limit: 0, pause: { _ in }))
    } catch {
      if error.code == .storeBusy { throw .syncBusy }
      throw error
    }
    do {
      return (try prepared(keys, directory, lockPath: path, now: now), lock)
    } catch {
      files.release(lock)
      throw error
    }
  }

  private func prepared(
    _ keys: SyncKeys, _ directory: FilePath, lockPath: FilePath, now: Instant
  ) throws(Fault) -> SyncSession {
    var session: SyncSession
    var state = try SyncState(directory, files, environment.random)
    let isDamaged = state.isDamaged
    if isDamaged { try state.setAside() }
    session = SyncSession(
      store, keys, directory, started: try files.status(lockPath).modified, state, now: now)
    session.hasSetAside = isDamaged
    try session.prepare()
    return session
  }
}

extension Fault {
  /// Whether the system refuses to write for lack of permission.
  fileprivate var refusesWriting: Bool {
    code == .io && (condition == .notPermitted || condition == .readOnly)
  }
}

/// A sync at work on the state of this machine.
package struct SyncSession {
  let store: Store
  let keys: SyncKeys
  let now: Instant
  let directory: FilePath
  var state: SyncState
  /// The time of the file system when this began: what was written since may be written again unseen.
  let started: FileTime
  /// Whether the state was damaged and put aside: everything is compared again.
  package fileprivate(set) var hasSetAside = false

  fileprivate init(
    _ store: Store, _ keys: SyncKeys, _ directory: FilePath, started: FileTime,
    _ state: SyncState, now: Instant
  ) {
    self.store = store
    self.keys = keys
    self.directory = directory
    self.started = started
    self.state = state
    self.now = now
  }

  var files: any FileSystem { store.files }
  var outgoing: FilePath { directory.appending("outgoing") }
  var incoming: FilePath { directory.appending("incoming") }

  /// The name under which this machine makes changes.
  package var actor: ActorID { state.actor ?? ActorID(high: 0, low: 0) }

  /// The name of the host of an actor, where it is known.
  func host(of actor: ActorID) -> String? {
    let told = state.carriers.sorted { $0.key < $1.key }.lazy.compactMap { $0.value.hosts[actor] }
    let name = actor == self.actor ? store.environment.hostName : told.first
    return name.flatMap { $0.isEmpty ? nil : $0 }
  }

  fileprivate mutating func prepare() throws(Fault) {
    let inode: UInt64
    // Whoever takes the lock finishes what was interrupted.
    try store.whileLocked {}
    inode = try files.status(store.layout.lock).inode
    files.removeTree(outgoing)
    // The blobs in it are continued where they were cut off.
    for entry in (try? files.contents(ofDirectory: incoming)) ?? []
    where entry.name != Array("blobs".utf8) {
      files.removeTree(incoming.appending(bytes: entry.name))
    }
    // A restored directory has other inodes, even where its own is by chance the same.
    let mark = "\(store.place.inode)-\(inode)"
    if state.actor == nil || state.mark != mark { try becomeAnother(mark: mark) }
    let batch = try store.intents.written()
    if let batch { try install(batch) }
  }

  /// Takes a new name, and compares everything with every carrier again.
  mutating func becomeAnother(mark: String? = nil) throws(Fault) {
    state.begin(as: try ActorID(random: store.environment.random), mark: mark ?? state.mark)
    state.forgetCarriers()
  }

  mutating func keep() throws(Fault) {
    try state.keep()
  }

  /// Takes the states of records over whose files were written.
  mutating func install(_ batch: Intent) throws(Fault) {
    let parts = batch.attachment.array ?? []
    for (place, write) in batch.changes.enumerated() {
      guard parts.indices.contains(place), let new = SyncEntry(json: parts[place]) else { continue }
      let subject = write.record.map { SyncSubject.record($0) } ?? .settings
      let old = state.entry(subject)
      if batch.skipped.contains(place) {
        wait(subject, for: new.state)
      } else {
        state.put(subject, new, from: old?.state.vector ?? VersionVector())
        // What was chosen is taken over when the file is read again.
        state.note(
          subject, write.isLive ? .live : .trash, nil,
          new.chosen.isEmpty ? write.bytes.map { FileDigest(SHA256.hash($0)) } : nil)
      }
    }
    try keep()
    try store.intents.forgetWritten()
  }

  /// Keeps what arrived of a record until it can be taken over.
  mutating func wait(_ subject: SyncSubject, for new: RecordState) {
    var entry = state.entry(subject) ?? SyncEntry()
    let before = entry
    entry.waiting = (entry.waiting ?? RecordState()).joined(with: new)
    if entry != before || state.rows[subject] == nil {
      state.put(subject, entry, from: entry.state.vector)
    }
    // It is looked at each time.
    state.note(subject, state.rows[subject]?.place ?? .absent, nil, nil)
  }
}
