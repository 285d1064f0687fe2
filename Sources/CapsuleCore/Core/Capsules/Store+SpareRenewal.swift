/// The outcome of sealing a spare anew to other trustees.
package enum SpareRenewal: Hashable, Sendable {
  case done
  /// The spare is another group's: it stays.
  case otherGroup
  /// Its key cannot be had now, or the record cannot be changed.
  case left
}

extension StoreCapsules {
  /// Seals the spare of a capsule anew, where its key can be had without a question: with the key of the
  /// trustees before, or with the store's identity.
  ///
  /// - Parameter former: the trustees' key before; `nil` where it is not at hand, and every spare is
  ///   theirs.
  package func renewSpare(
    of id: RecordID, with former: AgeIdentity?, to trustees: VouchedTrustees, now: Instant
  ) -> SpareRenewal {
    do {
      let record = try store.readIntact(Capsule.self, id)
      var opening = try CapsuleOpening(record, in: store)
      var change = CapsuleChange()
      if let former {
        let keys = TrusteeKeys(identity: former)
        change.spare = try opening.spare(to: trustees, with: keys, beacons: Keys.none)
      } else {
        change.spare = try opening.spare(to: trustees, with: Keys.none, beacons: Keys.none)
      }
      _ = try self.change(record, change, now: now)
      return .done
    } catch {
      if former != nil, case .noKey? = error as? OpeningError { return .otherGroup }
      return .left
    }
  }
}

/// The key of trustees, which opens the spares of a store.
private struct TrusteeKeys: KeySource {
  let identity: AgeIdentity

  var areOfTrustees: Bool { true }

  func identities() -> [any Identity] { [identity] }

  func passphrase(attempt: Int) -> Passphrase? { nil }
}
