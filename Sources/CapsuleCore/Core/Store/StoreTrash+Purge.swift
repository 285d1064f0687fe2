/// The records and blobs that a purge removed.
public struct Purged: Hashable, Sendable {
  public package(set) var records: [TrashedRecord] = []
  public package(set) var blobs = 0
  /// Bytes of the blobs.
  public package(set) var bytes: Int64 = 0
  /// The devices whose journals keep versions of the records until they rewrite them.
  public package(set) var otherMachines: [String] = []

  package init() {}
}

extension StoreTrash {
  /// The seconds for which a blob that no record names is kept: it may be named by a record that a
  /// synchroniser has not brought yet.
  package static let orphanAge: Int64 = 7 * 86_400

  /// Removes records from the trash for good, with the blobs that only they name, and the blobs that
  /// nobody has named for a week.
  ///
  /// The journal says so first, synchronised: a power cut in between leaves a record that is purged in
  /// part, not one that is missed. When this returns, this machine's journal holds no version of them.
  ///
  /// - Throws: `.cannotPurge` while a record cannot be read, is missing, or a conflict copy is there:
  ///   the blobs that they name are not known. Where a journal names one of the records, the error that
  ///   keeps this machine from writing its own: the record would be missed, and a repair would bring it
  ///   back.
  package func purge(_ records: [TrashedRecord], now: Instant) throws(Fault) -> Purged {
    var references = try BlobReferences(of: store, excluding: Set(records.map(\.path)))
    var purged = Purged()
    try store.whileLocked { () throws(Fault) in
      try references.refresh()
      let journals = try journalReferences(without: Set(records.map(\.id)))
      guard references.unreadable.isEmpty, references.foreign.isEmpty, journals.missing.isEmpty
      else {
        throw .cannotPurge(
          unreadable: references.unreadable.map(\.text).sorted(),
          missing: journals.missing.map { $0.description },
          conflicts: references.foreign.map(\.text).sorted())
      }
      let kept = references.all.union(journals.names)
      let found = try contents(of: records)
      try requireUnmendable(found)
      // The frame is written twice: nothing else answers for what is gone, and one flipped bit must
      // not bring it back.
      let frames = found.flatMap { record, bytes in
        let frame = JournalFrame(
          .purge, store.origin, record.kind, record.id, revision: RecordFile.revision(of: bytes),
          at: now,
          body: SHA256.hash(bytes))
        return [frame, frame]
      }
      let machine = try journalForPurge(isNeeded: journals.isNamed)
      var isUnsaid = false
      if let machine, !frames.isEmpty {
        // The versions go before the records do: what is interrupted is purged again.
        isUnsaid = try !notePurge(frames, in: machine)
        try store.journal.compact(
          machine, Set(frames.map(\.id.shard)).sorted(), now: now, forgetting: [])
      }
      defer { store.index.forget(purged.records, now: now) }
      for (record, _) in found { try remove(record, into: &purged) }
      // The room for it comes with the records that go.
      if let machine, isUnsaid {
        try store.journal.append(frames, to: machine, synchronising: true)
      }
      for directory in Set(purged.records.map(\.path.parent)) {
        try files.synchronizeDirectory(directory)
      }
      // A crash from here on leaves blobs that nobody names, which go after a week.
      let freed = found.reduce(into: Set<BlobName>()) {
        $0.formUnion(BlobReferences.names(in: $1.bytes))
      }
      try removeBlobs(kept: kept, freed: freed, into: &purged)
      purged.otherMachines = journals.holders
      if !purged.records.isEmpty {
        store.operations.note(
          [], purged: Dictionary(grouping: purged.records, by: \.kind).mapValues(\.count),
          lasting: .purged, as: OperationMark(store, first: nil), by: store.origin, at: now)
      }
    }
    return purged
  }

  /// This machine's folder in the journal; `nil` where it can have none and needs none.
  ///
  /// - Parameter isNeeded: Whether a journal names what is purged.
  /// - Throws: what keeps it from having one that it needs; the error of a disk, of a full one too.
  private func journalForPurge(isNeeded: Bool) throws(Fault) -> JournalMachine? {
    do {
      if let machine = try store.journal.readOwn(creating: true) { return machine }
    } catch {
      switch error.condition {
      case .notPermitted, .readOnly, .notFound, .notDirectory, .exists: if isNeeded { throw error }
      default: throw error
      }
    }
    guard isNeeded else { return nil }
    throw Fault(
      .io, "this device has no state directory, so what is purged cannot be noted",
      hint: "set the variable HOME or XDG_STATE_HOME")
  }

  /// Sees to it that none of the records is damaged here and whole in a journal: a repair would bring back
  /// what it was.
  private func requireUnmendable(
    _ records: [(record: TrashedRecord, bytes: [UInt8])]
  ) throws(Fault) {
    var mendable: [String] = []
    for (record, bytes) in records where BlobReferences.isDamaged(bytes) {
      if try !store.journal.versions(of: record.kind, record.id).isEmpty {
        mendable.append(record.path.text)
      }
    }
    guard mendable.isEmpty else {
      throw .cannotPurge(unreadable: mendable.sorted(), missing: [], conflicts: [])
    }
  }

  /// Reads the records; those that another process purged or restored meanwhile are left out.
  private func contents(
    of records: [TrashedRecord]
  ) throws(Fault) -> [(record: TrashedRecord, bytes: [UInt8])] {
    var found: [(record: TrashedRecord, bytes: [UInt8])] = []
    for record in records {
      do {
        found.append(
          (record, try files.readFile(record.path, limit: RecordFile.sizeLimit)))
      } catch {
        guard error.condition == .notFound else { throw error }
      }
    }
    return found
  }

  /// Writes that records are purged, for good.
  ///
  /// - Returns: `false` where a full disk has no room for it, and a journal names a record that goes.
  private func notePurge(
    _ frames: [JournalFrame], in machine: JournalMachine
  ) throws(Fault) -> Bool {
    do {
      try store.journal.append(frames, to: machine, synchronising: true)
      return true
    } catch {
      guard error.condition == .noSpace || error.condition == .quotaExceeded else { throw error }
      // On a full disk they take the room of the versions that go. A record that no journal names is not missed.
      let known = store.journal.roster().known()
      var unsaid = Set(frames.map(\.id)).filter { known[$0] != nil }
      for (shard, frames) in Dictionary(grouping: frames, by: \.id.shard) {
        let log = store.journal.log(of: machine.name, shard)
        guard try files.statusIfPresent(log.path) != nil else { continue }
        let going = Set(frames.map(\.id))
        var places: Set<Int> = []
        var number = 0
        try log.forEachEntry { entry in
          if going.contains(entry.frame.id) { places.insert(number) }
          number += 1
        }
        guard !places.isEmpty else { continue }
        try log.compactInPlace(
          keeping: { !places.contains($0) }, adding: frames, at: frames[0].time)
        unsaid.subtract(going)
      }
      return unsaid.isEmpty
    }
  }

  private func remove(_ record: TrashedRecord, into purged: inout Purged) throws(Fault) {
    try files.unlink(record.path)
    purged.records.append(record)
  }

  /// The blobs that the journals' versions name, the records that are missing, the other machines that hold
  /// versions of the records that go, and whether a journal names one of these.
  private func journalReferences(
    without going: Set<RecordID>
  ) throws(Fault) -> (
    names: Set<BlobName>, missing: [RecordID], holders: [String], isNamed: Bool
  ) {
    let roster = store.journal.roster()
    let known = roster.known()
    var missing: [RecordID] = []
    var trashed: Set<RecordID> = []
    for kind in RecordKind.allCases { trashed.formUnion(try records(kind).map(\.id)) }
    let isAlone = !store.journal.mayOthersBring
    for record in known.values
    where (record.ownRevision != nil || isAlone) && !going.contains(record.id) {
      let isThere =
        trashed.contains(record.id)
        || (try? files.status(layout.record(record.kind, record.id))) != nil
      if !isThere { missing.append(record.id) }
    }
    var names: Set<BlobName> = []
    var holders: Set<String> = []
    let own = store.journal.own(creating: false)?.name
    for machine in try store.journal.machines() {
      for shard in UInt8.min...UInt8.max {
        try store.journal.log(of: machine, shard).forEachEntry { entry in
          let frame = entry.frame
          guard frame.event == .put else { return }
          if going.contains(frame.id) {
            if machine != own { holders.insert(machine) }
          } else if known[frame.id] != nil {
            names.formUnion(BlobReferences.names(in: frame.body))
          }
        }
      }
    }
    return (
      names, missing.sorted(), holders.sorted(), isNamed: going.contains { known[$0] != nil }
    )
  }

  private func removeBlobs(
    kept: Set<BlobName>, freed: Set<BlobName>, into purged: inout Purged
  ) throws(Fault) {
    let now = try files.status(layout.lock).modified
    for shard in try files.contentsIfPresent(ofDirectory: layout.blobs) {
      let directory = layout.blobs.appending(bytes: shard.name)
      guard try files.status(directory).kind == .directory else { continue }
      for entry in try files.contents(ofDirectory: directory) {
        guard let name = BlobName(digits: entry.name[...]), !kept.contains(name) else { continue }
        let path = directory.appending(bytes: entry.name)
        let status = try files.status(path)
        let age = now.seconds(since: max(status.modified, status.changed))
        guard freed.contains(name) || age > Self.orphanAge else { continue }
        try files.unlink(path)
        purged.blobs += 1
        purged.bytes += status.size
      }
    }
  }
}

/// The blobs that the records of a store name.
///
/// It is taken without the lock and brought up to date under it: only directories that changed in
/// between are read again.
package struct BlobReferences {
  private struct Directory {
    let status: FileStatus
    var names: Set<BlobName> = []
    var unreadable: [FilePath] = []
    var foreign: [FilePath] = []
  }

  private let store: Store
  /// Trash records that are about to be purged: what only they name does not count.
  private let excluded: Set<FilePath>
  private var directories: [FilePath: Directory] = [:]

  package init(of store: Store, excluding excluded: Set<FilePath>) throws(Fault) {
    self.store = store
    self.excluded = excluded
    try refresh()
  }

  /// Records that could not be read.
  package var unreadable: [FilePath] { directories.values.flatMap(\.unreadable) }

  /// Files among the records that are not records.
  package var foreign: [FilePath] { directories.values.flatMap(\.foreign) }

  package func contains(_ name: BlobName) -> Bool {
    directories.values.contains { $0.names.contains(name) }
  }

  /// Every blob that is named.
  package var all: Set<BlobName> {
    directories.values.reduce(into: []) { $0.formUnion($1.names) }
  }

  /// Reads again what changed since it was read, or may have: a change within two seconds of the
  /// reading may show the same time.
  package mutating func refresh() throws(Fault) {
    var current: Set<FilePath> = []
    for kind in RecordKind.allCases {
      for (shard, path) in try store.folders.shards(kind) {
        current.insert(path)
        try refresh(path) { RecordFileName($0, shard: shard) != .foreign }
      }
      let trash = store.layout.trash(kind)
      current.insert(trash)
      try refresh(trash) { $0.suffix(5).elementsEqual(".json".utf8) }
    }
    directories = directories.filter { current.contains($0.key) }
  }

  private mutating func refresh(
    _ path: FilePath, isRecord: ([UInt8]) -> Bool
  ) throws(Fault) {
    let files = store.files
    let status = try files.statusIfPresent(path)
    guard let status else {
      directories[path] = nil
      return
    }
    if let known = directories[path], known.status.isUnchanged(since: status),
      let lock = try? files.status(store.layout.lock),
      lock.modified.seconds(since: status.modified) > 2
    {
      return
    }
    var directory = Directory(status: status)
    let entries = try files.contents(ofDirectory: path)
    for entry in entries {
      let file = path.appending(bytes: entry.name)
      if BystanderName.contains(entry.name) { continue }
      // What it names is not known until it is back.
      if AwayName.record(entry.name) != nil {
        directory.unreadable.append(file)
        continue
      }
      guard isRecord(entry.name) else {
        directory.foreign.append(file)
        continue
      }
      guard !excluded.contains(file) else { continue }
      let bytes: [UInt8]
      do {
        bytes = try files.readFile(file, limit: RecordFile.sizeLimit)
      } catch {
        // Another process moved it meanwhile; what it became is read elsewhere, under the lock at last.
        if error.condition == .notFound { continue }
        directory.unreadable.append(file)
        continue
      }
      if Self.isDamaged(bytes) { directory.unreadable.append(file) }
      directory.names.formUnion(Self.names(in: bytes))
    }
    directories[path] = directory
  }

  /// Whether a record is not what was written, so that the blobs that it names are not known.
  static func isDamaged(_ bytes: [UInt8]) -> Bool {
    do { return try RecordFile.decode(bytes).integrity != nil } catch {
      return true
    }
  }

  /// Every quoted string of 64 hexadecimal digits: a blob's name wherever it stands, also in fields
  /// of a newer version. The record's own checksum is one of them, and names no blob. Digits that are
  /// written as escapes (`\u0035`) count like others.
  static func names(in bytes: [UInt8]) -> Set<BlobName> {
    var names: Set<BlobName> = []
    let quote = UInt8(ascii: "\"")
    var start = 0
    while let open = bytes[start...].firstIndex(of: quote) {
      guard let close = bytes[(open + 1)...].firstIndex(of: quote) else { break }
      if close - open == 65, let name = BlobName(digits: bytes[(open + 1)..<close]) {
        names.insert(name)
      }
      start = close
    }
    if bytes.contains(UInt8(ascii: "\\")), let value = try? JSON.parseRecord(bytes) {
      names.formUnion(Self.names(in: value))
    }
    return names
  }

  private static func names(in value: JSON) -> Set<BlobName> {
    switch value {
    case .string(let text): Set(BlobName(text).map { [$0] } ?? [])
    case .array(let values): values.reduce(into: []) { $0.formUnion(names(in: $1)) }
    case .object(let members):
      members.reduce(into: []) { names, member in
        names.formUnion([member.key].compactMap { BlobName($0) })
        names.formUnion(Self.names(in: member.value))
      }
    case .null, .bool, .integer, .number: []
    }
  }
}

/// The blobs that the versions of records in journals name.
struct VersionBlobs {
  /// A blob that a version names.
  struct Reference {
    let name: BlobName
    let kind: RecordKind
    let id: RecordID
    let revision: Int64
  }

  private var versions: [(frame: JournalFrame, digest: [UInt8])] = []
  /// The last revision of each record whose versions are gone, or go when their log is next written anew.
  private var gone: [RecordID: Int64] = [:]

  /// Takes in the next entry of a log.
  mutating func add(_ entry: JournalEntry) {
    let frame = entry.frame
    if let revision = frame.event.lastGone(frame.revision) {
      gone[frame.id] = max(gone[frame.id] ?? .min, revision)
    }
    if frame.event == .put { versions.append((frame, entry.bodyDigest)) }
  }

  /// The blobs that versions name of records that ought to be there.
  ///
  /// - Parameter present: the records that were found; a version that is one of them is left out.
  func references(
    of known: [RecordID: JournalRoster.Known], besides present: [RecordID: PresentRecord] = [:]
  ) -> [Reference] {
    versions.flatMap { frame, digest -> [Reference] in
      guard known[frame.id] != nil, frame.revision > gone[frame.id] ?? .min,
        present[frame.id]?.digest != digest,
        // A version without blobs has one such text, its checksum: it need not be read.
        BlobReferences.names(in: frame.body).count > 1
      else { return [] }
      let blobs = frame.kind.examine(frame.body, id: frame.id).model?.blobs ?? []
      return blobs.map {
        Reference(name: $0, kind: frame.kind, id: frame.id, revision: frame.revision)
      }
    }
  }
}
