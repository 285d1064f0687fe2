extension Verifier {
  /// The seconds for which a record that only another machine's journal names is awaited.
  private static let awaitedAge: Int64 = 7 * 86_400

  /// Looks at each damage again where nobody else changes the store: what a purge or a deletion took
  /// away between two looks is none.
  mutating func confirmDamage() throws(StoreError) {
    guard report.problems.contains(where: isLookedAtAgain) else { return }
    var problems: [StoreProblem] = []
    try store.whileStill {
      let trashed = store.trashedPaths()
      problems = report.problems.compactMap { isLookedAtAgain($0) ? lookAgain($0, trashed) : $0 }
    }
    report.problems = problems
  }

  /// Damage, and a log: another process may be about to write its last frame. So may a version have been
  /// dropped meanwhile.
  private func isLookedAtAgain(_ problem: StoreProblem) -> Bool {
    switch problem {
    case .journal, .versionBlob: true
    default: problem.isDamage
    }
  }

  /// The problem as it is now; `nil` where it is none any more.
  private func lookAgain(
    _ problem: StoreProblem, _ trashed: TrashedPaths
  ) -> StoreProblem? {
    switch problem {
    case .record(let kind, let id, let path, _), .unreadable(let kind, let id?, let path, _):
      do throws(FileSystemError) {
        let bytes = try files.readFile(FilePath(path), limit: RecordFile.sizeLimit)
        return kind.examine(bytes, id: id).damage.map { .record(kind, id, path: path, $0) }
      } catch {
        if error.condition == .notFound { return nil }
        return .unreadable(kind, id, path: path, code: error.code)
      }
    case .blob(let name, _, _, let kind, let id):
      let paths = [layout.record(kind, id)] + (trashed.paths[id] ?? [])
      let isNamed = paths.contains { path in
        guard let bytes = try? files.readFile(path, limit: RecordFile.sizeLimit) else {
          return false
        }
        return BlobReferences.names(in: bytes).contains(name)
      }
      guard isNamed else { return nil }
      do throws(StoreError) {
        return try store.damage(of: name) == nil ? nil : problem
      } catch {
        return problem
      }
    case .versionBlob(let name, _, _, _, let id):
      guard versionOwner(of: name, in: CollectionOfOne(id.shard)) != nil else { return nil }
      do throws(StoreError) {
        return try store.damage(of: name) == nil ? nil : problem
      } catch {
        return problem
      }
    case .otherSize(_, let path, _, _, let kind, let id):
      let place = RecordReading.Place(kind: kind, id: id, path: FilePath(path))
      let reading = RecordReading(place, in: files, hashing: false)
      return reading.otherSizes(in: store).contains(problem) ? problem : nil
    case .journal(let path):
      let log = FilePath(path)
      guard Store.shard(ofLog: log.lastComponent) != nil else { return problem }
      do throws(FileSystemError) {
        return try JournalLog(files, log).forEachEntry { _ in }.isEmpty ? nil : problem
      } catch {
        return problem
      }
    default:
      return problem
    }
  }

  /// Names what the journals name and what was not found, and writes what no journal holds.
  mutating func compareWithJournals() throws(StoreError) {
    if !lacking.isEmpty {
      // The journals are read again, where nobody purges or restores meanwhile.
      var again: JournalRoster?
      try store.whileStill {
        again = store.journalRoster(as: ownMachine, of: Set(lacking.keys.map(\.shard)))
      }
      let known = again?.known() ?? lacking
      let trashed = store.trashedPaths()
      lacking = lacking.filter { id, _ in
        known[id].map { !store.isThere($0, trashed) } ?? false
      }
      lacking = lacking.mapValues { known[$0.id] ?? $0 }
    }
    let missed = MissedRecords(store)
    var missedAt = missed.read().filter {
      !compared.contains($0.key.shard) || lacking[$0.key] != nil
    }
    // A synchroniser may take a file away before it brings what another machine did with it.
    let isOnTheWay = !lacking.isEmpty && othersWroteLately()
    for (id, record) in lacking.sorted(by: { $0.key < $1.key }) {
      let missing = store.missingRecord(record)
      let first = min(missedAt[id] ?? now, now)
      missedAt[id] = first
      let isLate = now.seconds.subtractingClamped(first.seconds) >= Self.awaitedAge
      if let found = older[id], found.revision != .max {
        report.problems.append(
          (record.ownRevision ?? .min) > found.revision && !isOnTheWay || isLate
            ? .outdated(missing, path: found.path.text, revision: found.revision)
            : .awaited(missing))
      } else {
        report.problems.append(
          record.ownRevision != nil && !isOnTheWay || isLate
            ? .missing(missing) : .awaited(missing))
      }
    }
    missed.write(missedAt)
    try noteLostLogs()
    // A problem of the whole journal was noted before.
    let path = layout.journal.text
    let isNamed = report.problems.contains {
      if case .unreadableJournal(path, _) = $0 { true } else { false }
    }
    if !fillJournal(), !isNamed { report.problems.append(.noJournal) }
  }

  /// Whether another machine has written its journal within the time that a record is awaited.
  private func othersWroteLately() -> Bool {
    for name in (try? store.journalMachines()) ?? [] where name != ownMachine {
      let folder = layout.journal(name)
      for entry in (try? files.contents(ofDirectory: folder)) ?? [] {
        guard let status = try? files.status(folder.appending(bytes: entry.name)) else { continue }
        let age = now.seconds.subtractingClamped(status.modified.seconds)
        if age < Self.awaitedAge { return true }
      }
    }
    return false
  }

  /// Names this machine's logs that lost what they had; a change that is being made is no loss.
  private mutating func noteLostLogs() throws(StoreError) {
    guard !lost.isEmpty, let ownMachine else { return }
    var known: [RecordID: JournalRoster.Known] = [:]
    try store.whileStill {
      known = store.journalRoster(as: ownMachine, of: Set(lost.map(\.shard))).known()
    }
    let shards = lost.filter { id in
      guard let found = unwritten[id], let digest = found.digest else { return false }
      return known[id]?.digests.contains(JournalRoster.beginning(of: digest)) != true
    }.map(\.shard)
    for shard in Set(shards).sorted() {
      let problem = StoreProblem.journal(path: store.log(of: ownMachine, shard).path.text)
      if !report.problems.contains(problem) { report.problems.append(problem) }
    }
  }

  /// Writes records into this machine's journal that no journal holds.
  ///
  /// - Returns: `false` where this machine cannot have a journal.
  private func fillJournal() -> Bool {
    guard store.stateDirectory != nil else { return false }
    guard !unwritten.isEmpty || !store.isHeaderCopied else { return true }
    guard (try? store.requireWritable()) != nil else { return true }
    do throws(StoreError) {
      return try store.whileLocked { () throws(StoreError) in
        guard let machine = store.ownJournal(creating: true) else { return false }
        store.copyHeader()
        let shards = Dictionary(grouping: unwritten, by: \.key.shard).sorted { $0.key < $1.key }
        for (_, records) in shards {
          let frames = records.sorted { $0.key < $1.key }.flatMap { id, found in
            frame(filling: id, found).map { store.frames($0, at: found.path) } ?? []
          }
          try storeIO { () throws(FileSystemError) in
            try store.append(frames, to: machine, synchronising: false)
          }
        }
        return true
      }
    } catch {
      // A store that cannot be written is verified all the same.
      return true
    }
  }

  private func frame(filling id: RecordID, _ found: PresentRecord) -> JournalFrame? {
    guard let bytes = try? files.readFile(found.path, limit: RecordFile.sizeLimit),
      SHA256.hash(bytes) == found.digest
    else { return nil }
    return JournalFrame(
      .put, .filling, found.kind, id, revision: found.revision, at: now, body: bytes)
  }
}

/// The files in the trash by the ids in their names.
private struct TrashedPaths {
  var paths: [RecordID: [FilePath]] = [:]
  /// The kinds whose trash cannot be listed.
  var unreadable: Set<RecordKind> = []
}

extension Store {
  /// Runs something while no other process changes the store, or after a second where no lock can be
  /// taken.
  fileprivate func whileStill(_ body: () -> Void) throws(StoreError) {
    if let lock = try? files.acquireLock(
      layout.lock, holder: Array(environment.holder.utf8), patience: environment.patience)
    {
      defer { files.release(lock) }
      body()
    } else {
      environment.patience.pause(1_000)
      body()
    }
  }

  /// The records that journals name and that are neither live nor in the trash.
  package func missingRecords() -> [MissingRecord] {
    let trashed = trashedPaths()
    return journalRoster().known().values
      .filter { !isThere($0, trashed) }.map { missingRecord($0) }.sorted { $0.id < $1.id }
  }

  /// Looks for a record once more.
  fileprivate func isThere(
    _ record: JournalRoster.Known, _ trashed: TrashedPaths
  ) -> Bool {
    // A record whose folder cannot be listed is not called missing.
    if trashed.unreadable.contains(record.kind) { return true }
    let paths = [layout.record(record.kind, record.id)] + (trashed.paths[record.id] ?? [])
    return paths.contains { path in
      do throws(FileSystemError) {
        let bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
        let (model, _) = record.kind.examine(bytes, id: record.id)
        return model.map { $0.header.revision >= record.revision } ?? true
      } catch {
        return error.condition != .notFound && error.condition != .notDirectory
      }
    }
  }

  fileprivate func trashedPaths() -> TrashedPaths {
    var trashed = TrashedPaths()
    for kind in RecordKind.allCases {
      do throws(StoreError) {
        for record in try trash(kind) {
          trashed.paths[record.id, default: []].append(record.path)
        }
      } catch {
        trashed.unreadable.insert(kind)
      }
    }
    return trashed
  }

  fileprivate func missingRecord(_ record: JournalRoster.Known) -> MissingRecord {
    var title: String?
    if let bytes = record.newest.flatMap({ self.bytes(of: $0) }) {
      let fields = (try? RecordFile.decode(bytes))?.fields
      if case .string(let text)? = fields?["title"] ?? fields?["name"] { title = text }
    }
    return MissingRecord(
      kind: record.kind, id: record.id, revision: record.revision, title: title,
      updatedAt: record.newest?.time)
  }
}
