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

  package var title: String { name }

  /// The number of shares that are known to be lost.
  package var lostCount: Int { shares.count - leftCount }
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

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try header.walk(&walk)
    try walk.field("name", &name, [.title, .searched, .answered], .siblings)
    try walk.field("recipient", &recipient, [.listed, .fixed], .siblings.of("shares"))
    try walk.field("identifier", &identifier, [.listed, .answered], .siblings.of("shares"))
    try walk.optional("earlierIdentifiers", &earlierIdentifiers, [], .siblings.of("shares"))
    try walk.field("threshold", &threshold, [.listed, .answered], .siblings.of("shares"))
    try walk.field("shares", &shares, [.listed, .searched], .siblings.of("shares"))
    try walk.optional("replaced", &replaced, [], .siblings, writesNull: false)
    walk.rest(&unknown)
    try walk.limit("name", name, to: Capsule.titleLimit)
    try Self.check(recipient, [identifier] + earlierIdentifiers, threshold, shares, &walk)
  }

  fileprivate static func check<Walk: FieldWalk>(
    _ recipient: String, _ identifiers: [Int], _ threshold: Int, _ shares: [TrusteeShare],
    _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.require(RecipientText.isUsable(recipient), "recipient", .invalid(recipient))
    for identifier in identifiers {
      try walk.require(
        (0..<identifierEnd).contains(identifier), "identifier", .invalid(String(identifier)))
    }
    try walk.require(
      (2...mostShares).contains(shares.count), "shares", .invalid(String(shares.count)))
    try walk.require(
      (2...max(2, shares.count)).contains(threshold), "threshold", .invalid(String(threshold)))
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

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.optionalMember("person", &person, writesNull: false)
    try walk.member("holder", &holder, .listed)
    try walk.member("digest", &digest, .listed)
    try walk.member("madeAt", &madeAt)
    try walk.optionalMember("confirmedAt", &confirmedAt, .listed, writesNull: false)
    try walk.optionalMember("lostAt", &lostAt, .listed, writesNull: false)
    walk.rest(&unknown)
    try walk.limit("holder", holder, to: Capsule.titleLimit)
    try walk.require(
      Hex.decode(digest)?.count == SHA256.byteCount, "digest", .invalid(digest))
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    fields.append(SearchField(name, holder))
  }
}

extension ReplacedTrusteeKey: RecordPart {
  package static var blank: ReplacedTrusteeKey { ReplacedTrusteeKey() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("recipient", &recipient)
    try walk.member("identifier", &identifier)
    try walk.optionalMember("earlierIdentifiers", &earlierIdentifiers)
    try walk.member("threshold", &threshold)
    try walk.member("shares", &shares)
    try walk.member("replacedAt", &replacedAt)
    walk.rest(&unknown)
    try TrusteeGroup.check(
      recipient, [identifier] + earlierIdentifiers, threshold, shares, &walk)
  }
}
