/// The directories of a kind's records, by the first byte of the ids in them.
enum IndexShard {
  static let count = 256

  /// The shard whose directory has a name; `nil` for any other name.
  static func shard(_ name: [UInt8]) -> UInt8? {
    guard name.count == 2, let byte = Hex.decode(String(decoding: name, as: UTF8.self)),
      Array(Hex.encode(byte).utf8) == name
    else { return nil }
    return byte.first
  }

  /// The name of a shard's directory: two digits.
  static func name(_ shard: UInt8) -> [UInt8] {
    let digits = Hex.digits(UInt32(shard))
    return [UInt8(truncatingIfNeeded: digits >> 8), UInt8(truncatingIfNeeded: digits)]
  }
}

/// The state of a directory as the index knows it.
struct ShardState: Hashable, Sendable {
  /// Whether the entries are those of the directory with that stamp, and a change since would show in
  /// it. If not it is read again.
  var isCurrent = false
  /// Whether the entries are those that the directory had in the moment of that stamp, but for what
  /// others changed in the same moment.
  var isRead = false
  /// Whether there is such a directory.
  var isPresent = false
  /// The names in it that are no records.
  var strays: [[UInt8]] = []
  /// Another number whenever a record was found to be other although the directory is as it was.
  var edition: UInt64 = 0
  /// The times of the directory; in the place of its size, which adds nothing to them, the device.
  private var stamp = FileStamp.unknown

  init(isPresent: Bool = false, isCurrent: Bool = false) {
    self.isPresent = isPresent
    self.isCurrent = isCurrent
  }

  /// The state of a directory before it is read.
  init(_ status: FileStatus, now: Instant) {
    self.init(of: status)
    isCurrent = stamp.isSettled(at: now)
  }

  /// The state of a directory whose entries are known, in the very moment of its stamp.
  init(of status: FileStatus) {
    isPresent = true
    isRead = true
    stamp = Self.stamp(status)
  }

  private static func stamp(_ status: FileStatus) -> FileStamp {
    var stamp = FileStamp(status)
    stamp.size = Int64(bitPattern: status.device)
    return stamp
  }

  /// Returns whether the directory is still in this state.
  func holds(for status: FileStatus) -> Bool {
    isCurrent && isPresent && stamp == Self.stamp(status)
  }

  /// Returns whether the directory has the stamp at which it was read, and a stamp so fine that only
  /// what others did in the same instant can be unknown.
  ///
  /// Such a change shows in the directory's names and their inode numbers. It would not where a file was
  /// taken away and another with the same name got its inode number, all within that instant.
  func wasRead(at status: FileStatus) -> Bool {
    isRead && isPresent && stamp.isFine && stamp == Self.stamp(status)
  }

  /// Forgets what is known of the entries.
  mutating func forget() {
    isCurrent = false
    isRead = false
  }

  /// Notes that a writer found the directory in one state, and left it in another.
  mutating func noteWriter(from before: ShardState, to after: ShardState) {
    isCurrent = false
    guard isRead, isPresent, stamp == before.stamp else { return forget() }
    stamp = after.stamp
  }

  func append(to encoder: inout IndexEncoder) {
    encoder.put(UInt32(isCurrent ? 1 : 0) | UInt32(isPresent ? 2 : 0) | UInt32(isRead ? 4 : 0))
    encoder.put(stamp)
    encoder.put(edition)
    encoder.put(UInt32(strays.count))
    for name in strays { encoder.put(counted: name) }
  }

  // Hot: every command reads 257 of each kind that it asks about.
  @_optimize(speed)
  init(_ decoder: inout IndexDecoder) throws(Malformed) {
    let flags = try decoder.next(UInt32.self)
    isCurrent = flags & 1 != 0
    isPresent = flags & 2 != 0
    isRead = flags & 4 != 0
    stamp = try decoder.stamp()
    edition = try decoder.next()
    for _ in 0..<(try decoder.next(UInt32.self)) { strays.append(Array(try decoder.counted())) }
  }
}

/// Reads a shard's directory, and those of its records whose files are not as they were.
struct IndexScan: Sendable {
  let setup: IndexSetup
  let now: Instant

  /// A directory that has to be read.
  struct Task: Sendable {
    var shard: UInt8
    /// The state of the directory before it is read, without its strays. If it is none of one that is
    /// read, nothing is known of what is there.
    var state: ShardState
    /// Whether names and inode numbers tell what changed; see ``ShardState/wasRead(at:)``.
    var isRelisted = false
    /// The known rows of its records, by id.
    var known: [IndexRow] = []
  }

  /// The outcome of reading a directory.
  struct Outcome: Sendable {
    var shard: UInt8
    var state: ShardState
    /// The ids that were known and are gone.
    var removed: [RecordID] = []
    /// The records that are new or other.
    var upserted: [IndexItem] = []
    var failure: Fault?
  }

  func run(_ task: Task) -> Outcome {
    let (known, directory) = (task.known, setup.directory(shard: task.shard))
    var outcome = Outcome(shard: task.shard, state: task.state)
    if !task.state.isRead {
      outcome.removed = known.map(\.id)
      return outcome
    }
    var isThere = [Bool](repeating: false, count: known.count)
    do {
      try setup.files.forEachStatus(
        inDirectory: directory,
        unless: { name, inode in
          guard task.isRelisted, let id = RecordID(fileName: name),
            let position = known.position(of: id), known[position].isFile(inode)
          else { return false }
          isThere[position] = true
          return true
        },
        { name, status in
          guard let id = RecordID(fileName: name), id.shard == task.shard else {
            if name.first != UInt8(ascii: ".") || AwayName.record(name) != nil {
              outcome.state.strays.append(Array(name))
            }
            return
          }
          let position = known.position(of: id)
          let row = position.map { known[$0] }
          let isRecord = look(at: id, status, in: directory, row, &outcome)
          if let position { isThere[position] = isRecord }
        })
    } catch {
      // A directory that went away meanwhile is as good as empty, and looked for again next time.
      if error.condition != .notFound { outcome.failure = error }
      outcome.state.forget()
    }
    outcome.removed = known.indices.filter { !isThere[$0] }.map { known[$0].id }
    return outcome
  }

  /// Brings one record up to date.
  ///
  /// - Returns: `false` where it is not there after all.
  private func look(
    at id: RecordID, _ status: Result<FileStatus, Fault>, in directory: FilePath,
    _ known: IndexRow?, _ outcome: inout Outcome
  ) -> Bool {
    var (entry, stamp): (IndexEntry, FileStamp?)
    do {
      let status = try status.get()
      if let known, known.isTrusted, known.stamp == FileStamp(status) { return true }
      (entry, stamp) = try read(directory.appending(bytes: id.fileName), id, status)
    } catch {
      outcome.state.isCurrent = false
      if error.condition == .notFound { return false }
      (entry, stamp) = (IndexEntry(id: id, problem: .unreadable), nil)
    }
    entry.id = id
    let isTrusted = stamp?.isSettled(at: now) ?? false
    if !isTrusted { outcome.state.isCurrent = false }
    let row = IndexRow(entry, stamp, isTrusted: isTrusted)
    if row != known { outcome.upserted.append(IndexItem(row: row, entry: entry)) }
    return true
  }

  /// Reads an entry, with the stamp of its file.
  private func read(
    _ path: FilePath, _ id: RecordID, _ status: FileStatus
  ) throws(Fault) -> (IndexEntry, FileStamp) {
    if status.kind != .regular {
      return (IndexEntry(id: id, problem: .notRegularFile), FileStamp(status))
    }
    let file = try setup.files.open(path, .read)
    defer { try? setup.files.close(file) }
    // The file may be another than the one looked at; its stamp is from before it is read.
    let opened = try setup.files.status(file)
    let stamp = FileStamp(opened)
    let tooLarge = (IndexEntry(id: id, problem: .tooLarge), stamp)
    if opened.size > Int64(setup.recordLimit) { return tooLarge }
    do {
      let bytes = try setup.files.readAll(
        file, limit: setup.recordLimit, expecting: Int(opened.size))
      return (setup.summarize(id, bytes), stamp)
    } catch {
      if error.condition == .fileTooLarge { return tooLarge }
      throw error
    }
  }
}
