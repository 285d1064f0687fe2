import CapsuleCore

extension Session {
  /// Finds the one record that a word means.
  ///
  /// - Parameter kinds: the kinds that it may be of.
  func find(
    _ reference: String, among kinds: [RecordKind], in store: Store
  ) throws -> FoundRecord {
    try find(reference, inTurn: [kinds], in: store)
  }

  /// Finds the one record that a word means among some kinds, among the next only where none of these
  /// has it, and so on.
  func find(
    _ reference: String, inTurn turns: [[RecordKind]], in store: Store
  ) throws -> FoundRecord {
    var finder = RecordFinder(store, now: now)
    return try find(reference, inTurn: turns, by: &finder, in: store)
  }

  /// Finds the one record that each word means.
  func find(
    _ references: [String], among kinds: [RecordKind], in store: Store
  ) throws -> [FoundRecord] {
    try find(references, inTurn: [kinds], in: store)
  }

  /// Finds the one record that each word means among some kinds, among the next only where none of these
  /// has it, and so on.
  func find(
    _ references: [String], inTurn turns: [[RecordKind]], in store: Store
  ) throws -> [FoundRecord] {
    var finder = RecordFinder(store, now: now)
    return try references.map { try find($0, inTurn: turns, by: &finder, in: store) }
  }

  private func find(
    _ reference: String, inTurn turns: [[RecordKind]], by finder: inout RecordFinder,
    in store: Store
  ) throws -> FoundRecord {
    do throws(FindError) {
      return try finder.find(reference, inTurn: turns)
    } catch {
      throw failure(error, besides: turns.flatMap(\.self), in: store)
    }
  }

  /// Finds a record of one kind and reads it.
  ///
  /// - Parameter intact: Whether its bytes must be those that were written, as for a change.
  func record<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, in store: Store, intact: Bool = false
  ) throws -> StoredRecord<Model> {
    try read(type, find(reference, among: [Model.kind], in: store), in: store, intact: intact)
  }

  /// Finds records of one kind and reads them.
  ///
  /// - Parameter intact: Whether their bytes must be those that were written, as for a change.
  func records<Model: RecordModel>(
    _ type: Model.Type, _ references: [String], in store: Store, intact: Bool = false
  ) throws -> [StoredRecord<Model>] {
    try find(references, among: [Model.kind], in: store).map {
      try read(type, $0, in: store, intact: intact)
    }
  }

  private func read<Model: RecordModel>(
    _ type: Model.Type, _ found: FoundRecord, in store: Store, intact: Bool
  ) throws -> StoredRecord<Model> {
    let record = try store.read(type, found.id)
    if intact, let failure = failure(of: record, in: store) { throw failure }
    return record
  }

  /// Finds and reads a record, for a command that names it.
  func requiredRecord<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, intact: Bool = false
  ) throws -> (store: Store, record: StoredRecord<Model>) {
    let store = try requiredStore(for: reference, among: [Model.kind])
    return (store, try record(type, reference, in: store, intact: intact))
  }

  /// Finds and reads a capsule.
  func capsule(_ reference: String, in store: Store) throws -> StoredRecord<Capsule> {
    try record(Capsule.self, reference, in: store)
  }

  /// Returns what is wrong with a record that could be read although its bytes are not those that
  /// were written.
  func failure<Model: RecordModel>(
    of record: StoredRecord<Model>, in store: Store
  ) -> Failure? {
    record.integrity.map {
      Failure(.damaged($0, path: store.layout.record(Model.kind, record.model.header.id).text))
    }
  }

  /// Reports what is wrong with a record that is shown all the same.
  ///
  /// - Returns: the code that the command ends with.
  func report(damageOf record: StoredRecord<some RecordModel>, in store: Store) -> ExitCode {
    failure(of: record, in: store).map { console.report($0) } ?? .ok
  }

  /// Finds, changes and writes a record.
  ///
  /// - Parameter change: changes the model; it is called again where another process changed the record
  ///   meanwhile.
  func change<Model: RecordModel>(
    _ type: Model.Type, _ reference: String, in store: Store,
    _ change: (inout Model) throws -> Void
  ) throws -> RecordChange<Model> {
    let found = try find(reference, among: [Model.kind], in: store)
    return try store.change(type, found.id, now: now, change)
  }

  /// Does the same with blobs that the record names anew.
  ///
  /// - Parameter stage: takes the blobs in, and adds each to the array that it gets; it is called once.
  func change<Model: RecordModel, Staged>(
    _ type: Model.Type, _ reference: String, in store: Store,
    staging stage: (inout [StagedBlob]) throws -> Staged,
    _ change: (inout Model, Staged) throws -> Void
  ) throws -> RecordChange<Model> {
    let found = try find(reference, among: [Model.kind], in: store)
    return try store.change(type, found.id, now: now, staging: stage, change)
  }

  /// Reports what is wrong with an index, and warns of what lies between its records.
  ///
  /// - Returns: whether records are missing from the answer, or are not what was written.
  func warn(of index: inout RecordIndex, _ remarks: ListRemarks = ListRemarks()) -> Bool {
    for failure in index.failures { console.report(failure) }
    for stray in remarks.areOfStrays ? index.strays() : [] {
      console.warning(
        "'\(stray.text)' is not a record", hint: "is it a synchroniser's conflict copy?",
        details: ["path": .string(stray.text)])
    }
    let problems = remarks.areOfListedOnly ? [] : index.problems().map(\.problem)
    return warn(of: problems, remarks.noun) || !index.failures.isEmpty
  }

  /// Warns where some records have a problem: they are not what was written, or the system does not let
  /// them be read.
  ///
  /// - Parameters:
  ///   - problems: those of the records, `.none` among them.
  ///   - noun: the word for the records.
  /// - Returns: whether some have one.
  func warn(of problems: some Sequence<IndexProblem>, _ noun: String) -> Bool {
    let problems = Set(problems).subtracting([.none])
    if problems.contains(.unreadable) {
      console.warning(
        "some \(noun) cannot be read",
        hint: "'capsule verify' says which, and what stands against it")
    }
    if !problems.isSubset(of: [.unreadable]) {
      console.warning(
        "some \(noun) are not what was written",
        hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
    }
    return !problems.isEmpty
  }
}

/// The remarks of a list on standard error.
struct ListRemarks {
  /// Said where there is nothing, and nothing was left out.
  var whenEmpty: StyledText?
  /// The word for its records.
  var noun = "records"
  /// Whether it warns of files that are no records.
  var areOfStrays = true
  /// Whether it warns of damaged records only where they are in the list.
  var areOfListedOnly = false
}
