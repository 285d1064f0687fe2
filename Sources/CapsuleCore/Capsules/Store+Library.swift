/// The library's own door: a store, its capsules, the gate, and what a capsule holds
/// (`docs/library.md`).
extension Store {
  /// Opens the store in a directory, and makes it first where there is none.
  ///
  /// - Parameters:
  ///   - directory: an absolute path, or one from the working directory.
  ///   - cache: where the rebuildable index may be kept; `nil` keeps none.
  ///   - now: the time that a new store says it was made at.
  ///   - patience: milliseconds to wait for another process.
  /// - Throws: ``StoreError``.
  public static func open(
    directory: String, cache: String? = nil, now: Instant, patience: Int = 10_000
  ) throws(StoreError) -> Store {
    try openOrCreate(
      at: FilePath(directory),
      environment: StoreEnvironment(
        fileSystem: POSIXFileSystem(), random: .system, patience: .sleeping(limit: patience),
        cacheHome: cache.map { FilePath($0) }, stateHome: nil, holder: "CapsuleCore\n"),
      now: now)
  }

  /// Every capsule that can be read, by unlock time.
  public func capsules(now: Instant) -> [CapsuleSummary] {
    var index = index(.capsule, now: now)
    var summaries: [CapsuleSummary] = []
    index.forEach(.ascending, from: nil) { entry in
      if let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) {
        summaries.append(summary)
      }
      return true
    }
    return summaries
  }

  /// Seals texts and files into a new capsule with an honor lock.
  ///
  /// - Parameters:
  ///   - files: paths of files; links are followed.
  ///   - limit: the size in bytes over which a file is refused.
  /// - Throws: ``CapsuleError``; nothing is made then.
  public func createCapsule(
    title: String, unlockAt: Instant, texts: [String] = [], files: [String] = [],
    limit: Int64 = 1 << 30, now: Instant
  ) throws(CapsuleError) -> Capsule {
    try createCapsule(
      NewCapsule(
        title: title, notes: "", tags: [], unlockAt: unlockAt, unlockZone: "UTC", lock: .honor,
        sources: texts.map { ContentSource(.text($0)) }
          + files.map { ContentSource(.file(FilePath($0))) }),
      limit: limit, now: now)
  }

  /// Reads one capsule.
  ///
  /// - Throws: ``CapsuleError``, also when its record is not what was written.
  public func capsule(_ id: RecordID) throws(CapsuleError) -> Capsule {
    let record: StoredRecord<Capsule>
    do throws(StoreError) { record = try read(Capsule.self, id) } catch { throw .store(error) }
    try requireIntact(record)
    return record.model
  }

  /// Opens a capsule, when its time has come, with the keys that its lock asks for.
  ///
  /// Nothing is written: ``OpenedCapsule/keepOpening(now:)`` keeps the first opening.
  ///
  /// - Throws: ``OpeningError``.
  public func open(
    _ id: RecordID, with keys: Keys = .none, now: Instant
  ) throws(OpeningError) -> OpenedCapsule {
    let record: StoredRecord<Capsule>
    do throws(StoreError) {
      record = try read(Capsule.self, id)
    } catch {
      throw .capsule(.store(error))
    }
    var opening = try CapsuleOpening(record, in: self)
    return try opening.open(with: keys, beacons: keys, now: now)
  }
}
