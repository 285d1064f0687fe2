/// A group of trustees in the answer of a ``TrusteeQuery``.
package struct TrusteeRow: Sendable {
  package let summary: TrusteeSummary
  package let problem: IndexProblem

  package init(_ summary: TrusteeSummary, problem: IndexProblem = .none) {
    self.summary = summary
    self.problem = problem
  }
}

/// A question about the groups of trustees, by name.
package struct TrusteeQuery: RecordQuery {
  package static let kind = RecordKind.trustees

  /// The text that a group has in the name or a holder's; `nil` for all groups.
  package var text: SearchText?
  package var limit = Int.max

  package init() {}

  package func unreadable(_ entry: IndexEntry) -> TrusteeRow? {
    TrusteeRow(TrusteeSummary(unreadable: entry.id), problem: entry.problem)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (TrusteeRow) -> Bool
  ) {
    var rows: [TrusteeRow] = []
    index.forEach(.ascending) { entry in
      if let summary = TrusteeSummary(id: entry.id, encoded: entry.summary), matches(summary) {
        rows.append(TrusteeRow(summary, problem: entry.problem))
      }
      return true
    }
    rows.sort {
      (NameKey($0.summary.name).text, $0.summary.id) < (
        NameKey($1.summary.name).text, $1.summary.id
      )
    }
    for row in rows where !sink(row) { return }
  }

  private func matches(_ summary: TrusteeSummary) -> Bool {
    guard let text else { return true }
    return ([summary.name] + summary.shares.map(\.holder)).contains(where: text.matches)
  }
}
