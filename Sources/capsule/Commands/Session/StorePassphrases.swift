import CapsuleCore

/// The passphrase of a protected store, which is asked for once a run.
final class StorePassphrases {
  private unowned let session: Session
  /// The identities of a store that was opened in this run, and where that store is.
  private var known: (identities: [OpenedIdentity]?, place: FilePath)?

  init(_ session: Session) { self.session = session }

  /// The number of times that it may be mistyped.
  private static let tries = 3

  /// Returns a protected store with its identities opened: by the passphrase that is named, by the one that is
  /// held, or by one that is asked for, once a run; any other store as it is.
  ///
  /// - Parameter invocation: the invocation with the options that name a passphrase; `nil` where
  ///   those of the command mean another.
  func opened(_ store: Store, _ invocation: Invocation?) throws -> Store {
    let known = try openedIfGiven(store, invocation)
    if !known.protection.isClosed { return known }
    _ = try checked(of: store, nil)
    return try openedIfGiven(store, nil)
  }

  /// Returns a protected store with its identities opened where its passphrase is named, or held; nothing is
  /// asked.
  func openedIfGiven(_ store: Store, _ invocation: Invocation?) throws -> Store {
    guard store.protection.isClosed else { return store }
    if let known, let identities = known.identities, known.place == store.layout.root {
      var store = store
      store.opened = identities
      return store
    }
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, session) {
      return remember(try store.protection.opened(with: passphrase))
    }
    guard let held = HeldPassphrase.place(session, of: store), let passphrase = held.read() else {
      return store
    }
    do {
      return remember(try store.protection.opened(with: passphrase))
    } catch {
      // The store was protected anew since.
      guard error.code == .wrongStorePassphrase else { throw error }
      held.remove()
      return store
    }
  }

  /// Returns the passphrase of a protected store, as it is named or typed, when it has opened the store.
  func checked(of store: Store, _ invocation: Invocation?) throws -> Passphrase {
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, session) {
      _ = remember(try store.protection.opened(with: passphrase))
      return passphrase
    }
    for attempt in 1...Self.tries {
      guard session.ask.isPossible else { throw Fault.storeClosed }
      if attempt > 1 { session.console.warning("wrong passphrase, try again") }
      let passphrase = try PassphraseOptions.asked("Passphrase of the store: ", session)
      do {
        _ = remember(try store.protection.opened(with: passphrase))
        return passphrase
      } catch {
        guard error.code == .wrongStorePassphrase else { throw error }
      }
    }
    throw Fault.wrongStorePassphrase
  }

  private func remember(_ store: Store) -> Store {
    known = (store.opened, store.layout.root)
    return store
  }
}

/// The passphrase of a protected store that `store remember` keeps for a while: a secret that is held.
struct HeldPassphrase {
  private let secret: HeldSecret

  var path: FilePath { secret.path }

  /// - Throws: a failure where there is no directory of the user's own, which nobody else can enter.
  init(_ session: Session, of store: Store) throws {
    guard let place = Self.place(session, of: store) else {
      throw Fault(
        .refused, "cannot remember the passphrase: there is no private directory in memory",
        hint: "set XDG_RUNTIME_DIR to a directory that you own, with mode 0700")
    }
    self = place
  }

  private init(secret: HeldSecret) { self.secret = secret }

  /// The place where one of the store would be; `nil` where there can be none.
  static func place(_ session: Session, of store: Store) -> HeldPassphrase? {
    HeldSecret(session, named: "capsule-hold-\(store.header.id)").map { HeldPassphrase(secret: $0) }
  }

  /// Keeps a passphrase for so many seconds, in the place of one that is kept.
  func keep(_ passphrase: Passphrase, seconds: Int64) throws {
    try secret.keep(passphrase.bytes, seconds: seconds)
  }

  /// Returns the passphrase that is kept; `nil` where there is none, and where its time is over: that one is
  /// removed.
  func read() -> Passphrase? {
    guard let bytes = secret.read() else { return nil }
    guard let passphrase = Passphrase(bytes) else {
      secret.remove()
      return nil
    }
    return passphrase
  }

  /// Removes one whose time is over.
  func dropExpired() { secret.dropExpired() }

  /// Removes what is kept.
  ///
  /// - Returns: whether there was something.
  @discardableResult
  func remove() -> Bool { secret.remove() }
}
