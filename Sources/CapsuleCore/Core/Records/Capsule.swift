/// A capsule: contents that stay sealed until an unlock time.
public struct Capsule: Hashable, Identifiable, Sendable {
  package var header = RecordHeader()
  public var title = ""
  public var notes = ""
  public var tags: [String] = []
  /// The instant from which the gate lets the contents through.
  public var unlockAt = Instant.epoch
  /// The IANA zone that the unlock time was given in; it moves only how the time is shown.
  public var unlockZone = "UTC"
  public package(set) var lock = Lock()
  public package(set) var contents: [Content] = []
  /// The first time it was opened.
  public package(set) var openedAt: Instant?
  package private(set) var unknown: JSONObject = [:]

  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  /// The number of times that the record was written: 1 when new.
  public var revision: Int64 { header.revision }

  /// The longest title, in bytes of UTF-8.
  package static let titleLimit = 1024

  /// The unlock time moves later only, and what is sealed stays as it is.
  package func edit(of current: Capsule) -> Capsule {
    var model = self
    model.header = current.header
    // The zone is that of the time.
    if unlockAt < current.unlockAt {
      (model.unlockAt, model.unlockZone) = (current.unlockAt, current.unlockZone)
    }
    model.openedAt = [openedAt, current.openedAt].compactMap { $0 }.min()
    model.lock = current.lock
    model.contents = current.contents
    return model
  }

  package var sortKey: Int64 { dueAt.seconds }
  package var earliestDue: Int64? { dueAt.seconds }
  package var digest: CapsuleDigest { CapsuleDigest(self) }

  /// The time from which it can be opened, as far as is known: its unlock time, and for a timelock
  /// no earlier than the round's time.
  package var dueAt: Instant {
    max(unlockAt, lock.timelock?.roundTime ?? unlockAt)
  }
}

extension Capsule: RecordModel {
  package static var kind: RecordKind { .capsule }
  package static var blank: Capsule { Capsule() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try header.walk(&walk)
    try walk.field("title", &title, [.title, .searched, .answered], .siblings)
    try walk.optional("notes", &notes, [.listedCut, .searched], .siblings)
    try walk.optional("tags", &tags, [.listed, .searched, .answered], .elements)
    try walk.field("unlockAt", &unlockAt, .listed, .greatest.of("unlock"))
    try walk.field("unlockZone", &unlockZone, [.listed, .answered], .greatest.of("unlock"))
    try walk.field("lock", &lock, .listed, .once)
    try walk.optional("contents", &contents, [], .collection(knownBy: "id"))
    try walk.optional("openedAt", &openedAt, .listed, .least)
    walk.rest(&unknown)
    try walk.limit("title", title, to: Capsule.titleLimit)
  }

  package func checkRules() throws(Fault) {
    try RecordFault.check(name: title, .title, of: .capsule)
    try RecordFault.check(unlockAt, .unlockAt)
  }

  package var sizedBlobs: [(BlobName, Int64)] {
    contents.compactMap { content in content.blob.map { ($0, content.sealedSize) } }
  }

  package var schemaNeeded: Int64 {
    let recipients = [lock.recipient] + (lock.timelock?.escrow ?? [])
    let isNew = lock.spare != nil || recipients.contains(where: RecipientText.isMarkedHybrid)
    return isNew ? 2 : 1
  }
}

/// What lists show of a capsule's lock and contents.
package struct CapsuleDigest: RecordDigest {
  /// When it can be opened as far as is known: of a timelock no earlier than the round's time.
  package private(set) var unlockAt = Instant.epoch
  /// How many contents there are of each kind, in the order of ``ContentKind``'s cases.
  package private(set) var counts = ContentKind.allCases.map { _ in 0 }
  /// Bytes of all sealed contents.
  package private(set) var sealedSize: Int64 = 0

  package init() {}

  fileprivate init(_ capsule: Capsule) {
    unlockAt = capsule.dueAt
    counts = ContentKind.allCases.map { kind in capsule.contents.count { $0.kind == kind } }
    sealedSize = capsule.contents.reduce(0) { $0.addingClamped($1.sealedSize) }
  }

  /// Returns how many contents of one kind there are.
  package func count(of kind: ContentKind) -> Int {
    ContentKind.allCases.firstIndex(of: kind).map { counts[$0] } ?? 0
  }

  package mutating func code<Coder: BriefCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.integer(&unlockAt.seconds)
    for kind in counts.indices { try coder.count(&counts[kind]) }
    try coder.integer(&sealedSize)
  }
}

/// The condition that a capsule's seal adds to the date.
public enum LockKind: String, CaseIterable, Hashable, Sendable, FieldText {
  /// A seal to the store's own identity: it only keeps honest people honest.
  case honor
  /// A seal with a passphrase (scrypt).
  case passphrase
  /// A seal to the age recipients that were given at creation.
  case recipients
  /// A seal to a future beacon of a drand chain (tlock).
  case timelock
}

/// A capsule's lock: how its identity is sealed.
public struct Lock: Hashable, Sendable {
  public private(set) var kind = LockKind.honor
  /// An armored age file whose plaintext is the capsule's identity file.
  package private(set) var key = ""
  /// The capsule's own recipient, `age1…`, to which its contents are sealed.
  public private(set) var recipient = ""
  /// The drand round that lifts the lock; for a timelock only.
  public package(set) var timelock: Timelock?
  /// A second sealed copy of the capsule's identity file, for trustees in the place of a passphrase or of
  /// the store's identity.
  package private(set) var spare: String?
  package private(set) var unknown: JSONObject = [:]

  /// Whether it is one that can have a spare: it asks for a passphrase, or for the store's identity.
  package var canHaveSpare: Bool {
    let inside = timelock?.inner ?? kind
    return inside == .passphrase || inside == .honor
  }

  /// The spare, where the lock is one that can have it.
  package var usableSpare: String? { canHaveSpare ? spare : nil }

  /// Whether trustees may be among those that it is sealed to; who they are cannot be seen.
  package var canBeOfTrustees: Bool {
    kind == .recipients || kind == .timelock || usableSpare != nil
  }

  /// The copy of the key that trustees can open by hand, whatever the time is.
  package enum TrusteeCopy: Hashable, Sendable {
    case spare
    /// The key in the lock itself.
    case key
    /// The key of a timelock, by its escrow; inside is a lock of that kind, where there is one.
    case escrow(inner: LockKind?)
  }

  /// The copy that trustees can open by hand, where they are among those that it is sealed to; who they are
  /// cannot be seen. A timelock without an escrow opens to nobody before its time.
  package var trusteeCopy: TrusteeCopy? {
    if let timelock { return timelock.escrow.isEmpty ? nil : .escrow(inner: timelock.inner) }
    if usableSpare != nil { return .spare }
    return kind == .recipients ? .key : nil
  }

  /// Takes a spare, in the place of another where there is one; with `nil` it has none.
  package mutating func take(spare: String?) { self.spare = spare }

  /// Takes the same identity file as it is sealed anew to the identity of a protected store.
  package mutating func take(keySealedAnew key: String) { self.key = key }
}

extension Lock: RecordPart {
  package static var blank: Lock { Lock() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("kind", &kind, .listed)
    try walk.member("key", &key)
    try walk.member("recipient", &recipient)
    try walk.optionalMember("timelock", &timelock, writesNull: false)
    try walk.optionalMember("spare", &spare, writesNull: false)
    walk.rest(&unknown)
    try walk.require(
      (kind == .timelock) == (timelock != nil), "timelock",
      timelock == nil ? .missing : .invalid(kind.rawValue))
  }
}

/// The part of a lock that time lifts: a round of a drand chain (tlock).
public struct Timelock: Hashable, Sendable {
  /// The chain's hash: 64 hexadecimal digits.
  public private(set) var chain = ""
  /// The chain's public key (G2, compressed): 192 hexadecimal digits.
  public private(set) var publicKey = ""
  /// The time of round 1, in Unix seconds.
  public private(set) var genesis: Int64 = 0
  /// The group's hash at its genesis: hexadecimal digits.
  public private(set) var groupHash = ""
  /// The network's own name for the chain.
  public private(set) var beaconID = ""
  /// The seconds between two rounds.
  public private(set) var period: Int64 = 1
  /// The round whose beacon opens the lock.
  public private(set) var round: Int64 = 1
  /// The condition in addition to the beacon: a passphrase, or recipients.
  public private(set) var inner: LockKind?
  /// Recipients that can lift the timelock early: the escrow.
  public private(set) var escrow: [String] = []
  /// The round's signature (G1, compressed), 96 hexadecimal digits, once known and verified.
  package var beacon: String?
  package private(set) var unknown: JSONObject = [:]

  /// The time at which the round's beacon is published; the last instant there is where that is
  /// beyond 64 bits.
  public var roundTime: Instant {
    let (rounds, isTooLow) = round.subtractingReportingOverflow(1)
    let (elapsed, isTooLong) = rounds.multipliedReportingOverflow(by: period)
    let (time, isTooLate) = genesis.addingReportingOverflow(elapsed)
    return Instant(seconds: isTooLow || isTooLong || isTooLate ? .max : time)
  }

  /// Whether an unlock time was moved beyond the round: from the round's time on only the gate holds.
  package func isOnlyGated(until unlockAt: Instant) -> Bool { unlockAt > roundTime }
}

extension Timelock: RecordPart {
  package static var blank: Timelock { Timelock() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("chain", &chain)
    try walk.member("publicKey", &publicKey)
    try walk.member("genesis", &genesis)
    try walk.member("groupHash", &groupHash)
    try walk.member("beaconID", &beaconID)
    try walk.member("period", &period)
    try walk.member("round", &round)
    try walk.optionalMember("inner", &inner)
    try walk.optionalMember("escrow", &escrow)
    try walk.optionalMember("beacon", &beacon)
    walk.rest(&unknown)
    if let inner {
      try walk.require(
        inner == .passphrase || inner == .recipients, "inner", .invalid(inner.rawValue))
    }
    try walk.require(period > 0, "period", .invalid(String(period)))
    try walk.require(round > 0, "round", .invalid(String(round)))
  }
}
