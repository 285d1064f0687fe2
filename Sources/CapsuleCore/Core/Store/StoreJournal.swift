import CapsulePlatform

/// What ought to be there, a second copy of every record, and its versions.
package struct StoreJournal: StoreSubject {
  package let store: Store
}

/// The store's journal: what ought to be there, a second copy of every record, and its versions.
///
/// Each machine has a folder of its own in `journal/`, so no file has two writers. A machine is known
/// by a random id that it keeps in its state, with the inodes of the store's directory and of its own
/// folder: in a copy of the store either is another, and a new id is drawn.
extension StoreJournal {
  /// This machine's folder in the journal; `nil` where it has none and `creating` is `false`, and where
  /// it cannot remember which is its own.
  package func own(creating: Bool) -> JournalMachine? {
    // A name that cannot be read now is not replaced: under another one the journal would be a
    // stranger's.
    do { return try readOwn(creating: creating) } catch {
      return nil
    }
  }

  /// Does the same for callers to whom a name that cannot be read now must not be none.
  func readOwn(creating: Bool) throws(Fault) -> JournalMachine? {
    // A name for each directory: a copy of the store that is looked at here has another one.
    guard let file = machineFile else { return nil }
    do {
      if let machine = JournalMachine(record: try record(file), store: store.place.inode),
        let status = try files.statusIfPresent(layout.journal(machine.name)),
        status.kind == .directory, status.inode == machine.inode
      {
        return machine
      }
    } catch {
      if error.isRefusal { throw error }
    }
    return creating ? try new(file) : nil
  }

  /// The name of the folder that this machine has written in the journal, where it is gone or something
  /// else stands there; `nil` where none was written, or it is there.
  var lost: String? {
    guard let bytes = machineFile.flatMap({ try? record($0) }),
      let machine = JournalMachine(record: bytes, store: store.place.inode)
    else { return nil }
    do {
      let status = try files.statusIfPresent(layout.journal(machine.name))
      return status?.inode == machine.inode && status?.kind == .directory ? nil : machine.name
    } catch {
      return nil
    }
  }

  /// The time at which this machine began its journal; `nil` where that is not known.
  var start: Instant? {
    machineFile.flatMap { try? files.statusIfPresent($0) }
      .map { Instant(seconds: $0.modified.seconds) }
  }

  /// The file that says which folder is this machine's. It is not in ``StoreMemory``: without it a program of an
  /// earlier version would begin another folder.
  private var machineFile: FilePath? {
    store.stateDirectory?.appending("machine-\(store.place.inode)")
  }

  private func record(_ file: FilePath) throws(Fault) -> [UInt8] {
    try files.readFile(file, limit: 1 << 16)
  }

  private func new(_ file: FilePath) throws(Fault) -> JournalMachine {
    let name = Hex.encode(try environment.random.bytes(16))
    let suffix = try environment.temporaryName()
    // No synchronisation: a power cut loses a second copy, which the next verification writes again.
    if try files.statusIfPresent(layout.journal) == nil {
      try files.createDirectory(layout.journal, mode: 0o700)
    }
    guard try files.status(layout.journal).kind == .directory else {
      throw Fault(.createDirectory, layout.journal(name), code: ENOTDIR)
    }
    try files.createDirectory(layout.journal(name), mode: 0o700)
    let machine = JournalMachine(name: name, inode: try files.status(layout.journal(name)).inode)
    do {
      try files.createDirectories(file.parent)
      try files.swap(
        file, machine.record(store: store.place.inode), mode: 0o600,
        by: FilePath(bytes: file.bytes + Array(".\(suffix)".utf8)))
    } catch {
      try? files.removeDirectory(layout.journal(name))
      throw error
    }
    // The copy is made before the first log: a reader who finds logs misses it.
    store.copies.keep()
    return machine
  }

  /// The names of the machines that have a folder in the journal.
  package func machines() throws(Fault) -> [String] {
    guard try files.statusIfPresent(layout.journal)?.kind == .directory else { return [] }
    var names: [String] = []
    for entry in try files.contents(ofDirectory: layout.journal) {
      guard let name = JournalMachine.name(entry.name),
        try files.status(layout.journal(name)).kind == .directory
      else { continue }
      names.append(name)
    }
    return names.sorted()
  }

  /// Notes changes that are made already, under the lock. A failure loses second copies only, and
  /// never fails the change.
  func note(_ frames: [JournalFrame]) {
    guard let machine = own(creating: true) else { return }
    _ = try? append(frames, to: machine, synchronising: false)
  }

  /// Returns the frames for a record that was put somewhere: in the trash one more says that it
  /// lies there.
  func frames(_ put: JournalFrame, at path: FilePath) -> [JournalFrame] {
    guard path.parent == layout.trash(put.kind) else { return [put] }
    return [
      put,
      JournalFrame(
        .trash, put.origin, put.kind, put.id, revision: put.revision, at: put.time,
        name: path.lastComponent),
    ]
  }

  /// Adds frames to this machine's logs, under the lock.
  ///
  /// - Parameter synchronising: whether they survive a power cut when this returns.
  func append(
    _ frames: [JournalFrame], to machine: JournalMachine, synchronising: Bool
  ) throws(Fault) {
    let folder = layout.journal(machine.name)
    for (shard, frames) in Dictionary(grouping: frames, by: \.id.shard).sorted(by: { $0.0 < $1.0 })
    {
      let log = log(of: machine.name, shard)
      let isStale = synchronising ? false : try wasPurgedElsewhere(log, machine)
      let (size, kept) = try log.append(frames, synchronising: synchronising)
      // A log four times larger than what is worth keeping is to be written anew.
      let isLarge = size > Self.compactionSize && size / 4 > kept
      if isLarge || isStale, let time = frames.last?.time {
        try compact(machine, [shard], now: time, forgetting: [])
      }
    }
    if synchronising {
      try files.synchronizeDirectory(folder)
      try files.synchronizeDirectory(layout.journal)
      try files.synchronizeDirectory(layout.root)
    }
  }

  /// Whether another machine's log of the same shard, written since this one was, purges what this one
  /// holds.
  private func wasPurgedElsewhere(
    _ log: JournalLog, _ machine: JournalMachine
  ) throws(Fault) -> Bool {
    guard let written = try files.statusIfPresent(log.path)?.modified else { return false }
    var purged: [RecordID: Int64] = [:]
    for name in try machines() where name != machine.name {
      let other = JournalLog(
        files, layout.journal(name).appending(bytes: log.path.lastComponent))
      guard let status = try files.statusIfPresent(other.path), status.modified >= written else {
        continue
      }
      try other.forEachEntry { entry in
        guard let gone = entry.frame.event.lastGone(entry.frame.revision) else { return }
        purged[entry.frame.id] = max(purged[entry.frame.id] ?? .min, gone)
      }
    }
    guard !purged.isEmpty else { return false }
    var isHeld = false
    try log.forEachEntry { entry in
      let frame = entry.frame
      if frame.event == .put, frame.revision <= purged[frame.id] ?? .min { isHeld = true }
    }
    return isHeld
  }

  /// The bytes below which a log is never compacted on its own.
  private static let compactionSize: Int64 = 1 << 18

  func log(of machine: String, _ shard: UInt8) -> JournalLog {
    JournalLog(files, layout.journal(machine).appending("\(Hex.encode([shard])).log"))
  }

  /// Writes logs of this machine anew without what need not be kept; what belongs to no whole frame is
  /// put into `backups/` first.
  ///
  /// - Parameter forgetting: records of which no older version is kept.
  func compact(
    _ machine: JournalMachine, _ shards: some Sequence<UInt8>, now: Instant,
    forgetting: Set<RecordID>
  ) throws(Fault) {
    let others = try machines().filter { $0 != machine.name }
    for shard in shards {
      let log = log(of: machine.name, shard)
      guard try files.statusIfPresent(log.path) != nil else { continue }
      var keeping = JournalKeeping()
      var number = 0
      let damage = try log.forEachEntry { entry in
        keeping.add(entry, number: number)
        number += 1
      }
      var purged: [RecordID: Int64] = [:]
      for other in others {
        try self.log(of: other, shard).forEachEntry { entry in
          guard let gone = entry.frame.event.lastGone(entry.frame.revision) else { return }
          purged[entry.frame.id] = max(purged[entry.frame.id] ?? .min, gone)
        }
      }
      if !damage.isEmpty { try backUpDamage(of: log, damage, now: now) }
      let kept = keeping.kept(now: now, purged: purged, forgetting: forgetting)
      // A small log that loses nothing need not be written again.
      if damage.isEmpty, kept.count == keeping.count,
        try files.status(log.path).size <= Self.compactionSize
      {
        continue
      }
      guard let temporary = try? environment.temporaryName() else { continue }
      try log.compact(
        keeping: kept.contains, at: now, by: layout.temporary.appending(temporary))
    }
  }

  private func backUpDamage(
    of log: JournalLog, _ damage: [Range<Int64>], now: Instant
  ) throws(Fault) {
    let backup = layout.backups.appending(String(now.seconds))
    try files.createDirectories(backup)
    for path in [backup, layout.backups] where try files.status(path).kind != .directory { return }
    for range in damage {
      let count = Int(min(range.upperBound - range.lowerBound, 1 << 26))
      let bytes = try files.withFile(log.path, .read) { file throws(Fault) in
        try files.chunk(file, at: range.lowerBound, count: count)
      }
      let name = String(decoding: log.path.lastComponent, as: UTF8.self)
      var copy = backup.appending("journal-\(name).\(range.lowerBound)")
      var number = 2
      while try files.statusIfPresent(copy) != nil {
        copy = backup.appending("journal-\(name).\(range.lowerBound).\(number)")
        number += 1
      }
      try files.writeTemporary(copy, bytes, mode: 0o600)
    }
    try files.synchronizeDirectory(backup)
  }

  /// Reads all journals.
  ///
  /// - Parameters:
  ///   - own: the machine whose journal counts as the own one; `nil` for this machine.
  ///   - shards: the shards whose logs are read; `nil` for all.
  package func roster(
    as own: String? = nil, of shards: Set<UInt8>? = nil
  ) -> JournalRoster {
    var roster = JournalRoster(own: own ?? self.own(creating: false)?.name)
    let machines: [String]
    do {
      machines = try self.machines()
    } catch {
      roster.note(unreadable: layout.journal, code: error.errno)
      return roster
    }
    for machine in machines {
      let entries: [DirectoryEntry]
      do {
        entries = try files.contents(ofDirectory: layout.journal(machine))
      } catch {
        roster.note(unreadable: layout.journal(machine), code: error.errno)
        continue
      }
      for entry in entries {
        guard let shard = Self.shard(ofLog: entry.name), shards?.contains(shard) ?? true else {
          continue
        }
        roster.read(log(of: machine, shard), of: machine)
      }
    }
    return roster
  }

  /// The shard of a log by the name of its file.
  static func shard(ofLog name: [UInt8]) -> UInt8? {
    guard name.count == 6, name.suffix(4).elementsEqual(".log".utf8),
      let value = Hex.decode(String(decoding: name.prefix(2), as: UTF8.self))?.first,
      name.prefix(2).elementsEqual(Hex.encode([value]).utf8)
    else { return nil }
    return value
  }

  /// Reads the bytes of a version that a journal holds; `nil` where they are not there any more.
  package func bytes(of version: JournalRoster.Version) -> [UInt8]? {
    guard let entry = try? JournalLog(files, version.place.log).entry(at: version.place.offset),
      entry.bodyDigest == version.digest
    else { return nil }
    return entry.frame.body
  }
}

/// A machine's folder in the journal.
package struct JournalMachine: Hashable, Sendable {
  /// The machine's random id: 32 hexadecimal digits.
  package let name: String
  /// The folder's own inode.
  let inode: UInt64

  init(name: String, inode: UInt64) {
    self.name = name
    self.inode = inode
  }

  /// Reads a name in `journal/`; `nil` where it is no machine's.
  static func name(_ bytes: [UInt8]) -> String? {
    let name = String(decoding: bytes, as: UTF8.self)
    guard bytes.count == 32, let id = Hex.decode(name), Hex.encode(id) == name else { return nil }
    return name
  }

  /// Reads what a machine keeps in its state; `nil` where it was kept for another directory.
  init?(record: [UInt8], store: UInt64) {
    let words = String(decoding: record, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let name = Self.name(Array(words[0].utf8)),
      UInt64(words[1]) == store, words[2].last == "\n", let inode = UInt64(words[2].dropLast())
    else { return nil }
    self.init(name: name, inode: inode)
  }

  /// `<name> <inode of the store> <inode of the folder>`
  func record(store: UInt64) -> [UInt8] {
    Array("\(name) \(store) \(inode)\n".utf8)
  }
}

extension StoreJournal {
  /// Notes a change after which the journal holds nothing older of the record.
  func forgetOlder(than put: JournalFrame) throws(Fault) {
    guard let machine = own(creating: true) else { return }
    var drop = put
    (drop.event, drop.body) = (.drop, [])
    try append([put, drop], to: machine, synchronising: true)
    try compact(machine, [put.id.shard], now: put.time, forgetting: [put.id])
  }
}

/// A version of a record that a journal holds.
package struct RecordVersion: Hashable, Sendable {
  package let revision: Int64
  /// The time at which it was written.
  package let writtenAt: Instant
  package let origin: JournalFrame.Origin
  /// The record's bytes.
  package let bytes: [UInt8]

  /// The names of the members that it has differently than an earlier version.
  package func differences(from earlier: RecordVersion) -> [String] {
    guard let (new, _) = try? RecordFile.decode(bytes),
      let (old, _) = try? RecordFile.decode(earlier.bytes)
    else { return [] }
    return RecordFile.differences(old, new)
  }
}

extension StoreJournal {
  /// The versions of a record that the journals hold, the newest first.
  package func versions(
    of kind: RecordKind, _ id: RecordID
  ) throws(Fault) -> [RecordVersion] {
    var found: [RecordVersion] = []
    for machine in try machines() {
      try log(of: machine, id.shard).forEachEntry { entry in
        let frame = entry.frame
        guard frame.event == .put, frame.id == id, frame.kind == kind,
          !found.contains(where: { $0.bytes == frame.body }),
          kind.examine(frame.body, id: id).damage == nil
        else { return }
        found.append(
          RecordVersion(
            revision: frame.revision, writtenAt: frame.time, origin: frame.origin,
            bytes: frame.body))
      }
    }
    return found.sorted { ($1.revision, $1.writtenAt) < ($0.revision, $0.writtenAt) }
  }

  /// Writes what an earlier version says as a new edit. A capsule keeps its later unlock time, the
  /// first time it was opened, its lock and its contents; a bequest keeps its delivery.
  ///
  /// - Parameter base: returns the record as it ought to be today, of the earlier version and today's.
  /// - Throws: as ``Store/update(_:now:blobs:forgetsOlder:locksAgain:)`` does; `.blobDamaged` where a file that it names anew
  ///   is missing or not what was written.
  package func restore<Model: RecordModel>(
    _ version: RecordVersion, of record: StoredRecord<Model>, now: Instant,
    onto base: (_ earlier: Model, _ today: Model) throws(Fault) -> Model
  ) throws(Fault) -> StoredRecord<Model> {
    let path = layout.record(Model.kind, record.model.id)
    let earlier = try StoredRecord<Model>(version.bytes, id: record.model.id, path: path)
    // The rules for changes hold against what it ought to be.
    var restored = StoredRecord(
      model: try base(earlier.model, record.model), integrity: record.integrity,
      digest: record.digest)
    restored.model = earlier.model.edit(of: restored.model)
    // A record that an earlier version names may have been deleted since.
    try store.relations.requireReferences(of: restored.model)
    for name in Set(restored.model.blobs).subtracting(record.original.blobs).sorted() {
      guard let damage = try store.blobs.damage(of: name) else { continue }
      throw .blobDamaged(name, path: layout.blob(name).text, damage)
    }
    return try store.update(restored, now: now)
  }
}
