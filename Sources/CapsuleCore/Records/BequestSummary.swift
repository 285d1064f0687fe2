/// What a list shows of a bequest, without its record being read.
package struct BequestSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package let subject: RecordReference
  package let beneficiary: RecordID
  package let access: AccessRule
  package let state: DeliveryState
  package let stateSince: Instant
  package let createdAt: Instant
  package let updatedAt: Instant
  package let hasMessage: Bool

  fileprivate init(_ bequest: Bequest) {
    id = bequest.id
    subject = bequest.subject
    beneficiary = bequest.beneficiary
    access = bequest.access
    state = bequest.state
    stateSince = bequest.stateSince
    createdAt = bequest.createdAt
    updatedAt = bequest.updatedAt
    hasMessage = !bequest.message.isEmpty
  }

  package var references: [RecordReference] {
    [subject, RecordReference(.beneficiary, beneficiary)]
  }

  /// The thing and the person; `nil` once it was declined or revoked.
  package var twinKey: String? {
    state == .declined || state == .revoked ? nil : "\(subject.id) \(beneficiary)"
  }

  /// From when on the beneficiary may have it; `nil` while that is not known.
  package func accessible(passing: Instant?) -> Instant? {
    access.accessible(since: createdAt, passing: passing)
  }
}

extension Bequest {
  /// What a list shows of it.
  package var summary: BequestSummary { BequestSummary(self) }

  /// A bequest has no name of its own: its twin is found by the thing and the person. Only what is
  /// still to be handed over at a date falls due.
  package var indexLine: IndexLine {
    IndexLine(
      sortKey: createdAt.seconds, due: state == .notSent ? access.date?.seconds : nil,
      nameHash: twinKey.map { NameKey($0).hash } ?? 0, summary: summary.encoded)
  }
}

extension BequestSummary {
  /// The form that the index keeps; the id stands beside it.
  package var encoded: [UInt8] {
    var writer = SummaryWriter()
    // Where other kinds have their title.
    writer.text("")
    writer.text(subject.kind.rawValue)
    writer.text(subject.id.description)
    writer.text(beneficiary.description)
    writer.text(access.name.rawValue)
    writer.optionalInteger(access.date?.seconds)
    writer.text(state.rawValue)
    writer.integer(stateSince.seconds)
    writer.integer(createdAt.seconds)
    writer.integer(updatedAt.seconds)
    writer.unsigned(hasMessage ? 1 : 0)
    return writer.bytes
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    var reader = SummaryReader(encoded)
    guard reader.skipText(), let kind = reader.text().flatMap(RecordKind.init(rawValue:)),
      let subject = reader.text().flatMap({ RecordID($0) }),
      let beneficiary = reader.text().flatMap({ RecordID($0) }),
      let rule = reader.text().flatMap(AccessRule.Name.init(rawValue:)),
      let date = reader.optionalInteger(),
      let access = AccessRule(rule, date: date.map { Instant(seconds: $0) }),
      let state = reader.text().flatMap(DeliveryState.init(rawValue:)),
      let stateSince = reader.integer(), let createdAt = reader.integer(),
      let updatedAt = reader.integer(), let hasMessage = reader.unsigned(), reader.isAtEnd
    else { return nil }
    self.id = id
    self.subject = RecordReference(kind, subject)
    self.beneficiary = beneficiary
    self.access = access
    self.state = state
    self.stateSince = Instant(seconds: stateSince)
    self.createdAt = Instant(seconds: createdAt)
    self.updatedAt = Instant(seconds: updatedAt)
    self.hasMessage = hasMessage == 1
  }
}
