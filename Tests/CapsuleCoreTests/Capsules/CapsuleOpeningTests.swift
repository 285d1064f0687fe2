import Synchronization
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Keys that say what they were asked for.
private final class AskedKeys: KeySource {
  private let passphrases: [String]
  private let state = Mutex<[String]>([])
  let maximumWorkFactor: Int

  init(_ passphrases: String..., upTo maximumWorkFactor: Int = 20) {
    self.passphrases = passphrases
    self.maximumWorkFactor = maximumWorkFactor
  }

  var asked: [String] { state.withLock { $0 } }

  func identities() -> [any Identity] {
    state.withLock { $0.append("identities") }
    return []
  }

  func passphrase(attempt: Int) -> Passphrase? {
    state.withLock { $0.append("passphrase \(attempt)") }
    guard attempt <= passphrases.count else { return nil }
    return Passphrase(SecretBytes(copying: Array(passphrases[attempt - 1].utf8)))
  }
}

/// A source of beacons that has what it was made with, and fails when it is asked more than is expected.
private struct Beacons: BeaconSource {
  struct Unexpected: Error {}

  var given: VerifiedTlockBeacon?
  var fetched: VerifiedTlockBeacon?
  var isAsked = true

  func given(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon? {
    if !isAsked { throw Unexpected() }
    return given
  }

  func fetched(chain: TlockChain, round: UInt64) throws -> VerifiedTlockBeacon? {
    if !isAsked { throw Unexpected() }
    return fetched
  }
}

@Suite struct CapsuleOpeningTests {
  private static let unlock = Instant(seconds: 1_800_000_000)
  private static let now = Instant(seconds: 1_700_100_000)
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 7),
      now: Self.now)
  }

  private func create(
    _ lock: LockRequest, texts: [String] = ["secret"], unlockAt: Instant = Self.unlock
  ) throws -> StoredRecord<Capsule> {
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "C", notes: "", tags: [], unlockAt: unlockAt, unlockZone: "UTC", lock: lock,
        sources: texts.map { ContentSource(.text($0)) }),
      limit: 1 << 22, now: Self.now)
    return try store.read(Capsule.self, capsule.id)
  }

  private func open(
    _ record: StoredRecord<Capsule>, with keys: some KeySource,
    beacons: some BeaconSource = Keys.none, now: Instant = Self.unlock
  ) throws(Fault) -> OpenedCapsule {
    var opening = try CapsuleOpening(record, in: store)
    return try opening.open(with: keys, beacons: beacons, now: now)
  }

  private func refusal(_ body: () throws(Fault) -> OpenedCapsule) -> OpeningProblem? {
    do throws(Fault) {
      _ = try body()
      return nil
    } catch {
      return error.opening
    }
  }

  private func passphrase(_ text: String) throws -> LockRequest {
    let passphrase = try require(Passphrase(SecretBytes(copying: Array(text.utf8))))
    return LockRequest(
      kind: .passphrase, layers: [[ScryptRecipient(passphrase, workFactor: 1)]])
  }

  /// A lock of round 1000 of quicknet, which was signed in 2023, in a capsule for a later time.
  private func timelock(escrow: [AgeIdentity] = []) -> LockRequest {
    let recipient = TlockRecipient(chain: .quicknet, round: 1000)
    return LockRequest(
      kind: .timelock,
      layers: [[recipient as any Recipient] + escrow.map { $0.recipient as any Recipient }],
      timelock: Timelock(
        chain: .quicknet, round: 1000, inner: nil, escrow: escrow.map(\.recipient.description)))
  }

  @Test func `no key is asked for before the gate is open`() throws {
    let record = try create(passphrase("right"))
    let keys = AskedKeys("right")
    let early = Instant(seconds: Self.unlock.seconds - 5)
    guard
      case .locked(let until, let remaining) = refusal({ () throws(Fault) in
        try open(record, with: keys, now: early)
      })
    else {
      Issue.record("it opened early")
      return
    }
    expect(until == Self.unlock && remaining == 5)
    expect(keys.asked.isEmpty)
  }

  @Test func `a passphrase is asked for until it is right, or there is no other`() throws {
    let record = try create(passphrase("right"))
    let keys = AskedKeys("wrong", "right")
    try expect(open(record, with: keys).details[0].text, is: "secret")
    expect(keys.asked, is: ["identities", "passphrase 1", "passphrase 2"])
    let wrong = AskedKeys("wrong")
    guard
      case .noKey(.passphrase) = refusal({ () throws(Fault) in
        try open(record, with: wrong)
      })
    else {
      Issue.record("a wrong passphrase was no missing key")
      return
    }
    expect(wrong.asked, is: ["identities", "passphrase 1", "passphrase 2"])
  }

  @Test func `no passphrase is asked for where its work is above the limit`() throws {
    let right = try require(Passphrase(SecretBytes(copying: Array("right".utf8))))
    let record = try create(
      LockRequest(kind: .passphrase, layers: [[ScryptRecipient(right, workFactor: 3)]]))
    let keys = AskedKeys("right", upTo: 2)
    guard
      case .lock(.tooMuchWork(3, 2)) = refusal({ () throws(Fault) in
        try open(record, with: keys)
      })
    else {
      Issue.record("it was not refused for its work")
      return
    }
    expect(keys.asked, is: ["identities"])
    try expect(open(record, with: AskedKeys("right", upTo: 3)).details[0].text, is: "secret")
    let texts = try Keys(identities: [], passphrase: "right", maximumWorkFactor: 2)
    guard case .closed = try store.capsules.openUnattended(record, with: texts, now: Self.unlock)
    else {
      Issue.record("a delivery does not hand it on as it is sealed")
      return
    }
    let enough = try Keys(identities: [], passphrase: "right", maximumWorkFactor: 3)
    try expect(open(record, with: enough).details[0].text, is: "secret")
  }

  @Test func `keys as texts open each kind of lock`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let secret = try passphrase("right")
    let recipients = LockRequest(kind: .recipients, layers: [[owner.recipient]])
    let keys = try Keys(identities: [owner.secretText], passphrase: "right")
    for lock in [LockRequest.honor, secret, recipients] {
      let record = try create(lock)
      var opening = try CapsuleOpening(record, in: store)
      let opened = try opening.open(with: keys, beacons: keys, now: Self.unlock)
      expect(opened.details.count, is: 1)
    }
    expect(throws: Fault.noSecretKey(at: 1)) {
      try Keys(identities: [owner.secretText, "no key"])
    }
    expect(throws: Fault.noBeacon) { try Keys(identities: [], beacon: "no beacon") }
  }

  @Test func `a beacon proves the time, is kept once, and is not asked for again`() throws {
    let signature = Hex.encode(try require(try TlockVectors.signatures("quicknet")[1000]))
    let time = try require(TlockChain.quicknet.time(ofRound: 1000))
    let record = try create(timelock(), unlockAt: time)
    let early = Instant(seconds: time.seconds - 1)
    let keys = try Keys(identities: [], beacon: signature)
    let opened = try open(record, with: keys, beacons: keys, now: early)
    let (isFirst, capsule) = try opened.keepOpening(now: early)
    let kept = try store.read(Capsule.self, record.model.id)
    expect(isFirst)
    expect(capsule, is: kept.model)
    expect(kept.model.lock.timelock?.beacon, is: signature)
    expect(kept.model.openedAt, is: early)
    let again = try open(kept, with: Keys.none, beacons: Beacons(isAsked: false), now: early)
    expect(again.newBeacon == nil)
    expect(try !again.keepOpening(now: early).isFirst)
    try expect(store.read(Capsule.self, record.model.id).model.revision, is: kept.model.revision)
  }

  @Test func `a beacon of another round neither moves the gate nor opens the lock`() throws {
    let other = try TlockVectors.beacon("quicknet", round: 1001)
    let record = try create(timelock(), unlockAt: try require(other.time))
    let early = refusal { () throws(Fault) in
      try open(record, with: Keys.none, beacons: Beacons(given: other), now: Instant(seconds: 0))
    }
    guard case .locked = early else {
      Issue.record("\(String(describing: early))")
      return
    }
    let late = refusal { () throws(Fault) in
      try open(record, with: Keys.none, beacons: Beacons(given: other, fetched: other))
    }
    guard case .lock(AgeFailure.unproven(TlockError.beaconNeeded(_, 1000))) = late else {
      Issue.record("\(String(describing: late))")
      return
    }
  }

  @Test func `an escrow's identity lifts a timelock without a beacon`() throws {
    let escrow = try AgeIdentity(isPostQuantum: false, random: .system)
    let record = try create(timelock(escrow: [escrow]))
    let opened = try open(
      record, with: Keys([escrow]), beacons: Beacons(given: nil, fetched: nil))
    expect(opened.details[0].text == "secret" && opened.newBeacon == nil)
  }

  @Test func `to open for a delivery asks nothing and leaves no trace`() throws {
    let owner = try AgeIdentity(isPostQuantum: false, random: .system)
    let record = try create(LockRequest(kind: .recipients, layers: [[owner.recipient]]))
    func outcome(_ keys: Keys, _ now: Instant) throws -> String {
      switch try store.capsules.openUnattended(record, with: keys, now: now) {
      case .opened(let opened): opened.details[0].text ?? ""
      case .locked(let until): "locked \(until.seconds)"
      case .closed: "closed"
      }
    }
    try expect(outcome(Keys([owner]), Self.now), is: "locked \(Self.unlock.seconds)")
    try expect(outcome(.none, Self.unlock), is: "closed")
    try expect(outcome(Keys([owner]), Self.unlock), is: "secret")
    try expect(store.read(Capsule.self, record.model.id).digest, is: record.digest)
  }

  @Test func `a record that lacks its beacon gets it, and lacks none then`() throws {
    let record = try create(timelock(), unlockAt: Self.now)
    expect(try store.capsules.missingBeacon(of: create(.honor)) == nil)
    expect(store.capsules.timelocked(dueBy: Self.now, now: Self.now), is: [record.model.id])
    let missing = try require(try store.capsules.missingBeacon(of: record))
    expect(missing.chain == .quicknet && missing.round == 1000)
    let beacon = try TlockVectors.beacon("quicknet", round: missing.round)
    try store.capsules.keep(beacon, for: missing, now: Self.now)
    expect(try store.capsules.missingBeacon(of: store.read(Capsule.self, record.model.id)) == nil)
  }

  @Test func `contents are read in pieces, and none that is not there`() throws {
    let opened = try open(try create(.honor, texts: ["a", "b"]), with: Keys.none)
    var bytes: [UInt8] = []
    try opened.read(contentAt: 1) { bytes += $0 }
    expect(bytes, is: Array("b".utf8))
    for index in [-1, 2, Int.max] {
      expect(throws: Fault.self) { try opened.read(contentAt: index) { _ in } }
    }
  }

  @Test func `extraction writes each content whole, and replaces nothing unasked`() throws {
    let long = String(repeating: "a long text ", count: 100_000)
    let record = try create(.honor, texts: ["short", long])
    let opened = try open(record, with: Keys.none)
    let folder = FilePath("/out")
    let written = try opened.extract(into: folder, overwriting: false).map { try $0.get() }
    expect(written.map(\.path.text), is: ["/out/text-1.txt", "/out/text.txt"])
    expect(files.bytes("/out/text.txt"), is: Array(long.utf8))
    expect(written[1].digest, is: SHA256.hash(Array(long.utf8)))
    let refused = expect(throws: Fault.self) {
      try opened.extract(into: folder, overwriting: false)
    }
    guard refused == .exists(FilePath("/out/text-1.txt")) else {
      Issue.record("\(String(describing: refused))")
      return
    }
    let blob = try require(record.model.contents[1].blob)
    let path = StoreScenario.layout.blob(blob).text
    try files.setBytes(path, Array(try require(files.bytes(path)).dropLast()))
    let results = try opened.extract(into: FilePath("/other"), overwriting: false)
    expect((try? results[0].get()) != nil && (try? results[1].get()) == nil)
    expect(Array(files.files(under: "/other").keys), is: ["/other/text-1.txt"])
  }

  @Test func `an opening is kept in what another process wrote meanwhile`() throws {
    let record = try create(.honor)
    let opened = try open(record, with: Keys.none, beacons: Keys.none, now: Self.unlock)
    var other = record
    other.model.title = "Another title"
    _ = try store.update(other, now: Self.unlock)
    expect(try opened.keepOpening(now: Self.unlock).isFirst)
    let kept = try store.read(Capsule.self, record.model.id).model
    expect(kept.openedAt == Self.unlock && kept.title == "Another title")
  }

  @Test func `an honor lock opens by the copy of the identity in the header alone`() throws {
    let record = try create(.honor)
    for path in files.files(under: "/s/identities").keys { try files.unlink(FilePath(path)) }
    try expect(open(record, with: Keys.none).details[0].text, is: "secret")
  }

  @Test func `a description of 8 MiB is opened, and no larger one`() throws {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    guard
      case .unlocked(let pass, _) = UnlockGate.decide(
        unlock: Self.now, now: Self.now, provenTime: nil)
    else {
      Issue.record("the gate is shut")
      return
    }
    for (size, isOpened) in [(8 << 20, true), ((8 << 20) + 1, false)] {
      let writer = try AgeWriter(to: [identity.recipient], random: .system)
      let sealed = try writer.seal([UInt8](repeating: 0, count: size), armor: true)
      let bytes = try? CapsuleKey(identity).openContent(
        String(decoding: sealed, as: UTF8.self), pass: pass)
      expect((bytes?.count == size) == isOpened)
    }
  }

  @Test func `a protected store asks for its passphrase until it is right, or there is no other`()
    throws
  {
    let right = try require(Passphrase(SecretBytes(copying: Array("right".utf8))))
    _ = try store.protection.protect(with: right, workFactor: 1, now: Self.now)
    let closed = try require(try StoreScenario.open(files, seed: 8))
    let keys = AskedKeys("wrong", "right")
    expect(try !keys.opened(closed).protection.isClosed)
    expect(keys.asked, is: ["passphrase 1", "passphrase 2"])
    expect {
      try AskedKeys("wrong").opened(closed)
    } throws: { error in
      (error as? Fault)?.code == .wrongStorePassphrase
    }
    expect {
      try AskedKeys().opened(closed)
    } throws: { error in
      (error as? Fault)?.code == .storeClosed
    }
  }
}
