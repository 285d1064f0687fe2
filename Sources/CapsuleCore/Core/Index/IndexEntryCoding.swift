/// The form of an entry in bytes, a cell, as the base and the log have it: 56 bytes and the
/// summary.
enum IndexEntryCoding {
  static let headCount = 56

  static func append(_ entry: IndexEntry, to bytes: inout [UInt8]) {
    var encoder = IndexEncoder()
    swap(&encoder.bytes, &bytes)
    encoder.put(entry.id)
    encoder.put(entry.sortKey)
    encoder.put(entry.madeAt)
    encoder.put(entry.due)
    encoder.put(entry.nameHash)
    encoder.put(entry.problem.rawValue)
    encoder.put(UInt16(0))
    encoder.put(counted: entry.summary)
    swap(&encoder.bytes, &bytes)
  }

  /// Returns the cell that begins where the decoder stands.
  static func read(_ decoder: inout IndexDecoder) throws(IndexDamage) -> IndexEntry {
    let id = try decoder.id()
    let sortKey = try decoder.next(Int64.self)
    let madeAt = try decoder.next(Int64.self)
    let due = try decoder.next(Int64.self)
    let nameHash = try decoder.next(UInt64.self)
    let problem = try decoder.next(UInt16.self)
    _ = try decoder.next(UInt16.self)
    return IndexEntry(
      id: id, sortKey: sortKey, madeAt: madeAt, due: due, nameHash: nameHash,
      problem: IndexProblem(rawValue: problem), summary: Array(try decoder.counted()))
  }
}
