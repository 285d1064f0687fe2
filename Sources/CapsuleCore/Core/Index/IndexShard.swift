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
  mutating func shardState() throws(IndexDamage) -> ShardState {
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
