import CapsuleCore

/// Opens capsules for a delivery with the identities that were named.
struct UnattendedOpening {
  let session: Session
  let store: Store
  let identities: [any Identity]

  func open(_ record: StoredRecord<Capsule>) throws -> UnattendedOutcome {
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
}
