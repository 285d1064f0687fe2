/// A capsule: contents that stay sealed until an unlock time.
public struct Capsule: Hashable, Identifiable, Sendable {
  package var header = RecordHeader()
  public var title = ""
  public var notes = ""
  public var tags: [String] = []
  /// The instant from which the gate lets the contents through.
  public var unlockAt = Instant.epoch
  /// The IANA zone that the unlock time was given in; it moves only how the time is shown.
  public var unlockZone = ""
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
    model.unlockAt = max(unlockAt, current.unlockAt)
    model.openedAt = [openedAt, current.openedAt].compactMap { $0 }.min()
    model.lock = current.lock
    model.contents = current.contents
    return model
  }

  /// The part that a list shows.
  package var summary: CapsuleSummary {
    let (notes, hasAllNotes) = notes.beginning
    return CapsuleSummary(
      id: id, title: title, tags: tags, notes: notes, hasAllNotes: hasAllNotes,
      createdAt: createdAt, updatedAt: updatedAt, unlockAt: dueAt, unlockZone: unlockZone,
      openedAt: openedAt, lock: lock.kind,
      counts: ContentKind.allCases.map { kind in contents.count { $0.kind == kind } },
      sealedSize: contents.reduce(0) { $0.addingClamped($1.sealedSize) })
  }

  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: dueAt.seconds, madeAt: header.madeAt, due: dueAt.seconds,
      nameHash: NameKey(title).hash,
      summary: summary.encoded())
  }

  /// The time from which it can be opened, as far as is known: its unlock time, and for a timelock
  /// no earlier than the round's time.
  package var dueAt: Instant {
    max(unlockAt, lock.timelock?.roundTime ?? unlockAt)
  }
}

extension Capsule: RecordModel {
  package static var kind: RecordKind { .capsule }
  package static var blank: Capsule { Capsule() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try coder.field("title", &title)
    try coder.optional("notes", &notes)
    try coder.optional("tags", &tags)
    try coder.field("unlockAt", &unlockAt)
    try coder.field("unlockZone", &unlockZone)
    try coder.field("lock", &lock)
    try coder.optional("contents", &contents)
    try coder.optional("openedAt", &openedAt)
    coder.rest(&unknown)
    try coder.limit("title", title, to: Capsule.titleLimit)
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

/// The part of a capsule that a list shows without its record being read.
package struct CapsuleSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var title = ""
  package private(set) var tags: [String] = []
  /// The first part of the notes, at most ``notesLimit`` bytes.
  package private(set) var notes = ""
  /// Whether `notes` is all there is.
  package private(set) var hasAllNotes = true
  package private(set) var createdAt = Instant.epoch
  package private(set) var updatedAt = Instant.epoch
  /// When it can be opened as far as is known: of a timelock no earlier than the round's time.
  package private(set) var unlockAt = Instant.epoch
  package private(set) var unlockZone = "UTC"
  package private(set) var openedAt: Instant?
  package private(set) var lock = LockKind.honor
  /// How many contents there are of each kind, in the order of ``ContentKind``'s cases.
  package private(set) var counts = ContentKind.allCases.map { _ in 0 }
  /// Bytes of all sealed contents.
  package private(set) var sealedSize: Int64 = 0

  /// Returns how many contents of one kind there are.
  package func count(of kind: ContentKind) -> Int {
    ContentKind.allCases.firstIndex(of: kind).map { counts[$0] } ?? 0
  }

  /// The most bytes of notes that the index keeps for searching.
  package static let notesLimit = 2048
}

extension CapsuleSummary: SummaryPart {
  package static var blank: CapsuleSummary { CapsuleSummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&title)
    try coder.list(&tags)
    try coder.text(&notes)
    try coder.flag(&hasAllNotes)
    try coder.integer(&createdAt.seconds)
    try coder.integer(&updatedAt.seconds)
    try coder.integer(&unlockAt.seconds)
    try coder.text(&unlockZone)
    try coder.optional(&openedAt)
    try coder.position(&lock)
    for kind in counts.indices { try coder.count(&counts[kind]) }
    try coder.integer(&sealedSize)
  }

  /// The summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) { self.init(id: id) }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

extension String {
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes, and whether that is all.
  var beginning: (text: String, isAll: Bool) {
    let limit = CapsuleSummary.notesLimit
    guard utf8.count > limit else { return (self, true) }
    var end = utf8.index(startIndex, offsetBy: limit)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return (String(self[..<end]), false)
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

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("kind", &kind)
    try coder.field("key", &key)
    try coder.field("recipient", &recipient)
    try coder.optional("timelock", &timelock, writesNull: false)
    try coder.optional("spare", &spare, writesNull: false)
    coder.rest(&unknown)
    if (kind == .timelock) != (timelock != nil) {
      try coder.refuse("timelock", timelock == nil ? .missing : .invalid(kind.rawValue))
    }
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

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("chain", &chain)
    try coder.field("publicKey", &publicKey)
    try coder.field("genesis", &genesis)
    try coder.field("groupHash", &groupHash)
    try coder.field("beaconID", &beaconID)
    try coder.field("period", &period)
    try coder.field("round", &round)
    try coder.optional("inner", &inner)
    try coder.optional("escrow", &escrow)
    try coder.optional("beacon", &beacon)
    coder.rest(&unknown)
    if let inner, inner != .passphrase, inner != .recipients {
      return try coder.refuse("inner", .invalid(inner.rawValue))
    }
    guard period > 0 else { return try coder.refuse("period", .invalid(String(period))) }
    guard round > 0 else { return try coder.refuse("round", .invalid(String(round))) }
  }
}
