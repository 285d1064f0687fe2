import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Capsules of which the lock, the contents, or the unlock time were taken away, and that get them back.
@Suite struct PutBackTests {
  private static let now = Instant(seconds: 1_700_100_000)
  private static let unlock = Instant(seconds: 1_800_000_000)

  enum Attack: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case earlierUnlock, noContents, anotherContent, otherLock, ownLock, garbledKey, noOpening
    case everything

    var testDescription: String { rawValue }
  }

  enum LockSort: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case honor, recipients

    var testDescription: String { rawValue }
  }

  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 7),
      now: Self.now)
  }

  private func create(_ sort: LockSort) throws -> Capsule {
    let other = try AgeIdentity(isPostQuantum: false, random: SeededRandomSource(seed: 70).source)
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "C", notes: "", tags: [], unlockAt: Self.unlock, unlockZone: "UTC",
        lock: sort == .honor ? .honor : LockRequest(kind: .recipients, layers: [[other.recipient]]),
        sources: [.text("one"), .text("two")]),
      limit: 1 << 20, now: Self.now)
    // A person opened it by hand before its time, so that all parts have something to lose.
    var record = try store.readIntact(Capsule.self, capsule.id)
    record.model.openedAt = Instant(seconds: 1_700_200_000)
    return try store.update(record, now: Self.now).model
  }

  /// Writes what another machine made of a capsule, as an older program would.
  private func attack(_ capsule: Capsule, _ attack: Attack) throws -> Capsule {
    let other = try store.capsules.create(
      NewCapsule(
        title: "Other", notes: "", tags: [], unlockAt: Self.unlock, unlockZone: "UTC",
        lock: .honor, sources: [.text("three")]),
      limit: 1 << 20, now: Self.now)
    let thief = try AgeIdentity(isPostQuantum: false, random: SeededRandomSource(seed: 71).source)
    let own = try AgeRecipient(try require(store.header.identities.first).recipient)
    let lock = try CapsuleLock(
      sealing: CapsuleLock.Terms(id: capsule.id, unlock: Self.unlock),
      layers: [[capsule.lock.kind == .honor ? own : thief.recipient]], isPostQuantum: false,
      random: SeededRandomSource(seed: 72).source)
    var changed = capsule
    switch attack {
    case .earlierUnlock: changed.unlockAt = Self.unlock.adding(seconds: -9)
    case .noContents: changed.contents = []
    case .anotherContent: changed.contents = other.contents
    case .otherLock: changed.lock = other.lock
    case .garbledKey:
      changed.lock = Lock(
        kind: capsule.lock.kind, key: "garbled", recipient: capsule.lock.recipient, timelock: nil)
    case .noOpening: changed.openedAt = nil
    case .ownLock, .everything:
      changed.lock = Lock(
        kind: capsule.lock.kind, key: lock.key, recipient: lock.recipient.description,
        timelock: nil)
      changed.contents = []
      if attack == .everything {
        changed.unlockAt = Self.unlock.adding(seconds: -9)
        changed.openedAt = nil
      }
    }
    changed.header.revision += 1
    changed.title = "Changed"
    try write(changed)
    return changed
  }

  private func write(_ capsule: Capsule) throws {
    let path = StoreScenario.layout.record(.capsule, capsule.id).text
    try files.setBytes(path, RecordFile.encode(capsule.fields))
  }

  private func expectWhole(_ capsule: Capsule, title: String = "C") throws {
    let found = try store.readIntact(Capsule.self, capsule.id).model
    expect(found.title, is: title)
    expect(found.unlockAt, is: capsule.unlockAt)
    expect(found.openedAt, is: capsule.openedAt)
    expect(found.lock, is: capsule.lock)
    expect(found.contents.map(\.sealed).sorted(), is: capsule.contents.map(\.sealed).sorted())
  }

  @Test(arguments: Attack.allCases, LockSort.allCases)
  func `an earlier version that is restored puts back what is gone`(
    _ attack: Attack, _ sort: LockSort
  ) throws {
    let capsule = try create(sort)
    _ = try self.attack(capsule, attack)
    let record = try store.readIntact(Capsule.self, capsule.id)
    let version = try require(
      try store.journal.versions(of: .capsule, capsule.id).first { $0.revision == capsule.revision }
    )
    _ = try store.journal.restore(version, of: record, now: Self.now)
    if attack == .anotherContent {
      // What was added stays beside: nobody here knows that it does not belong.
      let found = try store.readIntact(Capsule.self, capsule.id).model
      expect(found.contents.prefix(2).elementsEqual(capsule.contents))
      expect(found.contents.count, is: 3)
    } else {
      try expectWhole(capsule)
    }
  }

  @Test(arguments: Attack.allCases.filter { $0 != .anotherContent })
  func `a machine that knows nothing of the lock takes that of the oldest version`(
    _ attack: Attack
  ) throws {
    let capsule = try create(.honor)
    files.removeTree(FilePath("/state"))
    _ = try self.attack(capsule, attack)
    files.removeTree(FilePath("/state"))
    let record = try store.readIntact(Capsule.self, capsule.id)
    let version = try require(
      try store.journal.versions(of: .capsule, capsule.id).first { $0.revision == capsule.revision }
    )
    _ = try store.journal.restore(version, of: record, now: Self.now)
    try expectWhole(capsule)
  }

  @Test func `a version with another lock takes nothing from a capsule that is right`() throws {
    let capsule = try create(.honor)
    var changed = try attack(capsule, .everything)
    // The journal of this machine has the changed one too.
    let path = StoreScenario.layout.record(.capsule, capsule.id)
    changed.header.revision = capsule.revision + 1
    let version = RecordVersion(
      revision: changed.revision, writtenAt: Self.now, origin: .synchroniser,
      bytes: RecordFile.encode(changed.fields))
    var right = capsule
    right.header.revision = changed.revision + 1
    try files.setBytes(path.text, RecordFile.encode(right.fields))
    let record = try store.readIntact(Capsule.self, capsule.id)
    _ = try store.journal.restore(version, of: record, now: Self.now)
    try expectWhole(capsule, title: "Changed")
  }

  @Test func `the unlock time is never earlier than the sealed one`() throws {
    let capsule = try create(.honor)
    let changed = try attack(capsule, .earlierUnlock)
    var earlier = changed
    earlier.contents =
      capsule.contents + [
        try require(try create(.honor).contents.first)
      ]
    let result = try store.capsules.puttingBack(earlier, into: changed)
    expect(result.unlockAt, is: Self.unlock)
  }

  /// A copy of the store, as a backup makes it.
  private func copy() throws -> Store {
    for (path, bytes) in files.files() where path.hasPrefix("\(StoreScenario.root.text)/") {
      let target = FilePath("/copy" + path.dropFirst(StoreScenario.root.text.utf8.count))
      try files.createDirectories(target.parent)
      try files.writeTemporary(target, bytes, mode: 0o600)
    }
    return try require(
      try Store.open(
        at: FilePath("/copy"), environment: StoreScenario.environment(files, seed: 8)))
  }

  @Test(arguments: Attack.allCases.filter { $0 != .anotherContent }, LockSort.allCases)
  func `a repair takes from a copy what is gone, whatever the revisions`(
    _ attack: Attack, _ sort: LockSort
  ) throws {
    let capsule = try create(sort)
    let copy = try copy()
    _ = try self.attack(capsule, attack)
    files.removeTree(StoreScenario.root.appending("journal"))
    var request = RepairRequest()
    request.copies = [copy]
    let actions = try store.care.repair(request, now: Self.now)
    let members =
      switch attack {
      case .earlierUnlock: ["unlockAt"]
      case .noContents, .anotherContent: ["contents"]
      case .otherLock, .garbledKey: ["lock"]
      case .noOpening: ["openedAt"]
      case .ownLock: ["contents", "lock"]
      case .everything: ["contents", "lock", "openedAt", "unlockAt"]
      }
    expect(actions.contains(.putBack(capsule.id, members: members)), "\(actions)")
    expect(!actions.contains(where: \.isFailure), "\(actions)")
    try expectWhole(capsule, title: "Changed")
    let again = try store.care.repair(request, now: Self.now)
    expect(again.allSatisfy { if case .putBack = $0 { false } else { true } }, "\(again)")
  }

  @Test func `of two locks of one revision that nothing disagrees with, that of today stays`()
    throws
  {
    let capsule = try create(.recipients)
    var changed = try attack(capsule, .ownLock)
    changed.header.revision = capsule.revision
    files.removeTree(FilePath("/state"))
    files.removeTree(StoreScenario.root.appending("journal"))
    let result = try store.capsules.puttingBack(capsule, into: changed)
    expect(result.lock, is: changed.lock)
    expect(result.contents, is: [])
  }
}
