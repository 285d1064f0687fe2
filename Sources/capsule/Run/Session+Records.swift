import CapsuleCore

extension Session {
  /// Finds a record of one kind and reads it.
  func record<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, in store: Store
  ) throws -> StoredRecord<Model> {
    let found = try find(reference, among: [Model.kind], in: store)
    return try store.read(type, found.id)
  }

  /// The same for a change: its bytes must be those that were written.
  func intactRecord<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, in store: Store
  ) throws -> StoredRecord<Model> {
    let record = try record(type, reference, in: store)
    if let failure = failure(of: record, in: store) { throw failure }
    return record
  }

  /// What is wrong with a record that could be read although its bytes are not those written.
  func failure<Model: RecordModel>(
    of record: StoredRecord<Model>, in store: Store
  ) -> Failure? {
    record.integrity.map {
      Failure(.damaged($0, path: store.layout.record(Model.kind, record.model.header.id).text))
    }
  }

  /// Makes the header of a new record.
  func newHeader(in store: Store) throws -> RecordHeader {
    do throws(RandomSource.Failure) {
      return RecordHeader(
        id: try RecordID(random: store.environment.random), createdAt: now)
    } catch {
      throw Failure(.random(error))
    }
  }

  /// Says what is wrong with the records of an index, and what lies between them; whether records
  /// are missing from the answer.
  func warn(of index: inout RecordIndex) -> Bool {
    for failure in index.failures { console.report(Failure(failure)) }
    for stray in index.strays() {
      console.warning(
        "'\(stray.text)' is not a record", hint: "is it a synchroniser's conflict copy?",
        details: ["path": .string(stray.text)])
    }
    let hasProblems = !index.problems().isEmpty
    if hasProblems {
      console.warning(
        "some records are not what was written",
        hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
    }
    return hasProblems || !index.failures.isEmpty
  }
}
