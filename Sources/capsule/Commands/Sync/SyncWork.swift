import CapsuleCore

/// The work of synchronising the store of a run.
struct SyncWork {
  let session: Session

  /// The store, for a command about synchronising it; a protected one is opened.
  func store(_ invocation: Invocation) throws -> Store {
    guard let store = try session.stores.existing() else {
      throw Failure(
        .notFound, "there is no store to synchronise",
        hint: "on a second machine: capsule sync clone PLACE")
    }
    return try session.passphrases.opened(store, invocation)
  }

  /// The store, opened, for a command that only looks; `nil` where there is none, or where this machine knows
  /// of no carrier and of no earlier sync: nothing has to be opened then.
  func storeIfPresent(_ invocation: Invocation) throws -> Store? {
    guard let store = try session.stores.existing() else { return nil }
    guard try store.hasSyncState || !Carriers(session).of(store).isEmpty else { return nil }
    return try session.passphrases.opened(store, invocation)
  }

  /// Opens the ways to those carriers of a store that a sync with some others only looks at.
  func carriers(of store: Store, besides chosen: [NamedCarrier]) throws -> [any Carrier] {
    try Carriers(session).directories(of: store, besides: chosen).map { $0.carrier(session) }
  }

  /// Works on what this machine knows of synchronising a store.
  ///
  /// - Parameter carrier: its name, for what fails.
  func work<Value>(
    in store: Store, carrier: String = "",
    _ body: (inout SyncSession) throws(SyncError) -> Value
  ) throws -> Value {
    do throws(SyncError) {
      return try store.withSync(now: session.now) { work throws(SyncError) in
        note(work)
        return try body(&work)
      }
    } catch {
      throw Failure(error, carrier: carrier)
    }
  }

  /// Looks at what this machine knows of synchronising a store, also where it may not be written.
  func look<Value>(
    in store: Store, _ body: (inout SyncSession) throws(SyncError) -> Value
  ) throws -> Value {
    do throws(SyncError) {
      return try store.lookAtSync(now: session.now) { work throws(SyncError) in
        note(work)
        return try body(&work)
      }
    } catch {
      throw Failure(error, carrier: "")
    }
  }

  private func note(_ work: SyncSession) {
    guard work.hasSetAside else { return }
    session.console.note(
      "What this machine knew of synchronising was damaged, and is put aside: everything is compared."
    )
  }

  /// Does the same with each of several carriers; the first that fails ends it.
  ///
  /// - Parameter body: gets those besides it, too.
  func work<Value>(
    in store: Store, _ carriers: [NamedCarrier],
    _ body: (inout SyncSession, any Carrier, [any Carrier]) throws(SyncError) -> Value
  ) throws -> [(name: String, value: Value)] {
    try carriers.map { carrier in
      let others = try self.carriers(of: store, besides: [carrier])
      let value = try work(in: store, carrier: carrier.name) { work throws(SyncError) in
        try body(&work, carrier.carrier(session), others)
      }
      return (carrier.name, value)
    }
  }
}
