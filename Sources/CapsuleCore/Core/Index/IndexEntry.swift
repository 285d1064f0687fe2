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
  package var summary: [UInt8]

  package init(
    id: RecordID, sortKey: Int64 = .max, madeAt: Int64 = 0, due: Int64 = .max, nameHash: UInt64 = 0,
    problem: IndexProblem = .none, summary: [UInt8] = []
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
