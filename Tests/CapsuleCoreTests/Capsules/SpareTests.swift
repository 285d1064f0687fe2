import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The spare of a capsule's key, for trustees in the place of a passphrase.
@Suite struct SpareTests {
  private static let group = try? AgeIdentity(isPostQuantum: true, random: .system)
  private static let classic = try? AgeIdentity(isPostQuantum: false, random: .system)
  private static let now = Instant(seconds: 1_900_000_000)
  private static let unlock = Instant(seconds: 2_000_000_000)
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 7), now: Self.now)
  }

  /// The keys of trustees, who know no passphrase.
  private struct TrusteeKeys: KeySource {
    let identity: AgeIdentity

    func identities() -> [any Identity] { [identity] }
    func passphrase(attempt: Int) -> Passphrase? { nil }
    var areOfTrustees: Bool { true }
  }

  private func passphrase() throws -> Passphrase {
    try require(Passphrase(SecretBytes(copying: Array("secret".utf8))))
  }

  /// Makes a capsule with a passphrase and a spare.
  private func create(
    isTimelocked: Bool = false, spareTo identity: AgeIdentity? = Self.group
  ) throws -> StoredRecord<Capsule> {
    let spare: [any Recipient] = [try require(identity).recipient]
    let inner: [any Recipient] = [ScryptRecipient(try passphrase(), workFactor: 1)]
    let outer: [any Recipient] = [TlockRecipient(chain: .quicknet, round: 1000)]
    let request =
      isTimelocked
      ? LockRequest(
        kind: .timelock, layers: [outer, inner],
        timelock: Timelock(chain: .quicknet, round: 1000, inner: .passphrase, escrow: []),
        spareLayers: [outer, spare])
      : LockRequest(kind: .passphrase, layers: [inner], spareLayers: [spare])
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "T", notes: "", tags: [], unlockAt: Self.unlock, unlockZone: "UTC", lock: request,
        sources: [.text("hello")]),
      limit: 1 << 20, now: Self.now)
    return try store.read(Capsule.self, capsule.id)
  }

  private func open(
    _ record: StoredRecord<Capsule>, _ keys: some KeySource, at now: Instant = Self.unlock
  ) throws -> String? {
    var opening = try CapsuleOpening(record, in: store)
    return try opening.open(with: keys, beacons: Keys.none, now: now).details.first?.text
  }

  private func trustees() throws -> TrusteeKeys {
    TrusteeKeys(identity: try require(Self.group))
  }

  @Test func `trustees open the spare, and the passphrase still opens the lock`() throws {
    let record = try create()
    try expect(open(record, trustees()), is: "hello")
    try expect(open(record, Keys(passphrase: passphrase())), is: "hello")
  }

  @Test func `the spare opens no earlier than the lock`() throws {
    let record = try create()
    expect(throws: Fault.self) {
      try open(record, trustees(), at: Self.unlock.adding(seconds: -1))
    }
  }

  @Test func `the spare is the same key file, byte for byte`() throws {
    let lock = try store.capsules.lock(of: try create().model)
    func plaintext(_ text: String, _ identity: some Identity) throws -> [UInt8] {
      var sink = MemorySink()
      var reader = try AgeReader(MemorySource(Array(text.utf8)), encoding: .armor)
      let key = try reader.unlock(with: [identity])
      _ = try reader.open(with: key, to: &sink, threads: 1)
      return sink.bytes
    }
    let own = try plaintext(lock.key, ScryptIdentity(passphrase()))
    let spare = try plaintext(try require(lock.spare), try require(Self.group))
    expect(own == spare && String(decoding: own, as: UTF8.self).contains("# unlock 2033-"))
  }

  @Test func `a record with a spare is of schema 2, and keeps it through a rewrite`() throws {
    let model = try create().model
    expect(model.schemaNeeded, is: 2)
    try expect(Capsule(fields: model.fields).lock.spare, is: model.lock.spare)
  }

  @Test func `with a timelock the spare has it outside, and the trustees' key does not lift it`()
    throws
  {
    let record = try create(isTimelocked: true)
    let lock = try store.capsules.lock(of: record.model)
    let layer = try require(lock.spareLock).outerLayer()
    expect(layer.isTimelocked && layer.escrowCount == 0)
    expect(throws: LockFailure.self) { try layer.open(with: [try require(Self.group)]) }
    expect(store.capsules.lockProblem(of: record.model) == nil)
  }

  @Test func `a spare that weakens the date is found`() throws {
    let (timed, plain) = (try create(isTimelocked: true), try create())
    var fields = timed.model.fields
    var lock = try require(fields["lock"]?.object)
    lock["spare"] = .string(try require(plain.model.lock.spare))
    fields["lock"] = .object(lock)
    expect(store.capsules.lockProblem(of: try Capsule(fields: fields)), is: .otherRound)
  }

  @Test func `a spare of another capsule does not open this one`() throws {
    let (one, other) = (try create(), try create())
    var fields = one.model.fields
    var lock = try require(fields["lock"]?.object)
    lock["spare"] = .string(try require(other.model.lock.spare))
    fields["lock"] = .object(lock)
    let mixed = try store.capsules.lock(of: try Capsule(fields: fields))
    let key = try require(mixed.spareLock).sealedKey(with: [try require(Self.group)])
    expect(key.terms.id, is: other.model.id)
    let pass = try require(
      { () -> GatePass? in
        guard
          case .unlocked(let pass, _) = UnlockGate.decide(
            unlock: Self.unlock, now: Self.unlock, provenTime: nil)
        else { return nil }
        return pass
      }())
    expect {
      try key.use(
        id: one.model.id, form: LockForm(one.model.lock), recipient: mixed.recipient, pass: pass)
    } throws: { error in
      if case LockFailure.damaged(.otherCapsule(let id)) = error {
        id == other.model.id
      } else {
        false
      }
    }
  }

  @Test func `a capsule is as readable to a quantum computer as its spare`() throws {
    try expect(create().model.quantumStrength, is: .passphrase)
    try expect(create(spareTo: Self.classic).model.quantumStrength, is: .readable)
  }

  // MARK: Spares that come later

  private func create(_ request: LockRequest) throws -> StoredRecord<Capsule> {
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "T", notes: "", tags: [], unlockAt: Self.unlock, unlockZone: "UTC", lock: request,
        sources: [.text("hello")]),
      limit: 1 << 20, now: Self.now)
    return try store.read(Capsule.self, capsule.id)
  }

  private func spare(of record: StoredRecord<Capsule>, _ keys: Keys) throws -> TrusteeSpare {
    var opening = try CapsuleOpening(record, in: store)
    return try opening.spare(
      to: store.vouched(try require(Self.group).recipient), with: keys, beacons: Keys.none)
  }

  @Test func `a locked honor capsule gets a spare, which opens no earlier than the lock`() throws {
    let record = try create(.honor)
    var change = CapsuleChange()
    change.spare = try spare(of: record, .none)
    _ = try store.capsules.change(record, change, now: Self.now)
    let changed = try store.read(Capsule.self, record.model.id)
    expect(changed.model.lock.usableSpare, is: change.spare?.key)
    expect(throws: Fault.self) {
      try open(changed, trustees(), at: Self.unlock.adding(seconds: -1))
    }
    try expect(open(changed, trustees()), is: "hello")
    expect(store.capsules.lockProblem(of: changed.model, with: store.keys.all()) == nil)
  }

  @Test func `with a timelock the escrow and the passphrase give one under the same timelock`()
    throws
  {
    let escrow = try AgeIdentity(isPostQuantum: false, random: .system)
    let outer: [any Recipient] = [
      TlockRecipient(chain: .quicknet, round: 1000), escrow.recipient,
    ]
    let record = try create(
      LockRequest(
        kind: .timelock, layers: [outer, [ScryptRecipient(try passphrase(), workFactor: 1)]],
        timelock: Timelock(
          chain: .quicknet, round: 1000, inner: .passphrase,
          escrow: [escrow.recipient.description])))
    expect(throws: Fault.self) { try spare(of: record, Keys(passphrase: passphrase())) }
    let sealed = try spare(of: record, Keys([escrow], passphrase: passphrase()))
    let layer = try CapsuleLock(
      key: sealed.key, recipient: AgeRecipient(record.model.lock.recipient)
    ).outerLayer()
    expect(layer.isTimelocked && layer.escrowCount == 1)
    expect(try layer.fits(require(record.model.lock.timelock)))
    guard case .layer(let inner) = try layer.open(with: [escrow]) else {
      Issue.record("no layer inside")
      return
    }
    expect(!inner.needsPassphrase)
    expect(throws: Never.self) { try inner.open(with: [require(Self.group)]) }
  }

  @Test func `recipients and a timelock alone have none, whatever key is given`() throws {
    let key = try AgeIdentity(isPostQuantum: true, random: .system)
    let record = try create(LockRequest(kind: .recipients, layers: [[key.recipient]]))
    let group = try require(Self.group).recipient
    expect(record.model.lock.refusalOfSpare(to: group), is: .recipients)
    expect(throws: Fault.self) { try spare(of: record, Keys([key])) }
    var lock = record.model.lock
    lock.take(spare: "x")
    expect(lock.usableSpare == nil)
  }

  @Test func `a spare comes and goes, and nothing else of a lock changes`() throws {
    let record = try create(.honor)
    var changed = record
    changed.model.lock = Lock(
      kind: .honor, key: record.model.lock.key, recipient: record.model.lock.recipient,
      timelock: nil, spare: try spare(of: record, .none).key)
    let updated = try store.update(changed, now: Self.now)
    var without = updated
    without.model.lock = record.model.lock
    without = try store.update(without, now: Self.now)
    expect(without.model.lock.usableSpare == nil)
    without.model.lock = Lock(
      kind: .honor, key: record.model.lock.key,
      recipient: try AgeIdentity(
        isPostQuantum: false, random: .system
      ).recipient.description, timelock: nil, spare: nil)
    expect(throws: Fault.self) { try store.update(without, now: Self.now) }
  }

  @Test func `a spare that is asked for beside a timelock has the same outside, and no passphrase`()
    throws
  {
    let outer: [any Recipient] = [TlockRecipient(chain: .quicknet, round: 1000)]
    let request = try LockRequest(
      kind: .timelock, layers: [outer, [ScryptRecipient(passphrase(), workFactor: 1)]],
      timelock: Timelock(chain: .quicknet, round: 1000, inner: .passphrase, escrow: [])
    ).withSpare(to: store.vouched(try require(Self.group).recipient), isPostQuantum: true)
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "T", notes: "", tags: [], unlockAt: Self.unlock, unlockZone: "UTC", lock: request,
        sources: [.text("hello")]),
      limit: 1 << 20, now: Self.now)
    expect(store.capsules.lockProblem(of: capsule) == nil)
    let spare = try require(try store.capsules.lock(of: capsule).spareLock).outerLayer()
    expect(spare.isTimelocked && !spare.needsPassphrase)
  }

  /// Names the trustees of the samples in the setting.
  private func nameTrustees() throws -> TrusteeGroup {
    let group = try RecordSamples.trustees
    try store.insert(group)
    try store.settings.set(.trustees, to: .string(group.name))
    return group
  }

  private static func new(_ lock: LockRequest) -> NewCapsule {
    NewCapsule(title: "T", unlockAt: unlock, contents: [.text("hello")], lock: lock)
  }

  @Test func `the library's door says why a capsule has no spare for the trustees of the setting`()
    throws
  {
    let honor = try store.seal(Self.new(.honor))
    try expect(store.spareRefusal(of: honor) == nil)
    _ = try nameTrustees()
    let spared = try store.seal(Self.new(.honor))
    expect(try spared.lock.usableSpare != nil && store.spareRefusal(of: spared) == nil)
    let recipient = try require(Self.group).recipient.description
    let sealed = try store.seal(Self.new(.recipients([recipient])))
    try expect(store.spareRefusal(of: sealed), is: .recipients)
    let timed = try store.seal(Self.new(.timelock(until: Self.unlock)))
    try expect(store.spareRefusal(of: timed), is: .timelock)
  }

  @Test func `damaged settings stop the library's door from sealing, and nothing is made`() throws {
    _ = try nameTrustees()
    let capsule = try store.seal(Self.new(.honor))
    try store.files.unlink(store.layout.settings)
    let file = try store.files.open(store.layout.settings, .createExclusive(mode: 0o600))
    try store.files.writeAll(file, Array("{ \"trustees\": ".utf8))
    try store.files.close(file)
    func isRefused(_ body: () throws -> Void) -> Bool {
      do { try body() } catch {
        let fault = error as? Fault
        return fault?.damage != nil
          && fault?.details["path"] == .string(store.layout.settings.text)
      }
      return false
    }
    expect(isRefused { _ = try store.seal(Self.new(.honor)) })
    expect(isRefused { _ = try store.add([.text("more")], to: capsule.id) })
    expect(throws: Fault.self) { try store.spareRefusal(of: capsule) }
    expect(store.records(Capsule.self).count, is: 1)
  }
}
