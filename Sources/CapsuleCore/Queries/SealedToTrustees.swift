/// A capsule that the trustees of a group can open, or may be able to.
package struct SealedToTrustees: Hashable, Sendable {
  package enum Way: String, Hashable, Sendable {
    /// They are an escrow of its timelock.
    case escrow
    /// It has a spare of its key, which does not say for whom.
    case spare
    /// It is sealed to recipients, and its record does not say to whom.
    case recipients
  }

  package let id: RecordID
  package let title: String
  package let way: Way
}

extension Store {
  /// Returns the capsules that are sealed to a key of trustees, or may be: a sealed file names no
  /// recipient.
  ///
  /// - Parameter now: the real time, for the index.
  package func capsules(sealedTo recipient: String, now: Instant) -> [SealedToTrustees] {
    var index = index(.capsule, now: now)
    var found: [SealedToTrustees] = []
    index.forEach(.ascending) { entry in
      guard let capsule = try? read(Capsule.self, entry.id).model else { return true }
      let lock = capsule.lock
      let way: SealedToTrustees.Way? =
        if lock.usableSpare != nil {
          .spare
        } else if lock.timelock?.escrow.contains(recipient) == true {
          .escrow
        } else if (lock.timelock?.inner ?? lock.kind) == .recipients {
          .recipients
        } else {
          nil
        }
      if let way {
        found.append(SealedToTrustees(id: entry.id, title: capsule.title, way: way))
      }
      return true
    }
    return found
  }
}
