import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Changes of one machine that claim to have seen all others, and break what a merge promises.
struct SyncRuleTests {
  private static let capsule = SyncSubject.record(RecordReference(.capsule, StoreScenario.id(0x20)))

  /// A world in which two machines have the same records.
  private static func world(
    _ states: [DeliveryState] = [.sent, .accepted]
  ) throws -> SyncWorld {
    var world = try SyncWorld()
    let store = try world.store("a")
    let now = world.tick()
    try store.insert(StoreScenario.capsule(0x20))
    var record = try store.read(Capsule.self, StoreScenario.id(0x20))
    let blob = try StoreScenario.stage(store, [1, 2])
    record.model.contents.append(StoreScenario.content(1, blob))
    record = try store.update(record, now: now, blobs: [blob])
    record.model.openedAt = Instant(seconds: 1_700_000_500)
    _ = try store.update(record, now: now)
    try store.insert(try RecordSamples.trustees)
    var person = Beneficiary.blank
    person.header = try store.newHeader(now: now)
    person.name = "Ben"
    person = try store.insert(person)
    var bequest = Bequest(
      header: try store.newHeader(now: now),
      subject: RecordReference(.capsule, StoreScenario.id(0x20)), beneficiary: person.header.id)
    for state in states { _ = bequest.mark(DeliveryChange(state, at: now, notes: ""), now: now) }
    try store.insert(bequest)
    try store.settings.change { $0.set(.owner, to: .string("Ada")) }
    _ = try store.settings.declarePassing(at: now, owner: "Ada", now: now)
    try world.settle()
    return world
  }

  /// Has machine `b` publish a state that it made of its own, whatever its files say.
  private static func publish(
    _ subject: SyncSubject, in world: inout SyncWorld, _ change: (inout RecordState, Dot) -> Void
  ) throws {
    let now = world.tick()
    let way = world.way()
    try world.store("b").sync.hold(now: now) { work throws(Fault) in
      var listing = try way.listing()
      let id = try work.header(of: way, listing).id
      guard var entry = work.state.entry(subject) else { return }
      let old = entry.state.vector
      let dot = old.next(work.actor)
      change(&entry.state, dot)
      entry.state.vector.insert(dot)
      work.state.put(subject, entry, from: old)
      try work.putSegment([subject], to: way, id, &listing)
    }
  }

  /// Puts a value in the place of all that others wrote.
  private static func replace(
    _ member: String, _ json: JSON
  ) -> (inout RecordState, Dot) -> Void {
    { state, dot in
      state.cells[CellKey(member)] = [dot: Sibling(stamp: 0, value: CellValue(json))]
    }
  }

  struct Attack: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let kind: RecordKind?
    let isOfRule: @Sendable (ChangeRule) -> Bool
    let change: @Sendable (inout RecordState, Dot) -> Void
  }

  static var attacks: [Attack] {
    func attack(
      _ name: String, _ kind: RecordKind? = .capsule,
      _ change: @escaping @Sendable (inout RecordState, Dot) -> Void,
      _ isOfRule: @escaping @Sendable (ChangeRule) -> Bool
    ) -> Attack { Attack(testDescription: name, kind: kind, isOfRule: isOfRule, change: change) }
    return [
      attack(
        "an earlier unlock time", .capsule,
        { state, dot in
          replace("unlock", ["unlockAt": "2026-01-01T00:00:00Z", "unlockZone": "UTC"])(&state, dot)
        }, { if case .neverEarlier = $0 { true } else { false } }),
      attack(
        "no contents", .capsule,
        { state, _ in state.cells = state.cells.filter { $0.key.member != "contents" } },
        { $0 == .contentsStay }),
      attack(
        "another content of the same id", .capsule,
        { state, dot in
          for (key, siblings) in state.cells where key.member == "contents" {
            guard var fields = siblings.values.first?.value?.json.object else { continue }
            fields["addedAt"] = "2026-01-01T00:00:00Z"
            state.cells[key] = [dot: Sibling(stamp: 0, value: CellValue(.object(fields)))]
          }
        }, { $0 == .contentsStay }),
      attack(
        "another lock", .capsule,
        { state, dot in
          let siblings = state.cells[CellKey("lock")] ?? [:]
          guard var fields = siblings.values.first?.value?.json.object else { return }
          fields["key"] = "another"
          fields["recipient"] = "age1another"
          replace("lock", .object(fields))(&state, dot)
        }, { $0 == .lockStays }),
      attack(
        "no opening", .capsule, { state, _ in state.cells[CellKey("openedAt")] = nil },
        { $0 == .openingStays }),
      attack(
        "in the trash without contents", .capsule,
        { state, dot in
          var seen = state.vector
          seen.insert(dot)
          state.cells = state.cells.filter { $0.key.member != "contents" }
          state.life = [dot: .gone(seen: seen, at: 1_700_000_900)]
        }, { $0 == .contentsStay }),
      attack(
        "a shorter delivery", .bequest,
        { state, dot in
          let siblings = state.cells[CellKey("delivery")] ?? [:]
          let changes = siblings.values.first?.value?.json.array ?? []
          replace("delivery", .array(Array(changes.prefix(1))))(&state, dot)
        }, { $0 == .deliveryStays(.accepted) }),
      attack(
        "another delivery", .bequest,
        { state, dot in
          replace("delivery", [["at": "2020-01-01T00:00:00Z", "notes": "", "state": "revoked"]])(
            &state, dot)
        }, { $0 == .deliveryStays(.accepted) }),
      attack(
        "a group without its earlier sets of shares", .trustees,
        { state, dot in
          let siblings = state.cells[CellKey("shares")] ?? [:]
          guard var fields = siblings.values.first?.value?.json.object else { return }
          fields["earlierIdentifiers"] = []
          replace("shares", .object(fields))(&state, dot)
        }, { $0 == .holdersStay }),
      attack(
        "another holder of a share", .trustees,
        { state, dot in
          let siblings = state.cells[CellKey("shares")] ?? [:]
          guard var fields = siblings.values.first?.value?.json.object,
            var shares = fields["shares"]?.array, var share = shares.last?.object
          else { return }
          share["holder"] = "Eve"
          shares[shares.count - 1] = .object(share)
          fields["shares"] = .array(shares)
          replace("shares", .object(fields))(&state, dot)
        }, { $0 == .holdersStay }),
      attack(
        "another passing", nil,
        { state, dot in
          replace(
            "passing", ["at": "2020-01-01T00:00:00Z", "declaredAt": "2020-01-01T00:00:00Z"])(
              &state, dot)
        }, { $0 == .passingStays }),
    ]
  }

  private static func subject(_ kind: RecordKind?, in world: SyncWorld) throws -> SyncSubject {
    guard let kind else { return .settings }
    let folder = try world.store("a").layout.folder(kind).text
    let path = try require(world.files.files().keys.first { $0.hasPrefix("\(folder)/") })
    let name = try require(path.split(separator: "/").last?.split(separator: ".").first)
    return .record(RecordReference(kind, try require(RecordID(String(name)))))
  }

  @Test(arguments: attacks)
  func `what a rule forbids is held back, and the rest of a sync goes on`(
    _ attack: Attack
  ) throws {
    var world = try Self.world()
    let subject = try Self.subject(attack.kind, in: world)
    let before = try world.content("a")
    let other = try world.addItem("b", "Ring")
    try world.sync("b")
    try Self.publish(subject, in: &world, attack.change)
    for _ in 1...2 {
      let held = try world.sync("a").held
      expect(held.count, is: 1)
      guard case .forbidden(let rule)? = held[subject], attack.isOfRule(rule) else {
        Issue.record("held: \(held)")
        return
      }
    }
    let after = try world.content("a")
    expect(before.allSatisfy { after[$0.key] == $0.value })
    try expect(world.item("a", other)?.name, is: "Ring")
  }

  @Test(arguments: attacks)
  func `what this machine has goes to the others, where its owner says so`(
    _ attack: Attack
  ) throws {
    var world = try Self.world()
    let subject = try Self.subject(attack.kind, in: world)
    try Self.publish(subject, in: &world, attack.change)
    try world.sync("a")
    let now = world.tick()
    let (resolved, hold, insists) = try world.store("a").sync.hold(now: now) {
      work throws(Fault) in try work.resolve(subject, field: nil, choice: 0)
    }
    expect(resolved.isEmpty && hold == nil && insists)
    expect(try world.sync("a").held.isEmpty)
    try world.settle(["a", "b"])
    for machine in ["a", "b"] {
      expect(try world.sync(machine).held.isEmpty, "\(machine)")
    }
    try expect(world.content("a"), is: world.content("b"))
    // A machine that joins later has what was kept.
    try world.sync("c")
    try expect(world.content("c"), is: world.content("a"))
  }

  @Test func `a record that no rule holds back is not made to count`() throws {
    var world = try Self.world()
    let now = world.tick()
    let (resolved, hold, insists) = try world.store("a").sync.hold(now: now) {
      work throws(Fault) in try work.resolve(Self.capsule, field: nil, choice: 0)
    }
    expect(resolved.isEmpty && hold == nil && !insists)
  }

  @Test func `a delivery that is chosen among several goes to the others`() throws {
    var world = try Self.world([])
    let subject = try Self.subject(.bequest, in: world)
    guard case .record(let record) = subject else { return }
    for (machine, states) in [("a", [DeliveryState.sent, .accepted]), ("b", [.revoked])] {
      let now = world.tick()
      var stored = try world.store(machine).read(Bequest.self, record.id)
      for state in states {
        _ = stored.model.mark(DeliveryChange(state, at: now, notes: ""), now: now)
      }
      _ = try world.store(machine).update(stored, now: now)
    }
    try world.settle()
    let now = world.tick()
    let (resolved, _, _) = try world.store("b").sync.hold(now: now) { work throws(Fault) in
      try work.resolve(subject, field: CellKey("delivery"), choice: 1)
    }
    expect(resolved.count, is: 1)
    for _ in 1...2 {
      for machine in ["a", "b"] { expect(try world.sync(machine).held.isEmpty, "\(machine)") }
    }
    for machine in ["a", "b"] {
      try expect(world.store(machine).read(Bequest.self, record.id).model.state, is: .revoked)
    }
  }

  @Test func `shares that two machines made anew at once are a conflict, and nothing waits`() throws
  {
    var world = try Self.world()
    let subject = try Self.subject(.trustees, in: world)
    guard case .record(let record) = subject else { return }
    for machine in ["a", "b"] {
      let now = world.tick()
      var stored = try world.store(machine).read(TrusteeGroup.self, record.id)
      let shares = stored.model.shares
      if machine == "a" {
        let recipient = try AgeIdentity(
          isPostQuantum: false, random: SeededRandomSource(seed: 9).source
        ).recipient
        stored.model.replaceKey(
          recipient: recipient.description, identifier: 99, threshold: 2, shares: shares, at: now)
      } else {
        stored.model.renew(identifier: 98, threshold: 2, shares: shares)
      }
      _ = try world.store(machine).update(stored, now: now)
    }
    for _ in 1...3 {
      for machine in ["a", "b"] { expect(try world.sync(machine).held.isEmpty, "\(machine)") }
    }
    try expect(world.content("a"), is: world.content("b"))
    let now = world.tick()
    let conflicts = try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.conflicts()
    }
    expect(conflicts.map(\.field), is: ["shares"])
  }

  @Test func `each machine keeps the spare that its capsule has, and the lack of one`() throws {
    var world = try Self.world()
    let now = world.tick()
    let id = StoreScenario.id(0x20)
    var record = try world.store("a").read(Capsule.self, id)
    record.model.lock.take(spare: "a spare")
    _ = try world.store("a").update(record, now: now)
    try world.settle()
    for (machine, spare) in [("a", "a spare"), ("b", nil)] {
      expect(try world.sync(machine).held.isEmpty)
      try expect(world.store(machine).read(Capsule.self, id).model.lock.spare, is: spare)
    }
  }
}

extension Carrier {
  fileprivate func listing() throws(Fault) -> CarrierListing {
    try list()
  }
}
