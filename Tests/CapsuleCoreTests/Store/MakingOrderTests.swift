import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The order of records that were made within one second.
@Suite struct MakingOrderTests {
  private let files = SimulatedFileSystem()
  private let second = Instant(seconds: 1_700_000_000)

  private func store(nanoseconds: Int64 = 0) throws -> Store {
    let environment = StoreScenario.environment(files, seed: 1)
    let time = second.nanoseconds + nanoseconds
    let second = second
    return try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreEnvironment(
        fileSystem: files, random: environment.random, patience: environment.patience,
        cacheHome: environment.cacheHome, stateHome: nil, holder: "test",
        clock: StoreClock({ second }, nanoseconds: { time })),
      now: second)
  }

  /// A capsule whose id comes the earlier the later it is made.
  private func capsule(_ number: UInt8, unlock: Int64 = 1_900_000_000) -> Capsule {
    var capsule = StoreScenario.capsule(0x40 - number)
    capsule.header = RecordHeader(id: capsule.id, createdAt: second)
    capsule.title = "\(number)"
    capsule.unlockAt = Instant(seconds: unlock)
    return capsule
  }

  private func titles(_ store: Store, _ order: CapsuleQuery.Order) -> [String] {
    var query = CapsuleQuery(now: second)
    query.order = order
    var index = store.index.open(.capsule, now: Instant(seconds: 1_700_000_100))
    var titles: [String] = []
    query.forEach(in: &index, of: store) { row in
      titles.append(row.summary.record.title)
      return true
    }
    return titles
  }

  @Test(arguments: [CapsuleQuery.Order.created, .unlock])
  func `records of one second stand in the order of their making`(
    order: CapsuleQuery.Order
  ) throws {
    for number in 1...4 {
      try store(nanoseconds: Int64(number) * 10).insert(capsule(UInt8(number)))
    }
    expect(titles(try store(), order), is: ["1", "2", "3", "4"])
  }

  @Test func `records of one title stand in the order of their making`() throws {
    for number in 1...3 {
      var capsule = capsule(UInt8(number))
      capsule.title = "Same"
      try store(nanoseconds: Int64(number)).insert(capsule)
    }
    var query = CapsuleQuery(now: second)
    query.order = .title
    let store = try store()
    var index = store.index.open(.capsule, now: second)
    var ids: [RecordID] = []
    query.forEach(in: &index, of: store) { row in
      ids.append(row.summary.id)
      return true
    }
    expect(ids, is: (1...3).map { capsule(UInt8($0)).id })
  }

  @Test func `one program sorts what it makes although its clock stands still`() throws {
    let store = try store(nanoseconds: 5)
    for number in 1...4 { try store.insert(capsule(UInt8(number))) }
    expect(titles(store, .created), is: ["1", "2", "3", "4"])
  }

  @Test func `what is made at one time of a clock is a nanosecond apart, within its second`() {
    let order = MakingOrder()
    expect((0..<3).map { _ in order.next(5, in: 0) }, is: [5, 6, 7])
    expect(order.next(20, in: 0), is: 20)
    expect(order.next(3, in: 0), is: 21)
    expect(order.next(3, in: 1_000_000_000), is: 1_000_000_000)
  }

  @Test func `the order survives an edit, and a copy of the store without the cache`() throws {
    for number in 1...3 {
      try store(nanoseconds: Int64(number)).insert(capsule(UInt8(number)))
    }
    let store = try store()
    var record = try store.read(Capsule.self, capsule(2).id)
    record.model.notes = "changed"
    _ = try store.update(record, now: Instant(seconds: 1_700_000_050))
    files.removeTree(FilePath("/cache"))
    expect(titles(store, .created), is: ["1", "2", "3"])
    try expect(store.read(Capsule.self, capsule(2).id).model.header.createdNanos, is: 2)
  }

  @Test func `a record of an earlier program comes before the others of its second`() throws {
    try store(nanoseconds: 1).insert(capsule(1))
    let store = try store()
    let path = store.layout.record(.capsule, capsule(1).id)
    var fields = try RecordFile.decode(try files.readFile(path, limit: 1 << 20)).fields
    // One as an earlier program wrote it, with the id that comes last.
    let last = StoreScenario.id(0x7f)
    fields["createdNanos"] = nil
    fields["id"] = .string(last.description)
    fields["title"] = "earlier"
    let other = store.layout.record(.capsule, last)
    try store.folders.prepare([other.parent])
    _ = try files.writeNew(
      other, RecordFile.encode(fields), mode: 0o600,
      by: store.layout.temporary.appending("x"))
    expect(titles(store, .created), is: ["earlier", "1"])
    expect(try store.read(Capsule.self, last).model.fields["createdNanos"] == nil)
  }

  @Test func `a time before its own second counts as its beginning`() {
    var header = RecordHeader(id: .zero, createdAt: second)
    header.noteMaking(at: second.nanoseconds - 1)
    expect(header.createdNanos, is: 0)
    header.noteMaking(at: .min)
    expect(header.createdNanos, is: 0)
    expect(header.madeAt, is: second.nanoseconds)
  }

  @Test func `times beyond what can be counted stop at the ends`() throws {
    var fields = try RecordSamples.event.fields
    fields["createdNanos"] = .integer(.max)
    try expect(Event(fields: fields).header.madeAt, is: .max)
    fields["createdNanos"] = -1
    expect(throws: FieldError(path: "createdNanos", problem: .invalid("-1"))) {
      try Event(fields: fields)
    }
    expect(MakingOrder().next(.max, in: 0), is: .max)
  }
}
