/// A person in the answer of a ``BeneficiaryQuery``.
package struct BeneficiaryRow: Sendable {
  package let summary: BeneficiarySummary
  package let problem: IndexProblem

  package init(_ summary: BeneficiarySummary, problem: IndexProblem = .none) {
    self.summary = summary
    self.problem = problem
  }
}

/// A question about the people.
public struct BeneficiaryQuery: RecordQuery {
  public enum Order: String, CaseIterable, Sendable {
    case name
    /// The last one stands first.
    case created, updated
  }

  package static let kind = RecordKind.beneficiary

  /// The text that a person has in any field; `nil` for all people.
  package var text: SearchText?
  package var order = Order.name
  package var isReversed = false
  package var limit = Int.max

  package init() {}

  package func unreadable(_ entry: IndexEntry) -> BeneficiaryRow? {
    BeneficiaryRow(BeneficiarySummary(unreadable: entry.id), problem: entry.problem)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (BeneficiaryRow) -> Bool
  ) {
    guard order != .created else {
      return index.forEach(isReversed ? .ascending : .descending) { entry in
        row(entry, store).map(sink) ?? true
      }
    }
    var first = FirstEntries<(text: String, updatedAt: Instant, place: Int, key: IndexKey)>(
      limit: limit, reversed: isReversed
    ) { left, right in
      if order == .name { return (left.text, left.key) < (right.text, right.key) }
      if left.updatedAt != right.updatedAt { return left.updatedAt > right.updatedAt }
      return left.place < right.place
    }
    var place = 0
    index.forEach(.descending) { entry in
      if let row = row(entry, store) {
        let text = order == .name ? NameKey(row.summary.name).text : ""
        first.insert(entry, by: (text, row.summary.updatedAt, place, entry.key))
        place += 1
      }
      return true
    }
    first.forEach { row($0, store).map(sink) ?? true }
  }

  private func row(_ entry: IndexEntry, _ store: Store) -> BeneficiaryRow? {
    guard let summary = BeneficiarySummary(id: entry.id, encoded: entry.summary),
      matches(summary, store)
    else { return nil }
    return BeneficiaryRow(summary, problem: entry.problem)
  }

  private func matches(_ summary: BeneficiarySummary, _ store: Store) -> Bool {
    let texts = [
      summary.name, summary.relationship, summary.email, summary.phone, summary.contact,
      summary.notes,
    ]
    return text?.matches(texts) {
      let record = summary.hasAllText ? nil : (try? store.read(Beneficiary.self, summary.id))
      return record.map { [$0.model.contact, $0.model.notes] } ?? []
    } ?? true
  }
}
