import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Locks that are compared with their records, as far as the keys go.
@Suite struct LockComparisonTests {
  private static let now = Instant(seconds: 1_700_100_000)
  private static let unlock = Instant(seconds: 1_800_000_000)
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 7),
      now: Self.now)
  }

  private func create(
    _ lock: LockRequest, _ sources: [ContentSource] = [.text("secret")]
  ) throws -> StoredRecord<Capsule> {
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "C", notes: "", tags: [], unlockAt: Self.unlock, unlockZone: "UTC", lock: lock,
        sources: sources),
      limit: 1 << 20, now: Self.now)
    return try store.read(Capsule.self, capsule.id)
  }

  private func passphrase(_ text: String = "secret") throws -> Passphrase {
    try require(Passphrase(SecretBytes(copying: Array(text.utf8))))
  }

  private func passphraseLock() throws -> LockRequest {
    LockRequest(kind: .passphrase, layers: [[ScryptRecipient(try passphrase(), workFactor: 1)]])
  }

  private func timelock(_ escrow: AgeIdentity) -> LockRequest {
    LockRequest(
      kind: .timelock,
      layers: [[TlockRecipient(chain: .quicknet, round: 1000), escrow.recipient]],
      timelock: Timelock(
        chain: .quicknet, round: 1000, inner: nil, escrow: [escrow.recipient.description]))
  }

  /// The record with other members in its lock.
  private func changed(
    _ record: StoredRecord<Capsule>, _ change: (inout JSONObject) -> Void
  ) throws -> Capsule {
    var fields = record.model.fields
    guard case .object(var lock)? = fields["lock"] else {
      Issue.record("there is no lock")
      return record.model
    }
    change(&lock)
    fields["lock"] = .object(lock)
    return try Capsule(fields: fields)
  }

  /// The record with other members in its timelock.
  private func changedTimelock(
    _ record: StoredRecord<Capsule>, _ change: (inout JSONObject) -> Void
  ) throws -> Capsule {
    try changed(record) { lock in
      guard case .object(var timelock)? = lock["timelock"] else { return }
      change(&timelock)
      lock["timelock"] = .object(timelock)
    }
  }

  @Test func `without keys the round and the number of escrows are compared`() throws {
    let escrow = try AgeIdentity(isPostQuantum: false, random: .system)
    let record = try create(timelock(escrow))
    expect(store.capsules.lockProblem(of: record.model) == nil)
    let alone = try changedTimelock(record) { $0["escrow"] = nil }
    expect(store.capsules.lockProblem(of: alone), is: .escrows(sealed: 1, recorded: 0))
    let later = try changedTimelock(record) { $0["round"] = .integer(1001) }
    expect(store.capsules.lockProblem(of: later), is: .otherRound)
    let other = try changed(record) { $0["key"] = .string("no lock") }
    expect(store.capsules.lockProblem(of: other), is: .unreadable)
  }

  @Test func `a lock without a timelock and a spare is looked into with keys alone`() throws {
    let record = try create(.honor)
    let broken = try changed(record) { $0["key"] = .string("no lock") }
    expect(store.capsules.lockProblem(of: broken) == nil)
    expect(store.capsules.lockProblem(of: broken, with: store.keys.all()), is: .unreadable)
    expect(store.capsules.lockProblem(of: record.model, with: store.keys.all()) == nil)
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    let foreign = try changed(record) {
      $0["recipient"] = .string(stranger.recipient.description)
    }
    expect(store.capsules.lockProblem(of: foreign, with: store.keys.all()), is: .otherRecipient)
  }

  @Test func `an honor lock of another capsule, or of a later time, is told apart`() throws {
    let (one, other) = (try create(.honor), try create(.honor))
    let swapped = try changed(one) { lock in
      lock["key"] = .string(other.model.lock.key)
      lock["recipient"] = .string(other.model.lock.recipient)
    }
    expect(
      store.capsules.lockProblem(of: swapped, with: store.keys.all()),
      is: .otherCapsule(other.model.id))
    var early = one.model
    early.unlockAt = Self.unlock.adding(seconds: -1)
    expect(
      store.capsules.lockProblem(of: early, with: store.keys.all()),
      is: .unlockEarlier(sealed: Self.unlock))
  }

  @Test func `an honor lock that its record calls another kind is told apart`() throws {
    let record = try create(.honor)
    let foreign = try create(passphraseLock())
    let swapped = try changed(foreign) { lock in
      lock["kind"] = .string("honor")
      lock["key"] = .string(record.model.lock.key)
      lock["recipient"] = .string(record.model.lock.recipient)
    }
    expect(
      store.capsules.lockProblem(of: swapped, with: store.keys.all()),
      is: .otherCapsule(record.model.id))
    // The same capsule's key file with another form in it.
    let text = try CapsuleLock(
      sealing: .init(
        id: record.model.id, unlock: Self.unlock, form: LockForm(foreign.model.lock)),
      layers: [[try require(store.keys.all().first).recipient]], isPostQuantum: false,
      random: .system)
    let other = try changed(record) { lock in
      lock["key"] = .string(text.key)
      lock["recipient"] = .string(text.recipient.description)
    }
    expect(
      store.capsules.lockProblem(of: other, with: store.keys.all()),
      is: .otherForm(sealed: "passphrase"))
  }

  @Test func `a timelock of a chain with quicknet's key and other parameters is none`() throws {
    let escrow = try AgeIdentity(isPostQuantum: false, random: .system)
    let record = try create(timelock(escrow))
    let forged = try changedTimelock(record) { timelock in
      for member in ChainInfo.forged.timelock(round: 1000) { timelock[member.key] = member.value }
    }
    expect(store.capsules.lockProblem(of: forged), is: .noChain)
  }

  @Test func `a whole verification is remembered, and one without blobs is not`() throws {
    _ = try create(.honor)
    var plan = VerificationPlan.whole
    plan.readsBlobs = false
    _ = try store.care.verifyAll(plan, now: Self.now)
    expect(LastVerification(of: store).whole == nil)
    expect(try store.care.verifyAll(now: Self.now).isSound)
    expect(LastVerification(of: store).whole?.ended, is: Self.now)
  }

  @Test func `of a closed store honor locks count as unproven, where contents are read`() throws {
    for lock in [LockRequest.honor, .honor, try passphraseLock()] { _ = try create(lock) }
    try expect(store.care.verifyAll(now: Self.now).unprovenLocks, is: 0)
    let opened = try store.protection.protect(
      with: passphrase("a dog in the rain"), workFactor: 1, now: Self.now
    ).store
    try expect(opened.care.verifyAll(now: Self.now).unprovenLocks, is: 0)
    // Every lock was sealed anew, and this state of the machine has not opened them.
    let environment = StoreScenario.environment(files, seed: 8)
    let closed = try require(try Store.open(at: StoreScenario.root, environment: environment))
    for path in files.files(under: "/state").keys where path.contains("/recipients/") {
      try files.unlink(FilePath(path))
    }
    try expect(closed.care.verifyAll(now: Self.now).unprovenLocks, is: 2)
    var plan = VerificationPlan.whole
    plan.readsBlobs = false
    try expect(closed.care.verifyAll(plan, now: Self.now).unprovenLocks, is: 0)
  }

  @Test func `verification names a recipient that is not the one that this machine knows`() throws {
    let record = try create(passphraseLock())
    expect(try store.care.verifyAll(now: Self.now).isSound)
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    let changed = try changed(record) {
      $0["recipient"] = .string(stranger.recipient.description)
    }
    let path = StoreScenario.layout.record(.capsule, record.model.id)
    try files.setBytes(path.text, RecordFile.encode(changed.fields))
    try expect(
      store.care.verifyAll(now: Self.now).problems.filter(\.isDamage),
      is: [
        Finding(
          .lock, RecordReference(.capsule, record.model.id), at: path, .lock(.otherRecipient))
      ])
  }

  @Test func `what is added to goes to the recipient that is known, or that the user accepts`()
    throws
  {
    let record = try create(passphraseLock())
    func add(_ record: StoredRecord<Capsule>, accepts: Bool = false) throws {
      _ = try store.capsules.add(
        [.text("more")], to: record, limit: 1 << 20, now: Self.now, acceptsRecipient: accepts)
    }
    try add(record)
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    let changed = try changed(record) {
      $0["recipient"] = .string(stranger.recipient.description)
    }
    let path = StoreScenario.layout.record(.capsule, record.model.id)
    try files.setBytes(path.text, RecordFile.encode(changed.fields))
    let other = try store.read(Capsule.self, record.model.id)
    expect(throws: Fault.self) { try add(other) }
    try add(other, accepts: true)
    // From then on it is the known one.
    try add(try store.read(Capsule.self, record.model.id))
  }

  @Test func `a machine that knows nothing of a capsule knows it once it has added to it`() throws {
    let record = try create(passphraseLock())
    let known = { KnownLocks(store).knows(record.model.lock.recipient, of: record.model.id) }
    for path in files.files(under: "/state").keys where path.contains("/recipients/") {
      try files.unlink(FilePath(path))
    }
    expect(known() == nil)
    _ = try store.capsules.add([.text("more")], to: record, limit: 1 << 20, now: Self.now)
    expect(known(), is: true)
  }
}
