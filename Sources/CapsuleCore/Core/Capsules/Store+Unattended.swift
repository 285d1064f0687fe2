/// The outcome for a capsule that is opened without a question.
package enum UnattendedOutcome: Sendable {
  case opened(OpenedCapsule)
  /// The gate is closed.
  case locked(until: Instant)
  /// The lock asks for a key or a beacon that is not there.
  case closed
}

extension StoreCapsules {
  /// Opens a capsule for a delivery, where that takes no question, no network and no time that has not
  /// come. It leaves no trace in the record: to hand a capsule over is not to open it.
  ///
  /// - Throws: ``OpeningError`` for damage; also of a capsule that stays closed, which is handed on as
  ///   it is sealed.
  package func openUnattended(
    _ record: StoredRecord<Capsule>, with keys: Keys, now: Instant
  ) throws(OpeningError) -> UnattendedOutcome {
    var opening = try CapsuleOpening(record, in: store, trusting: keys.chains)
    try opening.requireFit()
    do throws(OpeningError) {
      return .opened(try opening.open(with: keys, beacons: keys, now: now))
    } catch {
      let isHonor = record.model.lock.kind == .honor
      switch error {
      case .locked(let until, _), .unknownChain(_, let until): return .locked(until: until)
      case .noKey where !isHonor, .unrecordedTimelock where !isHonor: return .closed
      case .lock(AgeFailure.tooEarly) where !isHonor, .lock(AgeFailure.unproven) where !isHonor,
        .lock(AgeFailure.tooMuchWork) where !isHonor:
        return .closed
      default: throw error
      }
    }
  }
}
