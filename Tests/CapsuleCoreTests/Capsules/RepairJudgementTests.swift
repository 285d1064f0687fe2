import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Capsules that were changed by hand, and whether a repair takes them.
@Suite struct RepairJudgementTests {
  private static let now = Instant(seconds: 1_700_100_000)
  private static let unlock = Instant(seconds: 1_800_000_000)
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 7),
      now: Self.now)
  }

  private func create(_ lock: LockRequest = .honor, unlockAt: Instant = unlock) throws -> Capsule {
    try store.capsules.create(
      NewCapsule(
        title: "C", notes: "", tags: [], unlockAt: unlockAt, unlockZone: "UTC", lock: lock,
        sources: [.text("secret")]),
      limit: 1 << 20, now: Self.now)
  }

  /// Writes another capsule in place of one, as an editor would, and asks for it to be accepted.
  private func outcome(_ capsule: Capsule, with keys: [any Identity] = []) throws -> [RepairAction]
  {
    let path = StoreScenario.layout.record(.capsule, capsule.id).text
    // The checksum stays that of what was written.
    let text = String(decoding: try require(files.bytes(path)), as: UTF8.self)
    let old = try require(text.split(separator: "\n").first { $0.contains("\"checksum\"") })
    let new = String(decoding: RecordFile.encode(capsule.fields), as: UTF8.self)
    let line = try require(new.split(separator: "\n").first { $0.contains("\"checksum\"") })
    try files.setBytes(path, Array(new.replacing(line, with: old).utf8))
    var request = RepairRequest()
    request.accepted = [capsule.id]
    return try store.care.repair(request, with: keys, now: Self.now)
  }

  @Test(arguments: [Int64(0), 1, -1])
  func `an unlock time that is as late as the sealed one is taken, and no earlier one`(
    seconds: Int64
  ) throws {
    var capsule = try create()
    capsule.title = "By hand"
    capsule.unlockAt = Self.unlock.adding(seconds: seconds)
    let expected: RepairAction =
      seconds < 0
      ? .refusedRecord(.capsule, capsule.id, .unlockEarlierThanSealed(Self.unlock))
      : .acceptedRecord(.capsule, capsule.id)
    try expect(outcome(capsule), is: [expected])
  }

  @Test func `a lock whose passphrase asks for too much work is not looked into`() throws {
    let passphrase = try require(Passphrase(SecretBytes(copying: Array("right".utf8))))
    let capsule = try create(
      LockRequest(kind: .passphrase, layers: [[ScryptRecipient(passphrase, workFactor: 3)]]))
    var changed = capsule
    changed.title = "By hand"
    // Nothing else says what was written.
    for path in files.files(under: "/s/journal").keys { try files.unlink(FilePath(path)) }
    try expect(
      outcome(changed, with: [ScryptIdentity(passphrase, upTo: 2)]),
      is: [.refusedRecord(.capsule, capsule.id, .sealUnreadable)])
    try expect(
      outcome(changed, with: [ScryptIdentity(passphrase, upTo: 3)]),
      is: [.acceptedRecord(.capsule, capsule.id)])
  }

  @Test func `another kind of lock than the sealed one is refused`() throws {
    let capsule = try create()
    var fields = capsule.fields
    var lock = try require(fields["lock"]?.object)
    lock["kind"] = "recipients"
    fields["lock"] = .object(lock)
    try expect(
      outcome(Capsule(fields: fields), with: store.keys.all()),
      is: [.refusedRecord(.capsule, capsule.id, .sealDamaged)])
  }

  @Test func `contents or a recipient of another capsule are refused`() throws {
    let (one, other) = (try create(), try create())
    var contents = one
    contents.contents = other.contents
    try expect(
      outcome(contents), is: [.refusedRecord(.capsule, one.id, .sealDamaged)])
    var fields = one.fields
    guard case .object(var lock)? = fields["lock"] else {
      Issue.record("there is no lock")
      return
    }
    lock["recipient"] = .string(other.lock.recipient)
    fields["lock"] = .object(lock)
    try expect(
      outcome(Capsule(fields: fields)), is: [.refusedRecord(.capsule, one.id, .sealDamaged)])
  }

  @Test(arguments: [Int64(0), -1])
  func `a timelock is taken from the first second that its round can stand for`(
    seconds: Int64
  ) throws {
    let timelock = Timelock(chain: .quicknet, round: 1000, inner: nil, escrow: [])
    // The round comes every three seconds: the second after the one before it is the earliest.
    let earliest = timelock.roundTime.adding(seconds: -2)
    var capsule = try create(
      LockRequest(
        kind: .timelock, layers: [[TlockRecipient(chain: .quicknet, round: 1000)]],
        timelock: timelock),
      unlockAt: earliest)
    capsule.title = "By hand"
    capsule.unlockAt = earliest.adding(seconds: seconds)
    let actions = try outcome(capsule)
    expect(
      actions,
      is: [
        seconds < 0
          ? .refusedRecord(.capsule, capsule.id, .unlockEarlierThanSealed(earliest))
          : .acceptedRecord(.capsule, capsule.id)
      ])
  }
}
