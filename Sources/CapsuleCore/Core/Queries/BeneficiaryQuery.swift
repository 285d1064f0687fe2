/// A person in the answer of a ``BeneficiaryQuery``.
package struct BeneficiaryRow: Sendable {
  package let summary: Brief<Beneficiary>
  package let problem: IndexProblem

  package init(_ summary: Brief<Beneficiary>, problem: IndexProblem = .none) {
    self.summary = summary
    self.problem = problem
  }
}

/// A question about the people.
public struct BeneficiaryQuery: SortedQuery {
  public enum Order: String, CaseIterable, Sendable {
    case name
    /// The last one comes first.
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
    BeneficiaryRow(Brief<Beneficiary>(unreadable: entry.id), problem: entry.problem)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (BeneficiaryRow) -> Bool
  ) {
    guard order != .created else {
      return index.forEach(isReversed ? .ascending : .descending) { entry in
        row(entry, store).map(sink) ?? true
      }
    }
    var first = FirstEntries<(text: String, updatedAt: Instant, place: Int, key: IndexPlace)>(
      limit: limit, reversed: isReversed
    ) { left, right in
      if order == .name { return (left.text, left.key) < (right.text, right.key) }
      if left.updatedAt != right.updatedAt { return left.updatedAt > right.updatedAt }
      return left.place < right.place
    }
    var place = 0
    index.forEach(.descending) { entry in
      if let row = row(entry, store) {
        let text = order == .name ? NameOrder.key(row.summary.record.name) : ""
        first.insert(entry, by: (text, row.summary.record.updatedAt, place, entry.place))
        place += 1
      }
      return true
    }
    first.forEach { row($0, store).map(sink) ?? true }
  }

  private func row(_ entry: IndexEntry, _ store: Store) -> BeneficiaryRow? {
    guard let summary = Brief<Beneficiary>(entry),
      matches(summary, store)
    else { return nil }
    return BeneficiaryRow(summary, problem: entry.problem)
  }

  private func matches(_ summary: Brief<Beneficiary>, _ store: Store) -> Bool {
    let texts = [
      summary.record.name, summary.record.relationship, summary.record.email, summary.record.phone,
      summary.record.contact,
      summary.record.notes,
    ]
    return text?.matches(texts) {
      let record = summary.isWhole ? nil : (try? store.read(Beneficiary.self, summary.id))
      return record.map { [$0.model.contact, $0.model.notes] } ?? []
    } ?? true
  }
}

/// A bequest in the answer of a ``BequestQuery``.
package struct BequestRow: Sendable {
  package let summary: Brief<Bequest>
  package let problem: IndexProblem
  /// The title of the item or capsule; `nil` where it is gone.
  package let subjectTitle: String?
  /// The beneficiary's name; `nil` where the person is gone.
  package let personName: String?
  /// The time from which the beneficiary may have it; `nil` while that is not known.
  package let accessibleAt: Instant?
  /// Whether the beneficiary may have it now, or has it; never of one that was declined or revoked.
  package let isAccessible: Bool

  package init(
    _ summary: Brief<Bequest>, problem: IndexProblem = .none, names: RecordNames,
    passing: Passing?, at now: Instant
  ) {
    self.summary = summary
    self.problem = problem
    subjectTitle = names.live(summary.record.subject)
    personName = names.live(RecordReference(.beneficiary, summary.record.beneficiary))
    accessibleAt = summary.accessible(passing: passing?.at)
    isAccessible = summary.isAccessible(passing: passing, at: now)
  }

  /// The title of the bequest: the thing and the person.
  package var title: String { "\(subjectTitle ?? "?") to \(personName ?? "?")" }
}

extension BequestRow {
  /// The place of a bequest among all that a person receives.
  package enum Standing: CaseIterable, Sendable {
    /// The person may have it, and it was not sent.
    case now
    /// The person may have it from a date on.
    case later
    case uponPassing
    /// It was sent, or accepted.
    case sent
    /// It was declined or revoked.
    case over
  }

  package var standing: Standing {
    switch summary.digest.state {
    case .sent, .accepted: .sent
    case .declined, .revoked: .over
    case .notSent where isAccessible: .now
    case .notSent: summary.record.access == .uponPassing ? .uponPassing : .later
    }
  }
}

extension Brief<Bequest> {
  /// Returns whether the beneficiary may have it, or has it; never of one that is closed.
  package func isAccessible(passing: Passing?, at now: Instant) -> Bool {
    guard !isClosed, let at = accessible(passing: passing?.at) else { return false }
    return at <= now
  }
}

/// A question about the bequests.
public struct BequestQuery: SortedQuery {
  public enum Order: String, CaseIterable, Sendable {
    case created, person, subject
    /// Accessible bequests come first, by date; those that wait for a passing come last.
    case access
    case state
  }

  package static let kind = RecordKind.bequest

  /// The records that a bequest has to name, all of them.
  package var references: [RecordReference] = []
  /// The records of which a bequest has to name one; `nil` for all bequests.
  package var named: Set<RecordReference>?
  /// The states of which a bequest has one; all where it is empty.
  package var states: Set<DeliveryState> = []
  /// The text that the title of the thing or the name of the person has; `nil` for all bequests.
  package var text: SearchText?
  /// Whether only bequests are found that the beneficiary may have now.
  package var onlyAccessible = false
  package var order = Order.created
  package var isReversed = false
  package var limit = Int.max
  /// The owner's passing, where the settings declare it.
  package internal(set) var passing: Passing?
  package internal(set) var now: Instant

  package init(passing: Passing?, now: Instant) {
    self.passing = passing
    self.now = now
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (BequestRow) -> Bool
  ) {
    let names = RecordNames(store, now: now)
    func row(_ entry: IndexEntry) -> BequestRow? {
      guard let summary = Brief<Bequest>(entry), matches(summary)
      else { return nil }
      let row = BequestRow(
        summary, problem: entry.problem, names: names, passing: passing, at: now)
      return text?.matches(row.title) ?? true ? row : nil
    }
    guard order != .created else {
      return index.forEach(isReversed ? .descending : .ascending) { row($0).map(sink) ?? true }
    }
    var first = FirstEntries<(text: String, number: Int64, place: Int)>(
      limit: limit, reversed: isReversed
    ) { left, right in left < right }
    var place = 0
    index.forEach(.ascending) { entry in
      if let row = row(entry) {
        let (text, number) = key(of: row)
        first.insert(entry, by: (text, number, place))
        place += 1
      }
      return true
    }
    first.forEach { row($0).map(sink) ?? true }
  }

  private func matches(_ summary: Brief<Bequest>) -> Bool {
    references.allSatisfy(summary.record.references.contains)
      && !(named?.isDisjoint(with: summary.record.references) ?? false)
      && (states.isEmpty || states.contains(summary.digest.state))
      && (!onlyAccessible || summary.isAccessible(passing: passing, at: now))
  }

  /// Returns what a row is sorted by.
  private func key(of row: BequestRow) -> (text: String, number: Int64) {
    switch order {
    case .created: ("", row.summary.record.createdAt.seconds)
    case .person: (NameOrder.key(row.personName ?? ""), 0)
    case .subject: (NameOrder.key(row.subjectTitle ?? ""), 0)
    case .access: ("", (row.accessibleAt ?? .latest).seconds)
    case .state: ("", Int64(DeliveryState.allCases.firstIndex(of: row.summary.digest.state) ?? 0))
    }
  }
}
