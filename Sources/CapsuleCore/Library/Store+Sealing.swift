/// The library's own door to capsules: sealing with every lock, and opening with every key
/// (`docs/library.md`).
extension Store {
  /// Seals a new capsule. Where the setting `trustees` names a group, and the lock takes one, it gets a
  /// spare for them.
  ///
  /// - Throws: ``CapsuleError``: `.invalid` for a title or a time that cannot be kept,
  ///   `.unreadableSource`, `.sourceIsDirectory`, `.sourceTooLarge`, `.sourceChanged`, `.seal`, `.proof`,
  ///   `.store`; nothing is made then.
  public func seal(_ capsule: NewCapsule) throws(CapsuleError) -> Capsule {
    let now = now
    var capsule = capsule
    do throws(StoreError) {
      let settings = try readSettings().settings
      if let group = try spareTrustees(settings, now: now),
        let recipient = try? AgeRecipient(group.recipient),
        let lock = try? capsule.lock.withSpare(
          to: recipient, isPostQuantum: settings.sealsPostQuantum)
      {
        capsule.lock = lock
      }
    } catch {
      throw .store(error)
    }
    return try createCapsule(capsule, limit: fileLimit, now: now)
  }

  /// Seals more contents into a capsule that was not opened yet. No key is needed for it.
  ///
  /// - Throws: ``CapsuleError``: `.alreadyOpened`, and those of ``seal(_:)``.
  public func add(_ contents: [ContentSource], to id: RecordID) throws(CapsuleError) -> Capsule {
    try addContents(contents, to: try stored(id), limit: fileLimit, now: now)
  }

  /// Opens a capsule, when its time has come, with the keys that its lock asks for.
  ///
  /// Nothing is written: ``keepOpening(of:)`` keeps the first opening.
  ///
  /// - Throws: ``OpeningError``: `.locked` before its time, `.noKey`, `.lock` without the beacon or for
  ///   a damaged lock, `.lockFault`, `.timelock`, `.otherRound`, `.unrecordedTimelock`, `.capsule` where
  ///   the record cannot be read.
  public func open(
    _ id: RecordID, with keys: Keys = .none
  ) throws(OpeningError) -> OpenedCapsule {
    let record: StoredRecord<Capsule>
    do throws(CapsuleError) { record = try stored(id) } catch { throw .capsule(error) }
    var opening = try CapsuleOpening(record, in: self)
    return try opening.open(with: keys, beacons: keys, now: now)
  }

  /// Keeps in the record that a capsule was opened, the first time, and the beacon that opened it.
  ///
  /// - Returns: whether it was the first time.
  /// - Throws: ``StoreError``: `.notFound` where it is gone meanwhile, `.busy`, `.io`.
  @discardableResult
  public func keepOpening(of opened: OpenedCapsule) throws(StoreError) -> Bool {
    try opened.keepOpening(now: now)
  }

  private func stored(_ id: RecordID) throws(CapsuleError) -> StoredRecord<Capsule> {
    do throws(StoreError) { return try read(Capsule.self, id) } catch { throw .store(error) }
  }

  /// The size in bytes over which a file is refused: the setting `maxFileSize`.
  private var fileLimit: Int64 {
    ((try? readSettings())?.settings ?? StoreSettings()).maxFileSize
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
  public static func text(_ text: String) -> ContentSource { ContentSource(.text(text)) }

  /// A file, by its path; links are followed.
  public static func file(_ path: String) -> ContentSource {
    ContentSource(.file(FilePath(path)))
  }
}

/// The reason why a lock cannot be made of texts.
public enum LockRequestError: Error, Hashable, Sendable {
  /// The recipient at this place is none that can be sealed to: `age1…` or `age1pq1…`.
  case recipient(at: Int)
  /// The passphrase is empty.
  case emptyPassphrase
  /// A timelock cannot stand inside another.
  case timelockInside
  /// The instant lies outside the years 1 to 9999.
  case outOfRange
}

extension LockRequest {
  /// A lock that whoever knows a passphrase opens.
  ///
  /// - Parameter workFactor: the cost of one guess: 2 to this power KiB of memory, and the time to
  ///   fill it (scrypt's `log2 N`, as age writes it). 18 is what age takes; of 1 to 22 the nearest
  ///   is taken.
  /// - Throws: ``LockRequestError/emptyPassphrase``.
  public static func passphrase(
    _ text: String, workFactor: Int = 18
  ) throws(LockRequestError) -> LockRequest {
    guard let passphrase = Passphrase(SecretBytes(copying: Array(text.utf8))) else {
      throw .emptyPassphrase
    }
    return LockRequest(
      kind: .passphrase, layers: [[ScryptRecipient(passphrase, workFactor: workFactor)]])
  }

  /// A lock that whoever has the identity of one of the recipients opens.
  ///
  /// - Throws: ``LockRequestError/recipient(at:)``, with the place of the first that is none.
  public static func recipients(_ texts: [String]) throws(LockRequestError) -> LockRequest {
    LockRequest(kind: .recipients, layers: [try layer(texts)])
  }

  /// A lock that opens with the drand network's beacon of a time, and not before it.
  ///
  /// - Parameters:
  ///   - instant: the unlock time of the capsule.
  ///   - inner: a lock inside, which is needed besides; `nil` for none.
  ///   - escrow: recipients who can lift the timelock at any time.
  /// - Throws: ``LockRequestError``: `.outOfRange`, `.timelockInside`, `.recipient` for an escrow that
  ///   is none.
  public static func timelock(
    until instant: Instant, inside inner: LockRequest? = nil, escrow: [String] = []
  ) throws(LockRequestError) -> LockRequest {
    guard instant.isRepresentable else { throw .outOfRange }
    guard inner?.timelock == nil else { throw .timelockInside }
    let recipient = TlockRecipient(chain: .quicknet, until: instant)
    let outer: [any Recipient] = [recipient] + (try layer(escrow))
    return LockRequest(
      kind: .timelock, layers: [outer] + (inner?.layers ?? []),
      timelock: Timelock(
        chain: .quicknet, round: recipient.round,
        inner: inner.flatMap { $0.kind == .honor ? nil : $0.kind }, escrow: escrow))
  }

  private static func layer(_ texts: [String]) throws(LockRequestError) -> [any Recipient] {
    var recipients: [any Recipient] = []
    for (place, text) in texts.enumerated() {
      do throws(KeyFault) {
        recipients.append(try AgeRecipient(text))
      } catch {
        throw .recipient(at: place)
      }
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
  ) throws(RandomSource.Failure) -> (identity: String, recipient: String) {
    let identity = try AgeIdentity(isPostQuantum: postQuantum, random: .system)
    return (identity.secretText, identity.recipient.description)
  }
}
