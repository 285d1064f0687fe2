import CapsulePlatform

/// One run of a verification through a store.
struct Verifier {
  let store: Store
  let now: Instant
  let plan: VerificationPlan
  var report = Verification()
  /// The records that journals name and that were not found so far, and what was found instead.
  var lacking: [RecordID: JournalRoster.Known] = [:]
  var older: [RecordID: PresentRecord] = [:]
  /// The records that no journal holds.
  var unwritten: [RecordID: PresentRecord] = [:]
  /// The records among those that this machine's journal had, or should have had.
  var lost: Set<RecordID> = []
  /// The records that iCloud has taken off this machine.
  var away: Set<RecordID> = []
  /// The shards whose records were compared with the journals.
  var compared: Set<UInt8> = []

  private var problems: [Section: [Finding]] = [:]
  /// The kinds that have a directory for a shard.
  var shards: [UInt8: [RecordKind]] = [:]
  var trashed: [UInt8: [TrashedRecord]] = [:]
  /// A record that names each blob; only of a whole store all of them are known.
  private(set) var named: [BlobName: BlobOwner] = [:]
  /// A record of which a version in a journal names each other blob.
  private var namedByVersion: [BlobName: RecordReference] = [:]
  /// The damaged blobs that no record and no version in the parts that were looked at names.
  private var unowned: [(name: BlobName, path: FilePath, damage: BlobDamage)] = []
  /// The sizes of the blobs of which a record says another one; `nil` for a damaged one.
  private var otherSizes: [BlobName: Int64?] = [:]
  /// The machines that have a journal, with the shards of their logs.
  var machines: [(name: String, shards: Set<UInt8>)] = []
  var ownMachine: String?
  /// The time at which this machine missed a file of the store's own first; `nil` where it misses none.
  var ownFileMissedAt: Instant?
  /// Whether another machine may bring what is not here.
  private(set) lazy var mayCome = plan.mayOthersBring ?? store.journal.mayOthersBring
  /// Whether one is at it: a synchronizer may take a file away before it brings what another machine did with it.
  private(set) lazy var isOnTheWay = mayCome && othersWroteLately()
  /// The time until which every record was in this machine's journal; `nil` where that is not known.
  var journaledUntil: Instant?
  /// The time since which every change was put into this machine's journal; `nil` where that is not
  /// known.
  var journaledSince: Instant?

  var files: any FileSystem { store.files }
  var layout: StoreLayout { store.layout }
  private var isWhole: Bool { plan.start == nil }
  private var needsDigests: Bool { plan.keepsPresent || plan.readsJournals }

  /// The order of the findings in the report.
  enum Section: Hashable, Comparable {
    case store
    /// The records of the kind with this place among all kinds.
    case records(Int)
    case blobs, journal

    init(_ kind: RecordKind) { self = .records(RecordKind.allCases.firstIndex(of: kind) ?? 0) }
  }

  init(_ store: Store, _ plan: VerificationPlan, now: Instant) {
    self.store = store
    self.plan = plan
    self.now = now
  }

  /// Looks at everything, or at as many parts as there is time for.
  mutating func run(progress: (Int64, Int64) -> Void) -> Verification {
    examineStore()
    var isFirst = true
    var blobs: BlobName?
    switch plan.start ?? .first {
    case .records(let start):
      for shard in start...UInt8.max {
        guard isFirst || plan.hasTime() else {
          report.next = .records(shard)
          return finish()
        }
        isFirst = false
        examineRecords(shard)
      }
    case .blobs(let name): blobs = name
    }
    examineBlobs(from: blobs, isFirst: isFirst, progress: progress)
    return finish()
  }

  private mutating func finish() -> Verification {
    noteUnowned()
    report.problems = problems.sorted { $0.key < $1.key }.flatMap(\.value)
    confirmDamage()
    if plan.readsJournals { compareWithJournals() }
    return report
  }

  mutating func note(_ problem: Finding, in section: Section) {
    if problem.kind == .foreign, let name = problem.file?.lastComponent,
      BystanderName.contains(name)
    {
      return
    }
    problems[section, default: []].append(problem)
  }

  /// The entries of a directory in the order of their names; none where there is no directory, or none
  /// that can be read, which is a finding.
  mutating func entries(of directory: FilePath, _ section: Section) -> [DirectoryEntry] {
    do {
      return try files.contentsIfPresent(ofDirectory: directory).sorted {
        $0.name.lexicographicallyPrecedes($1.name)
      }
    } catch {
      note(Finding(.unreadable, at: directory, .refused(code: error.errno)), in: section)
      return []
    }
  }

  // MARK: Records

  /// Looks at the records of a shard, live and in the trash, and compares them with the journals.
  private mutating func examineRecords(_ shard: UInt8) {
    // The journals come first: what is purged after that is looked at again.
    let journals = plan.readsJournals ? readJournals(of: shard) : nil
    if let journals { noteProblems(of: journals.roster) }
    var present: [RecordID: PresentRecord] = [:]
    var capsules: [CapsuleReading] = []
    for kind in shards[shard] ?? [] {
      let places = records(kind, shard)
      for reading in RecordReadings(of: places, in: files, hashing: needsDigests) {
        examine(reading, &present)
        if let capsule = CapsuleReading(reading) { capsules.append(capsule) }
        for reference in reading.references
        where isGone(layout.record(reference.kind, reference.id))
          && !isAway(layout.record(reference.kind, reference.id))
        {
          note(
            Finding(
              .missingReference, reading.reference, at: reading.path, .reference(reference)),
            in: Section(kind))
        }
      }
    }
    for record in trashed.removeValue(forKey: shard) ?? [] {
      let place = RecordReading.Place(kind: record.kind, id: record.id, path: record.path)
      examine(RecordReading(place, in: files, hashing: needsDigests), &present)
      if (try? files.status(layout.record(record.kind, record.id))) != nil {
        note(
          Finding(
            .interruptedDeletion, RecordReference(record.kind, record.id), at: record.path),
          in: Section(record.kind))
      }
    }
    examineLocks(of: capsules, shard)
    if plan.keepsPresent { report.present.merge(present) { $1 } }
    if let journals {
      let known = journals.roster.known()
      compare(present, with: known, shard)
      examineVersions(journals.blobs.references(of: known, besides: present), present)
    }
  }

  /// The places of the records of a kind in a shard; other files are findings.
  private mutating func records(_ kind: RecordKind, _ shard: UInt8) -> [RecordReading.Place] {
    let directory = layout.shard(kind, shard)
    var places: [RecordReading.Place] = []
    for entry in entries(of: directory, Section(kind)) {
      let path = directory.appending(bytes: entry.name)
      if case .record(let id) = RecordFileName(entry.name, shard: shard) {
        places.append(RecordReading.Place(kind: kind, id: id, path: path))
      } else if let id = AwayName.record(entry.name) {
        away.insert(id)
        note(Finding(.away, RecordReference(kind, id), at: path), in: Section(kind))
      } else {
        note(Finding(.foreign, at: path), in: Section(kind))
      }
    }
    return places
  }

  private mutating func examine(
    _ reading: RecordReading, _ present: inout [RecordID: PresentRecord]
  ) {
    let (kind, path) = (reading.kind, reading.path)
    switch reading.outcome {
    case .gone: return
    case .unreadable(let code):
      note(
        Finding(.unreadable, reading.reference, at: path, .refused(code: code)), in: Section(kind))
    case .damaged(let damage):
      note(Finding(.record, reading.reference, at: path, .damage(damage)), in: Section(kind))
    case .intact: break
    }
    report.records += 1
    notePresent(reading, &present)
    for name in reading.blobs where named[name] == nil {
      named[name] = BlobOwner(record: reading.reference, path: path)
      // Whether it is really missing is looked at again at the end.
      if isGone(layout.blob(name)) {
        note(
          isAway(layout.blob(name))
            ? Finding(.away, reading.reference, at: AwayName.placeholder(of: layout.blob(name)))
            : Finding(.blob, reading.reference, at: layout.blob(name), .blob(name, .missing)),
          in: .blobs)
      }
    }
    for problem in reading.otherSizes(in: store, &otherSizes) { note(problem, in: Section(kind)) }
  }

  /// Whether there is no file. A refusal says nothing about that.
  private func isGone(_ path: FilePath) -> Bool {
    do throws(Fault) { _ = try files.status(path) } catch { return error.errno != EACCES }
    return false
  }

  /// Whether iCloud has taken a file off this machine.
  private func isAway(_ path: FilePath) -> Bool {
    (try? files.status(AwayName.placeholder(of: path))) != nil
  }

  private func notePresent(
    _ reading: RecordReading, _ present: inout [RecordID: PresentRecord]
  ) {
    guard needsDigests else { return }
    // Of a record that is live and in the trash, or several times in the trash, the newest counts.
    let revision = reading.header?.revision ?? .max
    if let known = present[reading.id], known.revision >= revision { return }
    present[reading.id] = PresentRecord(
      kind: reading.kind, path: reading.path, revision: revision,
      updatedAt: reading.header?.updatedAt, digest: reading.digest)
  }

  private mutating func examineLocks(of capsules: [CapsuleReading], _ shard: UInt8) {
    for (problem, reading) in zip(plan.lockProblems(capsules, shard), capsules) {
      guard let problem else { continue }
      let record = RecordReference(.capsule, reading.capsule.id)
      note(Finding(.lock, record, at: reading.path, .lock(problem)), in: Section(.capsule))
    }
  }

  // MARK: Journals

  private func readJournals(of shard: UInt8) -> (roster: JournalRoster, blobs: VersionBlobs) {
    var roster = JournalRoster(own: ownMachine)
    var blobs = VersionBlobs()
    for machine in machines where machine.shards.contains(shard) {
      roster.read(store.journal.log(of: machine.name, shard), of: machine.name) { blobs.add($0) }
    }
    return (roster, blobs)
  }

  private mutating func noteProblems(of roster: JournalRoster) {
    for path in roster.damaged { note(Finding(.journal, at: path), in: .journal) }
    for log in roster.unreadable {
      note(Finding(.journal, at: log.path, .refused(code: log.code)), in: .journal)
    }
  }

  private mutating func compare(
    _ present: [RecordID: PresentRecord], with known: [RecordID: JournalRoster.Known],
    _ shard: UInt8
  ) {
    for (id, record) in known
    where (present[id]?.revision ?? .min) < record.revision && !away.contains(id) {
      lacking[id] = record
      older[id] = present[id]
    }
    for (id, found) in present {
      guard let digest = found.digest else { continue }
      if known[id]?.digests.contains(JournalRoster.beginning(of: digest)) != true {
        unwritten[id] = found
        if let time = found.updatedAt,
          time < journaledUntil ?? .earliest
            || journaledSince.map({ $0 <= time }) ?? false
        {
          lost.insert(id)
        }
      }
    }
    compared.insert(shard)
  }

  /// Looks for the blobs that only versions name; those of a later revision may be on their way with it.
  private mutating func examineVersions(
    _ references: [VersionBlobs.Reference], _ present: [RecordID: PresentRecord]
  ) {
    for reference in references
    where named[reference.name] == nil && namedByVersion[reference.name] == nil {
      let name = reference.name
      let record = RecordReference(reference.kind, reference.id)
      namedByVersion[name] = record
      let path = layout.blob(name)
      guard let found = present[record.id], reference.revision <= found.revision,
        isGone(path), !isAway(path)
      else { continue }
      note(
        Finding(.versionBlob, record, at: path, .blob(name, .missing)), in: .blobs)
    }
  }

  /// The records of which versions in the journals name some blobs; every journal is read for it.
  private func versionOwners(of names: Set<BlobName>) -> [BlobName: RecordReference] {
    var owners: [BlobName: RecordReference] = [:]
    for shard in UInt8.min...UInt8.max where owners.count < names.count {
      let (roster, blobs) = readJournals(of: shard)
      for reference in blobs.references(of: roster.known())
      where names.contains(reference.name) && owners[reference.name] == nil {
        owners[reference.name] = RecordReference(reference.kind, reference.id)
      }
    }
    return owners
  }

  // MARK: Blobs

  private mutating func examineBlobs(
    from first: BlobName?, isFirst: Bool, progress: (Int64, Int64) -> Void
  ) {
    var present: [(name: BlobName, path: FilePath, size: Int64)] = []
    for shard in entries(of: layout.blobs, .blobs) {
      let directory = layout.blobs.appending(bytes: shard.name)
      let kind = (try? files.status(directory))?.kind
      if kind == .regular, Self.shard(shard.name) != nil {
        // The file is noted before the blobs: they can only be put back where it is a directory again.
        note(Finding(.unreadable, at: directory, .refused(code: ENOTDIR)), in: .store)
        continue
      }
      guard kind == .directory else {
        note(Finding(.foreign, at: directory), in: .blobs)
        continue
      }
      for entry in entries(of: directory, .blobs) {
        let path = directory.appending(bytes: entry.name)
        // Its record was said to need it, where one does.
        if AwayName.original(of: entry.name).flatMap({ BlobName(digits: $0[...]) }) != nil {
          continue
        }
        guard let name = BlobName(digits: entry.name[...]), layout.blob(name) == path else {
          note(Finding(.foreign, at: path), in: .blobs)
          continue
        }
        // It may have gone meanwhile; its record says whether it is missed.
        guard let size = (try? files.status(path))?.size else { continue }
        present.append((name, path, size))
      }
    }
    present.sort { $0.name < $1.name }
    if let first { present.removeAll { $0.name < first } }
    let total = present.reduce(0) { $0 + $1.size }
    var isFirst = isFirst
    for (name, path, size) in present {
      guard isFirst || plan.hasTime() else {
        report.next = .blobs(from: name)
        return
      }
      isFirst = false
      report.blobs += 1
      if isWhole, named[name] == nil, namedByVersion[name] == nil {
        // Only the journals tell whether a version needs it.
        if plan.readsJournals { note(Finding(.orphan, at: path), in: .blobs) }
        continue
      }
      guard plan.readsBlobs else { continue }
      progress(report.bytes, total)
      examineBlob(name, path)
      report.bytes += size
    }
  }

  private mutating func examineBlob(_ name: BlobName, _ path: FilePath) {
    do {
      guard let damage = try store.blobs.damage(of: name) else { return }
      if let owner = named[name] {
        note(Finding(.blob, owner.record, at: path, .blob(name, damage)), in: .blobs)
      } else if isWhole, let owner = namedByVersion[name] {
        note(Finding(.versionBlob, owner, at: path, .blob(name, damage)), in: .blobs)
      } else {
        unowned.append((name, path, damage))
      }
    } catch {
      guard error.code == .io else { return }
      note(Finding(.unreadable, at: path, .refused(code: error.errno)), in: .blobs)
    }
  }

  /// Names the damaged blobs whose records were not looked at in this run; of one that no record and no
  /// version names nothing is lost.
  private mutating func noteUnowned() {
    guard !unowned.isEmpty else { return }
    let names = Set(unowned.map(\.name))
    named.merge(store.blobs.owners(of: names)) { first, _ in first }
    let others = names.filter { named[$0] == nil && namedByVersion[$0] == nil }
    namedByVersion.merge(others.isEmpty ? [:] : versionOwners(of: others)) { first, _ in first }
    for (name, path, damage) in unowned {
      if let owner = named[name] {
        note(Finding(.blob, owner.record, at: path, .blob(name, damage)), in: .blobs)
      } else if let owner = namedByVersion[name] {
        note(Finding(.versionBlob, owner, at: path, .blob(name, damage)), in: .blobs)
      }
    }
  }
}

/// A record that names a blob, where it was found.
struct BlobOwner {
  let record: RecordReference
  let path: FilePath
}

extension StoreBlobs {
  /// The records, live or in the trash, that name some blobs; every record is read for it.
  fileprivate func owners(of names: Set<BlobName>) -> [BlobName: BlobOwner] {
    var owners: [BlobName: BlobOwner] = [:]
    for kind in RecordKind.allCases where owners.count < names.count {
      var paths: [(RecordID, FilePath)] = ((try? store.trash.records(kind)) ?? []).map {
        ($0.id, $0.path)
      }
      try? store.folders.forEachFile(kind) { path, file throws(Fault) in
        if case .record(let id) = file { paths.append((id, path)) }
      }
      for (id, path) in paths where owners.count < names.count {
        guard let bytes = try? files.readFile(path, limit: RecordFile.sizeLimit) else { continue }
        for name in BlobReferences.names(in: bytes).intersection(names) where owners[name] == nil {
          owners[name] = BlobOwner(record: RecordReference(kind, id), path: path)
        }
      }
    }
    return owners
  }
}
