import CapsuleCore

/// Opens capsules for a delivery with the identities that were named.
struct UnattendedOpening {
  let session: Session
  let store: Store
  let identities: [any Identity]
  let invocation: Invocation

  func open(_ record: StoredRecord<Capsule>) throws -> UnattendedOutcome {
    let store = try store(for: record.model)
    do throws(OpeningError) {
      return try store.openUnattended(record, with: Keys(identities), now: session.now)
    } catch {
      if case .timelock(let error) = error {
        let path = store.layout.record(.capsule, record.model.id)
        throw StoreError.damaged(.field(error), path: path.text)
      }
      throw Failure(error, opening: record.model, in: store, session)
    }
  }

  /// The store that opens a capsule: a protected one asks for its passphrase at the first honor capsule
  /// whose time has come.
  private func store(for capsule: Capsule) throws -> Store {
    guard capsule.lock.kind == .honor, capsule.unlockAt <= session.now else { return store }
    return try session.passphrases.opened(store, invocation)
  }
}
