import CapsuleCore

// The passphrase of a protected store.
extension Session {
  /// The number of times that the passphrase may be mistyped.
  private static let passphraseTries = 3

  /// Returns a protected store with its identities opened: by the passphrase that is named, by the one that is
  /// held, or by one that is asked for, once a run; any other store as it is.
  ///
  /// - Parameter invocation: the invocation with the options that name a passphrase; `nil` where
  ///   those of the command mean another.
  func opened(_ store: Store, _ invocation: Invocation?) throws -> Store {
    let known = try openedIfGiven(store, invocation)
    if !known.isClosed { return known }
    _ = try checkedPassphrase(of: store, nil)
    return try openedIfGiven(store, nil)
  }

  /// Returns a protected store with its identities opened where its passphrase is named, or held; nothing is
  /// asked.
  func openedIfGiven(_ store: Store, _ invocation: Invocation?) throws -> Store {
    guard store.isClosed else { return store }
    if let identities = openedIdentities, openedPlace == store.layout.root {
      var store = store
      store.opened = identities
      return store
    }
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, self) {
      return remember(try store.opened(with: passphrase))
    }
    guard let held = HeldPassphrase.place(self, of: store), let passphrase = held.read() else {
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
  func checkedPassphrase(of store: Store, _ invocation: Invocation?) throws -> Passphrase {
    if let invocation, let passphrase = try PassphraseOptions.given(invocation, self) {
      _ = remember(try store.opened(with: passphrase))
      return passphrase
    }
    for attempt in 1...Self.passphraseTries {
      guard console.canAsk else { throw Failure.storePassphraseNeeded }
      if attempt > 1 { console.warning("the passphrase is wrong; try again") }
      let passphrase = try PassphraseOptions.asked("Passphrase of the store: ", self)
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
    openedIdentities = store.opened
    openedPlace = store.layout.root
    return store
  }
}
