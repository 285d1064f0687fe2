/// The files of records that are looked at when an index is opened, besides the directories: a record
/// that was written over in its place shows in the times of its file alone.
package enum IndexLook: Hashable, Sendable {
  /// No files of records.
  case directories
  /// Every file where there are at most so many records, else none.
  case filesOfFew(Int)
  /// So many files for each minute since the last such opening, those that follow: in turn all of
  /// them. See ``IndexTurn``.
  case filesInTurn(Int)
}

extension LoadedIndex {
  /// The outcome of bringing the index up to date.
  struct Refresh {
    /// The changes, for the log.
    var changes: [IndexScan.Outcome] = []
    var failures: [Fault] = []
    /// Whether the kind has a folder. If it has none, nothing is kept.
    var hasFolder = true
  }

  /// Compares every directory with what is known of it, and reads again what changed.
  ///
  /// Nothing but directories is looked at where nothing did, the files of records with a problem, and
  /// those that `look` names.
  mutating func refresh(
    _ setup: IndexSetup, now: Instant, look: IndexLook = .directories
  ) throws(Malformed) -> Refresh {
    var refresh = Refresh()
    guard let (statuses, failed) = statuses(setup, &refresh) else {
      self = LoadedIndex()
      refresh.hasFolder = false
      return refresh
    }
    let edited = try edited(setup, now, look)
    let isLarge = rowCount > setup.fewRecords
    var tasks: [IndexScan.Task] = []
    for shard in UInt8.min...UInt8.max {
      let (known, isEdited) = (directories[Int(shard)], edited.contains(shard))
      // One that could not be looked at counts as there, so that it is looked at next time.
      let isMissing = !failed.contains(shard)
      var task = IndexScan.Task(
        shard: shard, state: ShardState(isPresent: !isMissing, isCurrent: isMissing))
      if let status = statuses[Int(shard)] {
        if !isEdited, known.holds(for: status) { continue }
        task.state = ShardState(status, now: now)
        task.isRelisted = isLarge && !isEdited && known.wasRead(at: status)
      } else if !known.isPresent, known.isCurrent {
        continue
      }
      let edition = known.edition &+ (isEdited ? 1 : 0)
      // Not that of an earlier index, which who follows this one may know.
      task.state.edition = edition == 0 ? UInt64(bitPattern: now.seconds) : edition
      tasks.append(task)
    }
    try scan(tasks, setup, now, &refresh)
    return refresh
  }

  /// Brings an index of something else in the same records up to date, and keeps it: the other one says
  /// in which states the directories are.
  mutating func follow(
    _ other: LoadedIndex, _ setup: IndexSetup, now: Instant
  ) throws(Malformed) {
    var tasks: [IndexScan.Task] = []
    for shard in UInt8.min...UInt8.max {
      var state = other.directories[Int(shard)]
      if state.isCurrent, state == directories[Int(shard)] { continue }
      if !state.isPresent, try rows(shard: shard).isEmpty { continue }
      state.strays = []
      tasks.append(IndexScan.Task(shard: shard, state: state))
    }
    var refresh = Refresh()
    try scan(tasks, setup, now, &refresh)
    try save(refresh.changes, setup, now: now)
  }

  /// The most bytes of cells that are held before they are written down.
  private static let held = 32 << 20

  /// Reads directories, and takes over what is found, some of them at a time.
  private mutating func scan(
    _ tasks: [IndexScan.Task], _ setup: IndexSetup, _ now: Instant, _ refresh: inout Refresh
  ) throws(Malformed) {
    let scan = IndexScan(setup: setup, now: now)
    var rest = tasks[...]
    var most = 16
    while !rest.isEmpty {
      var part = Array(rest.prefix(most))
      rest = rest.dropFirst(part.count)
      for number in part.indices { part[number].known = try rows(shard: part[number].shard) }
      var size = part.reduce(0) { $0 + $1.known.count }
      for outcome in Workers.map(part, threads: setup.threads, { scan.run($0) }) {
        size += outcome.upserted.count
        apply(outcome, &refresh)
      }
      // Ids are spread evenly: where these directories have few, all have, and threads are begun once.
      most = size < 16 * part.count ? .max : 16
      if overlay.byteCount > Self.held {
        try fold(setup)
        if overlay.count == 0 { refresh.changes = [] }
      }
    }
  }

  /// Returns the statuses of the shards that are there, by number, and the shards for which the file
  /// system refused to say; `nil` where the kind has no folder. Keeps the names that are no shards.
  private mutating func statuses(
    _ setup: IndexSetup, _ refresh: inout Refresh
  ) -> (present: [FileStatus?], failed: Set<UInt8>)? {
    var candidates = Array(UInt8.min...UInt8.max)
    do throws(Fault) {
      guard let folder = try setup.files.statusIfPresent(setup.folder) else { return nil }
      do {
        let names = try setup.files.contents(ofDirectory: setup.folder).map(\.name)
        candidates = names.compactMap { IndexShard.shard($0) }.sorted()
        strays = names.filter { IndexShard.shard($0) == nil && $0.first != UInt8(ascii: ".") }
      } catch {
        if folder.kind != .directory { throw error }
        refresh.failures.append(error)
      }
    } catch {
      refresh.failures.append(error)
      return nil
    }
    var statuses = [FileStatus?](repeating: nil, count: IndexShard.count)
    var failed: Set<UInt8> = []
    setup.files.forEachStatus(
      inDirectory: setup.folder, count: candidates.count,
      name: { $1 += IndexShard.name(candidates[$0]) },
      { number, status in
        let shard = candidates[number]
        switch status {
        case .success(let status) where status.kind == .directory: statuses[Int(shard)] = status
        case .success: strays.append(IndexShard.name(shard))
        case .failure(let error) where error.condition == .notFound: break
        case .failure(let error):
          refresh.failures.append(error)
          failed.insert(shard)
        }
      })
    strays.sort { $0.lexicographicallyPrecedes($1) }
    return (statuses, failed)
  }

  /// Returns the shards with a file that is another than it was, of the files that are looked at: those of
  /// records with a problem, and those that `look` names. One written over in its place shows in its own
  /// time of change, which no program can set, and not in its directory.
  private func edited(
    _ setup: IndexSetup, _ now: Instant, _ look: IndexLook
  ) throws(Malformed) -> Set<UInt8> {
    var rows = problems()
    switch look {
    case .directories: break
    case .filesOfFew(let most):
      if rowCount <= most { rows += try self.rows(from: 0, count: rowCount) }
    case .filesInTurn(let perMinute):
      let turn =
        rowCount <= perMinute
        ? (first: 0, count: rowCount)
        : IndexTurn.take(perMinute, of: rowCount, now: now, setup)
      rows += try self.rows(from: turn.first, count: turn.count)
    }
    var edited: Set<UInt8> = []
    var rest = rows[...]
    while let shard = rest.first?.id.shard {
      let part = Array(rest.prefix { $0.id.shard == shard })
      rest = rest.dropFirst(part.count)
      guard directories[Int(shard)].isPresent, !edited.contains(shard) else { continue }
      setup.files.forEachStatus(
        inDirectory: setup.directory(shard: shard), count: part.count,
        name: { part[$0].id.appendFileName(to: &$1) },
        { number, status in
          let stamp = (try? status.get()).map { FileStamp($0) }
          if stamp != part[number].stamp { edited.insert(shard) }
        })
    }
    return edited
  }

  /// Takes over what was found in a directory.
  private mutating func apply(_ outcome: IndexScan.Outcome, _ refresh: inout Refresh) {
    if let failure = outcome.failure { refresh.failures.append(failure) }
    var change = outcome
    change.state.strays.sort { $0.lexicographicallyPrecedes($1) }
    let (state, known) = (change.state, directories[Int(change.shard)])
    let isNews =
      (state.isCurrent || state.isRead) && state != known || state.isPresent != known.isPresent
      || state.strays != known.strays || !change.removed.isEmpty || !change.upserted.isEmpty
    directories[Int(change.shard)] = state
    for item in change.upserted { overlay.set(item) }
    for id in change.removed { overlay.remove(id) }
    if isNews { refresh.changes.append(change) }
  }
}

/// The files of records that are looked at in turn.
enum IndexTurn {
  /// The most files for each minute that has passed, of those that are looked at once a minute.
  private static let most = 16
  /// The part of them that is looked at however little time has passed.
  private static let least = 4

  /// Takes the turn that is next in a round of rows: the row from which on, and how many. Keeps where the
  /// one behind it begins, so that each row has its turn.
  ///
  /// A place that cannot be kept would come again: then it is one that the time gives.
  ///
  /// - Parameters:
  ///   - perMinute: the number of files for each minute since the last turn; not fewer than a quarter of
  ///     it, nor more than 16 times as many.
  ///   - rows: the number of rows, at least one.
  static func take(
    _ perMinute: Int, of rows: Int, now: Instant, _ setup: IndexSetup
  ) -> (first: Int, count: Int) {
    let hash = IndexHash.hash(withUnsafeBytes(of: now.seconds.littleEndian) { Array($0) })
    let any = (first: Int(hash % UInt64(rows)), count: perMinute)
    guard let path = setup.turn else { return any }
    let turn = try? setup.files.withFile(
      path, .readWriteCreate(mode: IndexSetup.mode)
    ) { file throws(Fault) in
      var turn = any
      let bytes = try setup.files.chunk(file, at: 0, count: 16)
      var kept = IndexDecoder(bytes[...])
      if let place = try? kept.next(UInt64.self), let seconds = try? kept.next(Int64.self) {
        turn.first = Int(place % UInt64(rows))
        let passed = now.seconds.subtractingClamped(seconds)
        // Of a clock that was turned back it is not known how much time has passed.
        if passed >= 0 {
          let due = Int(min(passed, 60 * Int64(most))) * perMinute / 60
          turn.count = max(due, perMinute / least)
        }
      }
      var encoder = IndexEncoder()
      encoder.put(UInt64((turn.first + turn.count) % rows))
      encoder.put(now.seconds)
      try setup.files.writeAll(file, encoder.bytes, at: 0)
      return turn
    }
    return turn ?? any
  }
}
