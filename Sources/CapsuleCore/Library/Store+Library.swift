/// The library's own door to the records of a store (`docs/library.md`). Each operation reads the
/// store's clock once.
extension Store {
  /// Opens the store in a directory, and makes it first where there is none.
  ///
  /// - Parameters:
  ///   - directory: an absolute path, or one from the working directory.
  ///   - cache: a directory for the rebuildable index; `nil` keeps none.
  ///   - state: a directory for what this machine knows of its stores, such as the name of its journal,
  ///     `$XDG_STATE_HOME/capsule` of the program; `nil` where it shall remember nothing.
  ///   - clock: the clock that every operation asks for the time, such as ``StoreClock/system``.
  ///   - patience: milliseconds to wait for another process.
  /// - Throws: ``StoreError``: `.notAStore` where the directory holds something else,
  ///   `.headerDamaged`, `.newerFormat`, `.noMigration`, `.busy`, `.random`, `.io`.
  public static func open(
    directory: String, cache: String? = nil, state: String? = nil, clock: StoreClock,
    patience: Int = 10_000
  ) throws(StoreError) -> Store {
    try openOrCreate(
      at: FilePath(directory), environment: environment(cache, state, clock, patience),
      now: clock.now)
  }

  /// Opens the store in a directory, and makes none: the parameters are those of
  /// ``open(directory:cache:state:clock:patience:)``.
  ///
  /// - Returns: `nil` where there is no store.
  /// - Throws: ``StoreError``: `.notAStore` where the directory holds something else,
  ///   `.headerDamaged`, `.newerFormat`, `.noMigration`, `.busy`, `.io`.
  public static func existing(
    directory: String, cache: String? = nil, state: String? = nil, clock: StoreClock,
    patience: Int = 10_000
  ) throws(StoreError) -> Store? {
    try open(at: FilePath(directory), environment: environment(cache, state, clock, patience))
  }

  private static func environment(
    _ cache: String?, _ state: String?, _ clock: StoreClock, _ patience: Int
  ) -> StoreEnvironment {
    StoreEnvironment(
      fileSystem: POSIXFileSystem(), random: .system, patience: .sleeping(limit: patience),
      cacheHome: cache.map { FilePath($0) }, stateHome: state.map { FilePath($0) },
      holder: "CapsuleCore\n", clock: clock)
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
  /// Where another process changes it at the same time, the change is made to what that one wrote:
  /// `body` is called again.
  ///
  /// - Throws: ``StoreError``: those of ``add(_:)`` and ``record(_:_:)``, and `.forbidden` for a change
  ///   that a ``ChangeRule`` does not allow.
  public func change<Model: Record>(
    _ type: Model.Type, _ id: RecordID, _ body: (inout Model) -> Void
  ) throws(StoreError) -> Model {
    let (access, now) = (Model.access, now)
    while true {
      do throws(StoreError) {
        return try access.change(self, id, now, body)
      } catch .changedMeanwhile {
        continue
      }
    }
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
      query.limit = text == nil ? limit : .max
      let found = rows(query, now).filter { row in text.map { $0.matches(row.title) } ?? true }
      return found.prefix(limit).map(\.summary.id)
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

  /// Returns the records in the trash, those of a kind together, the last deleted first.
  ///
  /// - Throws: ``StoreError``: `.io`.
  public func trash() throws(StoreError) -> [TrashedRecord] {
    try trash(of: nil, deletedBefore: nil)
  }

  /// Removes records from the trash for good, with the contents that only they have.
  ///
  /// - Throws: ``StoreError``: `.cannotPurge` while it is not known which contents other records have,
  ///   `.busy`, `.io`.
  public func purge(_ records: [TrashedRecord]) throws(StoreError) {
    _ = try purge(records, now: now)
  }

  /// Reads every record, content and index, and says what is not as it was written.
  ///
  /// - Throws: ``StoreError``: `.headerDamaged`, `.io` where the store itself cannot be read.
  public func verify() throws(StoreError) -> Verification {
    try verifyAll(now: now)
  }

  /// Mends what can be mended, with a copy of what it replaces in `backups/`.
  ///
  /// - Parameter keys: the keys with which the locks of changed capsules are looked into.
  /// - Throws: ``StoreError``: `.busy`, `.io` where nothing can be written, `.random`.
  public func repair(with keys: Keys = .none) throws(StoreError) -> [RepairAction] {
    try repair(with: keys.identities(), now: now)
  }
}
