/// The knowledge of one record: enough to sort it, find it, announce it and list it.
package struct IndexEntry: Hashable, Sendable {
  package var id: RecordID

  /// The place of the record in the sorted order, such as its unlock time; `Int64.max` for none.
  package var sortKey: Int64

  /// The time at which the record was made, in nanoseconds since 1970: the order among equal sort keys.
  package var madeAt: Int64

  /// The earliest instant at which something of it may have to be announced; `Int64.max` for none.
  package var due: Int64

  /// ``IndexHash`` of the case-folded name; 0 for none. Different names may share one.
  package var nameHash: UInt64

  package var problem: IndexProblem

  /// The summary that a list shows, in the model's own form.
  package var summary: ArraySlice<UInt8>

  package init(
    id: RecordID, sortKey: Int64 = .max, madeAt: Int64 = 0, due: Int64 = .max, nameHash: UInt64 = 0,
    problem: IndexProblem = .none, summary: ArraySlice<UInt8> = []
  ) {
    self.id = id
    self.sortKey = sortKey
    self.madeAt = madeAt
    self.due = due
    self.nameHash = nameHash
    self.problem = problem
    self.summary = summary
  }
}

/// The reason why a record could not be read, or is to be marked: a number of the index, or of the
/// model.
///
/// A file whose entry has a problem is looked at again at each opening of the index, so that one
/// that is mended in place, or that was still being copied, does not stay marked.
package struct IndexProblem: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  /// The model's own numbers start at 16.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let none = IndexProblem(rawValue: 0)
  /// A directory, link or device stands in the record's place.
  package static let notRegularFile = IndexProblem(rawValue: 1)
  /// The file system gave an error for the file.
  package static let unreadable = IndexProblem(rawValue: 2)
  /// The file is larger than any record may be.
  package static let tooLarge = IndexProblem(rawValue: 3)
}

/// A writer's change of one record.
package enum IndexChange: Sendable {
  /// The record was made or replaced. The stamp is of the very file that the writer wrote, taken
  /// after its last name was given or taken away; without one it is read again.
  case upsert(IndexEntry, FileStamp?)
  case remove(RecordID)
  /// The directory of a shard before a writer's changes, which were noted, and after them.
  case directory(UInt8, from: FileStatus, to: FileStatus)
}

/// The part of the index about a record besides its cell: whether its file is still the one that
/// was read.
struct IndexRow: Hashable, Sendable {
  /// The number of bytes in the index's files.
  static let width = 68

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
}

extension IndexRow {
  init(_ entry: IndexEntry, _ stamp: FileStamp?, isTrusted: Bool) {
    self.init(
      id: entry.id, stamp: stamp ?? .unknown, isTrusted: isTrusted,
      hasProblem: entry.problem != .none, digest: entry.digest)
  }
}

extension [IndexRow] {
  /// Returns the position of an id in rows that are sorted by it.
  func position(of id: RecordID) -> Int? {
    let position = countOfFirst { $0.id < id }
    return position < count && self[position].id == id ? position : nil
  }
}

extension IndexEncoder {
  mutating func put(_ row: IndexRow) {
    put(row.id)
    put(UInt32(row.isTrusted ? 1 : 0) | UInt32(row.hasProblem ? 2 : 0))
    put(row.stamp)
    put(row.digest)
  }
}

extension IndexDecoder {
  @_optimize(speed)
  mutating func row() throws(Malformed) -> IndexRow {
    let id = try id()
    let flags = try next(UInt32.self)
    return IndexRow(
      id: id, stamp: try stamp(), isTrusted: flags & 1 != 0, hasProblem: flags & 2 != 0,
      digest: try next())
  }
}

/// The form of an entry in the index's files, its cell: 56 bytes and the summary.
extension IndexEntry {
  /// The bytes before the summary, its count included.
  static let headCount = 56

  /// The hash of the cell.
  var digest: UInt64 {
    var encoder = IndexEncoder()
    encoder.put(self)
    return IndexHash.hash(encoder.bytes)
  }
}

extension IndexEncoder {
  mutating func put(_ entry: IndexEntry) {
    put(entry.id)
    put(entry.sortKey)
    put(entry.madeAt)
    put(entry.due)
    put(entry.nameHash)
    put(entry.problem.rawValue)
    put(UInt16(0))
    put(counted: entry.summary)
  }
}

extension IndexDecoder {
  /// Reads an entry's cell.
  @_optimize(speed)
  mutating func entry() throws(Malformed) -> IndexEntry {
    let (record, sortKey, madeAt) = (try id(), try next(Int64.self), try next(Int64.self))
    let (due, nameHash) = (try next(Int64.self), try next(UInt64.self))
    let (problem, _) = (IndexProblem(rawValue: try next()), try next(UInt16.self))
    return IndexEntry(
      id: record, sortKey: sortKey, madeAt: madeAt, due: due, nameHash: nameHash, problem: problem,
      summary: try counted())
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
