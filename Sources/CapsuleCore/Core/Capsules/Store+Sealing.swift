/// The library's own door to capsules: sealing with every lock, and opening with every key
/// (`docs/internals/library.md`).
extension Store {
  /// Seals a new capsule. Where the setting `trustees` names a group, and the lock takes one, it gets a
  /// spare for them; ``spareRefusal(of:)`` says why one has none.
  ///
  /// - Throws: ``Fault``, and nothing is made then: `.usage` for a title that is blank or over 1 KiB, a time
  ///   outside the years 1 to 9999, and recipients that cannot be in one lock; `.unreadableSource`,
  ///   `.sourceIsDirectory`, `.sourceTooLarge` over the setting `maxFileSize`, `.sourceChanged`, `.notVerified`,
  ///   `.recordDamaged` and `.io` of the settings or of the group, `.settingNamesNothing` for a group that does
  ///   not exist, `.ambiguous` where two groups have its name, and `.keyNotAccepted` where the store would seal to a
  ///   key that this device does not know.
  public func seal(_ capsule: NewCapsule) throws(Fault) -> Capsule {
    let now = now
    var capsule = capsule
    let settings = try settings.intact()
    if let trustees = try trust.spareTrustees(now: now),
      let lock = try? capsule.lock.withSpare(
        to: trustees, isPostQuantum: settings.sealsPostQuantum)
    {
      capsule.lock = lock
    }
    return try capsules.create(capsule, limit: try fileLimit(), now: now)
  }

  /// Says why a capsule's lock takes no spare for the trustees whom the setting `trustees` names: they cannot
  /// open it in your place.
  ///
  /// - Returns: `nil` where it takes one, as ``seal(_:)`` gives it, and where the setting names nobody.
  /// - Throws: ``Fault``: `.recordDamaged` and `.io` of the settings or of the group, `.settingNamesNothing` for a
  ///   group that is not there, `.ambiguous` where two groups have its name, `.keyNotAccepted`.
  package func spareRefusal(of capsule: Capsule) throws(Fault) -> SpareRefusal? {
    _ = try settings.intact()
    return try trust.spareTrustees(now: now).flatMap {
      capsule.lock.refusalOfSpare(to: $0.recipient)
    }
  }

  /// Seals more contents into a capsule that was not opened yet. No key is needed for it.
  ///
  /// - Throws: ``Fault``: `.alreadyOpened`, `.lockDisagrees` where the record and its lock disagree,
  ///   `.recordGone`, `.recordDamaged`, and those of ``seal(_:)``; nothing is added then.
  public func add(_ contents: [ContentSource], to id: RecordID) throws(Fault) -> Capsule {
    try capsules.add(contents, to: try stored(id), limit: try fileLimit(), now: now)
  }

  /// Opens a capsule, when its time has come, with the keys that its lock asks for.
  ///
  /// Nothing is written: ``keepOpening(of:)`` keeps the first opening.
  ///
  /// - Throws: ``Fault``: `.locked` before the time, also where only the beacon of a chain that this device
  ///   does not know says that it has come; `.key` where no key opens it, `.unproven` for a beacon that is
  ///   missing or of another round, `.lockDisagrees` where the record and the lock disagree, `.recordDamaged`,
  ///   `.contentDamaged` and `.io`.
  public func open(
    _ id: RecordID, with keys: Keys = .none
  ) throws(Fault) -> OpenedCapsule {
    var opening = try CapsuleOpening(stored(id), in: self, trusting: keys.chains)
    return try opening.open(with: keys, beacons: keys, now: now)
  }

  /// Keeps in the record that a capsule was opened, the first time, and the beacon that opened it.
  ///
  /// - Returns: whether it was the first time.
  /// - Throws: ``Fault``: `.recordGone`, `.recordDamaged`, `.storeBusy`, `.newerFormat`, `.io`.
  @discardableResult
  public func keepOpening(of opened: OpenedCapsule) throws(Fault) -> Bool {
    try opened.keepOpening(now: now).isFirst
  }

  private func stored(_ id: RecordID) throws(Fault) -> StoredRecord<Capsule> {
    return try read(Capsule.self, id)
  }
}

extension NewCapsule {
  /// Describes a capsule that is to be sealed.
  ///
  /// - Parameters:
  ///   - unlockAt: the instant from which the gate lets the contents through.
  ///   - unlockZone: the IANA zone in which the time is shown.
  public init(
    title: String, unlockAt: Instant, contents: [ContentSource], lock: LockRequest = .honor,
    notes: String = "", tags: [String] = [], unlockZone: String = "UTC"
  ) {
    self.init(
      title: title, notes: notes, tags: tags, unlockAt: unlockAt, unlockZone: unlockZone,
      lock: lock, sources: contents)
  }
}

extension ContentSource {
  /// A text.
  public static func text(_ text: String, caption: String? = nil) -> ContentSource {
    ContentSource(.text(text), caption: caption)
  }

  /// A file, by its path; links are followed.
  public static func file(_ path: String, caption: String? = nil) -> ContentSource {
    ContentSource(.file(FilePath(path)), caption: caption)
  }

  /// Bytes that are handed over a piece at a time: they need not be in memory together.
  ///
  /// - Parameters:
  ///   - name: the name of the file; a text without one stays a text.
  ///   - next: returns the next piece; an empty one at the end.
  public static func stream(
    named name: String = "", caption: String? = nil, _ next: @escaping () throws -> [UInt8]
  ) -> ContentSource {
    ContentSource(.stream(PieceSource(next), name: Array(name.utf8)), caption: caption)
  }
}

/// A source over pieces that a function returns, until one is empty.
private struct PieceSource: ByteSource {
  private let next: () throws -> [UInt8]
  private var piece: ArraySlice<UInt8> = []
  private var isAtEnd = false

  init(_ next: @escaping () throws -> [UInt8]) {
    self.next = next
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if piece.isEmpty, !isAtEnd {
      piece = try next()[...]
      isAtEnd = piece.isEmpty
    }
    let count = min(buffer.count, piece.count)
    buffer.copyBytes(from: piece.prefix(count))
    piece = piece.dropFirst(count)
    return count
  }
}

/// Why a lock cannot be made of texts.
extension Fault {
  /// The recipient at this place is not `age1…` or `age1pq1…`.
  package static func noRecipient(at place: Int) -> Fault {
    Fault(.usage, "invalid recipient at index \(place)")
  }

  package static let emptyPassphrase = Fault(.usage, "the passphrase is empty")
  package static let timelockInside = Fault(.usage, "a timelock cannot contain another timelock")
  /// The instant, or the time of the round that would open it, lies outside the years 1 to 9999.
  package static let unlockOutOfRange = Fault(.usage, "the time is outside the years 1 to 9999")
}

extension LockRequest {
  /// A lock that whoever knows a passphrase opens.
  ///
  /// - Parameter workFactor: what one guess costs: 2 to this power KiB of memory, and the time to fill
  ///   it (scrypt's `log2 N`, as age writes it). 18 is what age takes; of 1 to 22 the nearest is taken. Above 20
  ///   an opening needs ``Keys`` that allow it.
  public static func passphrase(
    _ text: String, workFactor: Int = 18
  ) throws(Fault) -> LockRequest {
    guard let passphrase = Passphrase(SecretBytes(copying: Array(text.utf8))) else {
      throw .emptyPassphrase
    }
    return LockRequest(
      kind: .passphrase, layers: [[ScryptRecipient(passphrase, workFactor: workFactor)]])
  }

  /// A lock that whoever has the identity of one of the recipients opens.
  ///
  /// - Throws: ``Fault``, with the place of the first invalid one.
  public static func recipients(_ texts: [String]) throws(Fault) -> LockRequest {
    LockRequest(kind: .recipients, layers: [try layer(texts)])
  }

  /// A lock that opens with the drand network's beacon of a time, and not before it.
  ///
  /// - Parameters:
  ///   - instant: the unlock time of the capsule.
  ///   - inner: a second lock that is needed too; `nil` for none.
  ///   - escrow: recipients who can lift the timelock at any time.
  ///   - chainInfo: drand's description of another chain than quicknet, as JSON; empty for quicknet.
  /// - Throws: ``Fault``, `.usage`.
  public static func timelock(
    until instant: Instant, inside inner: LockRequest? = nil, escrow: [String] = [],
    chainInfo: [UInt8] = []
  ) throws(Fault) -> LockRequest {
    guard instant.isRepresentable else { throw .unlockOutOfRange }
    guard inner?.timelock == nil else { throw .timelockInside }
    guard let chain = chainInfo.isEmpty ? .quicknet : try? TlockChain(chainInfo: chainInfo) else {
      throw .noChainInfo
    }
    guard (try? chain.roundTime(at: instant)) != nil else { throw .unlockOutOfRange }
    return (inner ?? .honor).timelocked(by: chain, until: instant, escrow: try layer(escrow))
  }

  private static func layer(_ texts: [String]) throws(Fault) -> [AgeRecipient] {
    var recipients: [AgeRecipient] = []
    for (place, text) in texts.enumerated() {
      guard let recipient = try? AgeRecipient(text) else { throw .noRecipient(at: place) }
      recipients.append(recipient)
    }
    return recipients
  }
}

extension Keys {
  /// Makes a new key pair of age's.
  ///
  /// - Parameter postQuantum: whether quantum computers do not open what is sealed to it. Such keys
  ///   are longer, and need age 1.3 or later elsewhere.
  /// - Returns: the secret key, `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…`, and its recipient,
  ///   `age1…` or `age1pq1…`.
  /// - Throws: ``RandomSource/Failure`` where the system gives no random bytes.
  public static func generate(
    postQuantum: Bool = false
  ) throws(Fault) -> (identity: String, recipient: String) {
    let identity = try AgeIdentity(isPostQuantum: postQuantum, random: .system)
    return (identity.secretText, identity.recipient.description)
  }
}
