/// People of whom some number together hold a secret key: what is kept about them, and never the key or
/// a share of it.
public struct TrusteeGroup: Hashable, Sendable {
  package var header = RecordHeader()
  /// The name, which no other group has.
  public internal(set) var name = ""
  /// The recipient whose identity the trustees hold.
  public private(set) var recipient = ""
  /// The number that all shares of the present set have in common, 15 bits.
  package private(set) var identifier = 0
  /// The numbers of earlier sets of the same identity, which still open everything.
  package private(set) var earlierIdentifiers: [Int] = []
  /// The number of shares that are needed.
  public private(set) var threshold = 2
  /// The shares of the present set, in the order of their numbers.
  public private(set) var shares: [TrusteeShare] = []
  /// The keys that it had before; `nil` where it has its first.
  private var replaced: [ReplacedTrusteeKey]?
  /// The time at which this key was replaced; `nil` for the present one. It is not kept here.
  package private(set) var replacedAt: Instant?
  package private(set) var unknown: JSONObject = [:]

  /// The most shares of a group, by SLIP-0039.
  package static let mostShares = 16
  /// The first number behind those of 15 bits.
  private static let identifierEnd = 1 << 15
}

/// A key that a group had before, and who holds its shares: they still open all that was sealed to it.
package struct ReplacedTrusteeKey: Hashable, Sendable {
  package fileprivate(set) var recipient = ""
  package fileprivate(set) var identifier = 0
  package fileprivate(set) var earlierIdentifiers: [Int] = []
  package fileprivate(set) var threshold = 2
  package fileprivate(set) var shares: [TrusteeShare] = []
  package fileprivate(set) var replacedAt = Instant.epoch
  package private(set) var unknown: JSONObject = [:]
}

/// One share of a group: who has it, and how it is known again.
public struct TrusteeShare: Hashable, Sendable {
  /// The holder among the people of the store; `nil` for somebody who is not among them.
  public private(set) var person: RecordID?
  /// The name of the holder, as it was when the share was made.
  public private(set) var holder = ""
  /// The SHA-256 of the share's words, 64 hexadecimal digits.
  package private(set) var digest = ""
  public private(set) var madeAt = Instant.epoch
  /// The time at which the holder was last known to have it; `nil` before that was ever asked.
  public private(set) var confirmedAt: Instant?
  /// The time at which it was lost; `nil` while it is not.
  public private(set) var lostAt: Instant?
  package private(set) var unknown: JSONObject = [:]

  package init() {}

  package init(person: RecordID?, holder: String, digest: [UInt8], madeAt: Instant) {
    self.person = person
    self.holder = holder
    self.digest = Hex.encode(digest)
    self.madeAt = madeAt
  }

  /// Whether it was seen with its holder, and not lost since.
  package var isConfirmed: Bool { confirmedAt != nil && lostAt == nil }
}

extension TrusteeGroup {
  package init(
    header: RecordHeader, name: String, recipient: String, identifier: UInt16, threshold: Int,
    shares: [TrusteeShare]
  ) {
    self.init()
    self.header = header
    self.name = name
    self.recipient = recipient
    self.identifier = Int(identifier)
    self.threshold = threshold
    self.shares = shares
  }

  /// Whether its identity is post-quantum.
  package var isPostQuantum: Bool { RecipientText.isMarkedHybrid(recipient) }

  /// The shares that ought to be confirmed, so that one may be lost: one more than are needed, or all.
  package var confirmationsWanted: Int { min(shares.count, threshold + 1) }

  /// The number of shares that were confirmed and not lost since.
  package var confirmedCount: Int { shares.count(where: \.isConfirmed) }

  /// The number of shares that are not known to be lost.
  package var leftCount: Int { shares.count { $0.lostAt == nil } }

  /// Notes that a holder still has the share; it is not lost then.
  package mutating func confirm(_ place: Int, at time: Instant) {
    shares[place].confirm(at: time)
  }

  /// Notes that a share is lost.
  package mutating func lose(_ place: Int, at time: Instant) {
    shares[place].lose(at: time)
  }

  /// Takes a new set of shares of the same identity in the place of the present one.
  package mutating func renew(identifier: UInt16, threshold: Int, shares: [TrusteeShare]) {
    earlierIdentifiers.append(self.identifier)
    self.identifier = Int(identifier)
    self.threshold = threshold
    self.shares = shares
  }

  // Its keys.

  /// Takes a new key with its shares in the place of the present one, which is kept as replaced.
  package mutating func replaceKey(
    recipient: String, identifier: UInt16, threshold: Int, shares: [TrusteeShare], at time: Instant
  ) {
    var former = ReplacedTrusteeKey()
    former.recipient = self.recipient
    former.identifier = self.identifier
    former.earlierIdentifiers = earlierIdentifiers
    former.threshold = self.threshold
    former.shares = self.shares
    former.replacedAt = time
    replaced = (replaced ?? []) + [former]
    self.recipient = recipient
    self.identifier = Int(identifier)
    earlierIdentifiers = []
    self.threshold = threshold
    self.shares = shares
  }

  /// The group as it is, and as it was with each of its former keys, the last first: those have
  /// ``replacedAt``.
  package var withFormer: [TrusteeGroup] {
    [self]
      + (replaced ?? []).reversed().map { former in
        var group = TrusteeGroup()
        group.header = header
        group.name = name
        group.recipient = former.recipient
        group.identifier = former.identifier
        group.earlierIdentifiers = former.earlierIdentifiers
        group.threshold = former.threshold
        group.shares = former.shares
        group.replacedAt = former.replacedAt
        return group
      }
  }

  /// The numbers of all sets that it ever had.
  package var allIdentifiers: Set<Int> {
    Set(withFormer.flatMap { [$0.identifier] + $0.earlierIdentifiers })
  }

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

extension TrusteeShare {
  fileprivate mutating func confirm(at time: Instant) {
    confirmedAt = time
    lostAt = nil
  }

  fileprivate mutating func lose(at time: Instant) {
    lostAt = time
  }
}

extension TrusteeGroup: RecordModel {
  package static var kind: RecordKind { .trustees }
  package static var blank: TrusteeGroup { TrusteeGroup() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try coder.field("name", &name)
    try coder.field("recipient", &recipient)
    try coder.field("identifier", &identifier)
    try coder.optional("earlierIdentifiers", &earlierIdentifiers)
    try coder.field("threshold", &threshold)
    try coder.field("shares", &shares)
    try coder.optional("replaced", &replaced, writesNull: false)
    coder.rest(&unknown)
    try coder.limit("name", name, to: Capsule.titleLimit)
    try Self.check(recipient, [identifier] + earlierIdentifiers, threshold, shares, &coder)
  }

  fileprivate static func check<Coder: FieldCoder>(
    _ recipient: String, _ identifiers: [Int], _ threshold: Int, _ shares: [TrusteeShare],
    _ coder: inout Coder
  ) throws(Coder.Failure) {
    guard RecipientText.isUsable(recipient) else {
      return try coder.refuse("recipient", .invalid(recipient))
    }
    for identifier in identifiers where !(0..<identifierEnd).contains(identifier) {
      return try coder.refuse("identifier", .invalid(String(identifier)))
    }
    guard (2...mostShares).contains(shares.count) else {
      return try coder.refuse("shares", .invalid(String(shares.count)))
    }
    guard (2...shares.count).contains(threshold) else {
      return try coder.refuse("threshold", .invalid(String(threshold)))
    }
  }

  package func checkRules() throws(Fault) {
    try RecordFault.check(name: name, of: .trustees)
    for share in shares { try RecordFault.check(name: share.holder, of: .trustees) }
  }

  package var uniqueName: String? { name }

  package var schemaNeeded: Int64 { withFormer.contains(where: \.isPostQuantum) ? 2 : 1 }

  /// The pages that were handed out stay as they are: only the name goes back.
  package func edit(of current: TrusteeGroup) -> TrusteeGroup {
    var model = current
    model.name = name
    return model
  }
}

extension TrusteeShare: RecordPart {
  package static var blank: TrusteeShare { TrusteeShare() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.optional("person", &person, writesNull: false)
    try coder.field("holder", &holder)
    try coder.field("digest", &digest)
    try coder.field("madeAt", &madeAt)
    try coder.optional("confirmedAt", &confirmedAt, writesNull: false)
    try coder.optional("lostAt", &lostAt, writesNull: false)
    coder.rest(&unknown)
    try coder.limit("holder", holder, to: Capsule.titleLimit)
    guard Hex.decode(digest)?.count == SHA256.byteCount else {
      return try coder.refuse("digest", .invalid(digest))
    }
  }
}

extension ReplacedTrusteeKey: RecordPart {
  package static var blank: ReplacedTrusteeKey { ReplacedTrusteeKey() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("recipient", &recipient)
    try coder.field("identifier", &identifier)
    try coder.optional("earlierIdentifiers", &earlierIdentifiers)
    try coder.field("threshold", &threshold)
    try coder.field("shares", &shares)
    try coder.field("replacedAt", &replacedAt)
    coder.rest(&unknown)
    try TrusteeGroup.check(
      recipient, [identifier] + earlierIdentifiers, threshold, shares, &coder)
  }
}

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
