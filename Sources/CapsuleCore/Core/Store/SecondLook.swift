/// The second look at what a verification found, where nobody else changes the store: what another process
/// wrote, moved or took away between two looks is no finding.
///
/// Whatever takes time is read while no lock is held. Under the lock a status shows that nothing was written
/// since; what was is read and looked at again. The lock is given up after a moment, however much is still to
/// be looked at, so that no other process waits long.
struct SecondLook {
  /// What stands at a path, as far as it can be seen without reading it.
  private enum PathState: Equatable {
    case nothing
    case file(FileStatus)
    case refused(code: Int32)
  }

  /// Something that was read, and the states of its paths just before.
  private struct Sight<Value> {
    let states: [PathState]
    let value: Value
    /// The round in which the states were compared last.
    var round: Int
  }

  /// A record's file.
  struct RecordSight {
    /// `nil` where there is none.
    var found: Result<RecordDamage?, Fault>?
    /// Its revision; the highest number there is where that cannot be read.
    var revision: Int64 = .max
    /// The blobs that it names, among those that are looked for.
    var names: Set<BlobName> = []
    /// The sizes that it says of them, where it is what was written.
    var sizes: [BlobName: Set<Int64>] = [:]
    /// Whether more than the names was looked for.
    fileprivate var isExamined = false
  }

  /// A blob's file.
  struct BlobSight {
    /// The damage that was found, and the reason where it could not be read.
    fileprivate let damage: Result<BlobDamage?, Fault>
    let size: Int64?

    /// Whether it was read and is what it should be.
    var isSound: Bool {
      if case .success(nil) = damage { true } else { false }
    }
  }

  /// The logs of all machines of one shard.
  struct JournalSight {
    /// What they say of the records that are looked for.
    var known: [RecordID: JournalRoster.Known] = [:]
    /// The blobs that their versions name, among those that are looked for.
    var names: Set<BlobName> = []
    /// The logs that are damaged, or cannot be read.
    var damaged: Set<FilePath> = []
  }

  /// The most things that are looked at while the lock is held once.
  static let together = 2048
  /// The nanoseconds after which the lock is given up; what is read under it comes on top.
  static let longest: Int64 = 40_000_000
  /// The milliseconds until it is taken again: longer than any pause of who waits for it.
  static let gap = 10
  /// The number of looks after which what is written over and over is read under the lock.
  private static let looks = 3

  private let store: Store
  private let machine: String?
  private let blobNames: Set<BlobName>
  private let readsVersions: Bool
  private let ids: Set<RecordID>

  private var records: [FilePath: Sight<RecordSight>] = [:]
  private var blobs: [BlobName: Sight<BlobSight>] = [:]
  private var journals: [UInt8: Sight<JournalSight>] = [:]
  private var trashes: [RecordKind: Sight<[RecordID: [FilePath]]?>] = [:]
  private var round = 0
  private var mayRead = true
  private var isLocked = false
  /// Whether something was not there to look at as it is now.
  private var isStale = false
  /// Whether no lock can be taken.
  private var isLockless = false

  /// - Parameters:
  ///   - machine: the machine whose journal counts as the own one.
  ///   - names: the blobs that are looked for.
  ///   - readsVersions: whether they are looked for in the versions of journals too.
  ///   - ids: the records that are looked for in the journals.
  init(
    _ store: Store, as machine: String?, blobs names: Set<BlobName> = [],
    readsVersions: Bool = false, ids: Set<RecordID> = []
  ) {
    self.store = store
    self.machine = machine
    blobNames = names
    self.readsVersions = readsVersions
    self.ids = ids
  }

  private var files: any FileSystem { store.files }
  private var layout: StoreLayout { store.layout }

  /// Looks at things while no other process changes the store, some at a time; or after a second where no
  /// lock can be taken.
  ///
  /// - Parameter look: is called at least twice for each thing: before, and under the lock.
  /// - Returns: what each last look found, in the order of the things.
  mutating func outcomes<Thing, Outcome>(
    of things: [Thing], _ look: (inout SecondLook, Thing) -> Outcome
  ) -> [Outcome] {
    let clock = store.environment.clock
    var outcomes: [Int: Outcome] = [:]
    var next = 0
    // The things that were written meanwhile, or that there was no time for, and the looks at each.
    var waiting: [(place: Int, looks: Int)] = []
    while !waiting.isEmpty || next < things.count {
      let end = min(things.count, next + max(0, Self.together - waiting.count))
      let part = waiting + (next..<end).map { ($0, 0) }
      (waiting, next) = ([], end)
      (round, mayRead) = (round + 1, true)
      for (place, _) in part { _ = look(&self, things[place]) }
      // The trash is listed when the journals were read: where those show no change since, nothing was moved
      // either. By its times a directory does not show two changes within a few milliseconds.
      if !trashes.isEmpty {
        trashes = [:]
        for (place, _) in part { _ = look(&self, things[place]) }
      }
      let lock = acquireLock()
      (round, isLocked) = (round + 1, true)
      let limit = clock.nanoseconds.addingClamped(Self.longest)
      for (number, (place, looks)) in part.enumerated() {
        if number > 0, clock.nanoseconds >= limit {
          waiting += part[number...]
          break
        }
        mayRead = looks + 1 >= Self.looks
        isStale = false
        let outcome = look(&self, things[place])
        if isStale { waiting.append((place, looks + 1)) } else { outcomes[place] = outcome }
      }
      isLocked = false
      if let lock { files.release(lock) }
      if lock != nil, !waiting.isEmpty || next < things.count {
        store.environment.patience.pause(Self.gap)
      }
    }
    return things.indices.compactMap { outcomes[$0] }
  }

  private mutating func acquireLock() -> HeldLock? {
    if isLockless { return nil }
    let environment = store.environment
    let lock = try? files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    if lock == nil {
      isLockless = true
      environment.patience.pause(1_000)
    }
    return lock
  }

  // MARK: What is looked at

  /// A record's file, and the blobs that it names.
  ///
  /// - Parameter isExamined: whether all of it is read, not only the names.
  mutating func record(
    _ kind: RecordKind, _ id: RecordID, at path: FilePath, isExamined: Bool
  ) -> RecordSight? {
    if isExamined, records[path]?.value.isExamined == false { records[path] = nil }
    return sight(\.records, path) {
      [$0.state(of: path)]
    } read: { looks in
      var sight = RecordSight(isExamined: isExamined)
      do throws(Fault) {
        let bytes = try looks.files.readFile(path, limit: RecordFile.sizeLimit)
        sight.found = .success(nil)
        if !looks.blobNames.isEmpty {
          sight.names = BlobReferences.names(in: bytes).intersection(looks.blobNames)
        }
        guard isExamined else { return sight }
        let (model, damage) = kind.examine(bytes, id: id)
        sight.found = .success(damage)
        sight.revision = model?.header.revision ?? .max
        if damage == nil {
          for file in model?.attachments ?? [] where sight.names.contains(file.blob) {
            sight.sizes[file.blob, default: []].insert(file.size)
          }
        }
      } catch {
        sight.found = error.condition == .notFound ? nil : .failure(error)
      }
      return sight
    }
  }

  /// A blob's file. It is not read under the lock: nobody writes over it.
  mutating func blob(_ name: BlobName) -> BlobSight? {
    let path = layout.blob(name)
    if isLocked, mayRead, let known = blobs[name] { return known.value }
    return sight(\.blobs, name) {
      [$0.state(of: path)]
    } read: { looks in
      var size: Int64?
      do throws(Fault) { size = try looks.files.status(path).size } catch {
        if error.condition == .notFound { return BlobSight(damage: .success(.missing), size: nil) }
      }
      return BlobSight(
        damage: Result { () throws(Fault) in try looks.store.blobs.damage(of: name) },
        size: size)
    }
  }

  /// The logs of a shard.
  mutating func journal(_ shard: UInt8) -> JournalSight? {
    sight(\.journals, shard) { looks in
      looks.logs(shard).map { looks.state(of: $0.log.path) }
    } read: { looks in
      var roster = JournalRoster(own: looks.machine)
      var versions = VersionBlobs()
      for (machine, log) in looks.logs(shard) {
        roster.read(log, of: machine) { if looks.readsVersions { versions.add($0) } }
      }
      var sight = JournalSight()
      let known = roster.known()
      sight.known = known.filter { looks.ids.contains($0.key) }
      sight.damaged = Set(roster.damaged + roster.unreadable.map(\.path))
      if looks.readsVersions {
        sight.names = Set(versions.references(of: known).map(\.name)).intersection(looks.blobNames)
      }
      return sight
    }
  }

  private func logs(_ shard: UInt8) -> [(machine: String, log: JournalLog)] {
    let machines = (try? store.journal.machines()) ?? []
    return machines.map { ($0, store.journal.log(of: $0, shard)) }
  }

  /// The files in the trash of a kind, by the ids in their names; `nil` within where they cannot be listed.
  private mutating func trash(_ kind: RecordKind) -> [RecordID: [FilePath]]?? {
    let folder = layout.trash(kind)
    return sight(\.trashes, kind) {
      [$0.state(of: folder)]
    } read: { looks in
      guard let entries = try? looks.files.contentsIfPresent(ofDirectory: folder) else {
        return nil
      }
      let records = entries.compactMap {
        TrashedRecord(kind: kind, path: folder.appending(bytes: $0.name))
      }
      return Dictionary(grouping: records, by: \.id).mapValues { $0.map(\.path) }
    }
  }

  /// Whether a record is live or in the trash, in the revision that journals name or a later one. A record
  /// that cannot be read, or whose folder cannot be listed, is not called missing.
  mutating func isThere(_ record: JournalRoster.Known) -> Bool {
    guard let trash = trash(record.kind), let trash else { return true }
    let paths = [layout.record(record.kind, record.id)] + (trash[record.id] ?? [])
    return paths.contains { path in
      switch self.record(record.kind, record.id, at: path, isExamined: true)?.found {
      case nil: false
      case .failure(let error): error.condition != .notDirectory
      case .success: records[path].map { $0.value.revision >= record.revision } ?? false
      }
    }
  }

  /// Whether a record names a blob, where it was found or where it is by now.
  mutating func isNamed(
    _ name: BlobName, by kind: RecordKind, _ id: RecordID, at path: FilePath
  ) -> Bool {
    let live = layout.record(kind, id)
    for path in path == live ? [live] : [path, live]
    where record(kind, id, at: path, isExamined: false)?.names.contains(name) == true {
      return true
    }
    guard let trash = trash(kind), let paths = trash?[id] else { return false }
    return paths.contains {
      record(kind, id, at: $0, isExamined: false)?.names.contains(name) == true
    }
  }

  // MARK: Sights

  private func state(of path: FilePath) -> PathState {
    do {
      return .file(try files.status(path))
    } catch {
      return error.condition == .notFound ? .nothing : .refused(code: error.errno)
    }
  }

  /// Returns what was read of something, where nothing was written since; reads it where that is allowed.
  private mutating func sight<Key: Hashable, Value>(
    _ sights: WritableKeyPath<SecondLook, [Key: Sight<Value>]>, _ key: Key,
    states: (SecondLook) -> [PathState], read: (SecondLook) -> Value
  ) -> Value? {
    let round = round
    if let known = self[keyPath: sights][key] {
      if known.round == round { return known.value }
      if states(self) == known.states {
        self[keyPath: sights][key]?.round = round
        return known.value
      }
    }
    guard !isLocked || mayRead else {
      isStale = true
      return nil
    }
    let before = states(self)
    let value = read(self)
    self[keyPath: sights][key] = Sight(states: before, value: value, round: round)
    return value
  }
}
