import CapsuleCore

/// A store that is not at its path, although the user named the path or this device used a store: no empty one.
struct AwayStore {
  let fault: Fault
  /// The store that this device used; `nil` where only the user named the path.
  let known: KnownStore?
  /// Whether it was used at this path.
  var wasHere = false
}

// Stores that are away.
extension Stores {
  /// The stores that this device used. Its state is also looked for in the user's home: cron has none of the
  /// variables of a shell.
  private var known: KnownStores {
    let home = session.places.home?.appending(".local/state/capsule")
    return KnownStores(in: [session.places.state, home].compactMap(\.self), session.host.files)
  }

  /// Returns why the path without a store should have one; `nil` on a first run.
  func away() throws -> AwayStore? {
    let path = try path()
    let known = known
    var details: JSONObject = ["path": path.json]
    if let store = known.last(at: path) {
      details["lastUsedAt"] = store.lastUsed.json
      return AwayStore(
        fault: Fault(
          .storeAway,
          "the store is missing: '\(path.text)'; this device last used it on \(date(store))",
          hint: "mount its disk, or restore it from a backup; "
            + "to start over with a new one: capsule create --new-store",
          details: details), known: store, wasHere: true)
    }
    guard let store = known.present ?? known.all.first, !session.places.storeIsNamed else {
      guard session.places.storeIsNamed else { return nil }
      return AwayStore(
        fault: Fault(
          .storeAway, "no store found at '\(path.text)'",
          hint: "check the path, or mount the disk; a new store is made by: capsule create",
          details: details), known: nil)
    }
    guard let other = store.path else {
      return AwayStore(
        fault: Fault(
          .storeAway,
          "no store found at '\(path.text)', but this device has used one",
          hint: "mount its disk, or name its directory: --store DIR", details: details),
        known: store)
    }
    details["knownPath"] = other.json
    return AwayStore(
      fault: Fault(
        .storeAway,
        "no store found at '\(path.text)'; the one that this device used is '\(other)'",
        hint: "use it: --store \(other.shellWord); for cron, set the variable CAPSULE_STORE",
        details: details), known: store)
  }

  private func date(_ store: KnownStore) -> String {
    session.zone.civil(at: store.lastUsed).date.longText
  }

  /// The store, for a command whose answer would be wrong without the one that there should be.
  ///
  /// - Returns: `nil` on a first run.
  /// - Throws: `.storeAway`.
  func expected() throws -> Store? {
    if let store = try opened() { return store }
    if let away = try away() { throw away.fault }
    return nil
  }

  /// The note of a command that found nothing because there is no store.
  func noteNone() throws {
    session.console.note("There is no store at '\(try path().text)'.")
  }

  /// Whether the store's absence was not reported within a day.
  func isReportDue(of store: AwayStore) -> Bool {
    store.known.map { known.isReportDue(of: $0, now: session.now) } ?? true
  }

  /// Keeps that the store's absence was reported now.
  func noteReport(of store: AwayStore) {
    if let store = store.known { known.noteReport(of: store, now: session.now) }
  }

  /// Asks before a store is made at a path where this device used another, which is only away: `--new-store`
  /// answers. Called again, it asks no more.
  func requireMayCreate() throws {
    let path = try path()
    guard !session.mayCreateStore else { return }
    guard let store = known.last(at: path) else {
      session.mayCreateStore = true
      return
    }
    let fact = "the store that this device used at '\(path.text)' until \(date(store)) is missing"
    let isWanted = try session.ask.isYes(
      "\(fact.prefix(1).uppercased() + fact.dropFirst()). Create a new, empty store there?",
      unanswered: Fault(
        .refused, "\(fact)",
        hint:
          "mount its disk, or restore it from a backup; to create a new store there: --new-store",
        details: ["path": path.json, "lastUsedAt": store.lastUsed.json]),
      ended: .canceled())
    guard isWanted else { throw Fault.canceled() }
    session.mayCreateStore = true
  }
}
