import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Which capsules get a hybrid key, and what is said of them.
@Suite struct QuantumStrengthTests {
  private static let hybrid = try? AgeIdentity(isPostQuantum: true, random: .system)
  private static let classic = try? AgeIdentity(isPostQuantum: false, random: .system)

  enum Inside: CaseIterable {
    case nothing, passphrase, hybrid, classic

    fileprivate var kind: LockKind? {
      switch self {
      case .nothing: nil
      case .passphrase: .passphrase
      case .hybrid, .classic: .recipients
      }
    }
  }

  private func layer(_ inside: Inside) throws -> [[any Recipient]] {
    switch inside {
    case .nothing: return []
    case .passphrase:
      let passphrase = try require(Passphrase(SecretBytes(copying: Array("secret".utf8))))
      return [[ScryptRecipient(passphrase, workFactor: 1)]]
    case .hybrid: return [[try require(Self.hybrid).recipient]]
    case .classic: return [[try require(Self.classic).recipient]]
    }
  }

  private func request(_ inside: Inside, isTimelocked: Bool) throws -> LockRequest {
    let layers = try layer(inside)
    guard isTimelocked else {
      return LockRequest(kind: inside.kind ?? .honor, layers: layers)
    }
    let recipient = TlockRecipient(chain: .quicknet, round: 1000)
    return LockRequest(
      kind: .timelock, layers: [[recipient]] + layers,
      timelock: Timelock(chain: .quicknet, round: 1000, inner: inside.kind, escrow: []))
  }

  private func newStore() throws -> Store {
    try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 7),
      now: Instant(seconds: 1_900_000_000))
  }

  private func create(
    _ request: LockRequest, setting: String? = nil
  ) throws -> (store: Store, capsule: Capsule) {
    let store = try newStore()
    if let setting {
      try store.settings.set(.postQuantum, to: .string(setting))
    }
    let capsule = try store.capsules.create(
      NewCapsule(
        title: "T", notes: "", tags: [], unlockAt: Instant(seconds: 2_000_000_000),
        unlockZone: "UTC", lock: request, sources: [.text("secret")]),
      limit: 1 << 20, now: Instant(seconds: 1_900_000_000))
    return (store, capsule)
  }

  static let table: [(Inside, Bool, QuantumStrength)] = [
    (.nothing, false, .unclaimed), (.passphrase, false, .passphrase), (.hybrid, false, .secret),
    (.classic, false, .readable), (.nothing, true, .readable), (.passphrase, true, .passphrase),
    (.hybrid, true, .secret), (.classic, true, .readable),
  ]

  @Test(arguments: Self.table)
  func `a capsule is hybrid where its lock withstands quantum computers`(
    inside: Inside, isTimelocked: Bool, strength: QuantumStrength
  ) throws {
    let (_, capsule) = try create(try request(inside, isTimelocked: isTimelocked))
    expect(capsule.quantumStrength, is: strength)
    let isHybrid = strength == .passphrase || strength == .secret
    expect(capsule.lock.recipient.hasPrefix("age1pq1"), is: isHybrid)
  }

  @Test(arguments: [Inside.passphrase, .hybrid])
  func `with the setting off a capsule is as it was before`(inside: Inside) throws {
    let (_, capsule) = try create(try request(inside, isTimelocked: false), setting: "off")
    expect(capsule.quantumStrength, is: .readable)
    expect(!capsule.lock.recipient.hasPrefix("age1pq1"))
  }

  @Test func `a record with a post-quantum key is of schema 2, and others of 1`() throws {
    for (inside, schema) in [(Inside.hybrid, Int64(2)), (.classic, 1)] {
      let (store, capsule) = try create(try request(inside, isTimelocked: false))
      let record = try store.read(Capsule.self, capsule.id)
      expect(record.model.header.schema, is: schema)
      var changed = record
      changed.model.title = "Another"
      _ = try store.update(changed, now: Instant(seconds: 1_900_000_001))
      try expect(store.read(Capsule.self, capsule.id).model.header.schema, is: schema)
    }
  }

  @Test func `an escrow with a post-quantum key makes schema 2`() throws {
    let escrow = try require(Self.hybrid).recipient
    let recipient = TlockRecipient(chain: .quicknet, round: 1000)
    let request = LockRequest(
      kind: .timelock, layers: [[recipient, escrow]],
      timelock: Timelock(
        chain: .quicknet, round: 1000, inner: nil, escrow: [escrow.description]))
    let (store, capsule) = try create(request)
    expect(!capsule.lock.recipient.hasPrefix("age1pq1"))
    try expect(store.read(Capsule.self, capsule.id).model.header.schema, is: 2)
  }

  @Test func `a person with a post-quantum key makes schema 2, and 1 when it is gone`() throws {
    let store = try newStore()
    let now = Instant(seconds: 1_900_000_000)
    var person = Beneficiary(
      header: RecordHeader(id: RecordID(high: 1, low: 2), createdAt: now), name: "Mia")
    person.recipient = try require(Self.hybrid).recipient.description
    try store.insert(person)
    var record = try store.read(Beneficiary.self, person.id)
    expect(record.model.header.schema, is: 2)
    expect(record.integrity == nil)
    record.model.recipient = ""
    _ = try store.update(record, now: now)
    try expect(store.read(Beneficiary.self, person.id).model.header.schema, is: 1)
  }

  @Test func `a hybrid capsule opens with its key`() throws {
    let (store, capsule) = try create(try request(.hybrid, isTimelocked: false))
    let record = try store.read(Capsule.self, capsule.id)
    var opening = try CapsuleOpening(record, in: store)
    let keys = Keys([try require(Self.hybrid)])
    let opened = try opening.open(
      with: keys, beacons: keys, now: Instant(seconds: 2_000_000_000))
    expect(opened.details[0].text, is: "secret")
  }

  @Test func `more can be put into a hybrid capsule without a key`() throws {
    let (store, capsule) = try create(try request(.hybrid, isTimelocked: false))
    let record = try store.read(Capsule.self, capsule.id)
    let now = Instant(seconds: 1_900_000_001)
    let changed = try store.capsules.add([.text("more")], to: record, limit: 1 << 20, now: now)
    expect(changed.contents.count, is: 2)
    expect(changed.contents[1].sealed.utf8.count > 2000)
  }
}
