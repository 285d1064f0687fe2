/// Why a bequest did not take a state.
extension Fault {
  /// The item, the capsule or the person that it names is not there.
  package static func bequestNames(gone reference: RecordReference) -> Fault {
    Fault(
      .missingReference,
      "the bequest refers to the \(reference.kind.word) '\(reference.id)', which does not exist",
      hint: "restore it first: capsule restore; or revoke the bequest: capsule bequest revoke",
      id: reference.id, cause: reference)
  }

  /// The state cannot follow the present one, or the time is before that of the last change.
  package static func mark(_ problem: Bequest.MarkProblem, of id: RecordID) -> Fault {
    switch problem {
    case .order(let from, let to):
      let next = DeliveryState.allCases.filter(from.next.contains).map(\.words)
      return Fault(
        .bequestState,
        from == to
          ? "the bequest is already \(from.words)"
          : "the bequest is \(from.words), so it cannot be marked as \(to.words)",
        hint: from == .notSent
          ? "mark the bequest as sent first: capsule bequest mark \(id) sent"
          : next.isEmpty || from == to
            ? nil : "choose another state: \(next.joined(separator: " or "))",
        id: id, cause: problem)
    case .beforeLast(let last):
      return Fault(
        .bequestState, "the last change of the bequest was later, on \(last)",
        hint: "give a later time: --when TIME", id: id, cause: problem)
    }
  }
}

extension StoreHandover {
  /// Writes the next state of a bequest. Everything that it names must be there, unless it is taken
  /// back.
  package func mark(
    _ record: StoredRecord<Bequest>, _ change: DeliveryChange, now: Instant
  ) throws(Fault) -> StoredRecord<Bequest> {
    var record = record
    do {
      if change.state != .revoked { try store.relations.requireReferences(of: record.model) }
    } catch {
      if error.code == .missingReference, let target = error.cause as? RecordReference {
        throw .bequestNames(gone: target)
      }
      throw error
    }
    if let problem = record.model.mark(change, now: now) {
      throw .mark(problem, of: record.model.id)
    }
    return try store.update(record, now: now)
  }
}
