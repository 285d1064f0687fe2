/// The library's own door to the records of a store (`docs/library.md`). Each operation reads the
/// store's clock once.
extension Store {
  /// Opens the store in a directory, and makes it first where there is none.
  ///
  /// - Parameters:
  ///   - directory: an absolute path, or one from the working directory.
  ///   - cache: a directory for the rebuildable index; `nil` keeps none.
  ///   - clock: the clock that every operation asks for the time, such as ``StoreClock/system``.
  ///   - patience: milliseconds to wait for another process.
  /// - Throws: ``StoreError``.
  public static func open(
    directory: String, cache: String? = nil, clock: StoreClock, patience: Int = 10_000
  ) throws(StoreError) -> Store {
    try openOrCreate(
      at: FilePath(directory),
      environment: StoreEnvironment(
        fileSystem: POSIXFileSystem(), random: .system, patience: .sleeping(limit: patience),
        cacheHome: cache.map { FilePath($0) }, stateHome: nil, holder: "CapsuleCore\n",
        clock: clock),
      now: clock.now)
  }

  /// The time by the store's clock, for one operation.
  var now: Instant { environment.clock.now }

  /// Adds a record to the store.
  ///
  /// - Returns: the record with its id and times.
  /// - Throws: ``StoreError``: `.refused` for one that breaks a rule of its kind, `.nameTaken`,
  ///   `.missingReference`, `.twin`, `.busy`, `.io`.
  public func add<Model: NewRecord>(_ record: Model) throws(StoreError) -> Model {
    try Model.access.add(self, record, now)
  }

  /// Reads a record.
  ///
  /// - Throws: ``StoreError``: `.notFound`, `.damaged` also when it is not what was written, `.io`.
  public func record<Model: Record>(
    _ type: Model.Type, _ id: RecordID
  ) throws(StoreError) -> Model {
    try Model.access.read(self, id)
  }

  /// Changes a record.
  ///
  /// - Parameter body: changes the record that it is given.
  /// - Returns: the record as it is then.
  /// - Throws: ``StoreError``: those of ``add(_:)`` and ``record(_:_:)``, `.forbidden` for an earlier
  ///   unlock time, and `.changedMeanwhile`.
  public func change<Model: Record>(
    _ type: Model.Type, _ id: RecordID, _ body: (inout Model) -> Void
  ) throws(StoreError) -> Model {
    try Model.access.change(self, id, now, body)
  }

  /// Moves a record to the trash.
  ///
  /// - Parameter withBequests: whether the bequests that name it go with it; it is refused otherwise.
  /// - Throws: ``StoreError``: `.notFound`, `.referenced`, `.unreadableReferences`, `.busy`, `.io`.
  public func delete<Model: Record>(
    _ type: Model.Type, _ id: RecordID, withBequests: Bool = false
  ) throws(StoreError) {
    _ = try delete(Model.access.kind, id, withDependents: withBequests, now: now)
  }

  /// Brings a record back from the trash, with the bequests that were deleted with it.
  ///
  /// - Throws: ``StoreError``: `.notFound`, `.nameTaken`, `.missingReference`, `.busy`, `.io`.
  public func restore<Model: Record>(
    _ type: Model.Type, _ id: RecordID
  ) throws(StoreError) -> Model {
    let records = try trash(of: [id], deletedBefore: nil)
      .filter { $0.kind == Model.access.kind }
    guard !records.isEmpty else { throw .notFound(Model.access.kind, id) }
    let restoration = try restore(records, now: now)
    if let failure = restoration.failures.first { throw failure }
    return try record(type, id)
  }

  /// Finds the records of a kind that can be read, in the order of a list.
  ///
  /// - Parameters:
  ///   - text: the text that a title, a name, notes or a tag holds, whatever its case and accents;
  ///     every record where it is empty.
  ///   - limit: the most records to return.
  public func records<Model: Record>(
    _ type: Model.Type, matching text: String = "", limit: Int = .max
  ) -> [Model] {
    guard limit > 0 else { return [] }
    return ids(Model.access.kind, matching: text.isEmpty ? nil : SearchText(text), limit)
      .compactMap { try? record(type, $0) }
  }

  private func ids(_ kind: RecordKind, matching text: SearchText?, _ limit: Int) -> [RecordID] {
    let now = now
    switch kind {
    case .capsule:
      var query = CapsuleQuery(now: now)
      (query.text, query.limit) = (text, limit)
      return rows(query, now).map(\.summary.id)
    case .event:
      var query = EventQuery(calendar(in: .utc, named: "UTC"), now: now)
      (query.text, query.limit) = (text, limit)
      return rows(query, now).map(\.summary.id)
    case .item:
      var query = ItemQuery(now: now, zone: .utc)
      (query.text, query.limit) = (text, limit)
      return rows(query, now).map(\.summary.id)
    case .beneficiary:
      var query = BeneficiaryQuery()
      (query.text, query.limit) = (text, limit)
      return rows(query, now).map(\.summary.id)
    case .bequest:
      var query = BequestQuery(passing: (try? intactSettings())?.passing, now: now)
      query.limit = limit
      return rows(query, now).filter { row in
        text.map { $0.matches(row.title) } ?? true
      }.map(\.summary.id)
    case .trustees:
      var query = TrusteeQuery()
      (query.text, query.limit) = (text, limit)
      return rows(query, now).map(\.summary.id)
    }
  }

  private func rows<Query: RecordQuery>(_ query: Query, _ now: Instant) -> [Query.Row] {
    var index = index(Query.kind, now: now)
    var found: [Query.Row] = []
    query.forEachReadable(in: &index, of: self) { row in
      found.append(row)
      return found.count < query.limit
    }
    return found
  }

  /// Reads every record, content and index, and says what is not as it was written.
  ///
  /// - Throws: ``StoreError`` where the store itself cannot be read.
  public func verify() throws(StoreError) -> Verification {
    try verifyAll(now: now)
  }

  /// Mends what can be mended, with a copy of what it replaces in `backups/`.
  ///
  /// - Parameter keys: the keys with which the locks of changed capsules are looked into.
  /// - Throws: ``StoreError``.
  public func repair(with keys: Keys = .none) throws(StoreError) -> [RepairAction] {
    try repair(with: keys.identities(), now: now)
  }
}
