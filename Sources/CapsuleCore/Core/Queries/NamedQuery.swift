/// A record in the answer of a ``NamedQuery``.
package struct NamedRow<Model: RecordModel>: Sendable {
  package let summary: Brief<Model>
  package let problem: IndexProblem
}

/// A question about the records of a kind that has few, by title or name: enough where lists need no orders and
/// filters of their own.
package struct NamedQuery<Model: RecordModel>: RecordQuery {
  package static var kind: RecordKind { Model.kind }

  /// The text that a record has in one of the fields that a search looks through and the index keeps; `nil` for
  /// all records.
  package var text: SearchText?
  package var limit = Int.max

  package init() {}

  package func unreadable(_ entry: IndexEntry) -> NamedRow<Model>? {
    NamedRow(summary: Brief(unreadable: entry.id), problem: entry.problem)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (NamedRow<Model>) -> Bool
  ) {
    var rows: [(name: String, row: NamedRow<Model>)] = []
    index.forEach(.ascending) { entry in
      if let summary = Brief<Model>(entry), matches(summary) {
        rows.append(
          (NameOrder.key(summary.record.title), NamedRow(summary: summary, problem: entry.problem)))
      }
      return true
    }
    rows.sort { ($0.name, $0.row.summary.id) < ($1.name, $1.row.summary.id) }
    for (_, row) in rows where !sink(row) { return }
  }

  private func matches(_ summary: Brief<Model>) -> Bool {
    guard let text else { return true }
    return summary.record.searchFields.contains { text.matches($0.text) }
  }
}
