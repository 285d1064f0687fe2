/// Why a bequest did not take a state.
public enum BequestMarkError: Error {
  /// The item, the capsule or the person that it names is not there.
  case gone(RecordReference)
  case problem(Bequest.MarkProblem)
  case store(StoreError)
}

extension StoreHandover {
  /// Writes the next state of a bequest. Everything that it names must be there, unless it is taken
  /// back.
  package func mark(
    _ record: StoredRecord<Bequest>, _ change: DeliveryChange, now: Instant
  ) throws(BequestMarkError) -> StoredRecord<Bequest> {
    var record = record
    do throws(StoreError) {
      if change.state != .revoked { try store.relations.requireReferences(of: record.model) }
    } catch {
      if case .missingReference(_, let reference) = error { throw .gone(reference) }
      throw .store(error)
    }
    do throws(Bequest.MarkProblem) { try record.model.mark(change, now: now) } catch {
      throw .problem(error)
    }
    do throws(StoreError) { return try store.update(record, now: now) } catch {
      throw .store(error)
    }
  }
}
