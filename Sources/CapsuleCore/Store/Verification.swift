/// One thing that is not as it should be in a store.
public enum StoreProblem: Hashable, Sendable {
  /// `store.json` is not what was written.
  case header(RecordDamage)
  /// An identity's file is missing, or not the one that `store.json` keeps a copy of.
  case identity(recipient: String, isMissing: Bool)
  /// `settings.json` is not what was written.
  case settings(RecordDamage)
  /// A record is not what was written; `id` is its file's name.
  case record(RecordKind, RecordID, path: String, RecordDamage)
  /// A record cannot be read at all: the system refused, or there is no file in its place.
  case unreadable(RecordKind, RecordID?, path: String, code: Int32)
  /// Another file of the store cannot be read: the system refused.
  case unreadableFile(path: String, code: Int32)
  /// A blob that a record names is missing or not what was written.
  case blob(BlobName, path: String, BlobDamage, of: RecordKind, RecordID)
  /// A capsule's record that disagrees with its lock.
  case lock(RecordID, path: String, LockProblem)
  /// A file among the records or blobs that is not one of them: a synchroniser's conflict copy, or
  /// a stranger.
  case foreign(path: String)
  /// A blob that no record names; it goes with a purge after a week.
  case orphan(BlobName, path: String)
  /// A live record that names another one which is not there, as a synchroniser may leave it.
  case missingReference(RecordKind, RecordID, path: String, to: RecordReference)
  /// A record that this machine's journal names is neither live nor in the trash; or another
  /// machine's does, and it did not come for a week.
  case missing(MissingRecord)
  /// A record that only another machine's journal names, or a newer version of one: a synchroniser may
  /// bring it yet.
  case awaited(MissingRecord)
  /// A record is of an earlier revision than the one that this machine's journal names.
  case outdated(MissingRecord, path: String, revision: Int64)
  /// A part of a log of the journal is not what was written: second copies are lost.
  case journal(path: String)
  /// A log of the journal cannot be read: the system refused.
  case unreadableJournal(path: String, code: Int32)
  /// This machine cannot remember which journal is its own, and writes none.
  case noJournal
  /// A part of the store that others than its owner can write to; permission bits.
  case openToOthers(path: String, mode: UInt32)
  /// A record in the trash whose live twin is there too: a deletion that was interrupted.
  case interruptedDeletion(RecordKind, RecordID, path: String)

  /// Whether data is affected; the others are only to be known.
  public var isDamage: Bool {
    switch self {
    case .header, .identity, .settings, .record, .unreadable, .unreadableFile, .blob, .missing,
      .outdated, .lock:
      true
    case .foreign, .orphan, .missingReference, .interruptedDeletion, .awaited, .journal,
      .unreadableJournal, .noJournal, .openToOthers:
      false
    }
  }
}

/// A record that ought to be there, by what a journal says.
public struct MissingRecord: Hashable, Sendable {
  public let kind: RecordKind
  public let id: RecordID
  /// The highest revision that is named.
  public let revision: Int64
  /// Its title or name, where a version of it is held.
  public let title: String?
  /// The time of its last change, where a version of it is held.
  public let updatedAt: Instant?
}

/// The counts and the findings of a verification.
public struct Verification: Hashable, Sendable {
  public var records = 0
  public var blobs = 0
  /// Bytes of the blobs that were read.
  public var bytes: Int64 = 0
  public var problems: [StoreProblem] = []
  /// The records that were found, live or in the trash; empty where the journal was not read.
  var present: [RecordID: PresentRecord] = [:]
  var keepsPresent = false

  package init() {}

  /// Whether every byte is what it was.
  public var isSound: Bool { !problems.contains(where: \.isDamage) }
}

/// A record that was found, live or in the trash.
struct PresentRecord: Hashable, Sendable {
  let kind: RecordKind
  let path: FilePath
  /// The highest of those found; the highest number there is where one cannot be read.
  var revision: Int64
  /// The SHA-256 of its bytes; `nil` where they are not those that were written.
  let digest: [UInt8]?
}

extension Verification {
  fileprivate mutating func notePresent(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath, _ bytes: [UInt8]?, revision: Int64
  ) {
    guard keepsPresent else { return }
    // Of a record that is live and in the trash, or several times in the trash, the newest counts.
    if let known = present[id], known.revision >= revision { return }
    present[id] = PresentRecord(
      kind: kind, path: path, revision: revision, digest: bytes.map { SHA256.hash($0) })
  }
}

extension Store {
  /// Compares every record with its checksum and every blob with its name, and all of them with what
  /// the journals name; writes into this machine's journal what no journal holds.
  ///
  /// - Parameters:
  ///   - readingBlobs: whether the blobs are read; otherwise it is only seen that they are there.
  ///   - readingJournals: whether the journals are read.
  ///   - machine: whose journal counts as the own one; `nil` for this machine's.
  ///   - now: the real time.
  ///   - progress: called with the bytes of blobs done and in all.
  ///   - lockProblem: returns how a capsule and its lock disagree; `nil` where they do not.
  package func verify(
    readingBlobs: Bool, readingJournals: Bool, as machine: String? = nil, now: Instant,
    progress: (Int64, Int64) -> Void = { _, _ in },
    lockProblem: (Capsule) -> LockProblem? = { _ in nil }
  ) throws(StoreError) -> Verification {
    // The journals come first: what is purged after that is looked at again.
    let roster =
      readingJournals
      ? try storeIO { () throws(FileSystemError) in try journalRoster(as: machine) } : nil
    var report = try examine(
      readingBlobs: readingBlobs, keepsPresent: roster != nil, progress: progress,
      lockProblem: lockProblem)
    try confirmDamage(in: &report)
    if let roster { try compare(with: roster, into: &report, now: now) }
    return report
  }

  private func examine(
    readingBlobs: Bool, keepsPresent: Bool, progress: (Int64, Int64) -> Void,
    lockProblem: (Capsule) -> LockProblem?
  ) throws(StoreError) -> Verification {
    var report = Verification()
    report.keepsPresent = keepsPresent
    if let headerDamage { report.problems.append(.header(headerDamage)) }
    verifyModes(into: &report)
    verifyIdentities(into: &report)
    verifySettings(into: &report)
    var named: [BlobName: (RecordKind, RecordID)] = [:]
    for kind in RecordKind.allCases {
      try verifyFolder(kind, into: &report)
      try forEachFile(kind) { path, name throws(StoreError) in
        guard case .record(let id) = name else {
          report.problems.append(.foreign(path: path.text))
          return
        }
        let references = verifyRecord(kind, id, path, into: &report, naming: &named, lockProblem)
        for reference in references
        where (try? files.status(layout.record(reference.kind, reference.id))) == nil {
          report.problems.append(.missingReference(kind, id, path: path.text, to: reference))
        }
      }
      try verifyTrash(kind, into: &report, naming: &named)
    }
    try verifyBlobs(named, readingBlobs: readingBlobs, into: &report, progress: progress)
    return report
  }

  /// Finds what others can write to: the store's directories, its header, settings and identities.
  private func verifyModes(into report: inout Verification) {
    let identities = header.identities.map { layout.identity($0.recipient) }
    for path in [layout.root, layout.header, layout.settings] + layout.directories + identities {
      guard let status = try? files.status(path), status.isWritableByOthers else { continue }
      report.problems.append(.openToOthers(path: path.text, mode: status.mode))
    }
  }

  private func verifyIdentities(into report: inout Verification) {
    verifyIdentityFiles(into: &report)
    for identity in header.identities {
      let path = layout.identity(identity.recipient)
      do throws(FileSystemError) {
        if try files.readFile(path, limit: 1 << 16) != Array(identity.file.utf8)
          || !identity.holdsKey
        {
          report.problems.append(.identity(recipient: identity.recipient, isMissing: false))
        }
      } catch {
        report.problems.append(
          error.condition == .notFound
            ? .identity(recipient: identity.recipient, isMissing: true)
            : .unreadableFile(path: path.text, code: error.code))
      }
    }
  }

  /// Looks at the identities that `store.json` does not name: each file holds the key of its name, and
  /// each that a machine's copy has is there.
  private func verifyIdentityFiles(into report: inout Verification) {
    // What cannot be read is not missing.
    if let unreadable = unreadableCopy() {
      report.problems.append(unreadable)
      return
    }
    let listed = Set(header.identities.map(\.recipient))
    var present: Set<String> = []
    for identity in identityFiles() {
      present.insert(identity.recipient)
      if !listed.contains(identity.recipient), !identity.holdsKey {
        report.problems.append(.identity(recipient: identity.recipient, isMissing: false))
      }
    }
    for recipient in Set(headerCopies().flatMap(\.identities).map(\.recipient)).sorted()
    where !listed.contains(recipient) && !present.contains(recipient) {
      report.problems.append(.identity(recipient: recipient, isMissing: true))
    }
  }

  private func verifySettings(into report: inout Verification) {
    do throws(StoreError) {
      if let damage = try readSettings().integrity { report.problems.append(.settings(damage)) }
    } catch {
      switch error {
      case .damaged(let damage, _): report.problems.append(.settings(damage))
      case .io(let failure):
        report.problems.append(.unreadableFile(path: layout.settings.text, code: failure.code))
      default: report.problems.append(.settings(.notAnObject))
      }
    }
  }

  /// Finds the files that lie beside a kind's shards.
  private func verifyFolder(
    _ kind: RecordKind, into report: inout Verification
  ) throws(StoreError) {
    let known = Set(try shards(kind).map(\.1))
    let entries = try storeIO { () throws(FileSystemError) in
      try files.contentsIfPresent(ofDirectory: layout.folder(kind))
    }
    for path in entries.map({ layout.folder(kind).appending(bytes: $0.name) })
    where !known.contains(path) {
      report.problems.append(.foreign(path: path.text))
    }
  }

  /// - Returns: the records that it names.
  @discardableResult
  private func verifyRecord(
    _ kind: RecordKind, _ id: RecordID, _ path: FilePath, into report: inout Verification,
    naming named: inout [BlobName: (RecordKind, RecordID)],
    _ lockProblem: (Capsule) -> LockProblem? = { _ in nil }
  ) -> [RecordReference] {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try files.readFile(path, limit: RecordFile.sizeLimit)
    } catch {
      // Another process moved it meanwhile; readers take no lock.
      if error.condition == .notFound { return [] }
      report.records += 1
      report.problems.append(.unreadable(kind, id, path: path.text, code: error.code))
      report.notePresent(kind, id, path, nil, revision: .max)
      return []
    }
    report.records += 1
    let (model, damage) = kind.examine(bytes, id: id)
    if let damage {
      report.problems.append(.record(kind, id, path: path.text, damage))
    } else if let capsule = model as? Capsule, let problem = lockProblem(capsule) {
      report.problems.append(.lock(id, path: path.text, problem))
    }
    report.notePresent(
      kind, id, path, damage == nil ? bytes : nil, revision: model?.header.revision ?? .max)
    for name in model?.blobs ?? [] where named[name] == nil {
      named[name] = (kind, id)
    }
    return model?.references ?? []
  }

  private func verifyTrash(
    _ kind: RecordKind, into report: inout Verification,
    naming named: inout [BlobName: (RecordKind, RecordID)]
  ) throws(StoreError) {
    let entries: [DirectoryEntry]
    do throws(FileSystemError) {
      entries = try files.contents(ofDirectory: layout.trash(kind))
    } catch {
      if error.condition == .notFound { return }
      throw .io(error)
    }
    for entry in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
      let path = layout.trash(kind).appending(bytes: entry.name)
      guard let record = TrashedRecord(kind: kind, path: path) else {
        report.problems.append(.foreign(path: path.text))
        continue
      }
      verifyRecord(kind, record.id, path, into: &report, naming: &named)
      if (try? files.status(layout.record(kind, record.id))) != nil {
        report.problems.append(.interruptedDeletion(kind, record.id, path: path.text))
      }
    }
  }

  private func verifyBlobs(
    _ named: [BlobName: (RecordKind, RecordID)], readingBlobs: Bool,
    into report: inout Verification, progress: (Int64, Int64) -> Void
  ) throws(StoreError) {
    var present: [(BlobName, FilePath, Int64)] = []
    try storeIO { () throws(FileSystemError) in
      for shard in try files.contentsIfPresent(ofDirectory: layout.blobs) {
        let directory = layout.blobs.appending(bytes: shard.name)
        guard try files.status(directory).kind == .directory else {
          report.problems.append(.foreign(path: directory.text))
          continue
        }
        for entry in try files.contents(ofDirectory: directory) {
          let path = directory.appending(bytes: entry.name)
          guard let name = BlobName(digits: entry.name[...]), layout.blob(name) == path else {
            report.problems.append(.foreign(path: path.text))
            continue
          }
          present.append((name, path, try files.status(path).size))
        }
      }
    }
    present.sort { $0.0 < $1.0 }
    let total = present.reduce(0) { $0 + $1.2 }
    var seen: Set<BlobName> = []
    for (name, path, size) in present {
      seen.insert(name)
      report.blobs += 1
      guard let owner = named[name] else {
        report.problems.append(.orphan(name, path: path.text))
        continue
      }
      guard readingBlobs else { continue }
      progress(report.bytes, total)
      if let damage = try damage(of: name) {
        report.problems.append(.blob(name, path: path.text, damage, of: owner.0, owner.1))
      }
      report.bytes += size
    }
    for (name, owner) in named.sorted(by: { $0.key < $1.key }) where !seen.contains(name) {
      // Another process may have taken it away, or put it there, since the records were read.
      guard isNamed(name, by: owner), (try? files.status(layout.blob(name))) == nil else {
        continue
      }
      report.problems.append(
        .blob(name, path: layout.blob(name).text, .missing, of: owner.0, owner.1))
    }
  }

  /// Whether a record, live or in the trash, names a blob now.
  func isNamed(_ name: BlobName, by owner: (RecordKind, RecordID)) -> Bool {
    let trashed = ((try? trash(owner.0)) ?? []).filter { $0.id == owner.1 }.map(\.path)
    return ([layout.record(owner.0, owner.1)] + trashed).contains { path in
      guard let bytes = try? files.readFile(path, limit: RecordFile.sizeLimit) else { return false }
      return BlobReferences.names(in: bytes).contains(name)
    }
  }
}
