/// The part of a group of trustees that a list shows without its record being read.
package struct TrusteeSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var name = ""
  package private(set) var createdAt = Instant.epoch
  package private(set) var updatedAt = Instant.epoch
  package private(set) var recipient = ""
  package private(set) var identifier = 0
  package private(set) var threshold = 0
  package private(set) var shares: [Holding] = []

  /// A share as a list needs it.
  package struct Holding: Hashable, Sendable {
    package private(set) var holder = ""
    /// The SHA-256 of its words.
    package private(set) var digest = ""
    package private(set) var confirmedAt: Instant?
    package private(set) var lostAt: Instant?
  }

  package var confirmedCount: Int {
    shares.count { $0.confirmedAt != nil && $0.lostAt == nil }
  }

  package var lostCount: Int { shares.count { $0.lostAt != nil } }

  package var confirmationsWanted: Int { min(shares.count, threshold + 1) }
}

extension TrusteeSummary: SummaryPart {
  package static var blank: TrusteeSummary { TrusteeSummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&name)
    try coder.integer(&createdAt.seconds)
    try coder.integer(&updatedAt.seconds)
    try coder.text(&recipient)
    try coder.count(&identifier)
    try coder.count(&threshold)
    try coder.list(&shares)
  }

  /// The summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) { self.init(id: id) }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

extension TrusteeSummary.Holding: SummaryPart {
  package static var blank: TrusteeSummary.Holding { TrusteeSummary.Holding() }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&holder)
    try coder.text(&digest)
    try coder.optional(&confirmedAt)
    try coder.optional(&lostAt)
  }
}

extension TrusteeGroup {
  /// The part that a list shows.
  package var summary: TrusteeSummary {
    TrusteeSummary(
      id: header.id, name: name, createdAt: createdAt, updatedAt: updatedAt, recipient: recipient,
      identifier: identifier, threshold: threshold,
      shares: shares.map {
        TrusteeSummary.Holding(
          holder: $0.holder, digest: $0.digest, confirmedAt: $0.confirmedAt, lostAt: $0.lostAt)
      })
  }

  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: createdAt.seconds, madeAt: header.madeAt, due: nil, nameHash: NameKey(name).hash,
      summary: summary.encoded())
  }
}
