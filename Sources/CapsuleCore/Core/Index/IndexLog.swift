/// The log: what was learned since the base was written, appended entry by entry.
///
/// A head of 64 bytes names the base that it belongs to. An entry is its payload's count (4 bytes),
/// the payload's hash seeded with the base's id (8 bytes), and the payload. Bytes behind an entry
/// that is not whole are ignored: the directories it is about are found changed by their times.
enum IndexLog {
  static let magic: UInt64 = 0x676f_6c78_6564_6e69
  static let headCount = 64
  static let entryHead = 12

  /// Writers stop adding to a log that nobody folds into a base: to read all records anew costs no
  /// more memory, and little more time.
  static let limit: Int64 = 24 << 20

  /// The subject of an entry, by the first byte of its payload.
  enum Tag: UInt8 {
    /// A writer made or replaced a record: its row, and its cell.
    case upsert = 1
    /// A writer removed a record: its id.
    case remove = 2
    /// A reader brought a directory up to date; see ``IndexDirectoryChange``.
    case directory = 3
    /// A writer's changes, which stand before this, led from one state of a directory to another.
    case written = 4
  }

  static func head(base: UInt64, setup: IndexSetup) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.put(magic)
    encoder.put(IndexBase.version)
    encoder.put(setup.kind.indexNumber)
    encoder.put(setup.summaryVersion)
    encoder.put(UInt32(0))
    encoder.put(base)
    encoder.bytes += [UInt8](repeating: 0, count: headCount - 8 - encoder.bytes.count)
    encoder.put(IndexHash.hash(encoder.bytes))
    return encoder.bytes
  }

  /// Returns the id of the base that a log's head names; `nil` where it is no head of this kind.
  static func base(ofHead head: [UInt8], setup: IndexSetup) -> UInt64? {
    guard head.count >= headCount, var decoder = try? IndexDecoder(head, from: 24),
      let base = try? decoder.next(UInt64.self),
      head[..<headCount].elementsEqual(Self.head(base: base, setup: setup))
    else { return nil }
    return base
  }

  static func entry(_ payload: [UInt8], base: UInt64) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.bytes.reserveCapacity(payload.count + entryHead)
    encoder.put(UInt32(payload.count))
    encoder.put(IndexHash.hash(payload, seed: base))
    encoder.bytes += payload
    return encoder.bytes
  }

  static func payload(_ change: IndexChange) -> [UInt8] {
    var encoder = IndexEncoder()
    switch change {
    case .remove(let id):
      encoder.put(Tag.remove.rawValue)
      encoder.put(id)
    case .upsert(let entry, let stamp):
      encoder.put(Tag.upsert.rawValue)
      var cell: [UInt8] = []
      IndexEntryCoding.append(entry, to: &cell)
      encoder.put(
        IndexRow(
          id: entry.id, stamp: stamp ?? .unknown, isTrusted: stamp?.isFine ?? false,
          hasProblem: entry.problem != .none, digest: IndexHash.hash(cell)))
      encoder.bytes += cell
    case .directory(let shard, let before, let after):
      encoder.put(Tag.written.rawValue)
      encoder.put(UInt16(shard))
      encoder.put(ShardState(of: before))
      encoder.put(ShardState(of: after))
    }
    return encoder.bytes
  }
}

/// The change of a directory's entries from one state of it to another.
struct IndexDirectoryChange {
  /// See ``IndexShard``.
  var number: Int
  /// The hash of the last entry about the directory in the log that this one adds to.
  var token: UInt64
  var state: ShardState
  var strays: [[UInt8]]
  var removed: [RecordID]
  /// The entries that are new or other, and in the overlay.
  var upserted: [RecordID]

  func payload(_ overlay: IndexOverlay) -> [UInt8] {
    var encoder = IndexEncoder()
    encoder.put(IndexLog.Tag.directory.rawValue)
    encoder.put(UInt16(number))
    encoder.put(token)
    encoder.put(state)
    encoder.put(UInt32(strays.count))
    for name in strays { encoder.put(counted: name) }
    encoder.put(UInt32(removed.count))
    for id in removed { encoder.put(id) }
    encoder.put(UInt32(upserted.count))
    for item in upserted.compactMap(overlay.item) {
      encoder.put(item.row)
      encoder.bytes += overlay.cell(item)
    }
    return encoder.bytes
  }

  /// Returns about how many bytes the payload takes.
  func payloadCount(_ overlay: IndexOverlay) -> Int {
    80 + 16 * removed.count + strays.reduce(0) { $0 + $1.count + 4 }
      + upserted.reduce(0) { $0 + Int(overlay.item($1)?.count ?? 0) + 68 }
  }
}

/// The directories of a kind by number: 0–255 the shards, 256 the kind's own.
enum IndexShard {
  static let folder = 256
  static let count = 257

  /// The name of a shard's directory: two digits.
  static func name(_ shard: UInt8) -> [UInt8] {
    let digits = Hex.digits(UInt32(shard))
    return [UInt8(truncatingIfNeeded: digits >> 8), UInt8(truncatingIfNeeded: digits)]
  }
}

/// The state of a directory as the index knows it.
struct ShardState: Hashable, Sendable {
  static let encodedCount = 48

  /// Whether the entries are those of the directory with that stamp, and a change since would show in
  /// it. If not it is read again.
  var isCurrent = false
  /// Whether the entries are those that the directory had in the moment of that stamp, but for what
  /// others changed in the same moment.
  var isRead = false
  /// Whether there is such a directory.
  var isPresent = false
  var device: UInt64 = 0
  /// The size is not kept: it adds nothing to the times.
  var stamp = FileStamp(
    inode: 0, size: 0, modified: FileTime(seconds: 0), changed: FileTime(seconds: 0))

  init() {}

  init(isPresent: Bool, isCurrent: Bool) {
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
    device = status.device
    stamp = FileStamp(status)
    stamp.size = 0
  }

  /// Returns whether the directory is still in this state.
  func holds(for status: FileStatus) -> Bool {
    isCurrent && hasStamp(of: status)
  }

  /// Returns whether the directory has the stamp at which it was read, and a stamp so fine that only
  /// what others did in the same instant can be unknown.
  ///
  /// Such a change shows in the directory's names and their inode numbers. It would not where a file was
  /// taken away and another with the same name got its inode number, all within that instant.
  func wasRead(at status: FileStatus) -> Bool {
    isRead && stamp.isFine && hasStamp(of: status)
  }

  private func hasStamp(of status: FileStatus) -> Bool {
    isPresent && device == status.device && stamp.inode == status.inode
      && stamp.modified == status.modified && stamp.changed == status.changed
  }

  /// Forgets what is known of the entries.
  mutating func forget() {
    isCurrent = false
    isRead = false
  }

  /// Notes that a writer found the directory in one state, and left it in another.
  mutating func noteWriter(from before: ShardState, to after: ShardState) {
    isCurrent = false
    guard isRead, isPresent, device == before.device, stamp == before.stamp else { return forget() }
    self = after
  }
}

extension IndexEncoder {
  mutating func put(_ state: ShardState) {
    put(
      UInt32(state.isCurrent ? 1 : 0) | UInt32(state.isPresent ? 2 : 0)
        | UInt32(state.isRead ? 4 : 0))
    put(state.device)
    put(state.stamp.inode)
    put(state.stamp.modified)
    put(state.stamp.changed)
    put(UInt32(0))
  }
}

extension IndexDecoder {
  // Hot: every command reads 257 of each kind that it asks about.
  @_optimize(speed)
  mutating func shardState() throws(Malformed) -> ShardState {
    let flags = try next(UInt32.self)
    var state = ShardState()
    state.isCurrent = flags & 1 != 0
    state.isPresent = flags & 2 != 0
    state.isRead = flags & 4 != 0
    state.device = try next()
    state.stamp.inode = try next()
    state.stamp.modified = try time()
    state.stamp.changed = try time()
    _ = try next(UInt32.self)
    return state
  }
}
