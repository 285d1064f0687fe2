/// The part of a bequest that a list shows without its record being read.
package struct BequestSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var subject = RecordReference(.item, .zero)
  package private(set) var beneficiary = RecordID.zero
  package private(set) var access = AccessRule.immediate
  package private(set) var state = DeliveryState.notSent
  package private(set) var stateSince = Instant.epoch
  package private(set) var createdAt = Instant.epoch
  package private(set) var updatedAt = Instant.epoch
  package private(set) var hasMessage = false

  package var references: [RecordReference] {
    [subject, RecordReference(.beneficiary, beneficiary)]
  }

  /// The thing and the person; `nil` once it was declined or revoked.
  package var twinKey: String? {
    state == .declined || state == .revoked ? nil : "\(subject.id) \(beneficiary)"
  }

  /// Returns the instant from which on the beneficiary may have it; `nil` while that is not known.
  package func accessible(passing: Instant?) -> Instant? {
    access.accessible(since: createdAt, passing: passing)
  }
}

extension BequestSummary: SummaryPart {
  package static var blank: BequestSummary { BequestSummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    // Other kinds have their title here.
    var title = ""
    try coder.text(&title)
    var (kind, thing) = (subject.kind, subject.id)
    try coder.value(&kind)
    try coder.value(&thing)
    subject = RecordReference(kind, thing)
    try coder.value(&beneficiary)
    var (rule, date) = (access.name, access.date)
    try coder.value(&rule)
    try coder.optional(&date)
    try coder.value(&state)
    try coder.integer(&stateSince.seconds)
    try coder.integer(&createdAt.seconds)
    try coder.integer(&updatedAt.seconds)
    try coder.flag(&hasMessage)
    guard let access = AccessRule(rule, date: date) else { return try coder.refuse() }
    self.access = access
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

extension Bequest {
  /// The part that a list shows.
  package var summary: BequestSummary {
    BequestSummary(
      id: id, subject: subject, beneficiary: beneficiary, access: access, state: state,
      stateSince: stateSince, createdAt: createdAt, updatedAt: updatedAt,
      hasMessage: !message.isEmpty)
  }

  /// A bequest has no name of its own: its twin is found by the thing and the person. It falls due
  /// only while it is still to be handed over, at a date.
  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: createdAt.seconds, madeAt: header.madeAt,
      due: state == .notSent ? access.date?.seconds : nil,
      nameHash: twinKey.map { NameKey($0).hash } ?? 0, summary: summary.encoded())
  }
}
