extension LoadedIndex {
  /// The outcome of bringing the index up to date.
  struct Refresh {
    /// The changes, for the log.
    var changes: [IndexDirectoryChange] = []
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
    guard let (statuses, failed) = statuses(setup, now, &refresh) else {
      self = LoadedIndex()
      return refresh
    }
    var dirty: [UInt8] = []
    var relisted: Set<UInt8> = []
    let isLarge = rowCount > setup.fewRecords
    for shard in UInt8.min...UInt8.max {
      let state = directories[Int(shard)]
      if let status = statuses[Int(shard)] {
        if state.holds(for: status) { continue }
        if isLarge, state.wasRead(at: status) {
          relisted.insert(shard)
        } else {
          dirty.append(shard)
        }
      } else if state.isPresent || !state.isCurrent {
        dirty.append(shard)
      }
    }
    dirty += try mended(setup, besides: Set(dirty))
    dirty += try changedInPlace(setup, now, look, besides: Set(dirty))
    relisted.subtract(dirty)
    dirty += relisted
    let known = try rows(shards: dirty)
    var tasks: [IndexScan.Task] = []
    for shard in dirty {
      guard let status = statuses[Int(shard)] else {
        // One that could not be looked at counts as there, so that it is looked at next time.
        let state = ShardState(
          isPresent: failed.contains(shard), isCurrent: !failed.contains(shard))
        let removed = (known[shard] ?? []).map(\.id)
        apply(IndexScan.Outcome(shard: shard, state: state, removed: removed), &refresh)
        continue
      }
      tasks.append(
        IndexScan.Task(
          shard: shard, status: status, known: known[shard] ?? [],
          isRelisted: relisted.contains(shard)))
    }
    let scan = IndexScan(setup: setup, now: now)
    var outcomes = Workers.map(tasks, threads: setup.threads) { scan.run($0) }
    overlay.reserve(outcomes.reduce(0) { $0 + $1.upserted.count + $1.removed.count })
    // Each is let go of as it is taken over: a whole store may be among them.
    while let outcome = outcomes.popLast() { apply(outcome, &refresh) }
    return refresh
  }

  /// Returns the statuses of the shards that are there, by number, and the shards for which the file
  /// system refused to say; `nil` where the kind has no folder.
  private mutating func statuses(
    _ setup: IndexSetup, _ now: Instant, _ refresh: inout Refresh
  ) -> (present: [FileStatus?], failed: Set<UInt8>)? {
    let folder: FileStatus
    do {
      guard let found = try setup.files.statusIfPresent(setup.folder) else {
        refresh.hasFolder = false
        return nil
      }
      folder = found
    } catch {
      refresh.hasFolder = false
      refresh.failures.append(error)
      return nil
    }
    var candidates: [UInt8] = []
    var listing: Listing?
    if directories[IndexShard.folder].holds(for: folder) {
      candidates = (UInt8.min...UInt8.max).filter { shard in
        let state = directories[Int(shard)]
        return state.isPresent || !state.isCurrent
      }
    } else {
      let found = Listing(setup, folder, now, &refresh)
      if !found.isListed, folder.kind != .directory {
        refresh.hasFolder = false
        return nil
      }
      candidates = found.shards
      listing = found
    }
    var statuses = [FileStatus?](repeating: nil, count: IndexShard.folder)
    var failed: Set<UInt8> = []
    setup.files.forEachStatus(
      inDirectory: setup.folder, count: candidates.count,
      name: { $1 += IndexShard.name(candidates[$0]) },
      { number, status in
        let shard = candidates[number]
        switch status {
        case .success(let status) where status.kind == .directory: statuses[Int(shard)] = status
        case .success: listing?.strays.append(IndexShard.name(shard))
        case .failure(let error) where error.condition == .notFound: break
        case .failure(let error):
          refresh.failures.append(error)
          failed.insert(shard)
        }
      })
    if let listing { apply(listing, &refresh) }
    return (statuses, failed)
  }

  /// Returns the shards with a record that had a problem and whose file is another than it was, or
  /// with so many that their directories are read as fast.
  private mutating func mended(
    _ setup: IndexSetup, besides dirty: Set<UInt8>
  ) throws(Malformed) -> [UInt8] {
    var suspects: [UInt8: [RecordID]] = [:]
    for id in try problems() where !dirty.contains(id.shard) {
      suspects[id.shard, default: []].append(id)
    }
    var shards: [UInt8] = []
    for (shard, ids) in suspects {
      var isSame = ids.count <= 8
      for id in ids where isSame {
        let path = setup.directory(shard: shard).appending(bytes: id.fileName)
        let stamp = (try? setup.files.status(path)).map { FileStamp($0) }
        let known = try row(id)?.stamp
        isSame = known != nil && stamp == known
      }
      if !isSame { shards.append(shard) }
    }
    return shards.sorted()
  }

  /// Returns the shards with a record whose file was written over in its place: its directory does not
  /// show it, its own time of change does, which no program can set.
  private mutating func changedInPlace(
    _ setup: IndexSetup, _ now: Instant, _ look: IndexLook, besides dirty: Set<UInt8>
  ) throws(Malformed) -> [UInt8] {
    let count = rowCount
    let rows: [IndexRow]
    switch look {
    case .directories: return []
    case .filesOfFew(let most): rows = count <= most ? try self.rows(from: 0, count: count) : []
    case .filesInTurn(let perMinute):
      let turn =
        count <= perMinute
        ? IndexTurn(first: 0, count: count)
        : IndexTurn.take(perMinute, of: count, now: now, setup)
      rows = try self.rows(from: turn.first, count: turn.count)
    }
    var changed: [UInt8] = []
    var rest = rows[...]
    while let shard = rest.first?.id.shard {
      let part = rest.prefix { $0.id.shard == shard }
      rest = rest[part.endIndex...]
      guard directories[Int(shard)].isPresent, !dirty.contains(shard), !changed.contains(shard)
      else { continue }
      var isSame = true
      setup.files.forEachStatus(
        inDirectory: setup.directory(shard: shard), count: part.count,
        name: { part[part.startIndex + $0].id.appendFileName(to: &$1) },
        { number, status in
          let known = part[part.startIndex + number].stamp
          guard case .success(let status) = status, FileStamp(status) == known else {
            isSame = false
            return
          }
        })
      if !isSame { changed.append(shard) }
    }
    return changed
  }

  /// The number of rows, those that others stand for included.
  private var rowCount: Int { (base?.count ?? 0) + overlay.items.count }

  private mutating func rows(shards: [UInt8]) throws(Malformed) -> [UInt8: [IndexRow]] {
    if shards.isEmpty { return [:] }
    var overlaid: [UInt8: [Int32]] = [:]
    for (position, item) in overlay.items.enumerated() {
      overlaid[item.id.shard, default: []].append(Int32(position))
    }
    var rows: [UInt8: [IndexRow]] = [:]
    for shard in shards {
      rows[shard] = try self.rows(shard: shard, overlaid: overlaid[shard] ?? [])
    }
    return rows
  }
}
