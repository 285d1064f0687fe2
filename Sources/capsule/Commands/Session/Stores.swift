import CapsuleCore

/// The ways to the store of a run, and what is warned of when it is used.
struct Stores {
  let session: Session

  private var console: Console { session.console }

  /// The store's directory.
  func path() throws -> FilePath {
    guard let path = session.places.store else {
      throw Fault(
        .usage, "no directory for the store: HOME is not set and the account has no home directory",
        hint: "use --store DIR, or set the variable CAPSULE_STORE")
    }
    return path
  }

  /// The environment of a store: all that it reaches outside itself.
  var environment: StoreEnvironment {
    let host = session.host
    return StoreEnvironment(
      fileSystem: host.files, random: host.random,
      patience: LockPatience(limit: session.options.lockTimeout * 1000) { milliseconds in
        host.wait(.max, Int64(milliseconds) * 1_000_000)
      },
      cacheHome: session.places.cache, stateHome: session.places.state,
      holder: "\(host.identity()): capsule \(session.verb)\n", hostName: host.name(),
      clock: StoreClock({ [now = session.now] in now }, nanoseconds: host.wallClock),
      operation: session.operation)
  }

  /// The store, for a command that means nothing without one.
  func existing(or fault: @autoclosure () -> Fault) throws -> Store {
    guard let store = try expected() else { throw fault() }
    return store
  }

  /// The store, for a command that only reads; `nil` where there is none, which answers as an empty one does, with a
  /// warning where there should be one.
  ///
  /// - Throws: the fault of a store that this device has used at the path, and that is away: it is not an empty one.
  func existing() throws -> Store? {
    if let store = try opened() { return store }
    guard let away = try away() else { return nil }
    guard !away.wasHere else { throw away.fault }
    console.warning(
      away.fault.message(in: session.zone), hint: away.fault.hint, details: away.fault.details)
    return nil
  }

  /// The store, with the warnings of its use; `nil` where there is none.
  func opened() throws -> Store? {
    let store = try Store.open(at: path(), environment: environment)
    if let store { noteUse(of: store) }
    return store
  }

  /// The store for its settings alone, without a warning.
  func existingQuietly() throws -> Store? {
    try session.places.store.flatMap { try Store.open(at: $0, environment: environment) }
  }

  /// The store, for a command that names something in it.
  func required(for reference: String, among kinds: [RecordKind] = [.capsule]) throws -> Store {
    guard let store = try existing() else { throw Fault.noSuchRecord(reference, among: kinds) }
    return store
  }

  /// The store, for a command that puts something into it: made where there is none.
  func forChange() throws -> Store {
    if let store = try opened() { return store }
    try requireMayCreate()
    let store = try Store.openOrCreate(at: path(), environment: environment, now: session.now)
    noteCreation(of: store)
    noteUse(of: store)
    return store
  }

  /// Says where a store was made: after `create`, and where it is not in its usual place.
  private func noteCreation(of store: Store) {
    let isUsual = session.places.store == session.places.home?.appending(".local/share/capsule")
    guard session.verb == "create" || !isUsual else { return }
    let place = isUsual ? "~/.local/share/capsule" : "'\(store.layout.root.text)'"
    console.note("Created a new store in \(place).")
  }

  /// Notes in the list of operations what the command did, and what cannot be taken back; a courtesy.
  func noteLasting(_ lasting: Operation.Lasting) {
    try? existingQuietly()?.operations.note(lasting)
  }

  /// Keeps when this machine first used the store, so that what is due since then is announced.
  ///
  /// It is a courtesy of commands other than `check`: where it cannot be kept, `check` says so.
  func noteFirstUse(of store: Store) {
    guard let directory = store.stateDirectory,
      (try? store.files.status(directory.appending("announced"))) == nil
    else { return }
    (try? Ledger.open(of: store, in: directory, now: session.now))??.close()
  }

  /// The store's settings; where their file cannot be used, a warning and the defaults.
  func settings(of store: Store?) -> StoreSettings {
    guard let store else { return StoreSettings() }
    func warn(_ words: String) {
      console.warning(
        "'\(store.layout.settings.text)' \(words)",
        hint: "restore the file: capsule repair; or set it again: capsule settings set")
    }
    do {
      let (settings, integrity) = try store.settings.read()
      if let integrity { warn(integrity.words) }
      return settings
    } catch {
      warn("cannot be read")
      return StoreSettings()
    }
  }

  /// Warns of what matters whenever a store is used: a damaged header, and a clock that went back.
  private func noteUse(of store: Store) {
    switch store.headerProblem?.kind {
    case nil: break
    case .unreadable:
      console.warning(
        "'\(store.layout.header.text)' cannot be read, so a copy is used",
        hint: "the disk may be failing: capsule backup; then: capsule verify")
    default:
      console.warning(
        "'\(store.layout.header.text)' is damaged",
        hint: "list the damage: capsule verify; then fix it: capsule repair")
    }
    warnOfOthers(in: store)
    // A passphrase whose time is over does not wait for the next use of it.
    KeptDrafts(session, store).sweep()
    if store.header.isProtected { HeldPassphrase.place(session, of: store)?.dropExpired() }
    let path = (try? path()) ?? store.layout.root
    if let seen = store.memory.noteTime(session.now, at: path) {
      console.warning(
        "the clock is earlier than the last time seen on this device, \(session.dates.text(seen))",
        hint: "set the clock if it is wrong; locked capsules stay locked",
        details: ["lastSeenAt": seen.json])
    }
  }

  /// Warns of a store that others can write to, or that is another user's: once a day on each machine.
  private func warnOfOthers(in store: Store) {
    let root = store.place
    guard root.isWritableByOthers || root.owner != session.host.user() else { return }
    guard store.memory.noteWarning(session.now) else { return }
    let path = store.layout.root.text
    console.warning(
      root.isWritableByOthers
        ? "others can write to the store '\(path)'"
        : "the store '\(path)' belongs to another user",
      hint: root.isWritableByOthers
        ? "if this is not intended: chmod go-w '\(path)'; find other open files: capsule verify"
        : "its owner can change its contents")
  }

  /// Warns of what the last verification of a store left damaged or missing.
  func warnOfFindings(in store: Store) {
    let last = LastVerification(of: store)
    guard !last.findings.isEmpty else { return }
    let limit = last.findings.count == LastVerification.findingLimit ? "at least " : ""
    console.warning(
      "the last verification found \(limit)"
        + .counting(last.findings.count, "damaged or missing file"),
      hint: "list them: capsule verify --status; then fix them: capsule repair",
      details: ["findings": last.findings.count.json])
  }

  /// Says what a store lacks, for `check`: damage once a day, a verification or a backup that is
  /// overdue once in 30 days.
  func remindOfKeeping(_ store: Store, _ settings: StoreSettings) {
    guard let reminder = store.care.takeReminder(settings, now: session.now) else { return }
    if reminder.hasFindings { warnOfFindings(in: store) }
    func warn(_ lack: KeepingReminder.Lack?, _ fact: String, _ name: String, hint: String) {
      guard let lack else { return }
      console.warning(
        lack.last.map { "\(fact) since \(session.dates.text($0))" } ?? "\(fact) yet", hint: hint,
        details: ["reminder": name.json, "days": lack.days.json])
    }
    warn(
      reminder.verification, "the store has not been fully verified on this device", "verify",
      hint: "verify the store: capsule verify; "
        + "or stop this warning: capsule settings set verifyEvery never")
    warn(
      reminder.backup, "the store has not been backed up on this device", "backup",
      hint: "back up the store: capsule backup DIR; "
        + "or stop this warning: capsule settings set backupEvery never")
  }

  /// Commands that somebody else than the owner may run at the owner's terminal: after a passing, or to
  /// see whether there is reason to worry.
  private static let commandsOfOthers: Set<String> = [
    "passing declare", "passing show", "passing withdraw", "switch show", "trustees verify",
    "trustees combine",
  ]

  /// Takes the command for a check-in where the switch says so: at a terminal, once a day.
  func checkInByUse() {
    guard !session.verb.isEmpty, console.out.isTerminal, session.host.input.isTerminal(),
      !Self.commandsOfOthers.contains(session.verb), let path = session.places.store
    else { return }
    do {
      guard let store = try Store.open(at: path, environment: environment) else { return }
      try store.switch.checkInByUse(now: session.now, zone: session.zone)
    } catch {
      let failure = Fault(error)
      console.warning(
        "this use could not be saved as a check-in: \(failure.message(in: session.zone))",
        hint: failure.hint)
    }
  }
}
