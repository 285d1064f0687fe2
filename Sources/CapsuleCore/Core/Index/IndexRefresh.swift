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
    guard let (statuses, failed) = statuses(setup, now, &refresh) else {
      self = LoadedIndex()
      refresh.hasFolder = false
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
    let looked = try looked(setup, now, look)
    dirty += changed(looked, besides: Set(dirty), setup)
    relisted.subtract(dirty)
    var tasks: [IndexScan.Task] = []
    for shard in dirty + relisted {
      let known = try rows(shard: shard)
      if let status = statuses[Int(shard)] {
        tasks.append(
          IndexScan.Task(
            shard: shard, status: status, known: known, isRelisted: relisted.contains(shard)))
      } else {
        // One that could not be looked at counts as there, so that it is looked at next time.
        let isMissing = !failed.contains(shard)
        let state = ShardState(isPresent: !isMissing, isCurrent: isMissing)
        apply(
          IndexScan.Outcome(number: Int(shard), state: state, removed: known.map(\.id)), &refresh)
      }
    }
    let scan = IndexScan(setup: setup, now: now)
    var outcomes = Workers.map(tasks, threads: setup.threads) { scan.run($0) }
    // Each is let go of as it is taken over: a whole store may be among them.
    while let outcome = outcomes.popLast() { apply(outcome, &refresh) }
    return refresh
  }

  /// Returns the statuses of the shards that are there, by number, and the shards for which the file
  /// system refused to say; `nil` where the kind has no folder.
  private mutating func statuses(
    _ setup: IndexSetup, _ now: Instant, _ refresh: inout Refresh
  ) -> (present: [FileStatus?], failed: Set<UInt8>)? {
    var candidates = Array(UInt8.min...UInt8.max)
    var listing: IndexScan.Outcome?
    do throws(Fault) {
      guard let folder = try setup.files.statusIfPresent(setup.folder) else { return nil }
      if directories[IndexShard.folder].holds(for: folder) {
        candidates.removeAll { shard in
          !directories[Int(shard)].isPresent && directories[Int(shard)].isCurrent
        }
      } else {
        listing = IndexScan.Outcome(
          number: IndexShard.folder, state: ShardState(folder, now: now))
        do {
          let names = try setup.files.contents(ofDirectory: setup.folder).map(\.name)
          candidates = names.compactMap { IndexShard.shard($0) }.sorted()
          listing?.state.strays = names.filter {
            IndexShard.shard($0) == nil && $0.first != UInt8(ascii: ".")
          }
        } catch {
          if folder.kind != .directory { throw error }
          listing?.failure = error
          listing?.state.forget()
        }
      }
    } catch {
      refresh.failures.append(error)
      return nil
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
        case .success: listing?.state.strays.append(IndexShard.name(shard))
        case .failure(let error) where error.condition == .notFound: break
        case .failure(let error):
          refresh.failures.append(error)
          failed.insert(shard)
        }
      })
    if let listing { apply(listing, &refresh) }
    return (statuses, failed)
  }

  /// Returns what is known of the files that are looked at: those of records with a problem, and those
  /// that `look` names.
  private func looked(
    _ setup: IndexSetup, _ now: Instant, _ look: IndexLook
  ) throws(Malformed) -> [IndexRow] {
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
    return rows
  }

  /// Returns the shards with a file that is another than it was: one written over in its place shows in
  /// its own time of change, which no program can set, and not in its directory.
  private func changed(
    _ rows: [IndexRow], besides dirty: Set<UInt8>, _ setup: IndexSetup
  ) -> [UInt8] {
    var changed: [UInt8] = []
    var rest = rows[...]
    while let shard = rest.first?.id.shard {
      let part = Array(rest.prefix { $0.id.shard == shard })
      rest = rest.dropFirst(part.count)
      guard directories[Int(shard)].isPresent, !dirty.contains(shard), !changed.contains(shard)
      else { continue }
      var isSame = true
      setup.files.forEachStatus(
        inDirectory: setup.directory(shard: shard), count: part.count,
        name: { part[$0].id.appendFileName(to: &$1) },
        { number, status in
          let stamp = (try? status.get()).map { FileStamp($0) }
          if stamp != part[number].stamp { isSame = false }
        })
      if !isSame { changed.append(shard) }
    }
    return changed
  }

  /// Takes over what was found in a directory.
  private mutating func apply(_ outcome: IndexScan.Outcome, _ refresh: inout Refresh) {
    if let failure = outcome.failure { refresh.failures.append(failure) }
    var change = outcome
    change.state.strays.sort { $0.lexicographicallyPrecedes($1) }
    let (state, known) = (change.state, directories[change.number])
    let isNews =
      (state.isCurrent || state.isRead) && state != known || state.isPresent != known.isPresent
      || state.strays != known.strays || !change.removed.isEmpty || !change.upserted.isEmpty
    directories[change.number] = state
    take(change)
    if isNews { refresh.changes.append(change) }
  }

  private mutating func take(_ outcome: IndexScan.Outcome) {
    for item in outcome.upserted { overlay.set(item) }
    for id in outcome.removed { overlay.remove(id) }
  }

  /// The most bytes of cells that are held before they are handed on.
  private static let held = 32 << 20

  /// Brings an index of something else in the same records up to date, and keeps it: the other one says
  /// which records there are, and in which state.
  mutating func follow(
    _ other: inout RecordIndex, _ setup: IndexSetup, now: Instant
  ) throws(Malformed) {
    var changes: [IndexScan.Outcome] = []
    let scan = IndexScan(setup: setup, now: now)
    let bases = other.bases()
    for first in stride(from: 0, to: IndexShard.folder, by: 16) {
      var tasks: [IndexScan.Reading] = []
      for number in first..<first + 16 {
        let state = ShardState(bases[number], isCurrent: true)
        if directories[number] == state { continue }
        let shard = UInt8(number)
        let (known, rows) = (try rows(shard: shard), other.rows(shard: shard))
        var task = IndexScan.Reading(shard: shard, state: state)
        task.state.isCurrent = rows.allSatisfy(\.isTrusted)
        task.removed = known.map(\.id).filter { rows.position(of: $0) == nil }
        task.ids = rows.filter { row in
          let old = known.position(of: row.id).map { known[$0] }
          return !row.isTrusted || old?.isTrusted != true || old?.stamp != row.stamp
        }.map(\.id)
        tasks.append(task)
      }
      let isLittle = tasks.allSatisfy(\.ids.isEmpty)
      for outcome in Workers.map(tasks, threads: isLittle ? 1 : setup.threads, { scan.run($0) }) {
        directories[outcome.number] = outcome.state
        take(outcome)
        changes.append(outcome)
      }
      if overlay.byteCount > Self.held {
        try fold(setup)
        if overlay.isEmpty { changes = [] }
      }
    }
    try save(changes, setup, now: now)
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
      if var kept = try? IndexDecoder(bytes), let place = try? kept.next(UInt64.self),
        let seconds = try? kept.next(Int64.self)
      {
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
