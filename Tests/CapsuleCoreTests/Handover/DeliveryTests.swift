import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Deliveries as the library plans and makes them.
@Suite struct DeliveryTests {
  private static let now = StoreScenario.now
  private static let output = FilePath("/out")

  private struct Ended: Error {}

  private static func header(_ number: UInt64) -> RecordHeader {
    RecordHeader(id: RecordID(high: 1, low: number), createdAt: now)
  }

  /// Mia receives a ring and a capsule, Bo a ring; a house waits for a passing.
  private static func build() throws -> (SimulatedFileSystem, Store) {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    var mia = Beneficiary(header: header(1), name: "Mia")
    mia.recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
    try store.insert(mia)
    try store.insert(Beneficiary(header: header(2), name: "Bo"))
    try store.insert(Item(header: header(3), name: "Ring"))
    try store.insert(Item(header: header(4), name: "House"))
    try store.insert(StoreScenario.capsule(0x22))
    func leave(
      _ number: UInt64, _ subject: RecordReference, to person: UInt64,
      _ access: AccessRule = .immediate
    ) throws {
      try store.insert(
        Bequest(
          header: header(number), subject: subject, beneficiary: header(person).id, access: access))
    }
    try leave(11, RecordReference(.item, header(3).id), to: 1)
    try leave(12, RecordReference(.capsule, StoreScenario.id(0x22)), to: 1)
    try leave(13, RecordReference(.item, header(3).id), to: 2)
    try leave(14, RecordReference(.item, header(4).id), to: 2, .uponPassing)
    return (files, store)
  }

  private static func terms(isSealed: Bool = false) -> DeliveryTerms {
    DeliveryTerms(output: output, isSealed: isSealed, withValues: false, now: now, zone: .utc)
  }

  private static func plan(
    _ store: Store, for people: [RecordID]? = nil, isSealed: Bool = false
  ) throws -> DeliveryPlan {
    try store.handover.plan(for: people, terms(isSealed: isSealed)) { record in
      .locked(until: record.model.unlockAt)
    }
  }

  private static func writer(
    _ store: Store, isSealed: Bool = false, marksSent: Bool = false
  ) throws -> DeliveryWriter {
    try require(
      DeliveryWriter(store, terms(isSealed: isSealed), marksSent: marksSent))
  }

  private static func words(_ plan: DeliveryPlan) -> [String] {
    plan.deliveries.map { delivery in
      let gifts = delivery.gifts.map(\.gift.title) + delivery.leftOut.map { "not yet \($0.title)" }
      return "\(delivery.name): \(gifts.joined(separator: ", "))"
    }
  }

  @Test func `the plan says who receives what now, and what is left out`() throws {
    let (_, store) = try Self.build()
    let capsule = StoreScenario.capsule(0x22)
    let plan = try Self.plan(store)
    expect(Self.words(plan), is: ["Mia: Ring, not yet \(capsule.title)", "Bo: Ring"])
    expect(plan.deliveries.map(\.path), is: [FilePath("/out/Mia"), FilePath("/out/Bo")])
    expect(plan.issues.isEmpty && plan.canBeMade)
    expect(Self.words(try Self.plan(store, for: [Self.header(2).id])), is: ["Bo: Ring"])
    expect(store.handover.countDeliverableBequests(passing: nil, now: Self.now), is: 3)
    expect(store.handover.countDeliverableBequests(passing: Self.now, now: Self.now), is: 4)
  }

  @Test func `what is gone is an issue, and holds nothing else up`() throws {
    let (files, store) = try Self.build()
    try files.unlink(store.layout.record(.beneficiary, Self.header(2).id))
    try files.unlink(store.layout.record(.capsule, StoreScenario.id(0x22)))
    let plan = try Self.plan(store)
    expect(Self.words(plan), is: ["Mia: Ring"])
    let gone = plan.issues.compactMap { issue in
      if case .gone(let reference, let bequest) = issue { (reference.kind, bequest) } else { nil }
    }
    expect(gone.map(\.0), is: [.beneficiary, .capsule])
    expect(gone.map(\.1), is: [Self.header(13).id, Self.header(12).id])
  }

  /// What becomes of the record of a person.
  enum Damage: CaseIterable { case none, cut, changed, directory }

  @Test(arguments: Damage.allCases)
  func `a folder keeps its name while the record of an earlier person of that name is damaged`(
    damage: Damage
  ) throws {
    let (files, store) = try Self.build()
    var second = Beneficiary(header: Self.header(7), name: "MIA")
    second.recipient = try store.read(Beneficiary.self, Self.header(1).id).model.recipient
    try store.insert(second)
    try store.insert(
      Bequest(
        header: Self.header(15), subject: RecordReference(.item, Self.header(3).id),
        beneficiary: second.id))
    let path = store.layout.record(.beneficiary, Self.header(1).id)
    let bytes = try require(files.bytes(path.text))
    try files.unlink(path)
    switch damage {
    case .none: try Self.write(bytes, path, files)
    case .cut: try Self.write(Array(bytes.prefix(100)), path, files)
    case .changed:
      let text = String(decoding: bytes, as: UTF8.self)
      try Self.write(
        Array(text.replacing("\"Mia\"", with: "\"Eva\"").utf8), path, files)
    case .directory: try files.createDirectory(path, mode: 0o700)
    }
    let plan = try Self.plan(store, for: [second.id])
    expect(Self.words(plan), is: ["MIA-2: Ring"])
    expect(!plan.issues.contains { if case .namesUnknown = $0 { true } else { false } })
  }

  @Test func `where nothing says the name of a person any more, that is an issue`() throws {
    let (files, store) = try Self.build()
    let id = Self.header(1).id
    try files.unlink(store.layout.record(.beneficiary, id))
    try Self.write([], store.layout.record(.beneficiary, id), files)
    for path in files.files(under: store.layout.journal.text).keys {
      try files.unlink(FilePath(path))
    }
    let plan = try Self.plan(store)
    expect(Self.words(plan), is: ["Bo: Ring"])
    let unknown = plan.issues.compactMap { issue -> [RecordID]? in
      if case .namesUnknown(let people) = issue { people } else { nil }
    }
    expect(unknown, is: [[id]])
  }

  private static func write(
    _ bytes: [UInt8], _ path: FilePath, _ files: SimulatedFileSystem
  ) throws {
    let file = try files.open(path, .createExclusive(mode: 0o600))
    try files.writeAll(file, bytes)
    try files.close(file)
  }

  @Test func `a delivery is made whole, marked sent, and not planned again`() throws {
    let (files, store) = try Self.build()
    var plan = try Self.plan(store)
    let writer = try Self.writer(store, marksSent: true)
    expect(try writer.prepare(for: plan).isEmpty)
    var watched = 0
    try writer.make(&plan) { watched += $0 }
    expect(plan.deliveries.map(\.outcome), is: [.marked, .marked])
    let made = files.files(under: "/out")
    expect(
      made.keys.sorted(),
      is: [
        "/out/Bo/index.html", "/out/Bo/letter.txt", "/out/Mia/index.html", "/out/Mia/letter.txt",
      ])
    expect(watched, is: made.values.reduce(0) { $0 + $1.count })
    expect(
      Self.words(try Self.plan(store)), is: ["Mia: not yet \(StoreScenario.capsule(0x22).title)"])
  }

  @Test func `who ends the work leaves nothing half made`() throws {
    let (files, store) = try Self.build()
    for isSealed in [false, true] {
      var plan = try Self.plan(store, for: [Self.header(1).id], isSealed: isSealed)
      let writer = try Self.writer(store, isSealed: isSealed, marksSent: true)
      _ = try writer.prepare(for: plan)
      var calls = 0
      expect(throws: Ended.self) {
        try writer.make(&plan) { _ in
          calls += 1
          if calls == 2 { throw Ended() }
        }
      }
      expect(plan.deliveries.map(\.outcome) == [.planned] && plan.deliveries[0].problem == nil)
      expect(try files.contents(ofDirectory: Self.output).isEmpty)
      try expect(store.read(Bequest.self, Self.header(11).id).model.state, is: .notSent)
    }
  }

  @Test func `a person's problem is typed, and no one else's`() throws {
    let (files, store) = try Self.build()
    try files.createDirectories(FilePath("/out/Mia"))
    var plan = try Self.plan(store)
    guard let problem = plan.deliveries[0].problem as? Fault, problem.code == .deliveryExists,
      problem.takenPath == FilePath("/out/Mia")
    else {
      Issue.record("\(String(describing: plan.deliveries[0].problem))")
      return
    }
    try Self.writer(store).make(&plan) { _ in }
    expect(plan.deliveries.map(\.outcome), is: [.planned, .made])
    let sealed = try Self.plan(store, isSealed: true)
    expect(sealed.deliveries[0].problem == nil)
    guard let refused = sealed.deliveries[1].problem as? Fault, refused.code == .noRecipient else {
      Issue.record("\(String(describing: sealed.deliveries[1].problem))")
      return
    }
    expect(refused, is: .noRecipient(sealed.deliveries[1].person))
  }

  @Test(arguments: [false, true])
  func `what is changed while it is copied is not handed over, and no one else's is held up`(
    isSealed: Bool
  ) throws {
    let (files, store) = try Self.build()
    var bo = try store.read(Beneficiary.self, Self.header(2).id)
    bo.model.recipient = try store.read(Beneficiary.self, Self.header(1).id).model.recipient
    _ = try store.update(bo, now: Self.now)
    var plan = try Self.plan(store, isSealed: isSealed)
    let writer = try Self.writer(store, isSealed: isSealed, marksSent: true)
    _ = try writer.prepare(for: plan)
    var isRevoked = false
    try writer.make(&plan) { count in
      guard count > 0, !isRevoked else { return }
      isRevoked = true
      try store.mark(Self.header(11).id, as: .revoked)
    }
    expect(plan.deliveries.map(\.outcome), is: [.planned, .marked])
    guard
      let problem = plan.deliveries[0].problem as? Fault,
      problem.cause as? DeliveryChanged == .bequest(of: "Ring")
    else {
      Issue.record("\(String(describing: plan.deliveries[0].problem))")
      return
    }
    expect("\(problem)".contains("'Mia'"))
    let names = try files.contents(ofDirectory: Self.output).map {
      String(decoding: $0.name, as: UTF8.self)
    }
    expect(names, is: [isSealed ? "Bo.tar.age" : "Bo"])
  }

  @Test func `what was left out and is taken back meanwhile is not named to anybody`() throws {
    let (_, store) = try Self.build()
    var plan = try Self.plan(store, for: [Self.header(1).id])
    try store.mark(Self.header(12).id, as: .revoked)
    let writer = try Self.writer(store)
    _ = try writer.prepare(for: plan)
    try writer.make(&plan) { _ in }
    expect(plan.deliveries[0].outcome == .planned && plan.deliveries[0].problem != nil)
  }

  @Test func `what cannot be marked is told, and the delivery stays whole`() throws {
    let (files, store) = try Self.build()
    var plan = try Self.plan(store, for: [Self.header(2).id])
    let writer = try Self.writer(store, marksSent: true)
    _ = try writer.prepare(for: plan)
    files.plan([.on(.rename, path: "/bequests/", .fail(5))])
    try writer.make(&plan) { _ in }
    expect(plan.deliveries[0].outcome, is: .made)
    guard let problem = plan.deliveries[0].problem as? Fault, problem.code == .io,
      problem.details["unmarked"] != nil
    else {
      Issue.record("\(String(describing: plan.deliveries[0].problem))")
      return
    }
    expect("\(problem)".contains("'Ring' could not be marked as sent"))
    expect(files.bytes("/out/Bo/index.html") != nil)
  }
}
