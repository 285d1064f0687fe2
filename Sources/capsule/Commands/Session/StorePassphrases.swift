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
    if !known.isClosed { return known }
    _ = try checked(of: store, nil)
    return try openedIfGiven(store, nil)
  }

  /// Returns a protected store with its identities opened where its passphrase is named, or held; nothing is
  /// asked.
  func openedIfGiven(_ store: Store, _ invocation: Invocation?) throws -> Store {
    guard store.isClosed else { return store }
    if let known, let identities = known.identities, known.place == store.layout.root {
      var store = store
      store.opened = identities
      return store
    }
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, session) {
      return remember(try store.opened(with: passphrase))
    }
    guard let held = HeldPassphrase.place(session, of: store), let passphrase = held.read() else {
      return store
    }
    do throws(ProtectionFault) {
      return remember(try store.opened(with: passphrase))
    } catch {
      // The store was protected anew since.
      guard case .wrongPassphrase = error else { throw error }
      held.remove()
      return store
    }
  }

  /// Returns the passphrase of a protected store, as it is named or typed, when it has opened the store.
  func checked(of store: Store, _ invocation: Invocation?) throws -> Passphrase {
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, session) {
      _ = remember(try store.opened(with: passphrase))
      return passphrase
    }
    for attempt in 1...Self.tries {
      guard session.ask.isPossible else { throw Failure.storePassphraseNeeded }
      if attempt > 1 { session.console.warning("the passphrase is wrong; try again") }
      let passphrase = try PassphraseOptions.asked("Passphrase of the store: ", session)
      do throws(ProtectionFault) {
        _ = remember(try store.opened(with: passphrase))
        return passphrase
      } catch {
        guard case .wrongPassphrase = error else { throw error }
      }
    }
    throw ProtectionFault.wrongPassphrase
  }

  private func remember(_ store: Store) -> Store {
    known = (store.opened, store.layout.root)
    return store
  }
}
