import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// The rules for changes of a capsule: the store holds them, whoever asks.
@Suite struct ChangeRuleTests {
  private static let now = StoreScenario.now
  private let store: Store
  private let id = StoreScenario.id(0x20)

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 3), now: Self.now)
    let blob = try StoreScenario.stage(store, [1])
    try store.insert(StoreScenario.capsule(0x20, blob: blob), blobs: [blob])
  }

  /// Returns the rule that a change breaks, after seeing that nothing was written then.
  private func broken(_ change: (inout Capsule) -> Void) throws -> ChangeRule? {
    let record = try store.read(Capsule.self, id)
    var changed = record
    change(&changed.model)
    do throws(Fault) {
      _ = try store.update(changed, now: Self.now)
      return nil
    } catch {
      guard let rule = error.rule else { throw error }
      try expect(store.read(Capsule.self, id).digest, is: record.digest)
      return rule
    }
  }

  @Test func `an unlock time moves later and never earlier, whoever moves it`() throws {
    let unlock = try store.read(Capsule.self, id).model.unlockAt
    let earlier = Instant(seconds: unlock.seconds - 1)
    try expect(broken { $0.unlockAt = earlier }, is: .neverEarlier(from: unlock, to: earlier))
    let later = Instant(seconds: unlock.seconds + 1)
    expect(try broken { $0.unlockAt = later } == nil)
    try expect(broken { $0.unlockAt = unlock }, is: .neverEarlier(from: later, to: unlock))
  }

  @Test func `sealed contents and the lock stay`() throws {
    try expect(broken { $0.contents = [] }, is: .contentsStay)
    try expect(
      broken {
        $0.lock = Lock.blank
      }, is: .lockStays)
    expect(try broken { $0.title = "Another" } == nil)
  }

  @Test func `after the first opening nothing is added, and the opening stays`() throws {
    expect(try broken { $0.openedAt = Self.now } == nil)
    try expect(
      broken { $0.contents.append(contentsOf: $0.contents) }, is: .nothingAdded(since: Self.now))
    try expect(broken { $0.openedAt = nil }, is: .openingStays)
    let record = try store.read(Capsule.self, id)
    let refused = expect(throws: Fault.self) {
      try store.capsules.add([], to: record, limit: 1, now: Self.now)
    }
    guard refused == .alreadyOpened(Self.now) else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  @Test func `what was opened is locked again only by who asks for just that`() throws {
    expect(try broken { $0.openedAt = Self.now } == nil)
    let later = Instant(seconds: 1_900_000_000)
    try expect(broken { $0.unlockAt = later }, is: .lockedAgainOnPurpose(since: Self.now))
    var record = try store.read(Capsule.self, id)
    let lock = record.model.lock
    record.model.unlockAt = later
    record.model.lock = Lock.blank
    let asked = expect(throws: Fault.self) {
      try store.update(record, now: Self.now, locksAgain: true)
    }
    guard asked?.rule == .lockStays else {
      Issue.record("\(String(describing: asked))")
      return
    }
    record.model.lock = lock
    try expect(store.update(record, now: Self.now, locksAgain: true).model.unlockAt, is: later)
  }

  @Test func `a bequest that was sent keeps its access and its message, whoever changes it`() throws
  {
    let personHeader = RecordHeader(id: StoreScenario.id(0x40), createdAt: Self.now)
    let person = try store.insert(Beneficiary(header: personHeader, name: "Mia"))
    let header = RecordHeader(id: StoreScenario.id(0x41), createdAt: Self.now)
    try store.insert(
      Bequest(header: header, subject: RecordReference(.capsule, id), beneficiary: person.id))
    var record = try store.read(Bequest.self, header.id)
    record.model.message = "before"
    record = try store.update(record, now: Self.now)
    try record.model.requireNotSent()
    _ = record.model.mark(DeliveryChange(.sent, at: Self.now, notes: ""), now: Self.now)
    record = try store.update(record, now: Self.now)
    expect(throws: Fault.self) { try record.model.requireNotSent() }
    let changes: [(inout Bequest) -> Void] = [
      { $0.message = "after" }, { $0.access = .uponPassing },
    ]
    for change in changes {
      var changed = record
      change(&changed.model)
      let error = expect(throws: Fault.self) { try store.update(changed, now: Self.now) }
      guard error?.rule == .sentStays(.sent) else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    try expect(store.read(Bequest.self, header.id).digest, is: record.digest)
    // How far the handing over came goes on.
    _ = record.model.mark(DeliveryChange(.accepted, at: Self.now, notes: ""), now: Self.now)
    try expect(store.update(record, now: Self.now).model.state, is: .accepted)
  }

  @Test func `a change of nothing writes nothing, and tags are there once`() throws {
    let record = try store.read(Capsule.self, id)
    var change = CapsuleChange()
    change.addedTags = ["one"]
    try expect(store.capsules.change(record, change, now: Self.now).revision, is: 1)
    change.addedTags = ["two", "two"]
    change.removedTags = ["ONE"]
    let changed = try store.capsules.change(record, change, now: Self.now)
    expect(changed.tags == ["two"] && changed.revision == 2)
  }

  @Test(arguments: [
    (String(repeating: "é", count: 513), Int64(0), Int64(0)), ("", .max, 0), ("", .min, 0),
    ("", 0, .max), ("", 0, .min),
  ])
  func `a new capsule that could not be read back is refused`(
    title: String, unlock: Int64, now: Int64
  ) throws {
    let error = expect(throws: Fault.self) {
      try store.capsules.create(
        NewCapsule(
          title: title, unlockAt: Instant(seconds: unlock), contents: [.text("t")]),
        limit: 1 << 20, now: Instant(seconds: now))
    }
    guard error?.code == .invalidCapsule else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a change is made to what another process wrote meanwhile`() throws {
    let record = try store.read(Capsule.self, id)
    var other = record
    other.model.notes = "Other notes"
    _ = try store.update(other, now: Self.now)
    var change = CapsuleChange()
    change.title = "Another title"
    let changed = try store.capsules.change(record, change, now: Self.now)
    expect(changed.title == "Another title" && changed.notes == "Other notes")
    expect(changed.revision, is: 3)
  }

  @Test func `what is added goes into what another process wrote meanwhile`() throws {
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "Two writers", unlockAt: Self.now.adding(seconds: 100), contents: [.text("a")]),
      limit: 1 << 20, now: Self.now)
    let record = try store.read(Capsule.self, capsule.id)
    for text in ["b", "c"] {
      let long = String(repeating: text, count: 1 << 17)
      _ = try store.capsules.add(
        NewCapsule(title: "", unlockAt: Self.now, contents: [.text(long)]).sources, to: record,
        limit: 1 << 20, now: Self.now)
    }
    let both = try store.read(Capsule.self, capsule.id)
    expect(both.model.contents.count, is: 3)
    expect(
      try store.care.verify(now: Self.now).isSound)
  }
}
