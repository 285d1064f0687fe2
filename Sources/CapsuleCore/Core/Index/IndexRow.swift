/// The part of the index about a record besides its cell: whether its file is still the one that
/// was read.
struct IndexRow: Hashable, Sendable {
  static let flagTrusted: UInt32 = 1
  static let flagProblem: UInt32 = 2

  var id: RecordID
  var stamp: FileStamp
  /// Whether the file could not have changed since without its stamp changing.
  var isTrusted: Bool
  var hasProblem: Bool
  /// The hash of the cell.
  var digest: UInt64

  /// Returns whether a name of the record whose inode has this number is that of the file that was read.
  func isFile(_ inode: UInt64) -> Bool {
    isTrusted && !hasProblem && stamp.inode == inode
  }

  var flags: UInt32 {
    (isTrusted ? Self.flagTrusted : 0) | (hasProblem ? Self.flagProblem : 0)
  }
}

extension [IndexRow] {
  /// Returns the position of an id in rows that are sorted by it.
  func position(of id: RecordID) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].id == id ? low : nil
  }
}

extension IndexEncoder {
  mutating func put(_ row: IndexRow) {
    put(row.id)
    put(row.flags)
    put(row.stamp)
    put(row.digest)
  }
}

extension IndexDecoder {
  @_optimize(speed)
  mutating func row() throws(IndexDamage) -> IndexRow {
    let id = try id()
    let flags = try next(UInt32.self)
    return IndexRow(
      id: id, stamp: try stamp(), isTrusted: flags & IndexRow.flagTrusted != 0,
      hasProblem: flags & IndexRow.flagProblem != 0, digest: try next())
  }
}

extension FileStamp {
  /// The stamp of no file.
  static let unknown = FileStamp(
    inode: 0, size: -1, modified: FileTime(seconds: 0), changed: FileTime(seconds: 0))

  /// Whether a writer's stamp of what it has just written can be relied on, although it is not
  /// settled: only where times are fine enough that nobody else could have written in the same
  /// moment. Coarse ones are whole seconds, or hundredths.
  var isFine: Bool {
    changed.nanoseconds % 1_000_000 != 0
  }

  /// Whether a change after `now` would be seen in these times, were it of the same size.
  ///
  /// It would not where they are of the very moment: file systems keep times as coarse as two
  /// seconds. (Git's index has the same rule.) The time of change cannot be set by programs, so one
  /// in the future comes from a clock that was turned back, and may come again.
  func isSettled(at now: Instant) -> Bool {
    let limit = now.seconds &- 2
    let end = now.seconds &+ 2
    return changed.seconds < limit && !(limit...max(limit, end) ~= modified.seconds)
  }
}
