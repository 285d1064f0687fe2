/// The library's own door to the records of a store (`docs/internals/library.md`). Each operation reads the
/// store's clock once.
extension Store {
  /// Opens the store in a directory, and makes it first where there is none.
  ///
  /// - Parameters:
  ///   - directory: an absolute path, or one from the working directory.
  ///   - creating: whether a store is made where there is none.
  ///   - cache: a directory for the rebuildable index; `nil` keeps none.
  ///   - state: a directory in which this machine remembers which journal of the store is its own, and
  ///     what was announced; the same for every program that changes the store here, or for none. With
  ///     `nil` no journal is written, from which a repair could put records back.
  ///   - clock: the clock that every operation asks for the time, such as ``StoreClock/system``.
  ///   - patience: milliseconds to wait for another process.
  /// - Throws: ``Fault``: `.noStore` where none is to be made, `.notAStore`, `.headerDamaged`,
  ///   `.newerFormat`, `.noMigration`, `.storeBusy`, `.noRandomness`, `.io`.
  public static func open(
    directory: String, creating: Bool = true, cache: String? = nil, state: String? = nil,
    clock: StoreClock, patience: Int = 10_000
  ) throws(Fault) -> Store {
    let path = FilePath(directory)
    let environment = StoreEnvironment(
      fileSystem: POSIXFileSystem(), random: .system, patience: .sleeping(limit: patience),
      cacheHome: cache.map { FilePath($0) }, stateHome: state.map { FilePath($0) },
      holder: "CapsuleCore\n", clock: clock)
    if creating { return try openOrCreate(at: path, environment: environment, now: clock.now) }
    guard let store = try open(at: path, environment: environment) else {
      throw .noStore(path: directory)
    }
    return store
  }

  /// The time by the store's clock, for one operation.
  var now: Instant { environment.clock.now }

  /// Adds a record to the store.
  ///
  /// - Returns: the record with its id and times.
  /// - Throws: ``Fault``: `.refused` for one that breaks a rule of its kind, `.nameTaken`,
  ///   `.missingReference`, `.duplicate`, `.recordTooLarge`, `.storeBusy`, `.newerFormat`, `.noRandomness`, `.io`.
  public func add<Model: NewRecord>(_ record: Model) throws(Fault) -> Model {
    try Model.access.add(self, record, now)
  }

  /// Reads a record.
  ///
  /// - Throws: ``Fault``: `.recordGone`, `.recordDamaged` also when it is not what was written, `.io`.
  public func record<Model: Record>(
    _ type: Model.Type, _ id: RecordID
  ) throws(Fault) -> Model {
    try Model.access.read(self, id)
  }

  /// Changes a record. Where another process changes it at the same time, the change is made to what that
  /// one wrote: `body` is called again.
  ///
  /// - Parameter body: changes the record that it is given.
  /// - Returns: the record as it is then.
  /// - Throws: ``Fault``: those of ``add(_:)`` and ``record(_:_:)``, and `.changeNotAllowed` for a change
  ///   that a ``ChangeRule`` does not allow.
  public func change<Model: Record>(
    _ type: Model.Type, _ id: RecordID, _ body: (inout Model) -> Void
  ) throws(Fault) -> Model {
    try Model.access.change(self, id, now, body)
  }

  /// Moves a record to the trash.
  ///
  /// - Parameter withBequests: whether the bequests that name it go with it; it is refused otherwise.
  /// - Throws: ``Fault``: `.recordGone`, `.referenced`, `.unreadableReferences`, `.storeBusy`, `.io`.
  public func delete<Model: Record>(
    _ type: Model.Type, _ id: RecordID, withBequests: Bool = false
  ) throws(Fault) {
    _ = try trash.delete(Model.access.kind, id, withDependents: withBequests, now: now)
  }

  /// Restores a record from the trash, with the bequests that were deleted with it.
  ///
  /// - Throws: ``Fault``: `.recordGone`, `.nameTaken`, `.missingReference`, `.storeBusy`, `.io`.
  public func restore<Model: Record>(
    _ type: Model.Type, _ id: RecordID
  ) throws(Fault) -> Model {
    // An interrupted deletion may have left two files of it.
    let newest = try trash.records(of: [id], deletedBefore: nil).filter {
      $0.kind == Model.access.kind
    }
    .max { $0.deletedAt < $1.deletedAt }
    guard let newest else { throw .notFound(Model.access.kind, id) }
    let restoration = try trash.restore([newest], now: now)
    if let failure = restoration.failures.first { throw failure }
    return try record(type, id)
  }

  /// Reads every record, content and index, and says what is not as it was written.
  ///
  /// - Throws: ``Fault``: `.io` where a directory of the store cannot be read; all else is a finding.
  public func verify() throws(Fault) -> Verification {
    try care.verifyAll(now: now)
  }

  /// Every difference between whom the store would seal to and what this device knows; nothing is kept.
  ///
  /// - Throws: ``Fault``: `.io` where what this device knows cannot be read.
  public func trustProblems() throws(Fault) -> [TrustProblem] {
    try trust.problems()
  }

  /// Takes differences that were shown to the owner: what this device knows is as they say.
  ///
  /// - Returns: whether this device could keep it.
  /// - Throws: ``Fault``: `.headerDamaged` for a header that nothing may be sealed to, `.io`.
  public func acceptTrust(_ problems: [TrustProblem]) throws(Fault) -> Bool {
    try trust.accept(problems)
  }

  /// Repairs damage where possible; what is replaced is kept in `backups/`.
  ///
  /// - Parameter keys: the keys with which the locks of changed capsules are looked into.
  /// - Throws: ``Fault``: `.newerFormat`, `.storeBusy`, and `.io` where nothing can be written; damage that
  ///   stays is among the actions.
  public func repair(with keys: Keys = .none) throws(Fault) -> [RepairAction] {
    try care.repair(with: keys.identities(), now: now)
  }
}
