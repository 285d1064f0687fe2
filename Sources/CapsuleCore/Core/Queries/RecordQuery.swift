/// A question about the records of one kind: which of them, in which order, and at most how many.
package protocol RecordQuery {
  /// A record as the answer has it.
  associatedtype Row

  static var kind: RecordKind { get }
  var limit: Int { get }

  /// Returns the row of a record of which only the id is known; `nil` where the answer leaves such
  /// records out.
  func unreadable(_ entry: IndexEntry) -> Row?

  /// Hands over the rows of the records that can be read, in order, until `sink` returns `false`.
  func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (Row) -> Bool)
}

extension RecordQuery {
  package func unreadable(_ entry: IndexEntry) -> Row? { nil }

  /// Hands over at most `limit` rows, until `sink` returns `false`.
  ///
  /// A record that cannot be read has nothing to be sorted by: it stands first, so that no limit
  /// hides it.
  package func forEach(
    in index: inout RecordIndex, of store: Store, _ sink: (Row) -> Bool
  ) {
    var left = limit
    func give(_ row: Row) -> Bool {
      left -= 1
      return sink(row) && left > 0
    }
    for entry in index.problems() where entry.summary.isEmpty {
      if let row = unreadable(entry), !give(row) { return }
    }
    forEachReadable(in: &index, of: store, give)
  }
}

extension SearchText {
  /// Returns whether one of the texts holds what is searched for.
  ///
  /// - Parameter rest: The texts that an index holds in part, read from the record.
  func matches(_ texts: [String], orRest rest: () -> [String]) -> Bool {
    texts.contains(where: matches) || rest().contains(where: matches)
  }
}

extension StoredRecord {
  /// The problem that the index has for such a record.
  package var problem: IndexProblem { integrity == nil ? .none : .altered }
}
